#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""structure.py [ROOT]: the shape of the code stays as good as it was. Needs Universal Ctags.

- The rooms of core stand in core/README.md in the order in which they may include each other: a room includes those
  above it only, so every arrow points one way.
- Plugins reach core through the SDK only: they include nothing of it but halfling/...
- Files and functions stay short: the limits below are what was reached, and go down only.

Prints every fault, what was measured, and "N passed, N failed, 0 skipped"; exits with 1 where something failed.
"""
import json
import pathlib
import re
import subprocess
import sys

# Lines. Functions of C++ alone; a file's length counts for CUDA and Python, too.
LIMITS = {"file median": 71, "file p90": 188, "file max": 343, "function p90": 16, "function max": 75}
FOLDERS = ("core", "plugins", "tests")
ANY_INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def sources(root, suffixes):
    names = subprocess.run(["git", "-C", root, "ls-files", *FOLDERS], capture_output=True, text=True, check=True)
    return [root / name for name in names.stdout.split("\n") if pathlib.Path(name).suffix in suffixes]


def rooms_of(root):
    """The rooms in the order of the table in core/README.md."""
    return re.findall(r"^\| `(\w+)[/`]", (root / "core/README.md").read_text(), re.MULTILINE)


def upward_includes(root, rooms):
    """Includes of a room that stands below the including one."""
    faults = []
    for folder in sorted(path for path in (root / "core").iterdir() if path.is_dir() and path.name not in rooms):
        faults.append(f"core/{folder.name} is missing in the table of core/README.md")
    for file in (path for path in sources(root, (".cpp", ".hpp")) if path.is_relative_to(root / "core")):
        room = file.relative_to(root / "core").parts[0]
        for included in INCLUDE.findall(file.read_text()):
            other = included.split("/")[0]
            if room in rooms and other in rooms and rooms.index(other) > rooms.index(room):
                faults.append(f"{file.relative_to(root)}: includes {included} of a room below its own")
    return faults


def includes_around_the_sdk(root):
    """Includes of plugins that find a header of core which is not installed."""
    faults = []
    for file in (path for path in sources(root, (".cpp", ".hpp", ".cu")) if path.is_relative_to(root / "plugins")):
        for included in ANY_INCLUDE.findall(file.read_text()):
            found = [(folder / included).resolve() for folder in (root / "core", file.parent)]
            if any(path.is_file() and path.is_relative_to(root / "core") for path in found):
                faults.append(f"{file.relative_to(root)}: includes {included} of core, which is not in the SDK")
    return faults


def function_lengths(root):
    """(lines, "file:line name") of every C++ function."""
    files = "\n".join(str(path) for path in sources(root, (".cpp", ".hpp", ".cu")))
    command = ["ctags", "--output-format=json", "--fields=+ne", "--langmap=C++:+.cu", "--languages=C++", "--kinds-C++=f",
               "-L", "-", "-f", "-"]
    output = subprocess.run(command, input=files, capture_output=True, text=True, check=True).stdout
    tags = [json.loads(line) for line in output.splitlines()]
    return [(tag["end"] - tag["line"] + 1, f"{pathlib.Path(tag['path']).relative_to(root)}:{tag['line']} {tag['name']}")
            for tag in tags if "end" in tag]


def quantile(lengths, share):
    return sorted(lengths)[min(len(lengths) - 1, int(share * len(lengths)))][0]


def length_faults(root):
    files = [(len(path.read_text().splitlines()), str(path.relative_to(root)))
             for path in sources(root, (".cpp", ".hpp", ".cu", ".py"))]
    functions = function_lengths(root)
    measured = {"file median": (quantile(files, .5), ""), "file p90": (quantile(files, .9), ""), "file max": max(files),
                "function p90": (quantile(functions, .9), ""), "function max": max(functions)}
    print(f"{len(files)} files, {len(functions)} functions: " +
          ", ".join(f"{name} {lines} (at most {LIMITS[name]})" for name, (lines, _) in measured.items()))
    return [f"{where or 'all together'}: {name} is {lines} lines, at most {LIMITS[name]}"
            for name, (lines, where) in measured.items() if lines > LIMITS[name]]


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    checks = [upward_includes(root, rooms_of(root)), includes_around_the_sdk(root), length_faults(root)]
    for fault in (fault for faults in checks for fault in faults):
        print(fault)
    failed = sum(1 for faults in checks if faults)
    print(f"{len(checks) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


sys.exit(main())
