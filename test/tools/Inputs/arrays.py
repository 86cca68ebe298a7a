"""Writes arrays, good and bad, into the folder argv[1]; needs no NumPy."""

import json
import pathlib
import struct
import sys

out = pathlib.Path(sys.argv[1])
out.mkdir(parents=True, exist_ok=True)


def npy(name, descr, shape, data, order="False", version=1):
    header = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n"
    length = struct.pack("<H" if version == 1 else "<I", len(header))
    magic = b"\x93NUMPY" + bytes([version, 0])
    (out / name).write_bytes(magic + length + header.encode() + data)


floats = struct.pack("<8f", *range(8))
npy("x.npy", "<f4", "(2, 4)", floats)
npy("v2.npy", "<f4", "(2, 4)", floats, version=2)
npy("v3.npy", "<f4", "(2, 4)", floats, version=3)
npy("bf16.npy", "<V2", "(2, 4)", struct.pack("<8H", *[0x3F80] * 8))
npy("f64.npy", "<f8", "(2, 4)", bytes(64))
npy("wrong-shape.npy", "<f4", "(4, 2)", floats)
npy("wrong-rank.npy", "<f4", "(8,)", floats)
npy("truncated.npy", "<f4", "(2, 4)", floats[:-1])
npy("fortran.npy", "<f4", "(2, 4)", floats, order="True")
npy("big-endian.npy", ">f4", "(2, 4)", floats)
npy("huge.npy", "<f4", f"({2**62}, 4)", floats)
npy("negative.npy", "<f4", "(-2, -4)", floats)
npy("version9.npy", "<f4", "(2, 4)", floats, version=9)
(out / "text.npy").write_text("no array\n")
(out / "header.npy").write_bytes(b"\x93NUMPY\x01\x00\xff\xff{")
(out / "garbage.npy").write_bytes(b"\x93NUMPY\x01\x00\x04\x00{[[\n")


def safetensors(name, header, data):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    (out / name).write_bytes(struct.pack("<Q", len(text)) + text + data)


def entry(dtype, shape, begin, end):
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


safetensors(
    "x.safetensors",
    {
        "__metadata__": {"format": "pt"},
        "pad": entry("I64", [1], 0, 8),
        "x": entry("F32", [2, 4], 8, 40),
        "half": entry("BF16", [2, 4], 8, 24),
        "eight": entry("U16", [2, 2], 8, 16),
        "beyond": entry("F32", [2, 4], 16, 48),
        "short": entry("F32", [2, 4], 8, 24),
        "negative": entry("F32", [2, 4], -8, 24),
    },
    bytes(8) + floats,
)
safetensors("garbage.safetensors", b"{[", floats)
(out / "length.safetensors").write_bytes(struct.pack("<Q", 2**60) + b"{}")
(out / "empty.safetensors").write_bytes(b"")
