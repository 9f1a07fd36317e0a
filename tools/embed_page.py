#!/usr/bin/env python3
"""Makes C of the style and the script of the HTML report.

usage: tools/embed_page.py OUT.c STYLE.css SCRIPT.js...

The scripts are joined, in this order, inside one function (join_scripts.py).

The bytes become arrays, beside the hashes that the page's security policy
names: a browser runs this script and no other."""

import base64
import hashlib
import sys

from join_scripts import join, read


def array(name, data):
    rows = [", ".join(str(b if b < 128 else b - 256) for b in data[i:i + 16])
            for i in range(0, len(data), 16)]
    digest = base64.b64encode(hashlib.sha256(data).digest()).decode()
    return ("const char og_page_%s[] = {\n    %s,\n};\n"
            "const size_t og_page_%s_len = %d;\n"
            "const char og_page_%s_hash[] = \"%s\";\n"
            % (name, ",\n    ".join(rows), name, len(data), name, digest))


def main(out, style, *scripts):
    script = join(scripts)
    pieces = ['/* Made by tools/embed_page.py. */\n\n'
              '#include "lib/report/html/page_files.h"\n']
    for name, data in (("style", read(style)), ("script", script)):
        # What ends the element inside it would end the page.
        if b"</" + name.encode() in data.lower() or b"<!--" in data:
            sys.exit("the %s holds what ends its element" % name)
        pieces.append(array(name, data))
    with open(out, "w") as f:
        f.write("\n".join(pieces))


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
