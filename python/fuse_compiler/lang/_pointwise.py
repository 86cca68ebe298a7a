# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element by element: arithmetic, functions, comparisons, casts.

Operands broadcast as in NumPy. Arrays are not promoted: their types must agree, and
astype() changes one. A number takes the type of the array beside it; one that a 16-bit
type does not hold is computed with in f32, as torch does.
"""

from fuse_compiler.lang._builder import Array, Unsupported
from fuse_compiler.lang._types import (
    FLOATS,
    INTEGERS,
    STORAGE,
    checked,
    is_exact,
    is_float,
    tensor_type,
)


def broadcast_shapes(*shapes):
    """The shape that arrays of these shapes have together."""
    rank = max(map(len, shapes), default=0)
    result = [1] * rank
    for shape in shapes:
        for axis, dim in enumerate(shape, rank - len(shape)):
            met = result[axis]
            if met == 1 or met == dim or (isinstance(dim, int) and dim != 1):
                if (
                    isinstance(met, int)
                    and isinstance(dim, int)
                    and met not in (1, dim)
                ):
                    _refuse_shapes(shapes)
                result[axis] = dim
    return tuple(result)


def _refuse_shapes(shapes):
    listed = " and ".join(f"[{', '.join(map(str, s))}]" for s in shapes)
    raise Unsupported(
        f"expected shapes that broadcast, but got {listed}; make the sizes equal or 1"
    )


def _lift(x, like):
    """A number as a constant of the type of `like`; arrays as they are."""
    return x if isinstance(x, Array) else like.builder.constant(x, like.dtype)


def _number(x):
    """NumPy's numbers as Python's; arrays of elements are refused."""
    if isinstance(x, (Array, bool, int)):
        return x
    if getattr(x, "shape", None) == ():
        return x.item()
    if not isinstance(x, float):
        raise Unsupported(
            f"expected symbolic arrays and numbers, but got {type(x).__name__}; pass arrays as "
            "arguments"
        )
    return float(x)


def _operands(op, *xs):
    """The operands as arrays of one type, and the type that the result has."""
    xs = [_number(x) for x in xs]
    arrays = [x for x in xs if isinstance(x, Array)]
    first = arrays[0]
    for other in arrays[1:]:
        if other.dtype != first.dtype:
            raise Unsupported(
                f"expected operands of {op} of one type, but got {first.dtype} and "
                f"{other.dtype}; change one with astype()"
            )
    numbers = [x for x in xs if not isinstance(x, Array)]
    if not is_float(first.dtype) and any(isinstance(x, float) for x in numbers):
        raise Unsupported(
            f"expected whole numbers beside {first.dtype}, but got {numbers}; use astype('f32')"
        )
    if FLOATS.get(first.dtype) == 16 and not all(
        is_exact(x, first.dtype) for x in numbers
    ):
        wide = first.builder.constant
        return [
            cast(x, "f32") if isinstance(x, Array) else wide(x, "f32") for x in xs
        ], first.dtype
    return [_lift(x, first) for x in xs], first.dtype


def _emit(op, operands, dtype, result_type=None):
    """One pointwise op; `result_type` is its element type where it is not the operands'."""
    builder = operands[0].builder
    shape = broadcast_shapes(*(x.shape for x in operands))
    stored = broadcast_shapes(*(x.stored for x in operands))
    names = ", ".join(x.name for x in operands)
    types = ", ".join(x.type for x in operands)
    result = tensor_type(stored, result_type or dtype)
    array = builder.emit(
        f"fuse.{op} {names} : {types} -> {result}", stored, result_type or dtype
    )
    return array if shape == stored else array.with_shape(shape, stored)


def _check(op, dtype, allowed):
    if dtype not in allowed:
        raise Unsupported(
            f"expected {op} of {', '.join(allowed)}, but got {dtype}; change it with astype()"
        )


_NUMBERS = (*FLOATS, *INTEGERS)


def _binary(op, allowed=_NUMBERS):
    def apply(a, b):
        (x, y), dtype = _operands(op, a, b)
        _check(op, x.dtype, allowed)
        result = _emit(op, (x, y), x.dtype)
        return result if x.dtype == dtype else cast(result, dtype)

    apply.__name__ = apply.__qualname__ = op
    apply.__doc__ = f"fuse.{op} of two arrays, or of an array and a number."
    return apply


def _unary(op, allowed):
    def apply(x):
        _check(op, x.dtype, allowed)
        return _emit(op, (x,), x.dtype)

    name = op.split()[0]
    apply.__name__ = apply.__qualname__ = name
    apply.__doc__ = f"fuse.{name} of an array."
    return apply


