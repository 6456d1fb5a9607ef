// SPDX-License-Identifier: Apache-2.0
#include "recompute.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace halfling::program {
namespace {

constexpr int most_operations = 8;
constexpr std::int64_t large = 1 << 14;  // smaller values stay in the cache anyway

bool is_cheap(TileOp op) {
  return op == TileOp::copy || op == TileOp::add || op == TileOp::subtract || op == TileOp::multiply ||
         op == TileOp::affine || op == TileOp::leaky_relu;
}

class Recompute {
 public:
  Recompute(Program& program, const std::vector<Cluster>& clusters) : program_(program) {
    cluster_.resize(program.items.size());
    for (std::size_t c = 0; c < clusters.size(); ++c)
      for (const int item : clusters[c].items) cluster_[static_cast<std::size_t>(item)] = static_cast<int>(c);
    producer_.assign(program.slots.size(), -1);
    stored_.assign(program.slots.size(), false);
    for (std::size_t i = 0; i < program.items.size(); ++i) note(static_cast<int>(i));
    for (const Ref out : program.outputs) stored_[index(program.slot(out).root)] = true;
  }

  bool run() {
    const std::vector<Item> items = std::move(program_.items);
    old_ = &items;
    for (int i = 0; i < static_cast<int>(items.size()); ++i) {
      Item item = items[static_cast<std::size_t>(i)];
      if (is_fusible(item))
        for (Ref& operand : item.in)
          if (wants_copy(item, operand, i)) operand = copy(operand, cluster_[static_cast<std::size_t>(i)]);
      result_.push_back(std::move(item));
    }
    program_.items = std::move(result_);
    return !copies_.empty();
  }

 private:
  static std::size_t index(Ref ref) { return static_cast<std::size_t>(ref); }
  const Item& made_by(Ref ref) const { return (*old_)[static_cast<std::size_t>(producer_[index(ref)])]; }
  static bool is_full(const Program& program, const Item& item, Ref operand) {
    return item.kind != ItemKind::tile || access_of(program, item, operand) == Access::full;
  }

  void note(int i) {
    const Item& item = program_.items[static_cast<std::size_t>(i)];
    for (const Ref out : item.out) {
      producer_[index(out)] = i;
      if (item.kind != ItemKind::tile || program_.place(out) >= 0) stored_[index(out)] = true;
      if (item.updates && program_.place(out) >= 0) updates_[program_.place(out)].push_back(i);
    }
    if (!is_fusible(item))
      for (const Ref in : item.in) stored_[index(program_.slot(in).root)] = true;
  }

  bool is_stored(Ref ref) const {
    return producer_[index(program_.slot(ref).root)] < 0 || stored_[index(program_.slot(ref).root)];
  }

  bool wants_copy(const Item& item, Ref operand, int reader) {
    const Slot& slot = program_.slot(operand);
    if (slot.root != operand || slot.shape.elements() < large || is_stored(operand)) return false;
    if (!is_full(program_, item, operand)) return false;
    if (cluster_[static_cast<std::size_t>(producer_[index(operand)])] ==
        cluster_[static_cast<std::size_t>(reader)])
      return false;
    std::set<Ref> bases;
    int operations = 0;
    return can_copy(operand, reader, bases, operations) && bases.size() == 1;
  }

  /// Collects the stored arrays that a value is made of; false where it is not made cheaply.
  bool can_copy(Ref ref, int reader, std::set<Ref>& bases, int& operations) const {
    const Item& item = made_by(ref);
    if (!is_cheap(item.op) || ++operations > most_operations) return false;
    if (is_half(program_.slot(ref).dtype)) return false;  // measured: rounding again costs more than reading
    return std::ranges::all_of(item.in, [&](Ref operand) {
      if (program_.slot(operand).is_constant) return true;
      if (overwritten(operand, producer_[index(ref)], reader)) return false;
      if (!is_full(program_, item, operand)) return true;
      if (is_stored(operand)) {
        bases.insert(operand);
        return true;
      }
      return program_.slot(operand).root == operand && can_copy(operand, reader, bases, operations);
    });
  }

  /// Whether an update writes where a slot lies, between two items.
  bool overwritten(Ref ref, int from, int to) const {
    const auto found = updates_.find(program_.place(ref));
    return found != updates_.end() &&
           std::ranges::any_of(found->second, [&](int update) { return update > from && update < to; });
  }

  /// A copy of a value for one cluster.
  Ref copy(Ref ref, int cluster) {
    if (const auto found = copies_.find({cluster, ref}); found != copies_.end()) return found->second;
    Item item = made_by(ref);
    for (Ref& operand : item.in)
      if (!program_.slot(operand).is_constant && is_full(program_, item, operand) && !is_stored(operand))
        operand = copy(operand, cluster);
    Slot slot = program_.slot(ref);
    slot.root = static_cast<Ref>(program_.slots.size());
    program_.slots.push_back(slot);
    item.out = {slot.root};
    item.follows = true;
    result_.push_back(std::move(item));
    copies_[{cluster, ref}] = slot.root;
    return slot.root;
  }

  Program& program_;
  const std::vector<Item>* old_ = nullptr;
  std::vector<Item> result_;
  std::vector<int> cluster_;                 // by item
  std::vector<int> producer_;                // by slot: an item
  std::vector<bool> stored_;                 // by root slot: something needs its bytes anyway
  std::map<int, std::vector<int>> updates_;  // by place: items
  std::map<std::pair<int, Ref>, Ref> copies_;
};

}  // namespace

bool recompute_cheap_values(Program& program, const std::vector<Cluster>& clusters) {
  return Recompute(program, clusters).run();
}

}  // namespace halfling::program
