#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Time of `halfling plan` for a sweep of 2,000 trials: plan.py HALFLING. The aim is less than two seconds."""
import subprocess
import sys
import tempfile
import time
from pathlib import Path

EXPERIMENT = """[experiment]
name = "many"
[precision]
use = "mixed"
[loss_scaler]
use = "dynamic"
[dataset]
use = "synthetic"
[architecture]
use = "acgan"
[optimizer]
use = "adam"
[budget]
iterations = 1
[sweep.matrix]
"precision.use" = ["fp32", "mixed"]
"input.batch_size" = [16, 64, 256, 1024]
[sweep.repeat]
seeds = %s
"""

with tempfile.TemporaryDirectory() as folder:
    file = Path(folder) / "many.toml"
    file.write_text(EXPERIMENT % list(range(250)), encoding="utf-8")
    seconds = []
    for _ in range(3):
        begin = time.perf_counter()
        done = subprocess.run([sys.argv[1], "plan", str(file)], stdout=subprocess.PIPE, check=True, text=True)
        seconds.append(time.perf_counter() - begin)
    assert "\n2000 " in done.stdout
    print(f"2000 trials planned in {min(seconds):.2f} s (best of 3; the aim is 2 s)")
