"""What the tests of origo follow share: a folder, a store, runs of the
command."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
from run_cases import main  # noqa: E402,F401

LONG = 300  # seconds: nothing here takes so long, however slow the machine is


class Place:
    """A folder of its own, with a store in it."""

    def __init__(self, origo):
        self.origo = origo
        self.folder = tempfile.mkdtemp(prefix="origo-follow-")
        self.store = os.path.join(self.folder, "s")

    def __enter__(self):
        return self

    def __exit__(self, *what):
        shutil.rmtree(self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text, mode="w"):
        with open(self.path(name), mode, encoding="utf-8") as f:
            f.write(text)
        return self.path(name)

    def append(self, name, text):
        return self.write(name, text, "a")

    def command(self, *arguments):
        return [self.origo, "follow", "-s", self.store, "--memory", "16M",
                *arguments]

    def once(self, *sources, status=0, **more):
        """What it says on stderr."""
        done = subprocess.run(self.command("--once", *sources), text=True,
                              capture_output=True, timeout=LONG, **more)
        assert done.returncode == status, (done.returncode, done.stderr)
        assert "Sanitizer" not in done.stderr, done.stderr
        return done.stderr

    def start(self, *sources, **more):
        return subprocess.Popen(self.command(*sources), text=True,
                                stderr=subprocess.PIPE, **more)

    def documents(self):
        """{id: document} of the store."""
        done = subprocess.run([self.origo, "export", "-s", self.store],
                              capture_output=True, text=True, timeout=LONG)
        assert done.returncode in (0, 5), done.stderr
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        documents = {doc["id"]: doc for doc in lines}
        assert len(documents) == len(lines), "a document is there twice"
        return documents

    def ids(self):
        return sorted(self.documents())

    def wait_for(self, condition, process=None):
        """Until it holds."""
        until = time.monotonic() + LONG
        while not condition():
            assert process is None or process.poll() is None, \
                process.stderr.read()
            assert time.monotonic() < until, "it never came"
            time.sleep(0.05)

    def wait_for_ids(self, ids, process=None):
        self.wait_for(lambda: self.ids() == sorted(ids), process)


def end(process, sign=signal.SIGTERM):
    """What it said; it must end as it was asked to."""
    process.send_signal(sign)
    said = process.communicate(timeout=LONG)[1]
    assert process.returncode == (0 if sign == signal.SIGTERM else -sign), said
    assert "Sanitizer" not in said, said
    return said


def line(id, text=None, **more):
    return json.dumps(dict(id=id, text=text or "the text of " + id,
                           **more)) + "\n"


def equal(seen, expected):
    assert seen == expected, "%r is not %r" % (seen, expected)
