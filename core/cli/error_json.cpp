// SPDX-License-Identifier: Apache-2.0
#include "cli/error_json.hpp"

#include <nlohmann/json.hpp>

#include "base/json_text.hpp"

namespace halfling::cli {
namespace {

using nlohmann::ordered_json;

void put(ordered_json& object, const char* name, const std::string& text) {
  if (!text.empty()) object[name] = text;
}

ordered_json as_json(const Diagnostic& diagnostic) {
  ordered_json result = {{"code", diagnostic.code()}, {"file", ""}};
  std::string file = diagnostic.place;
  if (diagnostic.line_number != 0) {
    file.resize(file.rfind(':', file.rfind(':') - 1));
    result["line"] = diagnostic.line_number;
    result["column"] = diagnostic.column;
    result["length"] = std::min(diagnostic.length, config::code_points(diagnostic.line));
  }
  result["file"] = file;
  put(result, "message", diagnostic.message);
  put(result, "where", diagnostic.where);
  put(result, "got", diagnostic.got);
  put(result, "expected", diagnostic.expected);
  put(result, "hint", diagnostic.hint);
  put(result, "trial", diagnostic.trial);
  return result;
}

ordered_json as_json(const ErrorDetails& details) {
  ordered_json result = {{"message", details.what}};
  put(result, "where", details.where);
  put(result, "got", details.got);
  put(result, "expected", details.expected);
  put(result, "hint", details.hint);
  return result;
}

}  // namespace

std::string error_json(const Error& error) {
  ordered_json errors = ordered_json::array();
  if (const auto* several = dynamic_cast<const DiagnosticsError*>(&error)) {
    for (const Diagnostic& diagnostic : several->diagnostics()) errors.push_back(as_json(diagnostic));
  } else {
    errors.push_back(as_json(error.details()));
    for (const ErrorDetails& other : error.details().others) errors.push_back(as_json(other));
  }
  return json_text(ordered_json{{"errors", errors}}, 2);
}

}  // namespace halfling::cli
