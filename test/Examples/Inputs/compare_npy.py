"""compare_npy.py A B TOLERANCE: fails unless two float .npy files agree.

The largest difference must be below TOLERANCE times the root mean square of B.
"""

import ast
import struct
import sys
from pathlib import Path

CODES = {"<f2": "e", "<f4": "f"}


def read(path):
    data = Path(path).read_bytes()
    (length,) = struct.unpack_from("<H", data, 8)
    header = ast.literal_eval(data[10 : 10 + length].decode())
    body = data[10 + length :]
    code = CODES[header["descr"]]
    count = len(body) // struct.calcsize(code)
    return header["shape"], struct.unpack(f"<{count}{code}", body)


def main():
    shape_a, a = read(sys.argv[1])
    shape_b, b = read(sys.argv[2])
    if shape_a != shape_b or not b:
        sys.exit(f"expected equal shapes with elements, but got {shape_a}, {shape_b}")
    scale = (sum(y * y for y in b) / len(b)) ** 0.5
    limit = float(sys.argv[3]) * scale
    # Written so that a NaN fails.
    wrong = sum(not abs(x - y) < limit for x, y in zip(a, b))
    if wrong:
        sys.exit(f"{wrong} of {len(b)} elements differ by {limit} or more")


if __name__ == "__main__":
    main()
