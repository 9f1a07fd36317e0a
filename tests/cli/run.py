#!/usr/bin/env python3
"""Golden tests of the command: what it prints, to the byte, and how it ends.

usage: tests/cli/run.py ORIGO [--update] [CASE]...

ORIGO is the binary. Each cases/*.case is a text file of sections:

    what the case is about
    --- command
    origo trace --fromat json mail.jsonl
    --- stdout
    --- stderr
    origo: unknown option '--fromat', did you mean '--format'?
    'origo trace -h' shows the usage
    --- status
    2

The command is run by sh in a new empty folder, with `origo` in its PATH and
`sample` beside it; `--- file NAME` sections before the command are written
there first. Times and rates are replaced by # before the comparison. --update
writes what was seen into the cases: look at the diff before you believe it.

A build without the server has no `serve`: its own cases are skipped then, and
its line in the lists of commands is not expected.

The last line is 'N passed, N failed'; the status is 1 when any failed."""

import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SAMPLE = HERE.parent.parent / "sample"
# Seconds for a case; an emulated machine (tests/emulated) takes more of them.
PATIENCE = 300 * int(os.environ.get("ORIGO_TEST_SLOWER", "1"))
CHANGING = [
    (re.compile(r"[\d.]+ MB/s"), "# MB/s"),
    (re.compile(r"peak memory \d+ MB"), "peak memory # MB"),
    (re.compile(r"^(origo) \d+\.\d+\.\d+$", re.M), r"\1 #.#.#"),
    (re.compile(r"\"origo \d+\.\d+\.\d+\""), '"origo #.#.#"'),
]
SECTION = re.compile(r"^--- (\w+)(?: (\S+))?$")


class Case:
    def __init__(self, path):
        self.path = path
        self.about, self.files, self.expected = [], [], {}
        lines = self.about
        for line in path.read_text("utf-8").splitlines():
            match = SECTION.match(line)
            if not match:
                lines.append(line)
                continue
            lines = []
            if match.group(1) == "file":
                self.files.append((match.group(2), lines))
            else:
                self.expected[match.group(1)] = lines

    def text(self, section):
        return "".join(l + "\n" for l in self.expected.get(section, []))

    def run(self, origo):
        with tempfile.TemporaryDirectory(prefix="origo-cli-") as folder:
            place = pathlib.Path(folder)
            (place / "bin").mkdir()
            (place / "bin" / "origo").symlink_to(origo)
            work = place / "work"
            work.mkdir()
            (work / "sample").symlink_to(SAMPLE)
            for name, lines in self.files:
                (work / name).write_text("".join(l + "\n" for l in lines),
                                         "utf-8")
            done = subprocess.run(["sh", "-c", self.text("command")],
                                  cwd=work, env=environment(place / "bin"),
                                  stdin=subprocess.DEVNULL,
                                  capture_output=True, timeout=PATIENCE)
        return {"stdout": steady(done.stdout), "stderr": steady(done.stderr),
                "status": f"{done.returncode}\n"}

    def update(self, seen):
        parts = [*self.about]
        for name, lines in self.files:
            parts += [f"--- file {name}", *lines]
        parts += ["--- command", *self.expected["command"]]
        text = "".join(l + "\n" for l in parts)
        for section in ("stdout", "stderr", "status"):
            text += f"--- {section}\n" + seen[section]
        self.path.write_text(text, "utf-8")


def environment(path):
    """Nothing of the user's that the output could depend on."""
    keep = {k: v for k, v in os.environ.items()
            if k.startswith(("ASAN_", "UBSAN_", "TSAN_", "LSAN_", "LD_"))
            or k == "ORIGO_CPU"}
    return {**keep, "PATH": f"{path}:{os.environ.get('PATH', '')}",
            "LC_ALL": "C.UTF-8", "HOME": "/nonexistent"}


def steady(output):
    text = output.decode("utf-8", "backslashreplace")
    if text and not text.endswith("\n"):
        text += "\n(no newline at the end)\n"
    for pattern, replacement in CHANGING:
        text = pattern.sub(replacement, text)
    return text


def has_server(origo):
    return subprocess.run([origo, "serve", "-h"],
                          capture_output=True).returncode == 0


def compare(case, seen, leaves_out):
    """The differences, as lines."""
    for section in ("stdout", "stderr", "status"):
        expected = leaves_out.sub("", case.text(section))
        if seen[section] != expected:
            yield from difflib.unified_diff(
                expected.splitlines(), seen[section].splitlines(),
                f"expected {section}", f"seen {section}", lineterm="")


def main():
    arguments = [a for a in sys.argv[1:] if a != "--update"]
    if not arguments:
        sys.exit(__doc__)
    origo = pathlib.Path(arguments[0]).resolve()
    paths = [pathlib.Path(a) for a in arguments[1:]]
    passed = failed = 0
    lacks_server = not has_server(origo)
    leaves_out = re.compile(r"^  serve .*\n" if lacks_server else r"(?!)", re.M)
    for path in paths or sorted((HERE / "cases").glob("*.case")):
        case = Case(path)
        if lacks_server and path.stem.startswith("serve-"):
            print(f"SKIPPED {path.stem}: this build has no server")
            continue
        seen = case.run(origo)
        differences = list(compare(case, seen, leaves_out))
        if "--update" in sys.argv and differences:
            case.update(seen)
            print(f"updated {path.stem}")
            continue
        passed, failed = passed + (not differences), failed + bool(differences)
        print(f"{'FAILED' if differences else 'ok'} {path.stem}")
        for line in differences[:60]:
            print("    " + line)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
