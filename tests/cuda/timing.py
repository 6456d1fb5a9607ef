#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Iteration time of the full-width AC-GAN on this GPU, beside the GPU's own limit and beside PyTorch, as one table.

    timing.py BUILD --seconds N [--peer SCRIPT] [--python PYTHON] [--out FILE]

Cases run in the order of what matters most, until the time is up; what did not run stays out of the table. FILE gets
one JSON object a case as soon as it is known. The floor of an iteration is what the GPU itself reaches on a large
matrix product and on a copy, measured in the same run: the longer of FLOPs over FLOP/s and bytes over bytes per second.
The floor counts the bytes that the steps really read and write. A peer script prints one JSON object a line with
precision, batch, mode and ms.
"""
import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
POLICIES = {"fp32": ["precision.use=fp32"], "tf32": ["precision.use=tf32"],
            "fp16": ["precision.use=mixed", "precision.half=fp16"],
            "bf16": ["precision.use=mixed", "precision.half=bf16"]}


def cases():
    for batches in ((64, 1024), (256, 2048)):
        for size in (28, 32):
            for precision in ("fp16", "fp32", "bf16", "tf32"):
                for batch in batches:
                    yield size, precision, batch


def lines_of(command, seconds):
    """The JSON objects that a command prints; none where it fails or takes too long, and then its complaint."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=max(seconds, 1))
    except subprocess.TimeoutExpired:
        print(f"  too slow, left out: {' '.join(map(str, command))}", file=sys.stderr)
        return []
    if done.returncode != 0:
        print(f"  failed: {' '.join(map(str, command))}\n{done.stderr[-2000:]}", file=sys.stderr)
        return []
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def halfling(build, size, precision, batch, seconds):
    program = build / "tests" / "bench" / "iteration"
    channels = 1 if size == 28 else 3
    settings = ["backend.use=cudnn", f"dataset.size={size}", f"dataset.channels={channels}", "dataset.samples=8192",
                f"input.batch_size={batch}", *POLICIES[precision]]
    found = lines_of([program, HERE.parent / "bench" / "acgan.toml", "50", *settings], seconds)
    return found[0] if found else None


def floor(case, limits, precision):
    return 1e3 * max(case["flops"] / limits[precision], case["bytes"] / limits["bandwidth"])


def measure(args, deadline, out):
    left = lambda: deadline - time.monotonic()
    limits = lines_of([args.build / "tests" / "cuda" / "gpu_limit"], left())
    rows = {}
    for case in cases():
        if left() < 3:
            break
        found = halfling(args.build, *case, left())
        if found is None:
            continue
        row = {"size": case[0], "precision": case[1], "batch": case[2], "ms": found["ms"], "p10": found["p10"],
               "p90": found["p90"], "steps": found["steps"], "wait_share": found["wait_share"],
               "device": found["device"], "library": found["library"], "remark": found["remark"]}
        if limits:
            row["floor"] = floor(found, limits[0], case[1])
        rows[case] = row
        print(json.dumps(row), file=out, flush=True)
    for mode in ("eager", "compile") if args.peer else ():
        for case, row in rows.items():
            if left() < 5:
                break
            size, precision, batch = case
            found = lines_of([args.python, args.peer, "--device", "cuda", "--image", str(size), "--precision", precision,
                              "--batch", str(batch), "--mode", mode], left())
            if found:
                row[mode] = found[0]["ms"]
                print(json.dumps({"size": size, "precision": precision, "batch": batch, mode: row[mode]}), file=out,
                      flush=True)
    return list(rows.values())


def cell(row, key, digits=3):
    return f"{row[key]:.{digits}f}" if key in row else "not run"


def table(rows):
    lines = ["size  precision  batch        ms   p10-p90          floor ms  x floor  eager ms  compile ms  x compile  waits"]
    for r in sorted(rows, key=lambda r: (r["size"], r["precision"], r["batch"])):
        times = f"{r['ms'] / r['floor']:.2f}" if "floor" in r else "not run"
        faster = f"{r['compile'] / r['ms']:.2f}" if "compile" in r else "not run"
        lines.append(f"{r['size']:<5} {r['precision']:<9} {r['batch']:>6} {r['ms']:>9.3f}   "
                     f"{r['p10']:.3f}-{r['p90']:<10.3f} {cell(r, 'floor'):>8} {times:>8} {cell(r, 'eager'):>9} "
                     f"{cell(r, 'compile'):>11} {faster:>10} {100 * r['wait_share']:>5.0f} %")
    remarks = sorted({r["remark"] for r in rows if r["remark"]})
    return "\n".join(lines + remarks)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--seconds", type=float, default=180)
    parser.add_argument("--peer", help="a PyTorch script of the same model")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--out", type=Path, default=Path("timing.jsonl"))
    args = parser.parse_args()
    with args.out.open("w") as out:
        rows = measure(args, time.monotonic() + args.seconds, out)
    if not rows:
        sys.exit("timing: nothing could be measured")
    print(rows[0]["device"] + "; " + rows[0]["library"])
    print(table(rows))


if __name__ == "__main__":
    main()
