#!/usr/bin/env python3
"""The commands of docs/server.md work when they are pasted:
tests/server/test_server_docs.py ORIGO"""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import server_support as support
from server_support import equal


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


def token_commands():
    """The block of docs/server.md that gives a service its tokens."""
    text = (support.ROOT / "docs/server.md").read_text(encoding="utf-8")
    return next(b for b in re.findall(r"```sh\n(.*?)```", text, re.S)
                if "SupplementaryGroups" in b)


def verify_units(folder):
    """What systemd says against the units."""
    done = subprocess.run(["systemd-analyze", "verify",
                           folder + "/origo.service"],
                          capture_output=True, text=True,
                          env=dict(os.environ, SYSTEMD_UNIT_PATH=folder + ":"))
    return [line for line in done.stderr.splitlines()
            if ("origo" in line or "tokens.conf" in line)
            and "'man " not in line]


def test_units(origo):
    """systemd, where there is one, knows what the units say, and the commands
    that give a service its tokens make files that it can read."""
    units = pathlib.Path(origo).parent.parent / "server/origo.service"
    with tempfile.TemporaryDirectory() as folder:
        etc = folder + "/etc"
        system = etc + "/systemd/system"
        os.makedirs(system)
        os.makedirs(etc + "/default")
        service = units.read_text()
        start = re.search("^ExecStart=(/.*/origo) serve ", service, re.M)[1]
        with open(system + "/origo.service", "w") as f:
            f.write(service.replace(start, "/bin/true"))
        shutil.copy(support.ROOT / "server/origo.socket", system)
        # Accounts and services of this machine are left alone.
        for name in ("groupadd", "chgrp", "systemctl"):
            os.symlink("/bin/true", folder + "/" + name)
        done = subprocess.run(
            ["bash", "-eu", "-c", token_commands().replace(" /etc/", " %s/" % etc)],
            env=dict(os.environ, PATH=folder + ":" + os.environ["PATH"]),
            capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        equal(os.stat(etc + "/origo/tokens").st_mode & 0o777, 0o640)
        with open(etc + "/default/origo") as f:
            equal(f.read(), 'OPTIONS="--tokens %s/origo/tokens"\n' % etc)
        if shutil.which("systemd-analyze") is None:
            return "systemd-analyze is missing"
        equal(verify_units(system), [])
        # It does read the drop-in.
        with open(system + "/origo.service.d/tokens.conf", "a") as f:
            f.write("NoSuchSetting=yes\n")
        assert any("NoSuchSetting" in line for line in verify_units(system))
    return None


if __name__ == "__main__":
    support.main(globals())
