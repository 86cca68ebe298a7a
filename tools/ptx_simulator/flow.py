# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the lanes of a branch reconverge: at the first instruction that all of their ways
to the end have in common, its immediate post-dominator."""


def successors(kernel):
    """Of each instruction; the end is number len(instructions). Traps lead nowhere."""
    end = len(kernel.instructions)
    result = []
    for i, instruction in enumerate(kernel.instructions):
        name = instruction.parts[0]
        following = (
            [i + 1] if instruction.guard or name not in ("bra", "ret", "exit") else []
        )
        if name == "bra":
            following.append(kernel.labels[instruction.operands[0]])
        elif name in ("ret", "exit"):
            following.append(end)
        elif name == "trap":
            following = []
        result.append(following)
    return _without_dead_ends(result)


def _without_dead_ends(result):
    dead = {i for i, following in enumerate(result) if not following}
    size = -1
    while size != len(dead):
        size = len(dead)
        dead |= {
            i for i, following in enumerate(result) if all(x in dead for x in following)
        }
    return [[x for x in following if x not in dead] for following in result]


def _orders(following):
    """The instructions that reach the end, each after all that follow it, except in loops."""
    end = len(following)
    before = [[] for _ in range(end + 1)]
    for i, targets in enumerate(following):
        for target in targets:
            before[target].append(i)
    order, seen, stack = [], {end}, [(end, iter(before[end]))]
    while stack:
        at, rest = stack[-1]
        step = next((x for x in rest if x not in seen), None)
        if step is None:
            order.append(at)
            stack.pop()
        else:
            seen.add(step)
            stack.append((step, iter(before[step])))
    return order[::-1]


def meeting_points(kernel):
    """By number of an instruction (Cooper, Harvey, Kennedy: A Simple, Fast Dominance
    Algorithm, on the reversed graph)."""
    following = successors(kernel)
    end = len(following)
    order = _orders(following)
    rank = {at: i for i, at in enumerate(order)}
    meets = {end: end}

    def common(a, b):
        while a != b:
            if rank[a] > rank[b]:
                a = meets[a]
            else:
                b = meets[b]
        return a

    changed = True
    while changed:
        changed = False
        for at in order[1:]:
            known = [x for x in following[at] if x in meets]
            new = known[0]
            for other in known[1:]:
                new = common(new, other)
            changed |= meets.get(at) != new
            meets[at] = new
    return meets
