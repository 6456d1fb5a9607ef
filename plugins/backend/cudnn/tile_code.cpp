// SPDX-License-Identifier: Apache-2.0
#include "tile_code.hpp"

#include <algorithm>
#include <array>

namespace halfling::cudnn {
namespace {

using namespace program;

class Assembler {
 public:
  explicit Assembler(const TileProgram& program)
      : program_(program), registers_(static_cast<std::size_t>(program.registers)) {}

  TileCode run() {
    for (const TileLoad& load : program_.once) bind(load);
    std::size_t next = 0;
    for (std::size_t i = 0; i <= program_.computes.size(); ++i) {
      for (; next < program_.loads.size() && program_.load_at[next] == i; ++next) bind(program_.loads[next]);
      if (i < program_.computes.size()) add(program_.computes[i]);
    }
    for (const TileReduction& reduction : program_.reductions) add(reduction);
    for (const TileStore& store : program_.stores) add(store);
    keep_results();
    place_accumulators();
    for (const Line& line : lines_) code_.instructions.push_back(line.instruction);
    return std::move(code_);
  }

 private:
  static constexpr int no_line = -1;

  /// What a register of the program holds: the result of a line, or what lies in memory.
  struct Value {
    int line = no_line;
    TileOperand memory;
  };
  struct Line {
    TileInstruction instruction;
    std::array<int, 3> makers{no_line, no_line, no_line};  ///< by operand: the line that made it
  };

  Value& value(int r) { return registers_[static_cast<std::size_t>(r)]; }
  Line& line(int index) { return lines_[static_cast<std::size_t>(index)]; }
  int last() const { return static_cast<int>(lines_.size()) - 1; }

  void bind(const TileLoad& load) {
    TileOperand operand{load.from, load.constant, 0, Source::constant, load.dtype};
    if (load.access == Access::scalar) operand.source = Source::scalar;
    if (load.access == Access::full) operand.source = Source::element;
    if (load.access == Access::column) operand.source = Source::column;
    if (load.access == Access::general) {
      operand.source = Source::view;
      operand.index = static_cast<std::int16_t>(code_.views.size());
      code_.views.push_back(view_of(load));
    }
    value(load.to) = {no_line, operand};
  }

  /// The last axis is that of the columns; of the others, neighbours that are one for the offset are joined.
  static TileView view_of(const TileLoad& load) {
    TileView view;
    const int last = load.extents.rank() - 1;
    view.step = load.strides[static_cast<std::size_t>(last)];
    for (int axis = 0; axis < last; ++axis) {
      const std::int64_t extent = load.extents[axis], stride = load.strides[static_cast<std::size_t>(axis)];
      if (view.axes > 0 && view.strides[view.axes - 1] == extent * stride) {
        view.extents[view.axes - 1] *= extent;
        view.strides[view.axes - 1] = stride;
      } else {
        view.extents[view.axes] = extent;
        view.strides[view.axes++] = stride;
      }
    }
    return view;
  }

  int append(TileOp op, std::initializer_list<int> operands) {
    Line& line = lines_.emplace_back();
    line.instruction.operation.op = op;
    line.instruction.operation.operand_count = 0;
    for (const int r : operands) {
      if (r == no_register) break;
      const std::size_t i = line.instruction.operation.operand_count++;
      line.instruction.operands[i] = value(r).memory;
      line.makers[i] = value(r).line;
    }
    return last();
  }

  void add(const TileCompute& compute) {
    const bool rounds = compute.op == TileOp::round_f16 || compute.op == TileOp::round_bf16;
    if (rounds && compute.to == compute.a && value(compute.a).line == last() && last() != no_line) {
      line(last()).instruction.operation.round = compute.op == TileOp::round_f16 ? DType::f16 : DType::bf16;
      return;
    }
    const int made = append(compute.op, {compute.a, compute.b, compute.c});
    TileOperation& operation = line(made).instruction.operation;
    std::ranges::copy(compute.parameters, operation.parameters);
    operation.to = compute.direct;
    value(compute.to) = {made, {}};
  }

