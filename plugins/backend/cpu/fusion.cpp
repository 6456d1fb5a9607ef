// SPDX-License-Identifier: Apache-2.0
#include "fusion.hpp"

#include <algorithm>
#include <optional>
#include <queue>

namespace halfling::cpu {
namespace {

constexpr std::size_t most_items = 48;         // registers of a tile loop are few
constexpr std::int64_t small_space = 1 << 14;  // below it a step's overhead matters more than locality

bool is_fusible(const Item& item) {
  return item.kind != ItemKind::node && item.kind != ItemKind::copy;
}
bool is_reduction(const Item& item) {
  return is_fusible(item) && item.kind != ItemKind::tile;
}

/// The index space that an item runs over.
const Slot& space_slot(const Program& program, const Item& item) {
  return program.slot(item.kind == ItemKind::tile ? item.out[0] : item.in[0]);
}

class Fusion {
 public:
  explicit Fusion(Program& program) : program_(program) {}

  std::vector<Cluster> run() {
    producer_.assign(program_.slots.size(), -1);
    readers_.resize(program_.slots.size());
    touching_.resize(program_.places.size());
    for (int i = 0; i < static_cast<int>(program_.items.size()); ++i) place_item(i);
    choose_places();
    return ordered();
  }

 private:
  using Bits = std::vector<bool>;
  Ref root(Ref ref) const { return program_.slot(ref).root; }
  const Item& item(int index) const { return program_.items[static_cast<std::size_t>(index)]; }

  /// Clusters that must run before an item: producers, and for an update every reader of the old version.
  std::vector<int> predecessors(const Item& item) const {
    std::vector<int> result;
    for (const Ref operand : item.in)
      if (const int p = producer_[static_cast<std::size_t>(root(operand))]; p >= 0) result.push_back(p);
    if (!item.updates) return result;
    for (const Ref out : item.out)
      if (const int place = program_.slot(out).place; place >= 0)
        for (const int c : touching_[static_cast<std::size_t>(place)]) result.push_back(c);
    return result;
  }

  std::int64_t columns_of(const Item& item) const {
    const Shape space = squeezed(space_slot(program_, item).shape);
    if (item.kind == ItemKind::column_moments) return program_.slot(item.out[0]).shape.elements();
    if (item.kind == ItemKind::column_sum) {
      const std::int64_t columns = program_.slot(item.out[0]).shape.elements();
      return columns == 1 ? 0 : columns;  // then it is a total sum
    }
    for (const Ref operand : item.in) {
      const Access access = access_of(program_, item, operand);
      if (access == Access::column || access == Access::general) return space[space.rank() - 1];
    }
    return 0;
  }

  bool may_join(const Item& item, int index, std::int64_t columns, const std::vector<int>& before) const {
    const Cluster& cluster = clusters_[static_cast<std::size_t>(index)];
    if (!cluster.fused || cluster.items.size() >= most_items) return false;
    if (cluster.space != squeezed(space_slot(program_, item).shape)) return false;
    if (columns != 0 && cluster.columns != 0 && columns != cluster.columns) return false;
    for (const Ref operand : item.in) {  // what the cluster reduces is known only after it
      const Ref r = root(operand);
      if (producer_[static_cast<std::size_t>(r)] == index && reduced_[static_cast<std::size_t>(r)])
        return false;
    }
    return std::ranges::none_of(before, [&](int p) {
      return p != index && ancestors_[static_cast<std::size_t>(p)][static_cast<std::size_t>(index)];
    });
  }

  /// The cluster that an item joins, the latest first: of a producer, the one that was joined last, for a
  /// reduction that of another reader. (Elsewhere a reader gains nothing: what it makes would have to be
  /// kept.)
  std::optional<int> find_cluster(const Item& item, std::int64_t columns,
                                  const std::vector<int>& before) const {
    std::vector<int> candidates{last_joined_};
    for (const Ref operand : item.in) {
      const auto r = static_cast<std::size_t>(root(operand));
      if (item.kind == ItemKind::tile && access_of(program_, item, operand) != Access::full) continue;
      candidates.push_back(producer_[r]);
      if (is_reduction(item)) candidates.insert(candidates.end(), readers_[r].begin(), readers_[r].end());
    }
    if (space_slot(program_, item).shape.elements() <= small_space) {
      const auto recent = static_cast<int>(clusters_.size());
      for (int c = recent - 1; c >= std::max(0, recent - 64); --c) candidates.push_back(c);
    }
    std::ranges::sort(candidates, std::greater{});
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    for (const int c : candidates)
      if (c >= 0 && may_join(item, c, columns, before)) return c;
    return std::nullopt;
  }

  int new_cluster(const Item& item) {
    Cluster cluster;
    cluster.fused = is_fusible(item);
    if (cluster.fused) cluster.space = squeezed(space_slot(program_, item).shape);
    clusters_.push_back(std::move(cluster));
    ancestors_.emplace_back(program_.items.size(), false);
    return static_cast<int>(clusters_.size()) - 1;
  }

