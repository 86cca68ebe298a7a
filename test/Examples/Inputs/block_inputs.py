"""Writes inputs of a LLaMA block as .npy files, with the weights of a real one.

block_inputs.py FOLDER DTYPE KEY_HEADS TOKENS. Weights are scaled by the root of
their rows' length, so that values stay near 1 all through the block. With the
driver's own inputs the softmax would be one of numbers in the hundreds, about
which no error bound says anything.
"""

import random
import struct
import sys
from pathlib import Path

DIM, HIDDEN, HEAD = 512, 2048, 64
# Code of the struct module, of .npy, and bytes.
CODES = {"f32": ("f", "<f4"), "f16": ("e", "<f2")}


def write(path, dtype, shape, scale, offset=0.0):
    code, descriptor = CODES[dtype]
    header = f"{{'descr': '{descriptor}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    count = 1
    for size in shape:
        count *= size
    # Uniform numbers of this standard deviation.
    reach = scale * 3**0.5
    values = [offset + random.uniform(-reach, reach) for _ in range(count)]
    # The same numbers in both types.
    values = struct.unpack(f"<{count}e", struct.pack(f"<{count}e", *values))
    with path.open("wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)))
        file.write(header.encode() + struct.pack(f"<{count}{code}", *values))


def main():
    folder, dtype = Path(sys.argv[1]), sys.argv[2]
    keys, tokens = int(sys.argv[3]) * HEAD, int(sys.argv[4])
    folder.mkdir(parents=True, exist_ok=True)
    random.seed(0)
    shapes = {
        "wq": (DIM, DIM),
        "wk": (keys, DIM),
        "wv": (keys, DIM),
        "wo": (DIM, DIM),
        "wgate": (HIDDEN, DIM),
        "wup": (HIDDEN, DIM),
        "wdown": (DIM, HIDDEN),
    }
    write(folder / "x.npy", dtype, (2, tokens, DIM), 1.0)
    for norm in ("norm1", "norm2"):
        write(folder / f"{norm}.npy", dtype, (DIM,), 0.1, offset=1.0)
    for name, shape in shapes.items():
        write(folder / f"{name}.npy", dtype, shape, shape[1] ** -0.5)


if __name__ == "__main__":
    main()
