# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes of symbolic arrays: numbers, or polynomials over the names of dynamic dims.

A reshape of [rows, 32, 128] to [rows, 4096] has to know that both hold as many
elements, so sizes are compared as polynomials: `rows * 32 * 128 == rows * 4096`.
"""

from fuse_compiler._library import Error


class Dim:
    """A polynomial over names with whole coefficients; immutable.

    terms  pairs of a monomial, a sorted tuple of names, and its coefficient
    """

    __slots__ = ("terms",)

    def __init__(self, terms):
        kept = {names: c for names, c in dict(terms).items() if c}
        self.terms = tuple(sorted(kept.items()))

    def __add__(self, other):
        terms = dict(self.terms)
        for names, c in _terms(other):
            terms[names] = terms.get(names, 0) + c
        return _number_or_dim(terms)

    def __mul__(self, other):
        terms = {}
        for a, x in self.terms:
            for b, y in _terms(other):
                names = tuple(sorted(a + b))
                terms[names] = terms.get(names, 0) + x * y
        return _number_or_dim(terms)

    def __sub__(self, other):
        return self + -1 * other

    def __rsub__(self, other):
        return -1 * self + other

    __radd__ = __add__
    __rmul__ = __mul__

    def __eq__(self, other):
        return isinstance(other, Dim) and self.terms == other.terms

    def __hash__(self):
        return hash(self.terms)

    def __str__(self):
        return " + ".join(
            "*".join([*([str(c)] if c != 1 or not names else []), *names])
            for names, c in self.terms
        )

    def __repr__(self):
        return f"Dim({self})"

    def __bool__(self):
        raise Error(
            f"expected a size that is known, but got the dynamic dim {self}; compare shapes by "
            "equality, or give its size"
        )

    @property
    def factors(self):
        """Numbers and names whose product this is; None for a sum."""
        if len(self.terms) != 1:
            return None
        ((names, c),) = self.terms
        return ([c] if c != 1 else []) + list(names)


def symbol(name):
    """The size called `name`."""
    return Dim({(name,): 1})


def product(dims):
    """The number of elements of a shape: an int or a Dim."""
    result = 1
    for each in dims:
        result = each * result
    return result


def divide(dim, by):
    """The Dim or int x with x * by == dim, or None where there is none.

    dim, by  ints or Dims
    """
    if isinstance(dim, int) and isinstance(by, int):
        return dim // by if by and dim % by == 0 else None
    if isinstance(by, int) and by == 0:
        return None
    quotient, rest = 0, dim
    # Division of polynomials: the leading term goes at each step, or none is left.
    lead, c = max(_terms(by), key=_degree)
    while not (isinstance(rest, int) and rest == 0):
        names, x = max(_terms(rest), key=_degree)
        names = _without(names, lead)
        if names is None or x % c:
            return None
        step = _number_or_dim({names: x // c})
        quotient, rest = step + quotient, rest - step * by
    return quotient


def _degree(term):
    return len(term[0]), term[0]


def _without(names, fewer):
    """The names of a monomial without those of another, or None if one is missing."""
    rest = list(names)
    for name in fewer:
        if name not in rest:
            return None
        rest.remove(name)
    return tuple(rest)


def _terms(value):
    return value.terms if isinstance(value, Dim) else (((), int(value)),)


def _number_or_dim(terms):
    terms = {names: c for names, c in terms.items() if c}
    if not terms:
        return 0
    return terms[()] if set(terms) == {()} else Dim(terms)
