#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the tensors of two checkpoints (safetensors) bit for bit: same_tensors.py FILE FILE"""
import json
import struct
import sys


def tensors(path):
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header, data = json.loads(file.read(length)), file.read()
    header.pop("__metadata__", None)
    return {name: (t["dtype"], t["shape"], data[slice(*t["data_offsets"])]) for name, t in header.items()}


def main():
    first, second = (tensors(path) for path in sys.argv[1:])
    different = sorted(name for name in first.keys() | second.keys() if first.get(name) != second.get(name))
    print(f"{len(first)} tensors, {len(different)} differ" + "".join(f"\n  {name}" for name in different))
    sys.exit(1 if different or not first else 0)


if __name__ == "__main__":
    main()
