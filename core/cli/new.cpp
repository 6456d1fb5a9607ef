// SPDX-License-Identifier: Apache-2.0
// halfling new KIND NAME
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>

#include "base/suggest.hpp"
#include "cli/command.hpp"
#include "halfling/error.hpp"
#include "plugin/registry.hpp"
#include "templates.hpp"

namespace halfling::cli {
namespace {

namespace fs = std::filesystem;

Error usage(std::string what, std::string got, std::string expected, std::string hint = {}) {
  return Error({.what = std::move(what),
                .where = {},
                .got = std::move(got),
                .expected = std::move(expected),
                .hint = std::move(hint),
                .kind = ErrorKind::usage});
}

/// "policy", "loss-scaler" and "scaler" are what people say.
std::string kind_named(std::string word) {
  std::ranges::replace(word, '-', '_');
  if (word == "policy") return PrecisionPolicy::kind;
  if (word == "scaler") return LossScaler::kind;
  return word;
}

std::string checked_kind(const std::string& word) {
  const std::string kind = kind_named(word);
  const auto of_kind = [&](const TemplateFile& file) { return kind == file.kind; };
  if (std::ranges::any_of(template_files, of_kind)) return kind;
  const std::string expected = fmt::format("one of {}", fmt::join(new_kinds(), ", "));
  if (kind == Backend::kind)
    throw usage("a backend takes more than one file to begin with", word, expected,
                "begin with a copy of tests/sdk/backend of halfling's source; plugins.md says how");
  throw usage("no kind of plugin has this name", word, expected, did_you_mean(word, new_kinds()));
}

/// It becomes the name of files, of an experiment and of the plugin.
void check_name(const std::string& name, const std::string& kind, const Registry& registry) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  };
  if (name.empty() || name.size() > 64 || !std::ranges::all_of(name, fits) || name[0] < 'a')
    throw usage("this cannot be the name of a plugin", name,
                "a small letter, then small letters, digits, - and _; 64 at most");
  if (const Plugin* taken = registry.find(kind, name))
    throw usage(fmt::format("there is a plugin {}/{} already", kind, name), taken->file.string(), {},
                "choose another name");
}

/// In one pass, so that what is put in is not looked at again.
std::string filled(std::string_view text, const std::string& name, const std::string& kind) {
  std::string result;
  while (!text.empty()) {
    if (text.starts_with("@NAME@") || text.starts_with("@KIND@")) {
      result += text[1] == 'N' ? name : kind;
      text.remove_prefix(6);
    } else {
      result += text[0];
      text.remove_prefix(1);
    }
  }
  return result;
}

/// By file name.
std::map<std::string, std::string> project(const std::string& name, const std::string& kind) {
  std::map<std::string, std::string> files;
  for (const TemplateFile& file : template_files)
    if (kind == file.kind)
      files[file.name == std::string_view("plugin.cpp") ? name + ".cpp" : file.name] +=
          filled(file.text, name, kind);
  return files;
}

void write(const fs::path& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream)
    throw Error({.what = "a file cannot be written", .where = file.string(), .got = std::strerror(errno)});
  if (file.extension() == ".sh")
    fs::permissions(file, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                    fs::perm_options::add);
}

/// The whole folder, or none.
void write_project(const fs::path& folder, const std::map<std::string, std::string>& files) {
  std::error_code error;
  if (!fs::create_directory(folder, error))
    throw usage(error ? "the folder cannot be made" : "the folder is there already",
                error ? error.message() : folder.string(), {},
                "choose another name, or another folder to stand in");
  try {
    for (const auto& [name, text] : files) write(folder / name, text);
  } catch (...) {
    fs::remove_all(folder, error);
    throw;
  }
}

}  // namespace

std::vector<std::string> new_kinds() {
  std::vector<std::string> kinds;
  for (const TemplateFile& file : template_files)
    if (kinds.empty() || kinds.back() != file.kind) kinds.emplace_back(file.kind);
  return kinds;
}

Grammar new_grammar() {
  Grammar grammar{
      .synopsis = "new KIND NAME [options]",
      .description =
          "Begins a plugin of your own in the folder NAME: a source that does something, a build file, an\n"
          "experiment that trains with it, and a test. It never overwrites a folder. KIND is one of\n" +
          fmt::format("{}.", fmt::join(new_kinds(), ", ")),
      .positional = {"kind", "project"}};
  add_plugin_path(grammar);
  return grammar;
}

int run_new(const Values& values) {
  if (values.count("project") == 0)
    throw usage("a kind and a name are missing", {}, "`halfling new KIND NAME`",
                "halfling new optimizer my-optimizer");
  const std::string kind = checked_kind(values["kind"].as<std::string>());
  const auto name = values["project"].as<std::string>();
  check_name(name, kind, Registry::scan(plugin_path(values)));
  const auto files = project(name, kind);
  write_project(name, files);
  for (const auto& file : files) std::cout << name << "/" << file.first << "\n";
  std::cout << "\nNext, as " << name << "/README.md says:\n    cd " << name << "\n    meson setup build\n"
            << "    meson test -C build\n    halfling run experiment.toml --plugin-path build\n";
  return exit_done;
}

}  // namespace halfling::cli
