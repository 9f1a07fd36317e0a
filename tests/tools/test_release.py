#!/usr/bin/env python3
"""Runs tools/release in a repository of its own, with a make that builds nothing."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest

import checks

# What it was asked for; the packages of `make test-packages` are empty files. What
# `make release TESTS=quick` was given is not for the tests that it runs.
MAKE = r"""#!/bin/bash
echo "$1" >>build/made
[ -z "${TESTS+x}${VERSION+x}${MAKEFLAGS+x}" ] || exit 3
[ "$1" != "${FAILING:-none}" ] || exit 2
[ "$1" = test-packages ] || exit 0
mkdir -p build/{static,wheel,deb}
touch build/static/origo-x.tar.xz build/static/origo-x.spdx.json \
    build/wheel/origo-x.whl build/wheel/origo-x.tar.gz build/deb/origo_x.deb
"""
UNRELEASED = "## [Unreleased]\n\n### Fixed\n\n- Something.\n\n"


class Release(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.world = tempfile.mkdtemp(prefix="origo-release-")
        cls.origin = os.path.join(cls.world, "origin")
        for path in checks.files_of("all"):
            copy = os.path.join(cls.origin, path)
            os.makedirs(os.path.dirname(copy), exist_ok=True)
            shutil.copy2(os.path.join(checks.ROOT, path), copy)
        with open(os.path.join(cls.origin, ".gitignore"), "w") as f:
            f.write("/build/\n__pycache__/\n")
        cls.git(cls.origin, "init", "-q")
        cls.git(cls.origin, "add", "-A")
        cls.git(cls.origin, "commit", "-qm", "all")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.world)

    @staticmethod
    def git(tree, *words):
        status, out = checks.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"] +
            list(words), cwd=tree)
        assert status == 0, out
        return out.strip()

    def setUp(self):
        self.tree = tempfile.mkdtemp(dir=self.world)
        self.git(self.world, "clone", "-q", self.origin, self.tree)
        self.bin = tempfile.mkdtemp(dir=self.world)
        with open(os.path.join(self.bin, "make"), "w") as f:
            f.write(MAKE)
        os.chmod(os.path.join(self.bin, "make"), 0o755)

    def path(self, name):
        return os.path.join(self.tree, name)

    def text(self, name):
        with open(self.path(name), encoding="utf-8") as f:
            return f.read()

    def release(self, version, **env):
        names = {"GIT_%s_%s" % (who, what): "a@example.org"
                 for who in ("AUTHOR", "COMMITTER")
                 for what in ("NAME", "EMAIL")}
        path = self.bin + os.pathsep + os.environ["PATH"]
        given = {"TESTS": "", "VERSION": version,
                 "MAKEFLAGS": " -- VERSION=" + version}
        return checks.run(["tools/release", version], cwd=self.tree,
                          env=dict(names, PATH=path, **dict(given, **env)))

    def current(self):
        return re.search(r"^  version : '(.*)',", self.text("meson.build"),
                         re.M).group(1)

    def next_version(self):
        major, minor, patch = self.current().split(".")
        return "%s.%s.%d" % (major, minor, int(patch) + 1)

    def note_a_change(self):
        old = self.text("CHANGELOG.md")
        with open(self.path("CHANGELOG.md"), "w", encoding="utf-8") as f:
            f.write(old.replace("## [", UNRELEASED + "## [", 1))
        self.git(self.tree, "commit", "-qam", "a change")

    def tags(self):
        return self.git(self.tree, "tag")

    def check_released(self, version, out):
        self.assertEqual(self.tags(), "v" + version, out)
        self.assertEqual(self.git(self.tree, "status", "--porcelain"), "")
        status, said = checks.run(["python3", "tests/tools/test_version.py"],
                                  cwd=self.tree)
        self.assertEqual(status, 0, said)
        self.assertEqual(self.current(), version)
        folder = self.path("build/release-" + version)
        subprocess.run(["sha256sum", "-c", "--quiet", "SHA256SUMS"],
                       cwd=folder, check=True)
        names = set(os.listdir(folder))
        self.assertLessEqual(
            {"origo-%s.tar.gz" % version, "origo.rb", "SHA256SUMS",
             "origo-x.tar.xz", "origo-x.spdx.json", "origo-x.whl",
             "origo_x.deb"}, names)
        with open(os.path.join(folder, "origo.rb")) as f:
            self.assertNotIn("0" * 64, f.read())

    def test_a_new_version(self):
        version = self.next_version()
        self.note_a_change()
        status, out = self.release(version)
        self.assertEqual(status, 0, out)
        self.check_released(version, out)
        self.assertEqual(self.text("build/made"), "test\ntest-packages\n")
        self.assertIn("## [Unreleased]\n\n## [%s] - " % version,
                      self.text("CHANGELOG.md"))
        self.assertTrue(self.text("debian/changelog").startswith(
            "origo (%s-1)" % version))
        self.assertNotIn("a trial", out)

    def test_a_version_that_was_prepared(self):
        version = self.current()
        debian = self.text("debian/changelog").count("origo (")
        status, out = self.release(version, TESTS="quick")
        self.assertEqual(status, 0, out)
        self.check_released(version, out)
        self.assertEqual(self.text("build/made"), "test-quick\ntest-packages\n")
        self.assertEqual(self.text("debian/changelog").count("origo ("), debian)
        self.assertIn("a trial", out)

    def test_again_after_a_failure(self):
        version = self.next_version()
        self.note_a_change()
        status, out = self.release(version, FAILING="test-packages")
        self.assertEqual(status, 1, out)
        self.assertIn("make test-packages failed", out)
        self.assertEqual(self.tags(), "")
        status, out = self.release(version)
        self.assertEqual(status, 0, out)
        self.check_released(version, out)
        self.assertEqual(self.text("CHANGELOG.md").count("[%s]" % version), 1)

    def test_what_is_refused(self):
        for version, words in (("1.2", "usage"),
                               (self.next_version(), "[Unreleased]")):
            status, out = self.release(version)
            self.assertNotEqual(status, 0)
            self.assertIn(words, out)
        status, out = self.release(self.current(), TESTS="none")
        self.assertIn("TESTS is all or quick", out)
        self.git(self.tree, "tag", "v" + self.current())
        status, out = self.release(self.current())
        self.assertIn("is there already", out)
        with open(self.path("README.md"), "a") as f:
            f.write("more\n")
        status, out = self.release("9.9.9")
        self.assertIn("the tree has changes", out)
        self.assertFalse(os.path.exists(self.path("build/made")))


if __name__ == "__main__":
    if shutil.which("git") is None:
        checks.skip("releases", "git is not installed")
    else:
        unittest.main()
