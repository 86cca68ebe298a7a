"""Prints a chain of so many ops, each of the last one's result: chain.py COUNT OP."""

import sys

count, op = int(sys.argv[1]), sys.argv[2]
type_ = "tensor<?x256xf32>"
print(f"func.func @chain(%v0: {type_}) -> {type_} {{")
for i in range(count):
    print(f"  %v{i + 1} = fuse.{op.format(f'%v{i}')} : {type_}")
print(f"  return %v{count} : {type_}\n}}")
