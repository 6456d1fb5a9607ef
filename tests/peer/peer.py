# SPDX-License-Identifier: Apache-2.0
"""A virtual environment with packages from PyPI, for the tests that compare with independent tools."""
import os
import re
import subprocess
import sys

SKIPPED = 77
UNREACHABLE = re.compile(r"Retrying|ConnectionError|ConnectTimeout|ReadTimeout|ProxyError|SSLError|Name or service")


def ensure(folder, requirements):
    """Starts the calling script again under the environment's Python, unless it runs there already.

    The environment is made when it is not there or holds other packages than `requirements`. Where PyPI cannot be
    reached, the script ends as skipped.
    """
    python = os.path.join(folder, "bin", "python")
    if os.path.realpath(sys.prefix) == os.path.realpath(folder):
        return
    stamp = os.path.join(folder, "requirements.txt")
    wanted = "\n".join(requirements) + "\n"
    if not os.path.exists(stamp) or open(stamp, encoding="utf-8").read() != wanted:
        install(folder, python, requirements)
        with open(stamp, "w", encoding="utf-8") as file:
            file.write(wanted)
    os.execv(python, [python, *sys.argv])


def install(folder, python, requirements):
    subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
    command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1",
               "--timeout", "20", "--only-binary", ":all:", *requirements]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if result.returncode == 0:
        return
    if UNREACHABLE.search(result.stdout):
        print("skipped: PyPI cannot be reached")
        sys.exit(SKIPPED)
    sys.exit(f"{' '.join(requirements)} cannot be installed:\n{result.stdout}")


def small_experiment(precision, loss_scaler):
    """Twelve iterations of a tiny AC-GAN on 8x8 figures, on the reference backend."""
    return f"""
[experiment]
name = "small"
[backend]
use = "reference"
[precision]
use = "{precision}"
[loss_scaler]
use = "{loss_scaler}"
[dataset]
use = "synthetic"
samples = 60
size = 8
classes = 3
[input]
batch_size = 8
[architecture]
use = "acgan"
z_dim = 4
fc_width = 16
first_channels = 4
second_channels = 8
classifier_width = 8
[optimizer]
use = "adam"
[budget]
iterations = 12
"""
