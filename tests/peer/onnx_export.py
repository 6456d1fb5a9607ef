# SPDX-License-Identifier: Apache-2.0
"""onnx_export.py ENVIRONMENT PROGRAM DRAW PLUGINS...: ONNX's checker accepts what `halfling export` writes, and
onnxruntime draws the images with it that halfling draws."""
import glob
import os
import subprocess
import sys
import tempfile

import peer

peer.ensure(sys.argv[1], ["onnx==1.17.0", "onnxruntime==1.20.1", "numpy==2.2.0"])

import numpy  # noqa: E402
import onnx  # noqa: E402
import onnxruntime  # noqa: E402

PROGRAM, DRAW, PLUGINS = sys.argv[2], sys.argv[3], sys.argv[4:]
EXPERIMENT = peer.small_experiment("fp32", "none") + """
[[transform]]
use = "normalize"
mean = [0.5]
deviation = [0.5]
[average]
decay = {decay}
"""


def check(scratch, decay):
    with open(os.path.join(scratch, "e.toml"), "w", encoding="utf-8") as file:
        file.write(EXPERIMENT.replace("{decay}", str(decay)))
    out = os.path.join(scratch, f"runs{decay}")
    subprocess.run([PROGRAM, "run", os.path.join(scratch, "e.toml"), "--out", out, "--quiet"], check=True)
    run = glob.glob(os.path.join(out, "small", "*"))[0]
    model_file = os.path.join(scratch, "generator.onnx")
    subprocess.run([PROGRAM, "export", run, "--out", model_file], check=True)
    subprocess.run([DRAW, run, scratch, *PLUGINS], check=True)
    model = onnx.load(model_file)
    onnx.checker.check_model(model, full_check=True)
    assert {p.key: p.value for p in model.metadata_props}["iteration"] == "12"
    session = onnxruntime.InferenceSession(model_file, providers=["CPUExecutionProvider"])
    assert session.get_inputs()[0].shape[0] == "N", session.get_inputs()[0].shape
    labels = numpy.fromfile(os.path.join(scratch, "labels.i32"), numpy.int32)
    z = numpy.fromfile(os.path.join(scratch, "z.f32"), numpy.float32).reshape(len(labels), -1)
    wanted = numpy.fromfile(os.path.join(scratch, "images.u8"), numpy.uint8).reshape(len(labels), 1, 8, 8)
    for count in (1, len(labels)):
        (images,) = session.run(["samples"], {"z": z[:count], "labels": labels[:count]})
        assert images.shape == (count, 1, 8, 8), images.shape
        difference = numpy.abs(255 * images - wanted[:count].astype(numpy.float32)).max()
        assert difference <= 0.51, difference
    return wanted


with tempfile.TemporaryDirectory() as scratch:
    plain, averaged = check(scratch, 0), check(scratch, 0.9)
    assert (plain != averaged).any()
