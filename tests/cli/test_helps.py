#!/usr/bin/env python3
"""The help of every command: its width, and the letters of its options.

usage: tests/cli/test_helps.py ORIGO

A letter stands for the same option in all commands, and an option that has a
letter anywhere has it everywhere. Prints 'ok NAME' or 'FAILED NAME'."""

import os
import re
import subprocess
import sys

ORIGO = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else sys.exit(__doc__)
WIDTH = 80
FEWEST = 40  # commands, with any set of features
# "  -k, --shingle N" of --help.
OPTION = re.compile(r"^  (?:-(\w), )?--([a-z][a-z0-9-]*)", re.M)
# What index adds are indexes; -q of hamming join was --queries, and still is.
OTHER = {("index", "add"), ("hamming join", "quiet")}
failed = []


def check(name, problems):
    if problems:
        failed.append(name)
    print(("FAILED " if problems else "ok ") + name)
    for problem in problems:
        print("    " + str(problem))


def help_of(command, option):
    done = subprocess.run([ORIGO, *command.split(), option],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def commands():
    """As the first page lists them: "name  brief", or "group  member, ..."."""
    page = help_of("", "-h")[1]
    is_of_groups = False
    for line in page.splitlines():
        is_of_groups = is_of_groups and line != "" or "groups of" in line
        found = re.match(r"  ([a-z-]+) {2,}(.*)", line)
        if found is None:
            continue
        if not is_of_groups:
            yield found.group(1)
        elif found.group(1) == "eval":
            yield from ("eval " + name for name in
                        ("origin", "near", "quote", "pan"))
        else:
            for member in found.group(2).split(", "):
                yield found.group(1) + " " + member


def check_letters(pages):
    names, letters, problems = {}, {}, []
    for command, page in pages.items():
        for letter, name in OPTION.findall(page):
            if (command, name) in OTHER:
                continue
            where = "%s (--%s)" % (command, name)
            if letter and names.setdefault(letter, (name, where))[0] != name:
                problems.append("-%s: %s, %s" % (letter, names[letter][1],
                                                 where))
            if letters.setdefault(name, (letter, where))[0] != letter:
                problems.append("--%s: -%s in %s, -%s in %s" % (
                    name, letters[name][0], letters[name][1], letter, where))
    check("a letter means one option", problems)
    check("letters are found", [] if len(names) > 10 else [names])


def main():
    all_commands = list(commands())
    check("all commands are listed",
          [] if len(all_commands) >= FEWEST else all_commands)
    pages, wrong, wide = {}, [], []
    for command in ["", *all_commands]:
        for option in ("-h", "--help"):
            status, page, said = help_of(command, option)
            if status != 0 or said or not page.strip():
                wrong.append("%s %s: %s" % (command, option, said or status))
            wide += ["%s %s: %s" % (command, option, line)
                     for line in page.splitlines() if len(line) > WIDTH]
            pages[command] = page
    check("help goes to stdout, with status 0", wrong)
    check("no line is wider than %d" % WIDTH, wide)
    check_letters(pages)
    sys.exit(1 if failed else 0)


main()
