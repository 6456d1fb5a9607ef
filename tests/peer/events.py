# SPDX-License-Identifier: Apache-2.0
"""events.py ENVIRONMENT PROGRAM: TensorBoard reads what reporter `tensorboard` wrote, also of a run that was cut and
resumed."""
import glob
import json
import os
import subprocess
import sys
import tempfile
import time

import peer

peer.ensure(sys.argv[1], ["tensorboard==2.19.0", "setuptools==75.8.0"])

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator  # noqa: E402
from tensorboard.plugins.hparams import plugin_data_pb2  # noqa: E402

PROGRAM = sys.argv[2]
EXPERIMENT = peer.small_experiment("fp32", "dynamic") + """
[sample]
rows = 2
every = "5it"
[metrics]
every = "1it"
[checkpoint]
every = "6it"
keep = 5
[[reporter]]
use = "tensorboard"
"""


def run(folder, *more):
    subprocess.run([PROGRAM, "run", os.path.join(folder, "e.toml"), "--out", folder, "--quiet", *more], check=True)
    return glob.glob(os.path.join(folder, "small", "*"))[0]


def check(run_folder, grids):
    events = EventAccumulator(os.path.join(run_folder, "tensorboard"), size_guidance={"scalars": 0, "images": 0, "tensors": 0})
    events.Reload()
    with open(os.path.join(run_folder, "metrics.jsonl"), encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    for operation in ("d", "g", "q"):
        for figure in ("loss", "loss_scale", "skipped", "learning_rate"):
            found = [(e.step, e.value) for e in events.Scalars(f"{figure}/{operation}")]
            wanted = [(line["iteration"], line["operations"][operation][figure]) for line in lines]
            assert [step for step, _ in found] == [step for step, _ in wanted], (figure, found)
            assert all(abs(a - b) <= 1e-6 * abs(b) for (_, a), (_, b) in zip(found, wanted)), (figure, found, wanted)
    images = events.Images("samples")
    assert [image.step for image in images] == grids, [image.step for image in images]
    assert all(image.encoded_image_string.startswith(b"\x89PNG") and image.width > 0 for image in images)
    content = events.SummaryMetadata("_hparams_/session_start_info").plugin_data.content
    start = plugin_data_pb2.HParamsPluginData.FromString(content).session_start_info
    assert start.hparams["optimizer.use"].string_value == "adam", start
    assert start.hparams["input.batch_size"].number_value == 8, start
    assert start.hparams["input.shuffle"].bool_value is True, start
    assert start.group_name == os.path.basename(run_folder)
    content = events.SummaryMetadata("_hparams_/session_end_info").plugin_data.content
    end = plugin_data_pb2.HParamsPluginData.FromString(content).session_end_info
    assert end.status == 1 and end.end_time_secs >= start.start_time_secs, end
    text = events.Tensors("experiment")
    assert b"optimizer.use" in text[0].tensor_proto.string_val[0]


with tempfile.TemporaryDirectory() as scratch:
    with open(os.path.join(scratch, "e.toml"), "w", encoding="utf-8") as experiment:
        experiment.write(EXPERIMENT)
    folder = run(scratch)
    check(folder, [0, 5, 10, 12])
    os.remove(os.path.join(folder, "checkpoints", "12.safetensors"))
    os.remove(os.path.join(folder, "summary.json"))
    time.sleep(1.1)  # the names of event files have seconds, and TensorBoard reads them by name
    run(scratch, "--resume")
    check(folder, [0, 5, 6, 10, 12])  # what goes on begins with a grid
