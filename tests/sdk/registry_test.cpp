// SPDX-License-Identifier: Apache-2.0
// The plugin host against real files.
#include "plugin/registry.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>

#include "halfling/loss_scaler.hpp"
#include "plugin_folder.hpp"

using namespace halfling;
namespace fs = std::filesystem;

namespace {

// The one refusal of a folder that holds nothing but that plugin and a good one.
ErrorDetails refusal_of(const char* plugin) {
  const PluginFolder folder{plugin, "good"};
  const Registry registry = Registry::scan_only({folder.path()});
  CHECK(registry.plugins().size() == 1);
  REQUIRE(registry.refusals().size() == 1);
  CHECK(registry.refusals()[0].file == folder.file(plugin));
  CHECK(registry.refusals()[0].reason.where == folder.file(plugin).string());
  return registry.refusals()[0].reason;
}

Options good_options() {
  Options options;
  options.set("initial", 8.0);
  return options;
}

template <class Function>
ErrorDetails error_of(Function&& function) {
  try {
    function();
  } catch (const Error& error) {
    return error.details();
  }
  FAIL("no Error was thrown");
  return {};
}

ErrorDetails creation_error(const char* plugin) {
  const PluginFolder folder{plugin};
  const Registry registry = Registry::scan_only({folder.path()});
  REQUIRE(registry.plugins().size() == 1);
  const ErrorDetails details = error_of([&] { registry.create<LossScaler>("bad", {}); });
  CHECK(details.where.find(folder.file(plugin).string()) != std::string::npos);
  return details;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a good plugin is found, read and made") {
  const PluginFolder folder{"good"};
  const Registry registry = Registry::scan_only({folder.path()});
  CHECK(registry.refusals().empty());
  CHECK(registry.names("loss_scaler") == std::vector<std::string>{"good"});
  CHECK(registry.names("optimizer").empty());
  const PluginDescriptor* descriptor = registry.descriptor("loss_scaler", "good");
  REQUIRE(descriptor != nullptr);
  CHECK(descriptor->option_count == 3);
  CHECK(registry.descriptor("optimizer", "good") == nullptr);
  const auto scaler = registry.create<LossScaler>("good", good_options());
  Graph graph;
  const Value scale = scaler->scale(graph, "d");
  CHECK(scale.shape() == Shape{});
}

TEST_CASE("a descriptor with a wrong field is refused with both values") {
  CHECK(contains(refusal_of("wrong_magic").what, "no plugin descriptor"));
  const ErrorDetails abi = refusal_of("wrong_abi");
  CHECK(abi.got == "version 99");
  CHECK(abi.expected == "version 1");
  CHECK(contains(abi.hint, "again"));
  const ErrorDetails size = refusal_of("wrong_size");
  CHECK(size.got == "8 bytes");
  CHECK(size.expected == std::to_string(sizeof(PluginDescriptor)) + " bytes");
  const ErrorDetails fingerprint = refusal_of("wrong_fingerprint");
  CHECK(fingerprint.got == "gcc-1 sdk-0123");
  CHECK(fingerprint.expected == HALFLING_FINGERPRINT);
  const ErrorDetails kind = refusal_of("wrong_kind");
  CHECK(kind.got == "teapot");
  CHECK(contains(kind.expected, "loss_scaler"));
  CHECK(contains(refusal_of("no_name").what, "empty fields"));
}

TEST_CASE("a plugin that is compiled without types or exceptions is refused; checks within it may differ") {
  CHECK(contains(refusal_of("no_rtti").got, " no-rtti "));
  CHECK(contains(refusal_of("no_exceptions").got, " no-exceptions "));
  const PluginFolder folder{"assertions"};
  CHECK(Registry::scan_only({folder.path()}).find("loss_scaler", "good") != nullptr);
}

TEST_CASE("a library that is no plugin or lacks a function is refused") {
  CHECK(contains(refusal_of("no_symbol").what, "no symbol halfling_plugin"));
  const ErrorDetails missing = refusal_of("missing_function");
  CHECK(contains(missing.what, "cannot be loaded"));
  CHECK(contains(missing.got, "defined_nowhere"));
}

TEST_CASE("a file that is no library is refused before the loader sees it") {
  const PluginFolder folder{"good"};
  folder.write("text", "This is a text file, and longer than any header would be: 0123456789 0123456789\n");
  folder.write("empty", "");
  folder.write("letters", "\177EL");
  const Registry registry = Registry::scan_only({folder.path()});
  CHECK(registry.plugins().size() == 1);
  REQUIRE(registry.refusals().size() == 3);
  for (const Refusal& refusal : registry.refusals())
    CHECK(contains(refusal.reason.what, "no shared library"));
}

TEST_CASE("a truncated plugin is refused at every length") {
  const PluginFolder folder{"good"};
  const auto size = fs::file_size(folder.file("good"));
  for (std::uintmax_t length = size - 1; length > 3; length = length * 2 / 3) {
    fs::resize_file(folder.file("good"), length);
    const Registry registry = Registry::scan_only({folder.path()});
    CHECK(registry.plugins().empty());
    REQUIRE(registry.refusals().size() == 1);
    CHECK(contains(registry.refusals()[0].reason.what, "cut off"));
  }
}

TEST_CASE("a program and a library of another processor are refused") {
  const PluginFolder folder{};
  fs::copy_file(HALFLING_TEST_PLUGINS "/registry_test", folder.file("program"));
  folder.add("good", "foreign");
  std::fstream(folder.file("foreign"), std::ios::in | std::ios::out | std::ios::binary).seekp(18).put(3);
  const Registry registry = Registry::scan_only({folder.path()});
  REQUIRE(registry.refusals().size() == 2);
  CHECK(contains(registry.refusals()[0].reason.what, "another processor"));
}

TEST_CASE("what a factory throws arrives as an Error that names plugin and file") {
  const ErrorDetails own = creation_error("throws_error");
  CHECK(own.what == "the moon is in the wrong phase");
  CHECK(own.kind == ErrorKind::usage);
  CHECK(contains(own.where, "loss_scaler/bad"));
  const ErrorDetails standard = creation_error("throws_standard");
  CHECK(standard.got == "index 7 of 3");
  CHECK(standard.kind == ErrorKind::failure);
  CHECK(contains(creation_error("throws_integer").got, "no std::exception"));
  CHECK(contains(creation_error("makes_nothing").what, "made nothing"));
  CHECK(contains(creation_error("makes_another").what, "another kind"));
}

TEST_CASE("two plugins of one kind and name are an error that names both files") {
  const PluginFolder folder{"good"};
  const PluginFolder other{};
  other.add("good", "twin");
  const ErrorDetails details = error_of([&] { Registry::scan_only({folder.path(), other.path()}); });
  CHECK(details.kind == ErrorKind::usage);
  CHECK(contains(details.what, "loss_scaler/good"));
  CHECK(contains(details.where, folder.file("good").string()));
  CHECK(contains(details.where, other.file("twin").string()));
}

TEST_CASE("the same file reached by two ways is one plugin") {
  const PluginFolder folder{"good"};
  fs::create_symlink(folder.file("good"), folder.file("link"));
  CHECK(Registry::scan_only({folder.path(), folder.path()}).plugins().size() == 1);
}

TEST_CASE("an unknown name gives the known ones, the nearest and a related refusal") {
  const PluginFolder folder{"good", "wrong_fingerprint"};
  const Registry registry = Registry::scan_only({folder.path()});
  const ErrorDetails typo = error_of([&] { registry.create<LossScaler>("goood", {}); });
  CHECK(typo.kind == ErrorKind::usage);
  CHECK(typo.expected == "one of good");
  CHECK(contains(typo.hint, "did you mean \"good\"?"));
  const ErrorDetails refused = error_of([&] { registry.get("loss_scaler", "bad"); });
  CHECK(contains(refused.hint, folder.file("wrong_fingerprint").string() + " was refused"));
  CHECK(contains(registry.missing_hint("optimizer", "adam"), "1 plugin file was refused"));
}

TEST_CASE("a plugin that the build left out says what it lacked, unless it is there all the same") {
  const PluginFolder folder{"good"};
  std::ofstream(folder.path() / "optional-plugins.txt")
      << "loss_scaler good was too dear\nbackend cudnn nvcc is not found\n\nbackend\n";
  const Registry registry = Registry::scan_only({folder.path()});
  REQUIRE(registry.unbuilt().size() == 1);
  CHECK(registry.not_built("backend", "cudnn") == "nvcc is not found");
  CHECK(registry.not_built("loss_scaler", "cudnn").empty());
  const ErrorDetails details = error_of([&] { registry.get("backend", "cudnn"); });
  CHECK(details.what == "the backend plugin of this name was not built");
  CHECK(details.hint == "nvcc is not found");
}

TEST_CASE("the search path takes folders given, then those of the environment") {
  const PluginFolder given{"good"};
  const PluginFolder variable{"throws_error"};
  REQUIRE(setenv("HALFLING_PLUGIN_PATH", (":" + variable.path().string() + ":").c_str(), 1) == 0);
  const Registry registry = Registry::scan({given.path()});
  CHECK(registry.find("loss_scaler", "good") != nullptr);
  CHECK(registry.find("loss_scaler", "bad") != nullptr);
  REQUIRE(setenv("HALFLING_PLUGIN_PATH", "/nowhere", 1) == 0);
  const ErrorDetails details = error_of([] { Registry::scan(); });
  CHECK(details.kind == ErrorKind::usage);
  CHECK(details.where == "HALFLING_PLUGIN_PATH");
  CHECK(details.got == "/nowhere");
  REQUIRE(unsetenv("HALFLING_PLUGIN_PATH") == 0);
  CHECK(contains(error_of([] { Registry::scan({"/nowhere"}); }).where, "--plugin-path"));
}

TEST_CASE("where no plugin was found, the folders that were searched are named") {
  const PluginFolder folder{};
  const Registry registry = Registry::scan_only({folder.path()});
  CHECK(registry.missing_hint("backend", "cpu").find("in " + folder.path().string() + ";") !=
        std::string::npos);
}

TEST_CASE("links that lead nowhere or in a circle are refused by name; what is no file is left alone") {
  const PluginFolder folder{"good"};
  std::filesystem::create_symlink(folder.file("circle"), folder.file("circle"));
  std::filesystem::create_symlink("/nowhere/at/all", folder.file("nowhere"));
  std::filesystem::create_directory(folder.file("folder"));
  const Registry registry = Registry::scan_only({folder.path()});
  CHECK(registry.plugins().size() == 1);
  REQUIRE(registry.refusals().size() == 2);
  CHECK(registry.refusals()[0].file == folder.file("circle"));
  CHECK(registry.refusals()[1].file == folder.file("nowhere"));
}
