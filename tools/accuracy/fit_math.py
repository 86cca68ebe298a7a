#!/usr/bin/env python3
"""Fits the polynomials of lib/Conversion/Math.

Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Each fit is a weighted least-squares polynomial at Chebyshev nodes, in 60
digits; its largest error is within a small factor of the minimax one.
Coefficients are then rounded to the target format from the lowest degree up,
and the rest is fitted again after each rounding, so that the rounding of one
coefficient is compensated by the following ones.

Needs mpmath. Prints a C++ array and the log2 of the weighted error per fit.
"""

import struct
import sys

from mpmath import (
    cos,
    erf,
    erfc,
    linspace,
    log,
    log1p,
    lu_solve,
    matrix,
    mp,
    mpf,
    pi,
    sqrt,
    tanh,
)

mp.dps = 60


def round_to(x, bits):
    """The nearest float of `bits` bits, as mpf."""
    if bits == 64:
        return mpf(float(x))
    return mpf(struct.unpack("f", struct.pack("f", float(x)))[0])


def least_squares(f, w, lo, hi, degrees):
    """Coefficients of x^d for d in `degrees`; the error is weighted by w."""
    count = 6 * (max(degrees) + 2)
    xs = [
        (lo + hi) / 2 - (hi - lo) / 2 * cos(pi * (i + mpf(1) / 2) / count)
        for i in range(count)
    ]
    a = matrix(count, len(degrees))
    b = matrix(count, 1)
    for i, x in enumerate(xs):
        for j, d in enumerate(degrees):
            a[i, j] = w(x) * x**d
        b[i] = w(x) * f(x)
    return lu_solve(a.T * a, a.T * b)


def fit(name, f, w, lo, hi, degree, bits):
    lo, hi = mpf(lo), mpf(hi)
    fixed = []
    for k in range(degree + 1):
        known = list(fixed)

        def rest(x):
            return f(x) - sum(c * x**d for d, c in enumerate(known))

        cs = least_squares(rest, w, lo, hi, list(range(k, degree + 1)))
        fixed.append(round_to(cs[0], bits))
    err = max(
        abs((sum(c * x**d for d, c in enumerate(fixed)) - f(x)) * w(x))
        for x in linspace(lo, hi, 3001)
    )
    text = ", ".join(float(c).hex() for c in fixed)
    print(f"// {name}: error 2^{float(log(err, 2)):.1f}\n{{{text}}};", flush=True)


def series(terms):
    """sum of terms(k) x^k, for functions that cancel near zero."""
    table = [terms(k) for k in range(60)]
    return lambda x: sum(c * x**k for k, c in enumerate(table))


def fact(n):
    return mp.factorial(n)


ln2 = log(mpf(2))
eps = mpf("1e-12")
half = ln2 / 2 * mpf("1.002")
EXP = series(lambda k: 1 / fact(k + 2))  # (e^r - 1 - r) / r^2
EXP2 = series(lambda k: ln2 ** (k + 1) / fact(k + 1))  # (2^r - 1) / r
SIN = series(lambda k: (-1) ** (k + 1) / fact(2 * k + 3))
COS = series(lambda k: (-1) ** k / fact(2 * k + 4))
TAU = 2 * pi
SINT = series(lambda k: (-1) ** (k + 1) * TAU ** (2 * k + 3) / fact(2 * k + 3))
COST = series(lambda k: (-1) ** (k + 1) * TAU ** (2 * k + 2) / fact(2 * k + 2))
ATANH = series(lambda k: mpf(2) / (2 * k + 5))
ATANH1 = series(lambda k: mpf(2) / (2 * k + 3))


def log_tail(f):  # (log1p(f) - f + f^2/2) / f^3
    if abs(f) < mpf("0.02"):
        return sum((-1) ** k * f**k / mpf(k + 3) for k in range(40))
    return (log1p(f) - f + f * f / 2) / f**3


def tanh_tail(z):
    x = sqrt(z)
    return (tanh(x) - x) / (x * z) if z > mpf("1e-30") else -mpf(1) / 3


def erf_tail(z):
    x = sqrt(z)
    return erf(x) / x - 1 if z > mpf("1e-40") else 2 / sqrt(pi) - 1


FITS = {
    "exp": lambda b, n: fit("exp", EXP, lambda r: abs(r) + eps, -half, half, n, b),
    "exp2": lambda b, n: fit(
        "exp2", EXP2, lambda r: abs(r) + eps, "-.501", ".501", n, b
    ),
    "log": lambda b, n: fit(
        "log",
        log_tail,
        lambda f: f * f + eps,
        sqrt(mpf(0.5)) - 1,
        sqrt(mpf(2)) - 1,
        n,
        b,
    ),
    "atanh1": lambda b, n: fit("atanh1", ATANH1, lambda z: z + eps, 0, ".02945", n, b),
    "atanh": lambda b, n: fit("atanh", ATANH, lambda z: z * z + eps, 0, ".02945", n, b),
    "sin": lambda b, n: fit("sin", SIN, lambda z: z + eps, 0, ".62", n, b),
    "cos": lambda b, n: fit("cos", COS, lambda z: z * z + eps, 0, ".62", n, b),
    "sinturns": lambda b, n: fit(
        "sinturns", SINT, lambda z: z + eps, 0, 1 / mpf(64), n, b
    ),
    "costurns": lambda b, n: fit(
        "costurns", COST, lambda z: z + eps, 0, 1 / mpf(64), n, b
    ),
    "tanh": lambda b, n: fit(
        "tanh", tanh_tail, lambda z: z + eps, 0, mpf(".56") ** 2, n, b
    ),
    "erf": lambda b, n: fit("erf", erf_tail, lambda z: mpf(1), 0, 1, n, b),
    # log2(erfc(a)) in a - C; the error is weighted as it enters erf = 1 - erfc.
    "erfc": lambda b, n: fit(
        "erfc",
        lambda t: log(erfc(t + C[b]), 2),
        lambda t: erfc(t + C[b]),
        1 - C[b],
        2 * C[b] - 1 - C[b],
        n,
        b,
    ),
}
# Centre of [1, x] where erf(x) rounds to 1: x = 4 for f32 and 6 for f64.
C = {32: mpf("2.5"), 64: mpf("3.5")}

if __name__ == "__main__":
    for arg in sys.argv[1:]:
        name, bits, degree = arg.split(":")
        FITS[name](int(bits), int(degree))
