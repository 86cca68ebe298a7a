# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools/bench/fetch_peers.py, without a network: what it makes of wheels."""

import tarfile
import zipfile

import pytest
from bench import fetch_peers


def wheel(path, files):
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def test_wheels_that_share_a_folder_are_merged(tmp_path):
    first = wheel(tmp_path / "a.whl", {"n/__init__.py": "", "n/a.py": "a"})
    second = wheel(tmp_path / "b.whl", {"n/__init__.py": "", "n/b.py": "b"})
    files = fetch_peers.merged([first, second])
    assert set(files) == {"sitecustomize.py", "n/__init__.py", "n/a.py", "n/b.py"}
    assert files["n/b.py"] == b"b"


def test_what_is_not_used_stays_behind(tmp_path):
    names = ["flashinfer/data/csrc/norm.cu", "flashinfer/data/csrc/moe/k.cu"]
    files = fetch_peers.merged([wheel(tmp_path / "f.whl", dict.fromkeys(names, "x"))])
    assert set(files) == {"sitecustomize.py", names[0]}


def test_two_versions_of_a_file_are_an_error(tmp_path):
    wheels = [wheel(tmp_path / f"{text}.whl", {"n.py": text}) for text in "ab"]
    with pytest.raises(SystemExit, match=r"expected one n\.py, but b\.whl has another"):
        fetch_peers.merged(wheels)


def test_parts_are_archives_of_their_own(tmp_path):
    files = {"a": b"1" * 100, "b": b"2", "c": b"3"}
    archives = [fetch_peers.compressed(files, [name]) for name in files]
    most = len(archives[0]) + len(archives[1])
    parts = fetch_peers.parts_of(archives, most)
    assert [len(part) for part in parts] == [2, 1]
    fetch_peers.write(parts, tmp_path)
    found = {}
    for path in tmp_path.glob("*/site.tar.xz"):
        # As gpu-session.sh unpacks them.
        with tarfile.open(path, ignore_zeros=True) as archive:
            for member in archive:
                found[member.name] = archive.extractfile(member).read()
    assert found == files


def test_an_archive_that_is_too_large_says_what_to_do():
    with pytest.raises(SystemExit, match="give a larger --part-mib"):
        fetch_peers.parts_of([b"x" * 9], 8)


def test_a_folder_without_wheels_says_what_to_do(tmp_path):
    with pytest.raises(SystemExit, match="expected wheels in .*; give --wheels"):
        fetch_peers.wheels_in(tmp_path)
