// SPDX-License-Identifier: Apache-2.0
// Steps that only move: reshapes across the layout, concat, slice, one_hot and copies.
#include <algorithm>
#include <cstring>
#include <limits>

#include "step.hpp"
#include "transpose.hpp"

namespace halfling::cpu {
namespace {

class MoveStep final : public Step {
 public:
  MoveStep(const StepContext& context, const Item& item)
      : team_(context.team), move_(move_of(context, item)) {}
  std::string implementation() const override { return "move"; }
  std::size_t scratch_bytes() const override { return program::scratch_bytes(move_); }
  void use_scratch(std::byte* scratch) override { program::use_scratch(move_, scratch); }
  void run() override {
    std::visit([this](const auto& move) { put(move); }, move_);
  }

 private:
  void put(const Copy& copy) const {
    team_.split(static_cast<std::int64_t>(copy.bytes), 1, [&](Range range) {
      std::memcpy(copy.to + range.begin, copy.from + range.begin,
                  static_cast<std::size_t>(range.end - range.begin));
    });
  }

  void put(const Permutation& permutation) const {
    for (const Transposition& t : permutation.passes)
      team_.split(t.batch, t.rows * t.columns, [&](Range range) {
        for (std::int64_t n = range.begin; n < range.end; ++n) {
          const std::size_t offset = static_cast<std::size_t>(n * t.rows * t.columns) * t.element;
          transpose(t.element, t.from + offset, t.to + offset, t.rows, t.columns, t.rows);
        }
      });
  }

  void put(const Rows& rows) const {
    team_.split(rows.count, rows.bytes / 4 + 1, [&](Range range) {
      for (std::int64_t i = range.begin; i < range.end; ++i)
        for (const RowPart& part : rows.parts) put_part(part, rows.to + i * rows.bytes, i);
    });
  }
  static void put_part(const RowPart& part, std::byte* row, std::int64_t i) {
    const auto bytes = static_cast<std::size_t>(part.end - part.begin);
    if (part.from == nullptr)
      std::memset(row + part.begin, 0, bytes);
    else
      std::memcpy(row + part.begin, part.from + i * part.stride, bytes);
  }

  void put(const OneHot& hot) const {
    for (std::int64_t n = 0; n < hot.rows; ++n) {
      float* row = hot.to + n * hot.classes;
      const bool valid = hot.labels[n] >= 0 && hot.labels[n] < hot.classes;
      std::fill_n(row, hot.classes, valid ? 0.0f : std::numeric_limits<float>::quiet_NaN());
      if (valid) row[hot.labels[n]] = 1;
    }
  }

  const Team& team_;
  Move move_;
};

}  // namespace

StepPointer make_shape_step(const StepContext& context, const Item& item) {
  return std::make_unique<MoveStep>(context, item);
}

}  // namespace halfling::cpu
