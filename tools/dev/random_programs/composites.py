"""Softmax and its kin, norms."""

from .pointwise import reduced_shape, some_dims

EPSILONS = ["1.0e-5", "1.0e-6", "0.0", "0.5"]


def softmax(g):
    value = g.float_value(lambda v: v.shape)
    if not value:
        return
    dims = some_dims(g, value.rank)
    kind = g.choice(["softmax", "log_softmax"])
    g.emit(
        kind,
        f"fuse.{kind} {{o[0]}} dims = {dims} : {{t[0]}}",
        [value],
        value.shape,
        value.element,
        dims=dims,
    )


def logsumexp(g):
    value = g.float_value(lambda v: v.shape)
    if not value:
        return
    dims, keep = some_dims(g, value.rank), g.chance(0.5)
    g.emit(
        "logsumexp",
        f"fuse.logsumexp {{o[0]}} dims = {dims}{' keep' if keep else ''} "
        ": {t[0]} -> {r}",
        [value],
        reduced_shape(value.shape, dims, keep),
        value.element,
    )


def norm(g):
    value = g.float_value(lambda v: v.shape)
    if not value:
        return
    kind = g.choice(["rms_norm", "layer_norm"])
    most = (1 if kind == "rms_norm" else 2) if g.is_named(value.shape[-1]) else 0
    operands = [value]
    for _ in range(g.random.randint(0, most)):
        operands.append(weight_like(g, value))
    names = ", ".join(f"{{o[{i}]}}" for i in range(len(operands)))
    types = ", ".join(f"{{t[{i}]}}" for i in range(len(operands)))
    eps = g.choice(EPSILONS)
    g.emit(
        kind,
        f"fuse.{kind} {names} eps = {eps} : {types}",
        operands,
        value.shape,
        value.element,
        eps=eps,
    )


def weight_like(g, value):
    def fits(other):
        return other.shape == value.shape[-1:] and other.element == value.element

    found = g.pick(fits) if g.chance(0.3) else None
    return found or g.argument(value.shape[-1:], value.element)


MAKERS = [(2, softmax), (1, logsumexp), (2, norm)]
