"""A stream of documents made up by the test, and what a store knows after each
step of it.

Documents copy passages from earlier ones, come late but older, come without a
time, come again as another version, and are removed. No document comes twice,
so the number of documents and of removed ones tells how far a store is."""

import json
import os
import random
import subprocess

MEMORY = "96Ki"  # small: prints are evicted


class Stream:
    """steps: ("add", line) or ("rm", id); done[i]: documents and removed ones
    after i steps."""

    def __init__(self, folder, seed, n_steps):
        self.folder = folder
        self.random = random.Random(seed)
        self.words = ["w%x" % self.random.getrandbits(28) for _ in range(900)]
        self.steps, self.done = [], [(0, 0)]
        self.texts, self.alive = [], {}
        os.makedirs(folder, exist_ok=True)
        while len(self.steps) < n_steps:
            self.add_step()
        self.queries = os.path.join(folder, "queries.jsonl")
        with open(self.queries, "w") as f:
            for i in range(8):
                f.write(json.dumps({"id": "query-%d" % i,
                                    "text": self.text()}) + "\n")

    def text(self):
        """New words, and passages of what was there before."""
        r, words = self.random, []
        for _ in range(r.randint(2, 5)):
            if self.texts and r.random() < 0.5:
                old = r.choice(self.texts)
                begin = r.randrange(max(1, len(old) - 12))
                words += old[begin:begin + r.randint(10, 50)]
            else:
                words += r.choices(self.words, k=r.randint(8, 40))
        return " ".join(words)

    def add_step(self):
        r = self.random
        n, removed = self.done[-1]
        if self.alive and n > 10 and r.random() < 0.06:
            name = r.choice(sorted(self.alive))
            removed += self.alive.pop(name)
            self.steps.append(("rm", name))
        else:
            is_version = bool(self.alive) and r.random() < 0.1
            name = r.choice(sorted(self.alive)) if is_version else "doc-%d" % n
            text = self.text()
            doc = {"id": name, "text": text, "title": "Title %d" % n}
            if r.random() < 0.9:  # some come late and are older
                doc["time"] = 1600000000 + 60 * (n - r.choice((0, 0, 0, 30)))
            self.texts.append(text.split())
            self.alive[name] = self.alive.get(name, 0) + 1
            self.steps.append(("add", json.dumps(doc)))
            n += 1
        self.done.append((n, removed))

    def position(self, n, removed):
        """The steps that a store has done; the last one may be half done."""
        at = 0
        while at < len(self.steps) and self.done[at + 1][0] <= n and \
                self.done[at + 1][1] <= removed:
            at += 1
        return at

    def adds_from(self, at):
        """The lines up to the next removal, and where that is."""
        end = at
        while end < len(self.steps) and self.steps[end][0] == "add":
            end += 1
        return [line for _, line in self.steps[at:end]], end

    def write_adds(self, at, end, path):
        with open(path, "w") as f:
            for _, line in self.steps[at:end]:
                f.write(line + "\n")

    def reference(self, probe):
        """The line of the probe after each step of a run that nothing
        disturbed, by (documents, removed)."""
        ops = os.path.join(self.folder, "ops")
        with open(ops, "w") as f:
            for i, (kind, what) in enumerate(self.steps):
                if kind == "rm":
                    f.write("-%s\n" % what)
                    continue
                path = os.path.join(self.folder, "step-%d.jsonl" % i)
                with open(path, "w") as g:
                    g.write(what + "\n")
                f.write("+%s\n" % path)
        store = os.path.join(self.folder, "reference.store")
        out = subprocess.run([probe, "reference", store, self.queries, ops],
                             stdout=subprocess.PIPE, check=True, text=True)
        lines = out.stdout.splitlines()
        assert len(lines) == len(self.steps)
        states = {}
        for line, done in zip(lines, self.done[1:]):
            n, removed = line.split()[:2]
            assert (int(n), int(removed)) == done, (line, done)
            states[done] = line
        return states
