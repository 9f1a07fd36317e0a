#!/usr/bin/env python3
"""Packs the browser companion, twice, and with faults in its manifest."""

import importlib.util
import json
import os
import sys
import tempfile
import unittest
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOOL = os.path.join(HERE, "..", "..", "tools", "pack_extension.py")
sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location("pack_extension", TOOL)
pack = importlib.util.module_from_spec(spec)
spec.loader.exec_module(pack)


def packed(browser):
    """The bytes of a zip, and its files."""
    files = pack.contents(browser, "1.2.3")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.zip")
        pack.write_zip(path, files)
        with open(path, "rb") as f:
            data = f.read()
        with zipfile.ZipFile(path) as z:
            return data, {name: z.read(name) for name in z.namelist()}


class Packing(unittest.TestCase):
    def test_same_bytes_every_time(self):
        for browser in pack.BROWSERS:
            self.assertEqual(packed(browser)[0], packed(browser)[0])

    def test_each_browser_gets_its_manifest(self):
        both = {b: packed(b)[1] for b in pack.BROWSERS}
        manifests = {b: json.loads(files.pop("manifest.json"))
                     for b, files in both.items()}
        self.assertEqual(both["chromium"], both["firefox"])
        chromium, firefox = manifests["chromium"], manifests["firefox"]
        self.assertEqual(chromium["version"], "1.2.3")
        self.assertEqual(chromium["background"],
                         {"service_worker": "background.js", "type": "module"})
        self.assertEqual(firefox["background"],
                         {"scripts": ["background.js"], "type": "module"})
        self.assertNotIn("browser_specific_settings", chromium)
        self.assertIn("gecko", firefox["browser_specific_settings"])

    def test_icons_are_png(self):
        for size in (16, 32):
            data = pack.png(size)
            self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
            self.assertEqual(int.from_bytes(data[16:20], "big"), size)

    def test_faults_are_named(self):
        faults = [
            (("permissions", ["tabs"]), "permissions beyond"),
            (("host_permissions", ["<all_urls>"]), "must be optional"),
            (("version", "1.x"), "is no version"),
            (("icons", {"16": "none.png"}), "there is no file 'none.png'"),
            (("content_security_policy",
              {"extension_pages": "script-src 'unsafe-eval'"}), "too wide"),
        ]
        files = pack.contents("firefox", "1.2.3")
        good = json.loads(files.pop("manifest.json"))
        self.assertEqual(list(pack.wrong_with("firefox", good, files)), [])
        for (name, value), message in faults:
            found = list(pack.wrong_with("firefox", {**good, name: value},
                                         files))
            self.assertEqual(len(found), 1, found)
            self.assertIn(message, found[0])
        files["options.js"] += b"\nbody.innerHTML = text;\n"
        self.assertIn("innerHTML",
                      "".join(pack.wrong_with("firefox", good, files)))


if __name__ == "__main__":
    unittest.main()
