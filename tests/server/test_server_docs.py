#!/usr/bin/env python3
"""The commands of docs/server.md work when they are pasted:
tests/server/test_server_docs.py ORIGO"""

import re
import shutil
import subprocess
import tempfile

import server_support as support


def blocks(text):
    """Blocks of shell that are not marked as not tested."""
    for before, block in re.findall(r"([^\n]*)\n```sh\n(.*?)```", text, re.S):
        if not before.startswith("<!-- not tested:"):
            yield block


def test_commands(origo):
    if shutil.which("curl") is None:
        return "curl is missing"
    text = (support.ROOT / "docs/server.md").read_text(encoding="utf-8")
    script = "".join(blocks(text))
    assert script.count("curl") > 10
    # A status of 400 or more is a failure, too.
    script = script.replace("curl -s", "curl -sS --fail-with-body")
    with support.Server(origo) as server, \
            tempfile.TemporaryDirectory() as folder:
        script = script.replace("http://127.0.0.1:7070", server.address)
        done = subprocess.run(["bash", "-eu", "-o", "pipefail", "-c", script],
                              cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        for expected in ('"result":"added"', '"dominant":{"id":"a"',
                         "origo_documents", '"watches":['):
            assert expected in done.stdout, expected


def test_units(origo):
    """What the units say is known to systemd, where there is one."""
    del origo
    if shutil.which("systemd-analyze") is None:
        return "systemd-analyze is missing"
    with tempfile.TemporaryDirectory() as folder:
        for name in ("origo.service", "origo.socket"):
            unit = (support.ROOT / "server" / name).read_text()
            with open(folder + "/" + name, "w") as f:
                f.write(unit.replace("/usr/bin/origo", "/bin/true"))
        done = subprocess.run(["systemd-analyze", "verify",
                               folder + "/origo.service"],
                              capture_output=True, text=True)
        wrong = [line for line in done.stderr.splitlines()
                 if "origo." in line and "'man " not in line]
        assert not wrong, wrong
    return None


if __name__ == "__main__":
    support.main(globals())
