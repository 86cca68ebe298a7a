"""Writes a vector of i32 as .npy: numbers.py FILE NUMBER..."""

import struct
import sys

numbers = [int(text) for text in sys.argv[2:]]
shape = f"({len(numbers)},)"
header = f"{{'descr': '<i4', 'fortran_order': False, 'shape': {shape}, }}"
header += " " * (-(len(header) + 11) % 64) + "\n"
with open(sys.argv[1], "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)))
    file.write(header.encode() + struct.pack(f"<{len(numbers)}i", *numbers))
