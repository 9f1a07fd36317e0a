#!/usr/bin/env python3
"""Runs tools/setup against a make-believe apt."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SETUP = os.path.join(HERE, "..", "..", "tools", "setup")

DPKG_QUERY = r"""#!/bin/bash
for last; do :; done
grep -qx "$last" "$WORLD/installed" && printf installed
"""
# Installs all that it is asked for, or nothing when one cannot be had.
APT_GET = r"""#!/bin/bash
echo "apt-get $*" >> "$WORLD/calls"
while [[ $1 == -* ]]; do [ "$1" = -o ] && shift; shift; done
[ "$1" = update ] && exit 0
shift
packages=()
for p; do [[ $p == -* ]] || packages+=("$p"); done
for p in "${packages[@]}"; do
    grep -qx "$p" "$WORLD/unknown" && exit 100
done
printf '%s\n' "${packages[@]}" >> "$WORLD/installed"
"""
ID = "#!/bin/bash\ncat \"$WORLD/uid\"\n"
SLEEP = "#!/bin/bash\n"
FLOCK = "#!/bin/bash\necho \"$1\" >> \"$WORLD/locks\"\nshift\nexec \"$@\"\n"
SUDO = "#!/bin/bash\n[ \"$1\" = -n ] && shift\necho sudo >> \"$WORLD/calls\"\nexec \"$@\"\n"


def packages(group):
    """The list in tools/setup; the tests' world has no npm, so that is one."""
    with open(SETUP) as f:
        names = re.search(group + r"_packages=\(([^)]*)\)",
                          f.read()).group(1).split()
    if group == "test":
        names += ["nodejs", "npm"] + packages("python")
    return names


class Setup(unittest.TestCase):
    def setUp(self):
        self.world = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.world)
        self.bin = os.path.join(self.world, "bin")
        os.mkdir(self.bin)
        for tool in ("bash", "env", "grep", "cat"):
            os.symlink(shutil.which(tool), os.path.join(self.bin, tool))
        for name, text in (("dpkg-query", DPKG_QUERY), ("apt-get", APT_GET),
                           ("id", ID), ("sleep", SLEEP), ("flock", FLOCK)):
            self.tool(name, text)
        self.write("installed", "")
        self.write("unknown", "")
        self.write("calls", "")
        self.write("uid", "0\n")

    def tool(self, name, text):
        path = os.path.join(self.bin, name)
        with open(path, "w") as f:
            f.write(text)
        os.chmod(path, 0o755)

    def write(self, name, text):
        with open(os.path.join(self.world, name), "w") as f:
            f.write(text)

    def read(self, name):
        with open(os.path.join(self.world, name)) as f:
            return f.read().splitlines()

    def setup_of(self, *groups):
        done = subprocess.run(
            [os.path.join(self.bin, "bash"), SETUP, *groups],
            env={"PATH": self.bin, "WORLD": self.world},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        self.assertEqual(done.stdout, b"")
        return done.returncode, done.stderr.decode()

    def test_all_is_there(self):
        self.write("installed", "\n".join(packages("build")) + "\n")
        self.assertEqual(self.setup_of("build"), (0, ""))
        self.assertEqual(self.read("calls"), [])

    def test_installs_what_is_missing(self):
        self.write("installed", "gcc\n")
        status, said = self.setup_of("build", "test")
        self.assertEqual(status, 0, said)
        wanted = set(packages("build") + packages("test"))
        self.assertEqual(set(self.read("installed")), wanted)
        calls = self.read("calls")
        self.assertIn(" update", calls[0])
        self.assertNotIn(" gcc ", calls[1] + " ")
        self.assertEqual(len(calls), 2)
        self.assertEqual(self.read("locks"), 2 * ["/var/lib/dpkg"])

    def test_through_sudo(self):
        self.write("uid", "1000\n")
        self.tool("sudo", SUDO)
        self.tool("true", "#!/bin/bash\n")
        status, said = self.setup_of("build")
        self.assertEqual(status, 0, said)
        self.assertIn("sudo", self.read("calls"))

    def test_one_cannot_be_had(self):
        self.write("unknown", "mandoc\n")
        status, said = self.setup_of("test")
        self.assertEqual(status, 0, said)
        self.assertIn("NOT INSTALLED: mandoc", said)
        self.assertEqual(set(self.read("installed")),
                         set(packages("test")) - {"mandoc"})

    def test_nobody_may_install(self):
        self.write("uid", "1000\n")
        status, said = self.setup_of("build")
        self.assertEqual(status, 1)
        self.assertIn("sudo", said)
        self.assertIn("cannot build without: gcc", said)

    def test_no_apt(self):
        os.remove(os.path.join(self.bin, "apt-get"))
        status, said = self.setup_of("test")
        self.assertEqual(status, 0)
        self.assertIn("no apt-get", said)
        self.assertIn("NOT INSTALLED: clang", said)

    def test_usage(self):
        self.assertEqual(self.setup_of()[0], 2)
        self.assertEqual(self.setup_of("everything")[0], 2)


if __name__ == "__main__":
    unittest.main()
