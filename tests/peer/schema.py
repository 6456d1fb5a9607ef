# SPDX-License-Identifier: Apache-2.0
"""schema.py ENVIRONMENT TOOL PROGRAM SOURCES: what halfling says of experiment files, Taplo and the jsonschema package
say, too, going by the schema that halfling prints."""
import glob
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import tomllib

import peer

peer.ensure(sys.argv[1], ["taplo==0.9.3", "jsonschema==4.26.0"])

import jsonschema  # noqa: E402

TOOL, PROGRAM, SOURCES = sys.argv[2:5]
BROKEN = os.path.join(SOURCES, "tests", "experiments", "broken")

# Faults that lie in the text of the file, by code; the others lie elsewhere or in what is missing.
REFUSED = {"E010", "E011", "E013", "E014", "E015", "E016", "E017"}
ACCEPTED = {"E001", "E012"}
# What a schema cannot know or say.
NOT_SEEN = {
    "bad-name": "which characters a name may have",
    "list-append-nothing": "the list that is appended to is not there",
    "element-absent": "the base says which elements there are",
    "element-absent-plugin": "the base says which elements there are",
    "element-twin": "names that must differ",
    "duration-zero": "bounds of durations",
    "home-unknown": "which users a machine has",
    "size-small": "bounds of sizes",
    "extends-fault": "the fault is in another file",
    "schedule-share": "that the budget is one of time",
    "other-plugin": "the base says which plugin the option is for",
    "type-date": "JSON has no dates; to Taplo they are texts",
    "vars-type": "the type that a reference has",
    "sweep-plugin-option": "an option that only some of the swept plugins have",
}


def json_number(text):
    """As Taplo does: JSON has neither inf nor nan."""
    return float(text) if math.isfinite(float(text)) else None


class Schema:
    def __init__(self, command, folder):
        self.path = os.path.join(folder, "experiment.schema.json")
        with open(self.path, "wb") as file:
            subprocess.run(command, stdout=file, check=True)
        with open(self.path, encoding="utf-8") as file:
            schema = json.load(file)
        jsonschema.Draft4Validator.check_schema(schema)
        self.validator = jsonschema.Draft4Validator(schema)

    def accepts(self, path):
        """What both say; they must agree. None where the file is no TOML."""
        try:
            with open(path, "rb") as file:
                document = json.loads(json.dumps(tomllib.load(file, parse_float=json_number), default=str))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError):
            return None
        ours = self.validator.is_valid(document)
        command = [os.path.join(sys.prefix, "bin", "taplo"), "check", "--no-auto-config", "--schema",
                   "file://" + self.path, path]
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        assert ours == (result.returncode == 0), f"{path}: jsonschema {ours}, Taplo:\n{result.stdout}"
        return ours


def check_shipped(schema):
    files = [path for pattern in ("experiments/*.toml", "experiments/base/*.toml", "tests/bench/*.toml")
             for path in sorted(glob.glob(os.path.join(SOURCES, pattern)))]
    for path in files:
        assert schema.accepts(path), path
    assert len(files) >= 5
    return len(files)


def check_broken(schema):
    judged = 0
    for path in sorted(glob.glob(os.path.join(BROKEN, "*.toml"))):
        name = os.path.basename(path)[:-len(".toml")]
        with open(path, "rb") as file, open(path[:-len("toml")] + "expected", encoding="utf-8") as message:
            arguments, codes = b"\n# --set" in b"\n" + file.read(), set(re.findall(r"error\[(E\d+)\]", message.read()))
        accepted = schema.accepts(path)
        if accepted is None:
            continue
        if arguments or name in NOT_SEEN or codes <= ACCEPTED:
            assert accepted, f"{name}: refused, though nothing in the file is wrong for a schema"
        elif codes & REFUSED:
            assert not accepted, f"{name}: accepted, though {codes & REFUSED}"
        else:
            continue  # sweeps, references, edits of lists: some faults show in the text and some do not
        judged += 1
    assert judged >= 60, judged
    return judged


with tempfile.TemporaryDirectory() as scratch:
    shipped = check_shipped(Schema([PROGRAM, "schema"], scratch))
    broken = check_broken(Schema([TOOL], scratch))
    print(f"{shipped} shipped and {broken} broken files judged as halfling does")
