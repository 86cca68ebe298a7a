# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a comparison over several GPUs found, as text."""


def lines(entry):
    """What is said of a mode."""
    yield f"{entry['mode']}:"
    for name, peer in entry["peers"].items():
        if "skipped" in peer:
            yield f"  {name:8} {peer['skipped']}"
            continue
        verdict = "right" if peer.get("right", True) else "WRONG"
        yield (
            f"  {name:8} {peer['seconds'] * 1e3:9.3f} ms, first call "
            f"{peer['first_seconds']:.1f} s, {verdict}, worst {peer.get('worst', 0):.2f} "
            f"({peer.get('worst_of', '-')})"
        )
        for key in ("coverage", "failures", "eager"):
            if peer.get(key):
                yield f"    {key}: {peer[key]}"
    ratios = speedups(entry)
    yield "  over Fuse's: " + ", ".join(f"{n} {r:.2f}" for n, r in ratios.items())


def speedups(entry):
    """Each peer's time over Fuse's."""
    seconds = {n: p["seconds"] for n, p in entry["peers"].items() if "seconds" in p}
    mine = seconds.pop("fuse", None)
    return {name: s / mine for name, s in seconds.items()} if mine else {}


def is_wrong(entry):
    fuse = entry["peers"].get("fuse", {})
    return not fuse.get("right", True) or bool(fuse.get("failures"))


def summary_lines(runs):
    """What the file of results says, a sentence a run."""
    first, *others = runs
    return [
        _summary(first),
        *(f"With tokens split, too: {_ratios(run)}." for run in others),
    ]


def _ratios(found):
    said = [
        f"{ratios['eager']:.2f} and {ratios['compile']:.2f} in {entry['mode']}"
        for entry in found["entries"]
        for ratios in [speedups(entry)]
    ]
    verdict = "WRONG" if any(map(is_wrong, found["entries"])) else "right"
    return f"{', '.join(said)}. Results are {verdict}"


def _summary(found):
    return (
        f"On {found['world']} {found['device']}, torch {found['torch']}, {found['layers']} of "
        f"LLaMA-3 8B's layers with {found['tokens']} tokens, heads and features split: eager's "
        f"and torch.compile's times over Fuse's are {_ratios(found)}."
    )
