// SPDX-License-Identifier: Apache-2.0
#include "fusion.hpp"

#include <algorithm>
#include <optional>
#include <queue>

namespace halfling::program {
namespace {

constexpr std::size_t most_items = 48;         // registers of a tile loop are few
constexpr std::int64_t small_space = 1 << 14;  // below it a step's overhead matters more than locality

bool is_reduction(const Item& item) {
  return is_fusible(item) && item.kind != ItemKind::tile;
}

/// The index space that an item runs over.
const Slot& space_slot(const Program& program, const Item& item) {
  return program.slot(item.kind == ItemKind::tile ? item.out[0] : item.in[0]);
}

class Fusion {
 public:
  explicit Fusion(const Program& program) : program_(program) {}

  std::vector<Cluster> run() {
    producer_.assign(program_.slots.size(), -1);
    waiting_.assign(program_.slots.size(), -1);
    reduced_.assign(program_.slots.size(), false);
    readers_.resize(program_.slots.size());
    touching_.resize(program_.places.size());
    for (int i = 0; i < static_cast<int>(program_.items.size()); ++i) place_item(i);
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

  /// Items that go into one cluster together: an item, and before it what only makes its operands.
  using Group = std::vector<int>;

  void add_followed(int index, Group& group) const {
    for (const Ref operand : item(index).in)
      if (const int p = waiting_[static_cast<std::size_t>(root(operand))]; p >= 0) add_followed(p, group);
    if (std::ranges::count(group, index) == 0) group.push_back(index);
  }

  bool may_join(const Group& group, int index, std::int64_t columns, const std::vector<int>& before) const {
    const Cluster& cluster = clusters_[static_cast<std::size_t>(index)];
    if (!cluster.fused || cluster.items.size() + group.size() > most_items) return false;
    if (cluster.space != squeezed(space_slot(program_, item(group.back())).shape)) return false;
    if (columns != 0 && cluster.columns != 0 && columns != cluster.columns) return false;
    for (const int i : group)
      for (const Ref operand : item(i).in) {  // what the cluster reduces is known only after it
        const auto r = static_cast<std::size_t>(root(operand));
        if (producer_[r] == index && reduced_[r]) return false;
      }
    return std::ranges::none_of(before, [&](int p) {
      return p != index && ancestors_[static_cast<std::size_t>(p)][static_cast<std::size_t>(index)];
    });
  }

  /// The cluster that an item joins, the latest first: of a producer, the one that was joined last, for a
  /// reduction that of another reader. (Elsewhere a reader gains nothing: what it makes would have to be
  /// kept.)
  std::optional<int> find_cluster(const Group& group, std::int64_t columns,
                                  const std::vector<int>& before) const {
    const Item& item = this->item(group.back());
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
      if (c >= 0 && may_join(group, c, columns, before)) return c;
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
    if (item.follows) {
      waiting_[static_cast<std::size_t>(item.out[0])] = index;
      return;
    }
    Group group;
    add_followed(index, group);
    std::vector<int> before;
    std::int64_t columns = 0;
    for (const int i : group) {
      const std::vector<int> more = predecessors(this->item(i));
      before.insert(before.end(), more.begin(), more.end());
      if (is_fusible(item)) columns = std::max(columns, columns_of(this->item(i)));
    }
    const std::optional<int> found = is_fusible(item) ? find_cluster(group, columns, before) : std::nullopt;
    const int cluster = found ? *found : new_cluster(item);
    Cluster& joined = clusters_[static_cast<std::size_t>(cluster)];
    if (columns != 0) joined.columns = columns;
    if (joined.fused && space_slot(program_, item).shape.elements() > small_space) last_joined_ = cluster;
    add_ancestors(cluster, before);
    for (const int i : group) attach(i, cluster);
  }

  void attach(int index, int cluster) {
    const Item& item = this->item(index);
    clusters_[static_cast<std::size_t>(cluster)].items.push_back(index);
    for (const Ref operand : item.in) {
      const auto r = static_cast<std::size_t>(root(operand));
      if (readers_[r].empty() || readers_[r].back() != cluster) readers_[r].push_back(cluster);
      touch(operand, cluster);
    }
    for (const Ref out : item.out) {
      producer_[static_cast<std::size_t>(out)] = cluster;
      waiting_[static_cast<std::size_t>(out)] = -1;
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

  const Program& program_;
  std::vector<Cluster> clusters_;
  std::vector<Bits> ancestors_;            // by cluster: which clusters must run before it
  std::vector<int> waiting_;               // by slot: an item that goes where its reader goes
  std::vector<int> producer_;              // by root slot
  std::vector<std::vector<int>> readers_;  // by root slot
  std::vector<std::vector<int>>
      touching_;          // by place that exists from the start: clusters that read or write it
  int last_joined_ = -1;  // among large tile loops
  Bits reduced_;          // by slot: made by a reduction
};

}  // namespace

bool is_fusible(const Item& item) {
  return item.kind != ItemKind::node && item.kind != ItemKind::copy;
}

std::vector<Cluster> fuse(const Program& program) {
  return Fusion(program).run();
}

std::vector<Cluster> group_updates(const Graph& graph, const Program& program,
                                   std::vector<Cluster> clusters) {
  const auto update = [&](const Cluster& cluster) -> const Item* {
    const Item& item = program.items[static_cast<std::size_t>(cluster.items.front())];
    const bool is_adam =
        item.kind == ItemKind::node && item.node >= 0 && graph.node(item.node).op == Op::adam;
    return is_adam ? &item : nullptr;
  };
  // No parameter is updated twice under one step count, so that such updates are independent.
  const auto same = [&](const Item& a, const Item& b) {
    using enum AdamOperand::Index;
    constexpr std::size_t shared[] = {step, inverse_scale, skip, learning_rate};
    return graph.node(a.node).attributes == graph.node(b.node).attributes &&
           std::ranges::all_of(shared, [&](std::size_t i) {
             return program.slot(a.in[i]).root == program.slot(b.in[i]).root;
           });
  };
  std::vector<Cluster> result;
  for (Cluster& cluster : clusters) {
    const Item* mine = update(cluster);
    const Item* before = result.empty() ? nullptr : update(result.back());
    if (mine != nullptr && before != nullptr && same(*before, *mine))
      result.back().items.push_back(cluster.items.front());
    else
      result.push_back(std::move(cluster));
  }
  return result;
}

void choose_places(Program& program, const std::vector<Cluster>& clusters) {
  std::vector<int> made(program.slots.size(), -1);
  std::vector<bool> needed(program.slots.size(), false);
  for (int c = 0; c < static_cast<int>(clusters.size()); ++c)
    for (const int index : clusters[static_cast<std::size_t>(c)].items) {
      const Item& item = program.items[static_cast<std::size_t>(index)];
      for (const Ref in : item.in) {
        const auto root = static_cast<std::size_t>(program.slot(in).root);
        if (made[root] != c) needed[root] = true;
      }
      for (const Ref out : item.out) {
        made[static_cast<std::size_t>(out)] = c;
        if (item.kind != ItemKind::tile) needed[static_cast<std::size_t>(out)] = true;
      }
    }
  for (const Ref out : program.outputs) needed[static_cast<std::size_t>(program.slot(out).root)] = true;
  for (std::size_t i = 0; i < program.slots.size(); ++i) {
    Slot& slot = program.slots[i];
    if (needed[i] && made[i] >= 0 && slot.place < 0) slot.place = program.add_place(bytes_of(slot));
  }
  for (const Ref out : program.outputs)
    program.places[static_cast<std::size_t>(program.place(out))].kept = true;
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

}  // namespace halfling::program
