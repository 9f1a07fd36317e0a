#!/usr/bin/env python3
"""Feeds tools/check_layers.py small trees, good and bad."""

import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
TOOL = os.path.join(HERE, "..", "..", "tools", "check_layers.py")

STAGE = "/*   in:  %s   (lib/a)\n *   out: %s   (lib/b)   */\n#include <stdint.h>\n"
STAGES = ["source/source.h", "text/text.h", "token/tokens.h",
          "fingerprint/fingerprint.h", "select/select.h", "table/table.h",
          "estimate/estimate.h", "trace/answer.h"]


def good_tree():
    tree = {"lib/" + path: STAGE % ("bytes", "more") for path in STAGES}
    tree["include/origo/origo.h"] = '#include <origo/text.h>\n'
    tree["include/origo/text.h"] = '#include <stdint.h>\n'
    tree["lib/base/memory.h"] = '#include <origo/text.h>\n'
    tree["lib/text/fold.c"] = ('#include "lib/text/text.h"\n'
                               '#include "lib/base/memory.h"\n')
    tree["lib/trace/trace_stream.c"] = '#include "lib/estimate/estimate.h"\n'
    tree["cli/main.c"] = ('#include <origo/origo.h>\n#include <stdio.h>\n'
                          '#include "cli/options.h"\n')
    tree["cli/options.h"] = ""
    tree["tests/unit/test_fold.c"] = '#include "lib/text/text.h"\n'
    tree["tests/unit/meson.build"] = "unit_tests = ['test_fold']\n"
    return tree


def check(tree, *flags):
    with tempfile.TemporaryDirectory() as root:
        for path, text in tree.items():
            full = os.path.join(root, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w") as f:
                f.write(text)
        done = subprocess.run([sys.executable, TOOL, "--root", root, *flags],
                              stdout=subprocess.PIPE)
        return done.returncode, done.stdout.decode().splitlines()


class CheckLayers(unittest.TestCase):
    def assert_offence(self, changes, *lines):
        tree = good_tree()
        tree.update(changes)
        self.assertEqual(check(tree), (1, list(lines)))

    def test_good_tree(self):
        self.assertEqual(check(good_tree()), (0, []))

    def test_folder_without_a_head(self):
        self.assert_offence(
            {"lib/near/near.h": "/* The index. */\n"},
            "lib/near:1: no header says what goes in and what goes out")

    def test_higher_layer(self):
        self.assert_offence(
            {"lib/text/bad.c": '\n#include "lib/table/table.h"\n'},
            "lib/text/bad.c:2: 'lib/table/table.h' is of a higher layer")

    def test_no_file_at_the_top(self):
        self.assert_offence(
            {"lib/params.c": ""},
            "lib/params.c:1: is in no folder that is a layer")

    def test_one_floor(self):
        tree = good_tree()
        tree["lib/store/store.c"] = '#include "lib/trace/answer.h"\n'
        self.assertEqual(check(tree), (0, []))

    def test_folders_inside_a_layer(self):
        tree = good_tree()
        tree["lib/store/text/texts.c"] = '#include "lib/text/text.h"\n'
        self.assertEqual(check(tree), (0, []))

    def test_a_full_folder(self):
        self.assert_offence(
            {"lib/text/f%d.c" % i: "" for i in range(30)},
            "lib/text:1: has 31 files, more than 30")

    def test_a_tag_twice(self):
        self.assert_offence(
            {"lib/text/a.h": "struct og_x {\n", "lib/table/b.h":
             "\nstruct og_x {\n"},
            "lib/text/a.h:1: 'og_x' is defined in lib/table/b.h, too")

    def test_a_prefix_twice(self):
        self.assert_offence(
            {"lib/text/a.h": "void og_x_free(struct og_x *x);\n",
             "lib/table/b.h": "void og_x_open(struct og_y *y);\n"},
            "lib/text/a.h:1: 'og_x_' is the prefix of a type of lib/table/b.h")

    def test_not_from_the_root(self):
        self.assert_offence(
            {"lib/text/bad.c": '#include "text.h"\n'},
            "lib/text/bad.c:1: 'text.h' is not named from the root")

    def test_missing_header(self):
        self.assert_offence(
            {"lib/text/bad.c": '#include "lib/text/none.h"\n'},
            "lib/text/bad.c:1: there is no 'lib/text/none.h'")

    def test_unknown_layer(self):
        self.assert_offence({"lib/misc/bad.c": ""},
                            "lib/misc/bad.c:1: is in no folder that is a layer")

    def test_outside_looks_inside(self):
        self.assert_offence(
            {"examples/bad.c": '#include "lib/text/text.h"\n'},
            "examples/bad.c:1: 'lib/text/text.h' is not origo/origo.h")

    def test_past_the_door(self):
        self.assert_offence(
            {"cli/bad.c": '#include <origo/text.h>\n'},
            "cli/bad.c:1: include origo/origo.h instead of 'origo/text.h'")
        self.assert_offence(
            {"lib/base/bad.c": '#include <origo/origo.h>\n'},
            "lib/base/bad.c:1: include the header of the subject, "
            "not origo/origo.h")

    def test_not_behind_the_door(self):
        self.assert_offence(
            {"include/origo/new.h": ""},
            "include/origo/new.h:1: origo/origo.h does not include it")

    def test_public_looks_inside(self):
        self.assert_offence(
            {"include/origo/text.h": '#include "lib/text/text.h"\n'},
            "include/origo/text.h:1: 'lib/text/text.h' is not public")

    def test_two_of_a_name(self):
        self.assert_offence(
            {"lib/token/fold.c": ""},
            "lib/token/fold.c:1: has the name of lib/text/fold.c")

    def test_stage_without_lines(self):
        self.assert_offence(
            {"lib/table/table.h": "/* A table. */\n"},
            "lib/table/table.h:1: does not open with its in: and out: lines")

    def test_stage_lines_come_first(self):
        self.assert_offence(
            {"lib/table/table.h": "#include <stdint.h>\n" + STAGE % ("a", "b")},
            "lib/table/table.h:1: does not open with its in: and out: lines")

    def test_forgotten_test(self):
        self.assert_offence(
            {"tests/unit/test_new.c": ""},
            "tests/unit/test_new.c:1: is not in a list of "
            "tests/unit/meson.build")

    def test_build_folders_do_not_count(self):
        tree = good_tree()
        tree["build/x/lib/misc/fold.c"] = '#include "lib/nothing.h"\n'
        self.assertEqual(check(tree), (0, []))

    def test_flow(self):
        status, lines = check(good_tree(), "--flow")
        self.assertEqual(status, 0)
        self.assertEqual(lines[0], "lib/source/source.h")
        self.assertEqual(lines[1], "    in:  bytes   (lib/a)")
        self.assertEqual(lines[2], "    out: more   (lib/b)")
        self.assertEqual(len(lines), 3 * len(STAGES))


if __name__ == "__main__":
    unittest.main()
