#!/usr/bin/env python3
# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fetches the libraries that compare_grid.py compares against, for a machine without a
network.

    fetch_peers.py --out .carry/peers

downloads the wheels of tools/bench/peers/wheels.txt, merges them into one folder of
packages and writes that as OUT/1/site.tar.xz, OUT/2/site.tar.xz, ..., each of which is
an archive of its own of at most PART_MIB, so that they can travel one at a time.
gpu-session.sh unpacks those that it finds. `pip install --target` does not do: it keeps
one of several wheels that share a folder, as those of nvidia-cutlass-dsl do.
"""

import argparse
import fnmatch
import io
import lzma
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WHEELS = ROOT / "tools" / "bench" / "peers" / "wheels.txt"

PLATFORMS = (17, 24, 27, 28)

# What no kernel of the comparison reads: other processors, the sources of kernels that
# FlashInfer compiles for attention and mixtures of experts, and what built the wheels.
UNUSED = (
    "build_*.py",
    "*/stubs/*",
    "cuda/bindings/_internal/*.pxd",
    "flashinfer/data/csrc/*/*",
    "flashinfer/data/cccl/*/test/*",
    "flashinfer/data/cutlass/test/*",
)

# .pth files are read in folders of packages, of which one in PYTHONPATH is none.
SITE_CUSTOMIZE = b"""\
import os
import site

site.addsitedir(os.path.dirname(__file__))
"""


def parse_arguments(words=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--out", type=Path, default=ROOT / ".carry" / "peers")
    add("--part-mib", type=int, default=60, help="the most that one archive may have")
    add("--wheels", type=Path, help="a folder of wheels; nothing is downloaded")
    return parser.parse_args(words)


def download(folder):
    """Downloads the wheels of WHEELS, no others."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--only-binary=:all:", "--python-version=3.12", "--implementation=cp"]
    command += [f"--platform=manylinux_2_{minor}_x86_64" for minor in PLATFORMS]
    command += ["--platform=manylinux2014_x86_64"]
    done = subprocess.run([*command, "--dest", folder, "--requirement", WHEELS])
    if done.returncode:
        raise SystemExit(
            f"fetch_peers: expected pip to download what {WHEELS.name} names, but it"
            f" ended with {done.returncode}; see above, or give --wheels"
        )


def wheels_in(folder):
    found = sorted(folder.glob("*.whl"))
    if not found:
        raise SystemExit(
            f"fetch_peers: expected wheels in {folder}, but there are none; give --wheels"
            " a folder of them, or leave it out"
        )
    return found


def unused(name):
    return any(fnmatch.fnmatch(name, pattern) for pattern in UNUSED)


def merged(wheels):
    """{name: content} of all files of the wheels; two wheels may have the same file."""
    files = {"sitecustomize.py": SITE_CUSTOMIZE}
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                if name.endswith("/") or unused(name):
                    continue
                content = archive.read(name)
                # Each package of a namespace may bring an empty __init__.py.
                if files.setdefault(name, content) != content:
                    raise SystemExit(
                        f"fetch_peers: expected one {name}, but {wheel.name} has another"
                        " than a wheel before it; choose versions that go together"
                    )
    return files


def grouped(files):
    """Files of 16 MiB and more each for itself, the others together, as tar archives."""
    large = [[name] for name, content in files.items() if len(content) >= 16 << 20]
    alone = {names[0] for names in large}
    return [*large, [name for name in files if name not in alone]]


def compressed(files, names):
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w") as archive:
        for name in sorted(names):
            info = tarfile.TarInfo(name)
            info.size, info.mode = len(files[name]), 0o755
            archive.addfile(info, io.BytesIO(files[name]))
    return lzma.compress(plain.getvalue(), preset=4)


def parts_of(archives, most):
    """The archives in parts of `most` bytes, largest first into the first with room.
    xz files one after the other are one xz file, and so with `tarfile` and zero blocks
    ignored are tar archives."""
    parts = []
    for archive in sorted(archives, key=len, reverse=True):
        if len(archive) > most:
            raise SystemExit(
                f"fetch_peers: expected archives of at most {most >> 20} MiB, but one has"
                f" {len(archive) >> 20}; give a larger --part-mib"
            )
        room = (part for part in parts if sum(map(len, part)) + len(archive) <= most)
        part = next(room, None)
        if part is None:
            parts.append(part := [])
        part.append(archive)
    return parts


def write(parts, out):
    for index, part in enumerate(parts, 1):
        folder = out / str(index)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / "site.tar.xz"
        path.write_bytes(b"".join(part))
        print(f"fetch_peers: {path} has {path.stat().st_size >> 20} MiB")


def main():
    arguments = parse_arguments()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.wheels or Path(temporary)
        if not arguments.wheels:
            download(folder)
        files = merged(wheels_in(folder))
    with ThreadPoolExecutor() as pool:
        archives = list(
            pool.map(lambda names: compressed(files, names), grouped(files))
        )
    write(parts_of(archives, arguments.part_mib << 20), arguments.out)


if __name__ == "__main__":
    main()