  void place_item(int index) {
    const Item& item = this->item(index);
    reduced_.resize(program_.slots.size(), false);
    const std::vector<int> before = predecessors(item);
    const std::int64_t columns = is_fusible(item) ? columns_of(item) : 0;
    const std::optional<int> found = is_fusible(item) ? find_cluster(item, columns, before) : std::nullopt;
    const int cluster = found ? *found : new_cluster(item);
    Cluster& joined = clusters_[static_cast<std::size_t>(cluster)];
    joined.items.push_back(index);
    if (columns != 0) joined.columns = columns;
    if (joined.fused && space_slot(program_, item).shape.elements() > small_space) last_joined_ = cluster;
    add_ancestors(cluster, before);
    for (const Ref operand : item.in) {
      const auto r = static_cast<std::size_t>(root(operand));
      if (readers_[r].empty() || readers_[r].back() != cluster) readers_[r].push_back(cluster);
      touch(operand, cluster);
    }
    for (const Ref out : item.out) {
      producer_[static_cast<std::size_t>(out)] = cluster;
      reduced_[static_cast<std::size_t>(out)] = is_reduction(item);
      touch(out, cluster);
    }
  }

  void touch(Ref ref, int cluster) {
    if (const int place = program_.place(ref); place >= 0)
      touching_[static_cast<std::size_t>(place)].push_back(cluster);
  }

  void add_ancestors(int cluster, const std::vector<int>& before) {
    Bits added(program_.items.size(), false);
    for (const int p : before) {
      if (p == cluster) continue;
      added[static_cast<std::size_t>(p)] = true;
      for (std::size_t i = 0; i < clusters_.size(); ++i)
        if (ancestors_[static_cast<std::size_t>(p)][i]) added[i] = true;
    }
    for (std::size_t c = 0; c < clusters_.size(); ++c) {
      if (static_cast<int>(c) != cluster && !ancestors_[c][static_cast<std::size_t>(cluster)]) continue;
      for (std::size_t i = 0; i < clusters_.size(); ++i)
        if (added[i]) ancestors_[c][i] = true;
    }
  }

  /// A slot needs bytes unless it lives and dies within one tile loop.
  void choose_places() {
    for (const Item& item : program_.items)
      for (const Ref out : item.out) {
        Slot& slot = program_.slot(out);
        const auto index = static_cast<std::size_t>(out);
        const int own = producer_[index];
        const bool read_elsewhere = std::ranges::any_of(readers_[index], [&](int c) { return c != own; });
        const bool is_output = std::ranges::any_of(program_.outputs, [&](Ref o) { return root(o) == out; });
        if (slot.place < 0 && (item.kind != ItemKind::tile || read_elsewhere || is_output))
          slot.place = program_.add_place(bytes_of(slot));
        if (is_output) program_.places[static_cast<std::size_t>(slot.place)].kept = true;
      }
  }

  /// A topological order that stays as near to the graph's as it can.
  std::vector<Cluster> ordered() {
    const std::size_t n = clusters_.size();
    std::vector<int> waits(n, 0);
    for (std::size_t c = 0; c < n; ++c)
      waits[c] = static_cast<int>(std::count(ancestors_[c].begin(), ancestors_[c].end(), true));
    const auto later = [&](int a, int b) {
      return clusters_[static_cast<std::size_t>(a)].items.back() >
             clusters_[static_cast<std::size_t>(b)].items.back();
    };
    std::priority_queue<int, std::vector<int>, decltype(later)> ready(later);
    for (std::size_t c = 0; c < n; ++c)
      if (waits[c] == 0) ready.push(static_cast<int>(c));
    std::vector<Cluster> result;
    while (!ready.empty()) {
      const auto next = static_cast<std::size_t>(ready.top());
      ready.pop();
      for (std::size_t c = 0; c < n; ++c)
        if (ancestors_[c][next] && --waits[c] == 0) ready.push(static_cast<int>(c));
      result.push_back(std::move(clusters_[next]));
    }
    return result;
  }

  Program& program_;
  std::vector<Cluster> clusters_;
  std::vector<Bits> ancestors_;            // by cluster: which clusters must run before it
  std::vector<int> producer_;              // by root slot
  std::vector<std::vector<int>> readers_;  // by root slot
  std::vector<std::vector<int>>
      touching_;          // by place that exists from the start: clusters that read or write it
  int last_joined_ = -1;  // among large tile loops
  Bits reduced_;          // by slot: made by a reduction
};

}  // namespace

std::vector<Cluster> fuse(Program& program) {
  return Fusion(program).run();
}

Access access_of(const Program& program, const Item& item, Ref operand) {
  const Slot& slot = program.slot(operand);
  const Shape& space = program.slot(item.out[0]).shape;
  if (slot.is_constant) return Access::constant;
  if (slot.shape.elements() == 1) return space.elements() == 1 ? Access::full : Access::scalar;
  if (squeezed(slot.shape) == squeezed(space)) return Access::full;
  if (space.elements() == 1) return Access::general;  // of a sum of all
  int last = space.rank() - 1;
  while (space[last] == 1) --last;
  for (int axis = 0; axis < last; ++axis)
    if (slot.shape[axis] != 1) return Access::general;
  return slot.shape[last] == space[last] ? Access::column : Access::general;
}

}  // namespace halfling::cpu
