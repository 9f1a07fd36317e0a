#!/usr/bin/env python3
"""How long a report takes to open: bench/bench_report.py BUILD [N]...

Makes reports of N documents (1,000 and 20,000), half of which copy a passage,
and opens each five times in Chromium, until the overview is there. Prints the
size of the file, the time to write it and the fastest and slowest opening. The
packages are those of tests/web/run, which must have run once."""

import json
import os
import random
import subprocess
import sys
import tempfile
import time

OPEN = """
const { chromium } = require("playwright-core");
(async () => {
    const browser = await chromium.launch({ executablePath: process.argv[1],
        args: ["--no-sandbox"] });
    const times = [];
    for (let i = 0; i < 5; i++) {
        const page = await browser.newPage();
        await page.goto("file://" + process.argv[2]);
        await page.waitForSelector(".figures strong");
        times.push(await page.evaluate(() => performance.now()));
        await page.close();
    }
    console.log(JSON.stringify(times));
    await browser.close();
})();
"""


def write_documents(path, n):
    r = random.Random(5)
    words = ["w%d" % i for i in range(5000)]
    last = []
    with open(path, "w") as f:
        for i in range(n):
            own = [r.choice(words) for _ in range(120)]
            if last and i % 2:
                at = r.randrange(60)
                own[60:] = r.choice(last)[at:at + 60]
            last = (last + [own])[-500:]
            f.write(json.dumps({
                "id": "d%d" % i, "title": "Entry %d" % i, "text": " ".join(own),
                "time": "%04d-%02d-%02d" % (1990 + i * 30 // n, 1 + i % 12,
                                            1 + i % 28)}) + "\n")


def main():
    build = os.path.abspath(sys.argv[1])
    modules = os.path.join(build, "web", "node_modules")
    if not os.path.isdir(modules):
        sys.exit("no %s: run tests/web/run %s first" % (modules, sys.argv[1]))
    print("documents   MB   written in s   open in ms")
    for n in [int(a) for a in sys.argv[2:]] or [1000, 20000]:
        with tempfile.TemporaryDirectory(prefix="origo-report-") as folder:
            documents = os.path.join(folder, "in.jsonl")
            report = os.path.join(folder, "report.html")
            write_documents(documents, n)
            began = time.monotonic()
            subprocess.run([build + "/cli/origo", "trace", "-q", "-s",
                            ":memory:", "-o", report, documents], check=True)
            seconds = time.monotonic() - began
            out = subprocess.run(["node", "-e", OPEN, "/usr/bin/chromium",
                                  report], check=True, capture_output=True,
                                 env={**os.environ, "NODE_PATH": modules})
            times = json.loads(out.stdout)
            print("%9d %4.1f %14.1f   %.0f to %.0f" % (
                n, os.path.getsize(report) / 1e6, seconds, min(times),
                max(times)))


if __name__ == "__main__":
    main()
