// SPDX-License-Identifier: Apache-2.0
#include "placement.hpp"

#include <algorithm>

namespace halfling::program {
namespace {

/// When each place of the arena is alive, in steps; bytes 0 for places that are never touched or lie
/// elsewhere.
std::vector<Lifetime> lifetimes(const Program& program, const std::vector<Cluster>& clusters) {
  std::vector<Lifetime> result(program.places.size());
  const int steps = static_cast<int>(clusters.size());
  for (int step = 0; step < steps; ++step) {
    const auto touch = [&](Ref ref) {
      const int index = program.place(ref);
      if (index < 0) return;
      const Place& place = program.places[static_cast<std::size_t>(index)];
      Lifetime& lifetime = result[static_cast<std::size_t>(index)];
      if (place.fixed != nullptr) return;
      if (lifetime.bytes == 0) lifetime = {place.bytes, step, step};
      lifetime.last = place.kept ? steps : step;
    };
    for (const int index : clusters[static_cast<std::size_t>(step)].items) {
      const Item& item = program.items[static_cast<std::size_t>(index)];
      for (const Ref ref : item.in) touch(ref);
      for (const Ref ref : item.out) touch(ref);
    }
  }
  return result;
}

/// Places of the arena that a tile loop reads element by element only.
std::vector<int> read_in_step(const Program& program, const Cluster& cluster) {
  std::vector<int> full, other;
  for (const int index : cluster.items) {
    const Item& item = program.items[static_cast<std::size_t>(index)];
    for (const Ref ref : item.in) {
      const int place = program.place(ref);
      if (place < 0 || program.places[static_cast<std::size_t>(place)].fixed != nullptr) continue;
      const bool whole = item.kind != ItemKind::tile || access_of(program, item, ref) == Access::full;
      (whole ? full : other).push_back(place);
    }
    for (const Ref ref : item.out) other.push_back(program.place(ref));
  }
  std::erase_if(full, [&](int place) { return std::ranges::count(other, place) != 0; });
  return full;
}

}  // namespace

void share_places(Program& program, const std::vector<Cluster>& clusters) {
  std::vector<Lifetime> alive = lifetimes(program, clusters);
  for (int step = 0; step < static_cast<int>(clusters.size()); ++step) {
    const Cluster& cluster = clusters[static_cast<std::size_t>(step)];
    if (!cluster.fused) continue;
    std::vector<int> free = read_in_step(program, cluster);
    std::erase_if(free, [&](int place) { return alive[static_cast<std::size_t>(place)].last != step; });
    for (const int index : cluster.items) {
      const Item& item = program.items[static_cast<std::size_t>(index)];
      const int mine = item.kind == ItemKind::tile ? program.place(item.out[0]) : -1;
      if (mine < 0) continue;
      const Place& place = program.places[static_cast<std::size_t>(mine)];
      Lifetime& lifetime = alive[static_cast<std::size_t>(mine)];
      if (place.fixed != nullptr || place.kept || lifetime.first != step) continue;
      const auto found = std::ranges::find_if(free, [&](int other) {
        return program.places[static_cast<std::size_t>(other)].bytes == place.bytes;
      });
      if (found == free.end()) continue;
      const int taken = *found;
      std::erase(free, taken);
      for (Slot& slot : program.slots)
        if (slot.place == mine) slot.place = taken;
      alive[static_cast<std::size_t>(taken)].last = lifetime.last;
      lifetime.bytes = 0;
    }
  }
}

MemoryPlan plan_places(const Program& program, const std::vector<Cluster>& clusters) {
  return plan_memory(lifetimes(program, clusters));
}

}  // namespace halfling::program
