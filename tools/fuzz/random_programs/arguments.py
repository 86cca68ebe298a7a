"""Arguments of the scripts that try random programs."""

import argparse
import os
import random
import shutil
import tempfile


def parser(description, tool, count):
    """A parser of which programs to try, with what, and for how long."""
    result = argparse.ArgumentParser(description=description)
    result.add_argument("--count", type=int, default=count)
    result.add_argument(
        "--seed",
        type=int,
        default=random.randrange(1 << 30),
        help="of the first program; fresh without it",
    )
    result.add_argument("--tool", default=f"build/bin/{tool}")
    result.add_argument(
        "--keep", default=tempfile.gettempdir(), help="folder of programs that fail"
    )
    result.add_argument("--jobs", type=int, default=os.cpu_count())
    result.add_argument("--seconds", type=float, default=float("inf"))
    return result


def find_tool(options):
    """Ends the script if there is no such tool."""
    if not shutil.which(options.tool):
        raise SystemExit(
            f"expected an executable for --tool, but got '{options.tool}'; "
            "run 'make build', or name one that exists"
        )