  void add(const TileReduction& reduction) {
    int made = value(reduction.from).line;
    const auto is_free = [&] {
      return line(made).instruction.operation.sum == nowhere &&
             line(made).instruction.operation.moments == nowhere;
    };
    if (made == no_line || !is_free()) made = append(TileOp::copy, {reduction.from});
    TileResult result;
    result.dtype = reduction.dtype;
    result.columns = reduction.columns;
    std::ranges::copy(reduction.results, result.results);
    if (reduction.kind == ItemKind::column_moments) {
      result.kind = Reduction::column_moments;
      result.part = 3;
    } else {
      result.kind = reduction.kind == ItemKind::column_sum ? Reduction::column_sum : Reduction::total;
    }
    result.from = static_cast<std::int16_t>(code_.accumulators);
    const bool has_moments = result.kind == Reduction::column_moments;
    code_.accumulators += has_moments ? moment_registers : 1;
    TileOperation& operation = line(made).instruction.operation;
    (has_moments ? operation.moments : operation.sum) = result.from;
    code_.results.push_back(result);
  }

  /// The line that makes a result stores it, unless a later one still reads what lies there.
  void add(const TileStore& store) {
    int made = value(store.from).line;
    const bool is_read = std::any_of(lines_.begin() + made + 1, lines_.end(), [&](const Line& later) {
      const TileInstruction& i = later.instruction;
      return std::any_of(i.operands, i.operands + i.operation.operand_count,
                         [&](const TileOperand& operand) { return operand.from == store.to; });
    });
    if (is_read || line(made).instruction.operation.to != nullptr) made = append(TileOp::copy, {store.from});
    line(made).instruction.operation.to = store.to;
    line(made).instruction.operation.dtype = store.dtype;
  }

  /// Results that not only the next line reads get a register from the line that makes them to their last
  /// reader.
  void keep_results() {
    std::vector<int> last_reader(lines_.size(), no_line);
    for (int i = 0; i <= last(); ++i)
      for (const int maker : line(i).makers)
        if (maker != no_line && maker != i - 1) last_reader[static_cast<std::size_t>(maker)] = i;
    std::vector<std::int16_t> free;
    for (int i = 0; i <= last(); ++i) {
      for (std::size_t operand = 0; operand < 3; ++operand) read(i, operand, last_reader, free);
      if (last_reader[static_cast<std::size_t>(i)] == no_line) continue;
      if (free.empty()) free.push_back(static_cast<std::int16_t>(code_.registers++));
      line(i).instruction.operation.keep = free.back();
      free.pop_back();
    }
  }

  void read(int reader, std::size_t operand, std::vector<int>& last_reader, std::vector<std::int16_t>& free) {
    const int maker = line(reader).makers[operand];
    if (maker == no_line || maker == reader - 1) return;
    TileOperand& from = line(reader).instruction.operands[operand];
    from.source = Source::kept;
    from.index = line(maker).instruction.operation.keep;
    int& last = last_reader[static_cast<std::size_t>(maker)];
    if (last != reader) return;
    last = no_line;  // once, where an instruction reads it twice
    free.push_back(from.index);
  }

  void place_accumulators() {
    const auto first = static_cast<std::int16_t>(code_.registers);
    for (Line& line : lines_) {
      if (line.instruction.operation.sum != nowhere) line.instruction.operation.sum += first;
      if (line.instruction.operation.moments != nowhere) line.instruction.operation.moments += first;
    }
    for (TileResult& result : code_.results) result.from += first;
    code_.registers += code_.accumulators;
  }

  const TileProgram& program_;
  std::vector<Value> registers_;
  std::vector<Line> lines_;
  TileCode code_;
};

}  // namespace

TileCode assemble(const TileProgram& program) {
  return Assembler(program).run();
}

}  // namespace halfling::cudnn
