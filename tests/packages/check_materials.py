#!/usr/bin/env python3
"""The bill of materials beside a tarball names what is in it: every program and
library with its sum, and a package for each, which is there with its licence.

    tests/packages/check_materials.py TARBALL
"""

import hashlib
import json
import re
import sys
import tarfile


def contents(path):
    """The sum of every regular file, by its name below the first folder; a hard
    link has that of its target."""
    with tarfile.open(path) as tar:
        for member in tar:
            if member.isfile() or member.islnk():
                content = tar.extractfile(member).read()
                yield (member.name.partition("/")[2],
                       hashlib.sha256(content).hexdigest())


def main():
    tarball = sys.argv[1]
    with open(re.sub(r"\.tar\.xz$", ".spdx.json", tarball)) as f:
        bill = json.load(f)
    there = dict(contents(tarball))
    listed = {}
    for entry in bill["files"]:
        sums = {s["algorithm"]: s["checksumValue"] for s in entry["checksums"]}
        assert set(sums) == {"SHA1", "SHA256"}, entry
        listed[entry["fileName"][2:]] = sums["SHA256"]
    programs = {name: value for name, value in there.items()
                if name.startswith(("bin/", "lib/origo/"))}
    assert listed == programs, sorted(set(listed.items()) ^ set(programs.items()))

    names = {p["SPDXID"]: p["name"] for p in bill["packages"]}
    ids = list(names) + [f["SPDXID"] for f in bill["files"]]
    assert len(ids) == len(set(ids)), "an identifier is there twice"
    assert all(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", i) for i in ids), ids
    assert "libc6" in names.values() and "libzstd1" in names.values(), names
    for name in set(names.values()) - {"origo"}:
        assert "licences/" + name in there, "no licence of " + name
    origins = {r["spdxElementId"]: r["relatedSpdxElement"]
               for r in bill["relationships"]
               if r["relationshipType"] == "GENERATED_FROM"}
    for entry in bill["files"]:
        assert origins.get(entry["SPDXID"]) in names, entry["fileName"]
    loader = next(f["SPDXID"] for f in bill["files"]
                  if f["fileName"].endswith("/ld-linux-x86-64.so.2"))
    assert names[origins[loader]] == "libc6"
    print("tarball: %d files of %d packages in its bill of materials" %
          (len(listed), len(names)))


if __name__ == "__main__":
    main()
