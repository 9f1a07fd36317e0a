#!/usr/bin/env python3
"""Requests that schemathesis makes up from openapi.json: no server error, and no
status or media type that the document does not name.

usage: tests/server/test_server_schemathesis.py ORIGO

schemathesis comes from PyPI, into a virtual environment beside ORIGO; where that
cannot be had the test is skipped."""

import os
import re
import subprocess
import venv

import server_support as support

# A later hypothesis lacks what hypothesis-jsonschema uses.
PACKAGES = ["schemathesis==3.39.16", "hypothesis==6.112.0"]
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance"
EXAMPLES = os.environ.get("SCHEMATHESIS_EXAMPLES", "12")


def install(folder):
    """The path of the program; None: it cannot be had."""
    program = os.path.join(folder, "bin", "st")
    if os.path.exists(program):
        return program
    venv.create(folder, with_pip=True)
    done = subprocess.run([os.path.join(folder, "bin", "pip"), "install", "-q",
                           "--disable-pip-version-check", *PACKAGES],
                          capture_output=True, text=True)
    return program if done.returncode == 0 else None


def test_schemathesis(origo):
    build = os.path.dirname(os.path.dirname(origo))
    try:
        program = install(os.path.join(build, "venv-schemathesis"))
    except (OSError, subprocess.SubprocessError):
        program = None
    if program is None:
        return "schemathesis cannot be installed from PyPI"
    with support.Server(origo, "-q", "--index",
                        "passages,near,sentences") as server:
        done = subprocess.run(
            [program, "run", server.address + "/openapi.json",
             "--experimental=openapi-3.1", "--checks", CHECKS,
             "--hypothesis-max-examples=" + EXAMPLES, "--hypothesis-seed=1",
             "--hypothesis-derandomize", "--hypothesis-deadline=300000",
             "--request-timeout=60000",
             # It never ends.
             "--exclude-path", "/v1/events"],
            capture_output=True, text=True, cwd=server.folder)
        assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
        counts = re.findall(r"not_a_server_error +(\d+) / (\d+)", done.stdout)
        print("  %s of %s answers are no server error" % counts[0])
        assert server.ask("GET", "/readyz")[0] == 200
    return None


if __name__ == "__main__":
    support.main(globals())
