#!/usr/bin/env python3
"""Checks what no compiler does: tools/check_layers.py [--flow] [--root DIR]

1. A file of lib/ is in a folder, and includes headers of its own layer or of
   lower ones. A folder has at most MAX_FILES files to compile.
2. cli/, server/, follow/, python/, redis/, examples/ include <origo/origo.h>
   and headers of their own; cli/ also the doors of the server and of follow,
   "server/serve.h" and "follow/follow.h", which include nothing else. <origo/origo.h> includes every other header of
   include/origo/.
3. File names are unique in the whole tree; a public header may have the name of
   the library's own header on the same subject (<origo/store.h>,
   "lib/store/store.h").
4. Struct tags are unique, and so is the prefix of a type's functions: what
   opens, closes, initialises or releases it is declared in one header.
5. Stage headers open with what comes in and what goes out, and every folder of
   lib/ but base has a header that says it.
6. Every test program and script is in a list of tests/*/meson.build.

Each offence is one line, "file:line: what"; the exit status is then 1.
--flow prints the pipeline as the stage headers describe it."""

import os
import re
import sys

# From the ground up; folders joined by + are on one floor.
LAYERS = [
    "base",
    "os",
    "disk",
    "source",
    "stream",
    "text",
    "token",
    "fingerprint",
    "select",
    "table",
    "partition",
    "remote",
    "estimate",
    "align",
    "sketch",
    "hamming",
    "sentence",
    "chunk",
    "similar",
    "delta",
    "sync",
    "store+trace",
    "phrases",
    "report",
    "dedup",
    "keys",
    "near",
    "index",
    "arrow",
]
MAX_FILES = 30

OUTSIDE = ["cli", "server", "follow", "python", "redis", "examples"]
DOOR = "origo/origo.h"
DOORS = ("server/serve.h", "follow/follow.h")

# In the order of the flow.
STAGE_HEADERS = [
    "lib/source/source.h",
    "lib/text/text.h",
    "lib/token/tokens.h",
    "lib/fingerprint/fingerprint.h",
    "lib/select/select.h",
    "lib/table/table.h",
    "lib/estimate/estimate.h",
    "lib/trace/answer.h",
]

CODE = (".c", ".h", ".py", ".js", ".sh")
MAY_REPEAT = {"__init__.py", "conftest.py"}  # Python and pytest look for them
IGNORED = re.compile(r"^(build.*|__pycache__|\..*)$")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def walk(root):
    """Paths of all files below root, with /, sorted."""
    paths = []
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(f for f in folders if not IGNORED.match(f))
        for name in sorted(files):
            path = os.path.relpath(os.path.join(folder, name), root)
            paths.append(path.replace(os.sep, "/"))
    return paths


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as f:
        return f.read()


def layer_of(path):
    """The height of a file of lib/, or None when its folder is no layer."""
    parts = path.split("/")
    if len(parts) == 2:
        return None
    for height, folders in enumerate(LAYERS):
        if parts[1] in folders.split('+'):
            return height
    return None


def includes(text):
    for number, line in enumerate(text.split("\n"), 1):
        found = INCLUDE.match(line)
        if found:
            yield number, found.group(1), found.group(2)


def check_lib_file(root, path):
    height = layer_of(path)
    if height is None:
        yield "%s:1: is in no folder that is a layer" % path
        return
    for number, quote, name in includes(read(root, path)):
        place = "%s:%d: " % (path, number)
        if name == DOOR:
            yield place + "include the header of the subject, not " + DOOR
        elif name.startswith("origo/"):
            pass  # a public header is below every layer
        elif quote == "<":
            continue
        elif not name.startswith("lib/"):
            yield place + "'%s' is not named from the root" % name
        elif not os.path.exists(os.path.join(root, name)):
            yield place + "there is no '%s'" % name
        else:
            other = layer_of(name)
            if other is None or other > height:
                yield place + "'%s' is of a higher layer" % name


def check_outside_file(root, path):
    own = path.split("/")[0] + "/"
    for number, quote, name in includes(read(root, path)):
        place = "%s:%d: " % (path, number)
        if name.startswith("origo/") and name != DOOR:
            yield place + "include %s instead of '%s'" % (DOOR, name)
            continue
        if quote == "<" or name == DOOR:
            continue
        if own == "cli/" and name in DOORS:
            continue
        if path in DOORS:
            yield place + "a door shows no other header"
            continue
        # Its own headers, beside it or told from the root.
        beside = os.path.join(root, os.path.dirname(path), name)
        if name.startswith(own) or ("/" not in name and os.path.exists(beside)):
            continue
        yield place + "'%s' is not %s" % (name, DOOR)


def check_door(root, paths):
    """Public headers include no others, and the door all of them."""
    public = [p for p in paths if p.startswith("include/")]
    behind = set()
    for path in public:
        for number, quote, name in includes(read(root, path)):
            if quote == '"':
                yield "%s:%d: '%s' is not public" % (path, number, name)
            elif path == "include/" + DOOR:
                behind.add("include/" + name)
    for path in public:
        if path not in behind and path != "include/" + DOOR:
            yield "%s:1: %s does not include it" % (path, DOOR)


