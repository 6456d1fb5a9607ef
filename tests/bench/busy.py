#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What an iteration of the full-width AC-GAN takes on a quiet machine and beside one busy process per core.

    busy.py BUILD [--batch 16 64 256] [--precision fp32 mixed] [--rounds N] [--seconds S] [--also NAME=VALUE[,NAME=VALUE]...]...

For each case one process waits as halfling does by itself, one with OMP_WAIT_POLICY=active (threads spin), one with
passive (they sleep), and one for each --also (GOMP_SPINCOUNT=1000). They are stopped but for their turns, which last
--seconds or two iterations; in each round all take a quiet turn, then all a busy one (active only in the first round: it
can take very long). A turn counts as the median of its iterations, the first left out.

    quiet ms    fastest turn; a machine that is not as quiet as it should be shows in the slower ones
    loses       against the faster of active and passive, from the fastest turns; then the median over rounds
    busy ms     median over the turns beside busy processes
    x quiet     busy ms over quiet ms; active and passive beside it
"""
import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SETTINGS = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT")


class Stopped:
    """A process that runs only within `with`."""

    def __init__(self, command, **options):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **options)

    def __enter__(self):
        self.process.send_signal(signal.SIGCONT)
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGSTOP)

    def end(self):
        self.process.kill()
        self.process.communicate()


class Trainer(Stopped):
    def __init__(self, args, precision, batch, environment):
        quiet = {k: v for k, v in os.environ.items() if k not in SETTINGS}
        super().__init__([args.build / "tests" / "bench" / "iteration", HERE / "acgan.toml", "2", "turns",
                          f"precision.use={precision}", f"input.batch_size={batch}"], env={**quiet, **environment})
        with self:
            self.device = json.loads(self.process.stdout.readline())["device"]

    def turn(self, seconds):
        with self:
            print(seconds, file=self.process.stdin, flush=True)
            times = json.loads(self.process.stdout.readline())
        return statistics.median(times[1:] or times)


def busy_processes():
    loops = []
    for core in sorted(os.sched_getaffinity(0)):
        loop = Stopped([sys.executable, "-c", "while True: pass"])
        os.sched_setaffinity(loop.process.pid, {core})
        loop.process.send_signal(signal.SIGSTOP)
        loops.append(loop)
    return loops


def rounds_of(args, trainers, loops):
    """Quiet and busy turns by policy."""
    quiet, busy = {name: [] for name in trainers}, {name: [] for name in trainers}
    names = list(trainers)
    for number in range(args.rounds):
        order = names[number % len(names):] + names[:number % len(names)]
        for name in order:
            quiet[name].append(trainers[name].turn(args.seconds))
        for loop in loops:
            loop.__enter__()
        for name in order:
            if name != "active" or number == 0:
                busy[name].append(trainers[name].turn(args.seconds))
        for loop in loops:
            loop.__exit__()
    return quiet, busy


def row(precision, batch, quiet, busy):
    fastest = {name: min(turns) for name, turns in quiet.items()}
    loss = fastest["halfling"] / min(fastest["active"], fastest["passive"])
    paired = statistics.median(h / min(a, p) for h, a, p in zip(quiet["halfling"], quiet["active"], quiet["passive"]))
    loaded = {name: statistics.median(turns) for name, turns in busy.items()}
    cells = [precision, str(batch), f"{fastest['halfling']:.1f}", f"{100 * (loss - 1):+.1f} %",
             f"{100 * (paired - 1):+.1f} %", f"{loaded['halfling']:.1f}",
             f"{loaded['halfling'] / fastest['halfling']:.2f}"]
    others = [name for name in quiet if name != "halfling"]
    return cells + [f"{fastest[name]:.1f}, {loaded[name] / fastest[name]:.2f}" for name in others]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("build", type=Path)
    p.add_argument("--batch", nargs="+", type=int, default=[16, 64, 256])
    p.add_argument("--precision", nargs="+", default=["fp32", "mixed"])
    p.add_argument("--rounds", type=int, default=4)
    p.add_argument("--seconds", type=float, default=0.7)
    p.add_argument("--also", nargs="+", default=[])
    args = p.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that no busy process outlives this one
    policies = {"halfling": {}, "active": {"OMP_WAIT_POLICY": "active"}, "passive": {"OMP_WAIT_POLICY": "passive"}}
    policies.update({text: dict(v.split("=", 1) for v in text.split(",")) for text in args.also})
    head = ["precision", "batch", "quiet ms", "loses", "by rounds", "busy ms", "x quiet"]
    head += [f"{name} ms, x" for name in policies if name != "halfling"]
    rows = [head]
    loops = busy_processes()
    trainers = {}
    try:
        for precision in args.precision:
            for batch in args.batch:
                for name, environment in policies.items():
                    trainers[name] = Trainer(args, precision, batch, environment)
                rows.append(row(precision, batch, *rounds_of(args, trainers, loops)))
                print("  " + " ".join(rows[-1]), file=sys.stderr, flush=True)
                for trainer in trainers.values():
                    trainer.end()
    finally:
        for process in [*loops, *trainers.values()]:
            process.end()
    print(f"{trainers['halfling'].device}; load average {os.getloadavg()[0]:.2f}")
    widths = [max(len(r[i]) for r in rows) for i in range(len(head))]
    for i, cells in enumerate(rows):
        print("| " + " | ".join(c.rjust(w) for c, w in zip(cells, widths)) + " |")
        if i == 0:
            print("|" + "|".join("-" * (w + 1) + ":" for w in widths) + "|")


if __name__ == "__main__":
    main()
