// SPDX-License-Identifier: Apache-2.0
// The live objects of one kind, by address. Addresses are kept inverted: the leak checker must not take these
// tables for owners of what the plugin forgot to give back.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace emulation {

template <class Value>
class AddressTable {
 public:
  void insert(const void* address, Value value) { values_.emplace(invert(address), value); }
  bool erase(const void* address) { return values_.erase(invert(address)) == 1; }
  /// The entry with the highest address that is not above `address`; null where there is none.
  const Value* find_below(const void* address, const void** start) const {
    const auto found = values_.lower_bound(invert(address));
    if (found == values_.end()) return nullptr;
    *start = restore(found->first);
    return &found->second;
  }
  const Value* find(const void* address) const {
    const auto found = values_.find(invert(address));
    return found == values_.end() ? nullptr : &found->second;
  }
  template <class F>
  void each(F f) const {
    for (const auto& [inverted, value] : values_) f(restore(inverted), value);
  }

 private:
  static std::uintptr_t invert(const void* address) { return ~reinterpret_cast<std::uintptr_t>(address); }
  static void* restore(std::uintptr_t inverted) { return reinterpret_cast<void*>(~inverted); }

  std::map<std::uintptr_t, Value> values_;
};

/// Handles that the plugin holds.
template <class T>
class Handles {
 public:
  T* add(T* object) {
    table_.insert(object, true);
    return object;
  }
  bool contains(const T* object) const { return table_.find(object) != nullptr; }
  /// Deletes the object, if there is such a one.
  bool remove(T* object) {
    if (!table_.erase(object)) return false;
    delete object;
    return true;
  }
  std::vector<T*> all() const {
    std::vector<T*> result;
    table_.each([&](void* address, bool) { result.push_back(static_cast<T*>(address)); });
    return result;
  }

 private:
  AddressTable<bool> table_;
};

}  // namespace emulation
