# SPDX-License-Identifier: Apache-2.0
"""checkpoint.py ENVIRONMENT TOOL: halfling and the safetensors package read each other's files, and refuse the same
damaged ones.

Not compared: a header that begins with a blank, which the format forbids, halfling refuses and the package takes.
"""
import json
import os
import struct
import subprocess
import sys
import tempfile

import peer

peer.ensure(sys.argv[1], ["safetensors==0.8.0", "numpy==2.4.6"])

import numpy  # noqa: E402
import safetensors  # noqa: E402
from safetensors.numpy import save_file  # noqa: E402

TOOL = sys.argv[2]
ITEM = {"F64": 8, "I64": 8, "F32": 4, "I32": 4, "F16": 2, "BF16": 2, "U8": 1, "BOOL": 1}


def content(name, size):
    return bytes((7 * i + len(name.encode())) % 256 for i in range(size))


def by_halfling(path):
    """What halfling finds in a file, or None where it refuses."""
    result = subprocess.run([TOOL, "read", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    assert result.returncode in (0, 1), result.stderr.decode()
    return json.loads(result.stdout) if result.returncode == 0 else None


def by_package(path):
    """What the package finds in a file, or None where it refuses."""
    try:
        with open(path, "rb") as file:
            tensors = safetensors.deserialize(file.read())
        with safetensors.safe_open(path, framework="np") as opened:
            metadata = opened.metadata()
    except safetensors.SafetensorError:
        return None
    return {"metadata": metadata or {},
            "tensors": {name: {"dtype": t["dtype"], "shape": list(t["shape"]), "bytes": list(t["data"])}
                        for name, t in tensors}}


def check_written_by_halfling(path):
    subprocess.run([TOOL, "write", path], check=True)
    found = by_package(path)
    assert found is not None, "the package refuses halfling's file"
    assert found["metadata"] == {"iteration": "12", "ключ": "значение"}, found["metadata"]
    assert len(found["tensors"]) == 11, sorted(found["tensors"])
    for name, tensor in found["tensors"].items():
        size = ITEM[tensor["dtype"]]
        for extent in tensor["shape"]:
            size *= extent
        assert tensor["bytes"] == list(content(name, size)), name
        assert not name.startswith("d.") or name == "d." + tensor["dtype"], name
    assert by_halfling(path) == found
    with open(path, "rb") as file:
        assert (8 + struct.unpack("<Q", file.read(8))[0]) % 64 == 0


def check_written_by_package(path):
    kinds = {"float64": "F64", "int64": "I64", "float32": "F32", "int32": "I32", "float16": "F16", "uint8": "U8",
             "bool": "BOOL"}
    save_file({kind: numpy.arange(6).reshape(2, 3).astype(kind) for kind in kinds}, path, {"a": "b"})
    found = by_halfling(path)
    assert found == by_package(path)
    assert {kind: t["dtype"] for kind, t in found["tensors"].items()} == kinds


def file_of(header, data):
    header = header.encode() if isinstance(header, str) else header
    return struct.pack("<Q", len(header)) + header + bytes(data)


def check_damaged(path):
    def entry(begin, end, shape="[4]", kind="U8"):
        return f'{{"dtype":"{kind}","shape":{shape},"data_offsets":[{begin},{end}]}}'

    good = file_of(f'{{"x":{entry(0, 4)},"y":{entry(4, 8)}}}', 8)
    cases = {
        "good": good,
        "blanks after the header": file_of(f'{{"x":{entry(0, 4)}}}   ', 4),
        "empty": b"",
        "cut in the length": good[:5],
        "cut in the header": good[:40],
        "cut in the data": good[:-1],
        "trailing byte": good + b"x",
        "web page": b"<!DOCTYPE html><html></html>",
        "no JSON": file_of('{"x":', 0),
        "a list": file_of("[1]", 0),
        "hole": file_of(f'{{"x":{entry(0, 4)},"y":{entry(5, 9)}}}', 9),
        "overlap": file_of(f'{{"x":{entry(0, 4)},"y":{entry(3, 7)}}}', 7),
        "wrong size": file_of(f'{{"x":{entry(0, 4, "[5]")}}}', 4),
        "backwards": file_of(f'{{"x":{entry(4, 0)}}}', 4),
        "negative extent": file_of(f'{{"x":{entry(0, 4, "[-4]")}}}', 4),
        "overflow": file_of(f'{{"x":{entry(0, 4, "[4294967296,4294967296,4]")}}}', 4),
        "unknown type": file_of(f'{{"x":{entry(0, 4, kind="X8")}}}', 4),
        "no shape": file_of('{"x":{"dtype":"U8","data_offsets":[0,4]}}', 4),
        "metadata of numbers": file_of('{"__metadata__":{"a":1}}', 0),
        "not UTF-8": file_of(b'{"\xff":' + entry(0, 4).encode() + b"}", 4),
        "no tensors": file_of("{}", 0),
    }
    for name, data in cases.items():
        with open(path, "wb") as file:
            file.write(data)
        ours, theirs = by_halfling(path), by_package(path)
        assert ours == theirs, f"{name}: halfling {ours}, the package {theirs}"
        assert (ours is not None) == (name in ("good", "blanks after the header", "no tensors")), name
    print(f"{len(cases)} files judged alike by halfling and safetensors {safetensors.__version__}")


with tempfile.TemporaryDirectory() as folder:
    check_written_by_halfling(os.path.join(folder, "ours.safetensors"))
    check_written_by_package(os.path.join(folder, "theirs.safetensors"))
    check_damaged(os.path.join(folder, "damaged.safetensors"))
