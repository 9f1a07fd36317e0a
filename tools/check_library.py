#!/usr/bin/env python3
"""Checks what the sources of the library may say: tools/check_library.py

1. Memory comes from lib/base/memory.h; malloc() and its kin stand only where
   the C library is the partner (names of files, buffers of stdio).
2. Messages know no command line: no string has an option (--name) or a command
   ('origo add'). The message is read by people who call functions.
3. Numbers are read and written without the locale: no strtod(), and no printf()
   of a "%f" or "%g"; og_text_format() and og_error_set() know no locale.
4. Every module, a lib/.../X.c with a header X.h, has tests of its own:
   tests/unit/test_X.c.

5. The installed headers send nobody to a file of lib/: readers have none.

--tests prints the modules and their tests. --root DIR checks another
tree. A line for each offence, and status 1.
"""

import os
import re
import sys

MEMORY_MAY = {"lib/base/memory.c", "lib/base/packing.h", "lib/os/new_file.c",
              "lib/os/temp_file.c"}
LOCALE_MAY = {"lib/base/c_locale.c"}
# Magic words of files, and advice about a program of others.
WORDS_MAY = re.compile(r"^#?origo [a-z-]+(?: journal)? [%\d]|'origo hamming 1'|"
                       r"libreoffice --convert-to")

COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|/\*.*?\*/|//[^\n]*', re.S)
STRING = re.compile(r'"((?:\\.|[^"\\\n])*)"')
ALLOCATION = re.compile(r"\b(malloc|calloc|realloc|aligned_alloc|"
                        r"posix_memalign|strndup)\s*\(")
OPTION = re.compile(r"(?<![<!\w-])--[a-z]")
COMMAND = re.compile(r"\borigo(?:-eval)? (?:add|trace|quote|near|compare|dedup|"
                     r"dedup-shard|info|verify|rm|export|import|compact|"
                     r"upgrade|index|sketch|hamming|files|sync|serve|eval)\b")
LOCALE = re.compile(r"\b(?:strto(?:d|f|ld)|atof|setlocale)\s*\(")
PRINT = re.compile(r"\b(?:v?[sf]?n?printf|v?asprintf|dprintf)\s*\([^;]*;")
FLOAT = re.compile(r"%[-+ #0]*(?:\d+|\*)?(?:\.(?:\d+|\*))?l?[aefgAEFG]")


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


def walk(root, folder, endings):
    for where, folders, names in os.walk(os.path.join(root, folder)):
        folders.sort()
        for name in sorted(names):
            if name.endswith(endings):
                yield os.path.relpath(os.path.join(where, name), root)


def blank(found):
    """A comment becomes as many lines; a string stays."""
    text = found.group(0)
    return text if text.startswith('"') else "\n" * text.count("\n")


def without_comments(text):
    return COMMENT.sub(blank, text)


def line_of(text, place):
    return text.count("\n", 0, place) + 1


def check_memory(path, code):
    if path in MEMORY_MAY:
        return
    for found in ALLOCATION.finditer(STRING.sub('""', code)):
        yield "%s:%d: calls %s(), not lib/base/memory.h" % (
            path, line_of(code, found.start()), found.group(1))


def check_words(path, code):
    for found in STRING.finditer(code):
        for words in (OPTION, COMMAND):
            if words.search(found.group(1)) and not WORDS_MAY.search(
                    found.group(1)):
                yield "%s:%d: a string speaks of the command line: %s" % (
                    path, line_of(code, found.start()), found.group(0))
                break


def check_locale(path, code):
    if path in LOCALE_MAY:
        return
    for found in LOCALE.finditer(STRING.sub('""', code)):
        yield "%s:%d: depends on the locale: %s" % (
            path, line_of(code, found.start()), found.group(0))
    for found in PRINT.finditer(code):
        if FLOAT.search(found.group(0).replace("%%", "")):
            yield "%s:%d: a number in the locale's form: %s" % (
                path, line_of(code, found.start()),
                found.group(0).split("\n")[0])


def modules(root):
    headers = set(walk(root, "lib", (".h",)))
    for path in walk(root, "lib", (".c",)):
        if path[:-2] + ".h" in headers:
            yield path[:-2]


def test_of(module):
    return "tests/unit/test_%s.c" % os.path.basename(module)


def check_tests(root):
    for module in modules(root):
        if not os.path.exists(os.path.join(root, test_of(module))):
            yield "%s.c:1: has no test: %s" % (module, test_of(module))


def check_headers(root):
    for path in walk(root, "include", (".h",)):
        text = read(root, path)
        for found in re.finditer(r"\blib/[\w./]+\.[ch]\b", text):
            yield "%s:%d: sends the reader to %s" % (
                path, line_of(text, found.start()), found.group(0))


def main(argv):
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if "--root" in argv:
        root = argv[argv.index("--root") + 1]
    if "--tests" in argv:
        for module in modules(root):
            print("%s: %s" % (module, test_of(module)))
        return 0
    offences = []
    for path in walk(root, "lib", (".c", ".h")):
        code = without_comments(read(root, path))
        offences += check_memory(path, code)
        offences += check_words(path, code)
        offences += check_locale(path, code)
    offences += check_tests(root)
    offences += check_headers(root)
    for offence in offences:
        print(offence)
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
