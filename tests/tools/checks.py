"""What the checks of this folder share: where the tree is, and how a check says
what it found."""

import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
_failed = False


def report(name, story=""):
    """'ok NAME', or 'FAILED NAME' with the story, indented, below it."""
    global _failed
    if not story:
        print("ok " + name)
        return
    _failed = True
    print("FAILED " + name)
    for line in story.rstrip().splitlines():
        print("    " + line)


def skip(name, reason):
    print("SKIPPED %s: %s" % (name, reason))


def finish():
    sys.stdout.flush()
    sys.exit(1 if _failed else 0)


def run(command, cwd=ROOT, timeout=300, env=None):
    """Returns (exit status, what it printed)."""
    merged = dict(os.environ, LC_ALL="C.UTF-8", **(env or {}))
    try:
        done = subprocess.run(command, cwd=cwd, env=merged, timeout=timeout,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        return done.returncode, done.stdout.decode("utf-8", "replace")
    except subprocess.TimeoutExpired as e:
        out = (e.stdout or b"").decode("utf-8", "replace")
        return 124, out + "\nstopped after %d s" % timeout
    except OSError as e:
        return 127, str(e)


def expect_success(name, command, **how):
    status, out = run(command, **how)
    report(name, "" if status == 0 else
           "%s\nexit status %d: %s" % (out, status, " ".join(command)))


def files_of(kind):
    status, out = run(["tools/list_files", kind])
    return out.split("\n")[:-1] if status == 0 else []
