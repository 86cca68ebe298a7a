"""Prints a program of as many exponentials, each of a tensor of its own."""

import sys

count = int(sys.argv[1])
TYPE = "tensor<64x128xf32>"
types = ", ".join([TYPE] * count)
arguments = ", ".join(f"%x{i}: {TYPE}" for i in range(count))
print(f"func.func @many({arguments}) -> ({types}) {{")
for i in range(count):
    print(f"  %y{i} = fuse.exp %x{i} : {TYPE}")
print("  return " + ", ".join(f"%y{i}" for i in range(count)) + f" : {types}")
print("}")
