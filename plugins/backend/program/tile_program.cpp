// SPDX-License-Identifier: Apache-2.0
#include "tile_program.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

namespace halfling::program {
namespace {

bool is_word(DType dtype) {
  return dtype == DType::f32 || dtype == DType::i32;
}

class TileCompiler {
 public:
  TileCompiler(const Program& program, const std::vector<std::byte*>& addresses, const Cluster& cluster)
      : program_(program), addresses_(addresses), cluster_(cluster) {}

  TileProgram run() {
    const Item& first = item(cluster_.items.front());
    const Ref space = first.kind == ItemKind::tile ? first.out[0] : first.in[0];
    result_.elements = program_.slot(space).shape.elements();
    result_.columns = cluster_.columns;
    count_uses();
    for (const int index : cluster_.items) add(item(index));
    return std::move(result_);
  }

 private:
  const Item& item(int index) const { return program_.items[static_cast<std::size_t>(index)]; }
  Ref root(Ref ref) const { return program_.slot(ref).root; }
  std::byte* address(Ref ref) const { return addresses_[static_cast<std::size_t>(program_.place(ref))]; }

  /// A register's value: a slot, read in one way.
  using Key = std::tuple<Ref, Access>;
  Key key(const Item& item, Ref operand) const {
    const Access access = item.kind == ItemKind::tile ? access_of(program_, item, operand) : Access::full;
    // general operands may differ in their strides: each view is a value of its own
    return {access == Access::general || access == Access::constant ? operand : root(operand), access};
  }

  void count_uses() {
    for (const int index : cluster_.items) {
      const Item& item = this->item(index);
      for (const Ref operand : item.in) ++uses_[key(item, operand)];
    }
  }

  int take_register() {
    if (free_.empty()) return result_.registers++;
    const int r = free_.back();
    free_.pop_back();
    return r;
  }

  /// The register of an operand, loaded where it is not there yet.
  int operand(const Item& item, Ref ref) {
    const Key k = key(item, ref);
    if (const auto found = registers_.find(k); found != registers_.end()) return found->second;
    TileLoad load = make_load(item, ref, std::get<Access>(k));
    const bool once = load.access != Access::full && load.access != Access::general;
    load.to = once ? result_.registers++ : take_register();  // what is loaded once shares with nothing
    registers_[k] = load.to;
    if (once) {
      pinned_.push_back(load.to);
      result_.once.push_back(load);
    } else {
      result_.loads.push_back(load);
      result_.load_at.push_back(result_.computes.size());
    }
    return load.to;
  }

  TileLoad make_load(const Item& item, Ref ref, Access access) const {
    const Slot& slot = program_.slot(ref);
    TileLoad load;
    load.access = access;
    load.dtype = slot.dtype;
    if (access == Access::constant) {
      load.constant = slot.dtype == DType::i32
                          ? std::bit_cast<float>(static_cast<std::int32_t>(slot.constant))
                          : static_cast<float>(slot.constant);
      if (is_half(slot.dtype)) load.constant = static_cast<float>(round_to(slot.dtype, slot.constant));
      return load;
    }
    load.from = address(ref);
    load.direct = access == Access::full && is_word(slot.dtype);
    if (access == Access::general) set_strides(load, program_.slot(item.out[0]).shape, slot.shape);
    return load;
  }

  static void set_strides(TileLoad& load, const Shape& space, const Shape& operand) {
    std::array<std::int64_t, Shape::max_rank> strides{};
    std::int64_t stride = 1;
    for (int axis = operand.rank() - 1; axis >= 0; --axis) {
      strides[static_cast<std::size_t>(axis)] = operand[axis] == 1 ? 0 : stride;
      stride *= operand[axis];
    }
    for (int axis = 0; axis < space.rank(); ++axis) {
      if (space[axis] == 1) continue;
      load.strides[static_cast<std::size_t>(load.extents.rank())] = strides[static_cast<std::size_t>(axis)];
      load.extents.push_back(space[axis]);
    }
  }

  void release(const Item& item, Ref ref) {
    const Key k = key(item, ref);
    if (--uses_[k] > 0) return;
    const int r = registers_.at(k);
    if (std::ranges::count(pinned_, r) != 0) return;
    registers_.erase(k);
    free_.push_back(r);
  }

  void add(const Item& item) {
    std::array<int, 3> r{no_register, no_register, no_register};
    for (std::size_t i = 0; i < item.in.size(); ++i) r[i] = operand(item, item.in[i]);
    if (item.kind == ItemKind::tile) {
      for (const Ref ref : item.in) release(item, ref);
      add_compute(item, r);
    } else {
      add_reduction(item, r[0]);  // reads its register after the computations: it stays
    }
  }

  void add_compute(const Item& item, const std::array<int, 3>& r) {
    const Slot& out = program_.slot(item.out[0]);
    const int to = take_register();
    TileCompute compute{item.op, to, r[0], r[1], r[2], item.parameters, nullptr};
    const bool is_stored = program_.place(item.out[0]) >= 0;
    const bool used_here = uses_.contains({item.out[0], Access::full});
    registers_[{item.out[0], Access::full}] = to;
    if (is_stored) {
      pinned_.push_back(to);  // stores come last
      std::byte* const place = address(item.out[0]);
      if (is_word(out.dtype) && !overwrites(item.out[0], place))
        compute.direct = place;
      else
        result_.stores.push_back({to, out.dtype, place, used_here});
    }
    result_.computes.push_back(compute);
    if (is_half(out.dtype) && used_here) {  // what is only stored is rounded by the store
      const TileOp round = out.dtype == DType::f16 ? TileOp::round_f16 : TileOp::round_bf16;
      result_.computes.push_back({round, to, to, no_register, no_register, {}, nullptr});
    }
  }

  /// Whether a result lies where an operand lies that is still to be read: then it is stored when all is
  /// computed.
  bool overwrites(Ref out, const std::byte* place) const {
    for (const int index : cluster_.items)
      for (const Ref ref : item(index).in)
        if (root(ref) != out && program_.place(ref) >= 0 && address(ref) == place &&
            uses_.at(key(item(index), ref)) > 0)
          return true;
    return false;
  }

  void add_reduction(const Item& item, int from) {
    pinned_.push_back(from);
    TileReduction reduction{item.kind, from, program_.slot(item.out[0]).dtype, {}, 1, 0};
    for (std::size_t i = 0; i < item.out.size(); ++i) reduction.results[i] = address(item.out[i]);
    if (item.kind != ItemKind::total_sum) reduction.columns = program_.slot(item.out[0]).shape.elements();
    if (item.kind == ItemKind::column_sum && reduction.columns == 1) reduction.kind = ItemKind::total_sum;
    result_.reductions.push_back(reduction);
  }

  const Program& program_;
  const std::vector<std::byte*>& addresses_;
  const Cluster& cluster_;
  TileProgram result_;
  std::map<Key, int> uses_, registers_;
  std::vector<int> free_, pinned_;
};

}  // namespace

TileProgram compile_tiles(const Program& program, const std::vector<std::byte*>& addresses,
                          const Cluster& cluster) {
  return TileCompiler(program, addresses, cluster).run();
}

}  // namespace halfling::program
