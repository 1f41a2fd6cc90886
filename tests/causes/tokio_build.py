# SPDX-License-Identifier: Apache-2.0
"""Builds the workloads on Tokio from Debian's sources; there is no other registry to ask. What is
built stays in the build directory, so Tokio is built once for all tests that need it."""
import os
import shutil
import subprocess
import tempfile

from programs import Missing, need

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "workload")
REGISTRY = "/usr/share/cargo/registry"
BUILD = os.path.abspath(os.environ.get("COLDSPOT_BUILD", "build"))
TARGET = os.path.join(BUILD, "tests", "causes", "tokio")


def tokio_program(name, cargo_home):
    """The path of the program `name`: "server" or "tasks". Missing if it cannot be built."""
    cargo = need("/usr/bin/cargo", "/root/.cargo/bin/cargo")
    if not os.path.isdir(REGISTRY):
        raise Missing(f"no {REGISTRY} here")
    os.makedirs(TARGET, exist_ok=True)
    with tempfile.TemporaryDirectory() as project:
        shutil.copy(os.path.join(SOURCES, "tokio.toml"), os.path.join(project, "Cargo.toml"))
        for file in ("server.tokio.rs", "tasks.tokio.rs"):
            shutil.copy(os.path.join(SOURCES, file), project)
        built = subprocess.run(
            [cargo, "build", "--release", "--offline", "--bin", name,
             "--config", 'source.crates-io.replace-with="debian"',
             "--config", f'source.debian.directory="{REGISTRY}"'],
            cwd=project, timeout=300, stdin=subprocess.DEVNULL, capture_output=True, check=False,
            env={**os.environ, "CARGO_HOME": cargo_home, "CARGO_TARGET_DIR": TARGET})
    if built.returncode:
        raise Missing(f"Tokio cannot be built: {built.stderr.decode()[-300:]}")
    return os.path.join(TARGET, "release", name)
