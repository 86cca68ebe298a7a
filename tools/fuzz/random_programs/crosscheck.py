"""Runs fuse-crosscheck on many programs, whatever they do to it.

A process takes a chunk of programs. When it dies or hangs, the program that it
was at is the culprit, and a new process takes the rest.
"""

import os
import pathlib
import selectors
import signal
import subprocess
import tempfile

# Seconds of processor time without a word until a program counts as endless, and
# how many times that it may wait for a processor.
PATIENCE, MOST_WAITING = 60, 20


class Verdict:
    """ "right" or "unbounded" and the largest error in units of its bound, or "wrong"
    and which check said what."""

    def __init__(self, kind, check="", message="", ratio=None):
        self.kind, self.check, self.message = kind, check, message
        self.ratio = ratio

    def is_like(self, other):
        """The same kind of failure: what a reduction has to keep."""
        died = self.message.startswith("died") == other.message.startswith("died")
        return self.kind == other.kind and self.check == other.check and died

    def __str__(self):
        return f"{self.check}: {self.message}"


def run(tool, texts, options=(), patience=PATIENCE):
    """A verdict for each of the texts."""
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for number, text in enumerate(texts):
            paths.append(str(pathlib.Path(folder, f"{number}.mlir")))
            pathlib.Path(paths[-1]).write_text(text)
        verdicts = []
        while len(verdicts) < len(paths):
            rest = paths[len(verdicts) :]
            verdicts += run_process(tool, rest, options, patience)
        return verdicts


def run_process(tool, paths, options, patience):
    """The verdicts up to the end of the process, at least one."""
    command = [tool, "--trace", *options, *paths]
    environment = os.environ | {"FUSE_NUM_THREADS": "2"}
    with tempfile.TemporaryFile() as errors:
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, env=environment
        ) as process:
            verdicts, check, hung = read_verdicts(process, patience)
            if hung:
                process.kill()
            status = process.wait()
        if len(verdicts) < len(paths):
            errors.seek(0)
            text = errors.read().decode(errors="replace")
            verdicts.append(death(status, hung, check, text, patience))
        return verdicts


def read_verdicts(process, patience):
    """Verdicts, the check that ran last, and whether it hangs."""
    verdicts, check, rest = [], "prepare", b""
    started, waited = processor_seconds(process.pid), 0
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            if not selector.select(patience / 4):
                waited += patience / 4
                used = processor_seconds(process.pid) - started
                if used > patience or waited > MOST_WAITING * patience:
                    return verdicts, check, True
                continue
            started, waited = processor_seconds(process.pid), 0
            read = os.read(process.stdout.fileno(), 1 << 16)
            if not read:
                return verdicts, check, False
            *lines, rest = (rest + read).split(b"\n")
            for line in lines:
                kind, _, text = line.decode(errors="replace").partition(" ")
                if kind == "check":
                    check = text.rpartition(": ")[2]
                else:
                    verdicts.append(parse(kind, text))
                    check = "prepare"


def processor_seconds(pid):
    """What a process has used; nothing once it is gone."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2]
    except OSError:
        return 0
    user, system = fields.split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def parse(kind, text):
    """Of "PATH: CHECK: MESSAGE" or "PATH: RATIO"."""
    _, _, rest = text.partition(".mlir: ")
    if kind != "wrong":
        return Verdict(kind, ratio=float(rest))
    check, _, message = rest.partition(": ")
    return Verdict(kind, check.strip(), message.strip())


def death(status, hung, check, errors, patience):
    if hung:
        return Verdict("wrong", check, f"died: no end after {patience} s")
    name = signal.Signals(-status).name if status < 0 else f"exit status {status}"
    frames = [line.strip() for line in errors.splitlines() if "fuse" in line]
    return Verdict("wrong", check, f"died: {name} {' '.join(frames[:6])}")