def check_includes(root, paths):
    for path in paths:
        if not path.endswith((".c", ".h")):
            continue
        top = path.split("/")[0]
        if top == "lib":
            yield from check_lib_file(root, path)
        elif top in OUTSIDE:
            yield from check_outside_file(root, path)


def check_names(paths):
    seen = {}
    for path in paths:
        name = path.split("/")[-1]
        if not name.endswith(CODE) or name in MAY_REPEAT:
            continue
        if path.startswith("include/"):
            continue
        if name in seen:
            yield "%s:1: has the name of %s" % (path, seen[name])
        seen.setdefault(name, path)


TAG = re.compile(r"^(?:typedef )?(?:struct|union|enum) (og_\w+) \{", re.M)
# Declarations begin their line; what is indented is a call in an inline one.
LIFE = re.compile(r"^(?![ \t])[^*/\n]*\b(og_\w+)_(init|release|new|free|open|close)\(",
                  re.M)
# The reader of texts is opened by the store and by its texts.
SHARED_PREFIXES = {"og_text_reader"}


def line_of(text, place):
    return text.count("\n", 0, place) + 1


def check_identifiers(root, paths):
    tags, prefixes = {}, {}
    for path in paths:
        if not path.startswith(("lib/", "include/")):
            continue
        if not path.endswith((".c", ".h")):
            continue
        text = read(root, path)
        for found in TAG.finditer(text):
            first = tags.setdefault(found.group(1), path)
            if first != path:
                yield "%s:%d: '%s' is defined in %s, too" % (
                    path, line_of(text, found.start()), found.group(1), first)
        if not path.startswith("lib/") or not path.endswith(".h"):
            continue
        for found in LIFE.finditer(text):
            prefix = found.group(1)
            first = prefixes.setdefault(prefix, path)
            if first != path and prefix not in SHARED_PREFIXES:
                yield "%s:%d: '%s_' is the prefix of a type of %s" % (
                    path, line_of(text, found.start()), prefix, first)


def check_folders(paths):
    count = {}
    for path in paths:
        if path.startswith(("lib/", "server/", "follow/")) and path.endswith(".c"):
            folder = path.rsplit("/", 1)[0]
            count[folder] = count.get(folder, 0) + 1
    for folder, n in sorted(count.items()):
        if n > MAX_FILES:
            yield "%s:1: has %d files, more than %d" % (folder, n, MAX_FILES)


def stage_lines(text):
    """The (in, out) lines of the first comment that has both, else None."""
    found = re.search(r"/\*\s+in:\s+(.*)\n(?:\s*\*\s{4,}.*\n)*?"
                      r"\s*\*\s+out:\s+(.*?)\s*(?:\*/)?\s*\n", text)
    before = text[:found.start()] if found else ""
    if not found or "#include" in before:
        return None
    return found.group(1).rstrip(), found.group(2).rstrip()


def check_stages(root):
    for path in STAGE_HEADERS:
        if not os.path.exists(os.path.join(root, path)):
            yield "%s:1: this stage header is missing" % path
        elif stage_lines(read(root, path)) is None:
            yield "%s:1: does not open with its in: and out: lines" % path


def check_folder_heads(root, paths):
    """A folder whose headers do not say what goes in and out."""
    heads = {path.rsplit("/", 1)[0]: True for path in STAGE_HEADERS}
    for path in paths:
        if not path.startswith("lib/") or not path.endswith(".h"):
            continue
        folder = path.rsplit("/", 1)[0]
        heads[folder] = heads.get(folder) or stage_lines(read(root, path))
    for folder, head in sorted(heads.items()):
        if head is None and folder != "lib/base":
            yield "%s:1: no header says what goes in and what goes out" % folder


def check_test_lists(root, paths):
    for path in paths:
        found = re.match(r"tests/(unit|property|oom|fuzz|cli|server|follow|tools)/"
                         r"(test_\w+\.py|\w+\.c)$", path)
        if not found:
            continue
        lists = "tests/%s/meson.build" % found.group(1)
        full = os.path.join(root, lists)
        text = read(root, lists) if os.path.exists(full) else ""
        name = re.sub(r"\.c$", "", found.group(2))
        if not re.search(r"'%s(\.c)?'" % re.escape(name), text):
            yield "%s:1: is not in a list of %s" % (path, lists)


def print_flow(root):
    for path in STAGE_HEADERS:
        if not os.path.exists(os.path.join(root, path)):
            continue
        lines = stage_lines(read(root, path))
        if lines is not None:
            print("%s\n    in:  %s\n    out: %s" % ((path,) + lines))


def main(argv):
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    flow = False
    arguments = iter(argv)
    for argument in arguments:
        if argument == "--flow":
            flow = True
        elif argument == "--root":
            root = next(arguments, root)
        else:
            sys.exit(__doc__)
    if flow:
        print_flow(root)
        return 0
    paths = walk(root)
    offences = list(check_includes(root, paths))
    offences += check_door(root, paths)
    offences += check_names(paths)
    offences += check_identifiers(root, paths)
    offences += check_folders(paths)
    offences += check_stages(root)
    offences += check_folder_heads(root, paths)
    offences += check_test_lists(root, paths)
    for offence in offences:
        print(offence)
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
