"""Runs the fenced blocks of a Markdown file, in order, in one empty folder.

The word after the fence says what is done with a block:

  console         each line "$ COMMAND" is run, and must print what follows it
  mlir file=NAME  is written to NAME, as is json file=NAME
  python          is run
  cpp from=PATH   must stand in that file of the repository, line by line

In the output of a console block, "..." stands for any text within a line, and a
line "..." for any lines. Blocks of other kinds are only text. The folder has the
repository's examples/ and build/, so that commands read as a user types them.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
# Has NumPy.
VENV_PYTHON = ROOT / ".venv" / "bin" / "python"
FENCE = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Failure(Exception):
    pass


def options(words):
    """The key=value words after the name of a block's language."""
    return dict(word.split("=", 1) for word in words.split() if "=" in word)


def pattern(expected):
    """A regular expression for an output with "..." in it."""
    lines = []
    for line in expected:
        if line.strip() == "...":
            lines.append(r"(?:.*\n)*?")
        else:
            parts = (re.escape(part) for part in line.rstrip().split("..."))
            lines.append(".*?".join(parts) + r"[ \t]*\n")
    return re.compile("".join(lines))


def sessions(block):
    """The commands of a console block, each with the output that it shows."""
    command, expected = None, []
    for line in block.splitlines():
        if line.startswith("$ "):
            if command:
                yield command, expected
            command, expected = line[2:], []
        elif command and command.endswith("\\"):
            command = command[:-1] + line.strip()
        else:
            expected.append(line)
    if command:
        yield command, expected


def run_console(block, environment, folder):
    for command, expected in sessions(block):
        result = subprocess.run(
            ["bash", "-c", command],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        # An error that is shown is meant.
        shows_error = any(line.startswith("error:") for line in expected)
        if (result.returncode != 0) != shows_error:
            raise Failure(f"$ {command}\nexited {result.returncode}\n{result.stdout}")
        output = result.stdout
        if output and not output.endswith("\n"):
            output += "\n"
        if expected and not pattern(expected).fullmatch(output):
            wanted = "\n".join(expected)
            raise Failure(f"$ {command}\nexpected\n{wanted}\nbut got\n{output}")


def run_python(block, environment, folder):
    result = subprocess.run(
        [VENV_PYTHON if VENV_PYTHON.exists() else sys.executable, "-c", block],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if result.returncode != 0:
        raise Failure(f"{block}\nfailed\n{result.stdout}")


def check_excerpt(block, path):
    """Each line of the block stands in the file, in this order."""
    lines = iter(line.strip() for line in (ROOT / path).read_text().splitlines())
    for line in filter(None, map(str.strip, block.splitlines())):
        if line != "// ..." and line not in lines:
            raise Failure(f"expected this line in {path}, but it is not: {line}")


def run_block(language, words, block, environment, folder):
    """Whether the block was of a kind that is run."""
    option = options(words)
    if language == "console":
        run_console(block, environment, folder)
    elif language in ("mlir", "json") and "file" in option:
        (folder / option["file"]).write_text(block)
    elif language == "python":
        run_python(block, environment, folder)
    elif language == "cpp" and "from" in option:
        check_excerpt(block, option["from"])
    else:
        return False
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--build", type=Path, required=True)
    arguments = parser.parse_args()

    text = arguments.file.read_text()
    count = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "examples").symlink_to(ROOT / "examples")
        (folder / "build").symlink_to(arguments.build.resolve())
        environment = dict(
            os.environ,
            PYTHONPATH=str(ROOT / "python"),
            FUSE_LIBRARY=str(arguments.build.resolve() / "lib" / "libfuse_compiler.so"),
            FUSE_CACHE_DIR=str(folder / "cache"),
        )
        for match in FENCE.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            language, words, block = match.groups()
            try:
                count += run_block(language, words, block, environment, folder)
            except Failure as failure:
                sys.exit(f"{arguments.file}:{line}: {failure}")
    if count == 0:
        sys.exit(f"{arguments.file}: expected blocks to run, but found none")


if __name__ == "__main__":
    main()
