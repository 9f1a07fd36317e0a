#!/usr/bin/env python3
"""Packs the browser companion, once for each browser.

usage: tools/pack_extension.py OUT

Makes OUT/chromium and OUT/firefox, folders that a browser can load as they are,
and a zip of each, OUT/origo-companion-VERSION-BROWSER.zip, which is the same
bytes every time. One code base: only the manifest differs, by the keys that the
other browser does not know. The version is that of meson.build; the icons are
drawn here, after web/icon.svg. What is wrong with the manifest is named, and the
status is then 1."""

import functools
import json
import pathlib
import re
import struct
import sys
import zipfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE = ROOT / "extension"
ICONS = (16, 32, 48, 128)
BROWSERS = {
    # browser: (members of "background" that it does not know, of all)
    "chromium": (("scripts",), ("browser_specific_settings",)),
    "firefox": (("service_worker",), ("minimum_chrome_version",)),
}
# More than these must not slip in unseen.
PERMISSIONS = {"activeTab", "scripting", "storage"}
LOCAL = {"http://127.0.0.1/*", "http://localhost/*"}


def version():
    text = (ROOT / "meson.build").read_text(encoding="utf-8")
    return re.search(r"version\s*:\s*'([0-9.]+)", text).group(1)


# ---- icons ----

def pixel(x, y, size):
    """(red, green, blue, alpha) of the middle of a small square of the icon:
    a ring and a dot."""
    far = ((x - size / 2) ** 2 + (y - size / 2) ** 2) ** 0.5 * 32 / size
    if far <= 3.5:
        return (0xb8, 0x56, 0x2a, 255)
    if 8.5 <= far <= 13.5:
        return (0x1f, 0x5f, 0xa8, 255)
    return (0, 0, 0, 0)


@functools.lru_cache(None)
def png(size):
    """The icon, each pixel the mean of sixteen."""
    rows = bytearray()
    for y in range(size):
        rows.append(0)
        for x in range(size):
            parts = [pixel(x + (i + .5) / 4, y + (j + .5) / 4, size)
                     for i in range(4) for j in range(4)]
            alpha = sum(p[3] for p in parts)
            for c in range(3):
                rows.append(sum(p[c] * p[3] for p in parts) // alpha
                            if alpha else 0)
            rows.append(alpha // 16)

    def chunk(kind, data):
        return (struct.pack(">I", len(data)) + kind + data +
                struct.pack(">I", zlib.crc32(kind + data)))
    return (b"\x89PNG\r\n\x1a\n" +
            chunk(b"IHDR", struct.pack(">IIBBBBB", size, size, 8, 6, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(bytes(rows), 9)) + chunk(b"IEND", b""))


# ---- the manifest ----

def manifest_of(browser, number):
    manifest = json.loads((SOURCE / "manifest.json").read_text(encoding="utf-8"))
    manifest["version"] = number
    background, all_ = BROWSERS[browser]
    for name in background:
        del manifest["background"][name]
    for name in all_:
        del manifest[name]
    return manifest


def files_named(manifest):
    """Every file that a manifest names."""
    background = manifest["background"]
    yield from background.get("scripts", ())
    if "service_worker" in background:
        yield background["service_worker"]
    yield manifest["options_ui"]["page"]
    yield from manifest["icons"].values()
    yield from manifest["action"]["default_icon"].values()


def wrong_with(browser, manifest, files):
    """What a store or a browser would refuse."""
    if manifest["manifest_version"] != 3:
        yield "the manifest is not of version 3"
    if not re.fullmatch(r"\d{1,5}(\.\d{1,5}){0,3}", manifest["version"]):
        yield "'%s' is no version" % manifest["version"]
    for name in sorted(set(files_named(manifest)) - set(files)):
        yield "there is no file '%s'" % name
    if set(manifest["permissions"]) - PERMISSIONS:
        yield "permissions beyond %s" % sorted(PERMISSIONS)
    if set(manifest["host_permissions"]) - LOCAL:
        yield "hosts beyond this machine must be optional"
    policy = manifest["content_security_policy"]["extension_pages"]
    if "unsafe" in policy or "default-src 'none'" not in policy:
        yield "the policy is too wide"
    if len(manifest["description"]) > 132:
        yield "the description has more than 132 characters"
    if browser == "firefox":
        gecko = manifest["browser_specific_settings"]["gecko"]
        if not re.fullmatch(r"[A-Za-z0-9._-]*@[A-Za-z0-9._-]+", gecko["id"]):
            yield "'%s' is no id of an extension" % gecko["id"]
        if not re.fullmatch(r"\d+\.\d+", gecko["strict_min_version"]):
            yield "strict_min_version is no version"
    for name, data in files.items():
        if not name.endswith((".js", ".html")):
            continue
        for word in (b"innerHTML", b"outerHTML", b"insertAdjacentHTML",
                     b"document.write", b"eval(", b"new Function"):
            if word in data:
                yield "%s: has %s" % (name, word.decode())
        if name.endswith(".html") and re.search(
                rb"<style|\son\w+=|\sstyle=|<script(?![^>]*src=)", data):
            yield "%s: has a script or a style inside" % name


# ---- packing ----

def contents(browser, number):
    """{name: bytes} of what a browser gets, checked."""
    files = {path.name: path.read_bytes() for path in SOURCE.iterdir()
             if path.suffix in (".js", ".css", ".html")}
    files.update({"icon-%d.png" % size: png(size) for size in ICONS})
    files["LICENSE"] = (ROOT / "LICENSE").read_bytes()
    manifest = manifest_of(browser, number)
    wrong = list(wrong_with(browser, manifest, files))
    if wrong:
        sys.exit("\n".join("%s: %s" % (browser, line) for line in wrong))
    files["manifest.json"] = (json.dumps(manifest, indent=2) + "\n").encode()
    return files


def write_zip(path, files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            out.writestr(entry, files[name])


def main(out):
    number = version()
    for browser in BROWSERS:
        files = contents(browser, number)
        folder = pathlib.Path(out) / browser
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.iterdir():
            old.unlink()
        for name, data in files.items():
            (folder / name).write_bytes(data)
        path = pathlib.Path(out) / ("origo-companion-%s-%s.zip"
                                    % (number, browser))
        write_zip(path, files)
        print(path)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
