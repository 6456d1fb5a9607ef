#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""count.py TESTLOG.JSON: prints "N passed, N failed, N skipped" for a run of `meson test`.

Counts the test cases of doctest programs and of the conformance suite, and every other program as one.
Cases that a program skips by itself count, those that it was told to leave out do not. Exits with 1 where one
failed.
"""
import json
import re
import sys

DOCTEST = re.compile(r"\[doctest\] test cases: +\d+ \| +(\d+) passed \| +(\d+) failed \| +(\d+) skipped")
CONFORMANCE = re.compile(r"^conformance of \w+: (\d+) passed, (\d+) failed()$", re.MULTILINE)


def count(test):
    """(passed, failed, skipped) of one test program."""
    result = test["result"]
    if result == "SKIP":
        return 0, 0, 1
    output = test.get("stdout", "")
    cases = [match for pattern in (DOCTEST, CONFORMANCE) for match in pattern.findall(output)]
    passed, failed, skipped = (sum(int(match[i] or 0) for match in cases) for i in range(3))
    if any(argument.startswith("--test-") for argument in test["command"]):
        skipped = 0
    if result in ("OK", "EXPECTEDFAIL"):
        return passed or (0 if cases else 1), failed, skipped
    return passed, failed or 1, skipped  # a crash or a time-out comes without a count


def main(path):
    try:
        with open(path, encoding="utf-8") as log:
            counts = [count(json.loads(line)) for line in log if line.strip()]
    except FileNotFoundError:
        counts = []
    passed, failed, skipped = (sum(column) for column in zip(*counts)) if counts else (0, 0, 0)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


sys.exit(main(sys.argv[1]))