add, sub, mul, div = map(_binary, ("add", "sub", "mul", "div"))
minimum, maximum = _binary("min"), _binary("max")
power = _binary("pow", tuple(FLOATS))
fmod, remainder = _binary("fmod"), _binary("remainder")
_BITS = ("i1", *INTEGERS)
bitwise_and, bitwise_or, bitwise_xor = (
    _binary(name, _BITS) for name in ("and", "or", "xor")
)
bitwise_not = _unary("not", _BITS)
left_shift = _binary("shl", tuple(INTEGERS))
right_shift = _binary("shr", tuple(INTEGERS))
_FLOATING = "exp exp2 expm1 log log1p log2 sqrt rsqrt recip sin cos tanh erf sigmoid silu floor ceil round trunc"
for _name in _FLOATING.split():
    globals()[_name] = _unary(_name, tuple(FLOATS))
neg, abs_, sign, relu = (
    _unary(name, _NUMBERS) for name in ("neg", "abs", "sign", "relu")
)
logical_and, logical_or = _binary("and", ("i1",)), _binary("or", ("i1",))
logical_not = _unary("not", ("i1",))


def true_divide(a, b):
    """a / b of floats; of whole numbers NumPy's quotient is a float, for which there is astype()."""
    for x in (a, b):
        if isinstance(x, Array) and not is_float(x.dtype):
            raise Unsupported(
                f"expected / of {', '.join(FLOATS)}, but got {x.dtype}; use //, div(), which rounds "
                "towards zero, or astype()"
            )
    return div(a, b)


def floor_divide(a, b):
    """a / b rounded down, as NumPy's //: by zero as div()."""
    (x, y), dtype = _operands("floor_divide", a, b)
    _check("floor_divide", x.dtype, _NUMBERS)
    if is_float(x.dtype):
        return cast(_floor_divide_floats(x, y), dtype)
    quotient = div(x, y)
    rest = sub(x, mul(quotient, y))
    return where(_rounds_up(rest, y), sub(quotient, 1), quotient)


def _rounds_up(rest, y):
    """Where a quotient that is rounded towards zero is above the exact one."""
    opposite = bitwise_xor(compare("lt", rest, 0), compare("lt", y, 0))
    return logical_and(compare("ne", rest, 0), opposite)


def _floor_divide_floats(x, y):
    """From the rest, which is exact: x / y rounded could reach the next whole number."""
    wide = "f64" if x.dtype == "f64" else "f32"
    x, y = cast(x, wide), cast(y, wide)
    rest = fmod(x, y)
    quotient = round(div(sub(x, rest), y))  # noqa: F821 - one of _FLOATING
    quotient = sub(quotient, cast(_rounds_up(rest, y), wide))
    # By zero the quotient is infinite or NaN, as that of a division.
    return where(compare("eq", y, 0), div(x, y), quotient)


def gelu(x, form="erf"):
    """Gaussian error linear unit; `form` is "erf", "tanh" or "sigmoid"."""
    _check("gelu", x.dtype, tuple(FLOATS))
    return _emit(f"gelu {form}", (x,), x.dtype)


def compare(predicate, a, b):
    """eq, ne, lt, le, gt or ge of two operands, as i1."""
    operands, _ = _operands(predicate, a, b)
    _check("compare", operands[0].dtype, (*_NUMBERS, "i1"))
    return _emit(f"compare {predicate}", operands, operands[0].dtype, "i1")


def where(condition, a, b):
    """a where the condition (i1) holds, else b; of two numbers as f32, or i64 if whole."""
    if not isinstance(a, Array) and not isinstance(b, Array):
        is_whole = isinstance(a, int) and isinstance(b, int)
        a = condition.builder.constant(a, "i64" if is_whole else "f32")
    (x, y), dtype = _operands("where", a, b)
    _check("where", condition.dtype, ("i1",))
    if x.dtype in STORAGE:
        raise Unsupported(
            f"expected numbers to choose from, but got {x.dtype}; use astype('f32')"
        )
    result = _emit("select", (condition, x, y), x.dtype)
    return result if x.dtype == dtype else cast(result, dtype)


def clip(x, low=None, high=None):
    """min(max(x, low), high); None means no bound."""
    if low is not None:
        x = maximum(x, low)
    return x if high is None else minimum(x, high)


def cast(x, dtype):
    """The array in another element type; rounds to nearest, ties to even."""
    if x.dtype == checked(dtype):
        return x
    return x.builder.emit(
        f"fuse.cast {x.name} : {x.type} -> {tensor_type(x.stored, dtype)}",
        x.stored,
        dtype,
    ).with_shape(x.shape, x.stored)
