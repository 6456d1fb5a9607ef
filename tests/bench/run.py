#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Iteration time of the full-width AC-GAN beside the machine's own limit and beside PyTorch.

    run.py BUILD [--batch 16 64 256] [--precision fp32 mixed] [--iterations N] [--rounds N]
                 [--peer SCRIPT --peer-python PYTHON]

The limit of an iteration is what the same process kind measures as this machine's best: FLOPs over the rate of a
matrix product in the format, plus 28 bytes per updated parameter over memory bandwidth. Cases and peers take turns,
round by round, and medians over the rounds are compared, so that a machine whose speed drifts does not favour one of
them. A peer script prints one JSON object a line with precision, batch, mode and ms.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def output(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def halfling(args, precision, batch):
    bench = args.build / "tests" / "bench" / "iteration"
    return output([bench, HERE / "acgan.toml", str(args.iterations), f"precision.use={precision}",
                   f"input.batch_size={batch}"])[0]


def peer(args, precision, batch, mode):
    lines = output([args.peer_python, args.peer, "--precision", "fp32" if precision == "fp32" else "bf16", "--batch",
                    str(batch), "--mode", mode, "--iterations", str(args.iterations)])
    return lines[0]["ms"]


def median_of(rounds, key):
    return statistics.median(r[key] for r in rounds)


def measure(args, precision, batch):
    """All rounds of one case: what halfling, the limit and the peers took."""
    rounds = []
    for _ in range(args.rounds):
        case = halfling(args, precision, batch)
        limits = output([args.build / "tests" / "bench" / "limit"])[0]
        native = precision == "fp32" or case["native"]
        rate = limits["gemm_f32" if precision == "fp32" or not native else "gemm_bf16"]
        case["limit"] = 1e3 * (case["flops"] / rate + 28 * case["updates"] / limits["bandwidth"])
        for mode in args.modes if args.peer else []:
            case[mode] = peer(args, precision, batch, mode)
        rounds.append(case)
        limits_text = " ".join(f"{k} {v / 1e9:.0f}" for k, v in limits.items())
        print(f"  {precision} {batch}: {case['ms']:.1f} ms, limit {case['limit']:.1f} ({limits_text} G/s)"
              + "".join(f", {m} {case[m]:.1f}" for m in args.modes if m in case), file=sys.stderr, flush=True)
    return rounds


def row(args, precision, batch, rounds):
    ms, limit = median_of(rounds, "ms"), median_of(rounds, "limit")
    cells = [precision, str(batch), f"{ms:.1f}", f"{limit:.1f}",
             f"{100 * statistics.median(r['limit'] / r['ms'] for r in rounds):.0f} %"]
    for mode in args.modes if args.peer else []:
        cells += [f"{median_of(rounds, mode):.1f}", f"{statistics.median(r[mode] / r['ms'] for r in rounds):.2f}"]
    first = rounds[0]
    planned, peak = first["planned"] / 2**20, median_of(rounds, "peak") / 2**20
    cells += [f"{planned:.0f}", f"{peak:.0f}", f"{peak / (1.3 * planned + first['base'] / 2**20):.2f}"]
    if not first["native"]:
        cells[0] += " (emulated: no speed)"
    return cells


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("build", type=Path)
    p.add_argument("--batch", nargs="+", type=int, default=[16, 64, 256])
    p.add_argument("--precision", nargs="+", default=["fp32", "mixed"])
    p.add_argument("--iterations", type=int, default=10)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--modes", nargs="+", default=["eager", "compile"])
    p.add_argument("--peer", default=os.environ.get("HALFLING_PEER"))
    p.add_argument("--peer-python", default=os.environ.get("HALFLING_PEER_PYTHON", sys.executable))
    args = p.parse_args()
    head = ["precision", "batch", "ms", "limit ms", "of limit"]
    for mode in args.modes if args.peer else []:
        head += [f"torch {mode} ms", "times faster"]
    head += ["planned MiB", "peak MiB", "of allowed"]
    rows = [head]
    for precision in args.precision:
        for batch in args.batch:
            rounds = measure(args, precision, batch)
            rows.append(row(args, precision, batch, rounds))
    print(f"{rounds[0]['device']}; {rounds[0]['library']}")
    widths = [max(len(r[i]) for r in rows) for i in range(len(head))]
    for i, cells in enumerate(rows):
        print("| " + " | ".join(c.rjust(w) for c, w in zip(cells, widths)) + " |")
        if i == 0:
            print("|" + "|".join("-" * (w + 1) + ":" for w in widths) + "|")


if __name__ == "__main__":
    main()
