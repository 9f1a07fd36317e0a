"""Small appends, compaction and purges, over all indexes: kills, power losses
and failing changes."""

import os
import shutil

import change
import power
from bench import Failure, must
from disturb import some_points, watch

ALL = ("add", "--index", "passages,near,sentences")


def answers(bench, store):
    """What the derived indexes say."""
    return [must([bench.origo, *question, "-q", "-s", store,
                  bench.stream.queries]).stdout
            for question in (("near", "-t", "0.05"),
                             ("quote", "--all", "-t", "0.3"))]


def check_answers(bench, store, *expected):
    must([bench.origo, "verify", "-q", "-s", store])
    if answers(bench, store) not in expected:
        raise Failure("%s: near and quote answer otherwise" % store)


# ---- small appends ------------------------------------------------------------

def small_appends(bench):
    """A document a session. The power goes in each of them, and nothing that
    the sessions before it have not synced need be there."""
    n_sessions, n_points, n_tried = (25, 16, 0) if bench.full else (5, 5, 0)
    begin = 30
    base = bench.make("append.base", begin, how=ALL)
    folder, target = bench.fresh("power.d"), bench.path("power.copy")
    os.mkdir(folder)
    store, path = os.path.join(folder, "store"), bench.path("input.jsonl")
    shutil.copytree(base, store)
    before = power.Before(folder, bench.path("power.base"))
    expected, logs, at = {begin: answers(bench, store)}, [], begin
    while len(logs) < n_sessions:
        kind, what = bench.stream.steps[at]
        if kind == "add":
            bench.stream.write_adds(at, at + 1, path)
            command = bench.add(store, path, how=("add",))
        else:
            command = [bench.origo, "rm", "-s", store, what]
        logs.append(bench.path("append-%d.log" % len(logs)))
        watch(bench, folder, logs[-1], command)
        at += 1
        bench.check_state(store, bench.stream.done[at][0])
        expected[at] = answers(bench, store)
        if kind != "add":
            continue  # a removal of several versions may be half done
        points = some_points(bench, logs[-1], n_points)
        for _ in power.replay(before, logs, points, bench.random, target):
            copy = os.path.join(target, "store")
            seen = bench.check_state(copy, bench.stream.done[at - 1][0])
            check_answers(bench, copy, expected[seen])
        if seen != at:
            raise Failure("the session ended, and its document is gone")
        n_tried += len(points)
    n_files = sum(len(names) for _, _, names in os.walk(store))
    if n_files > 20:
        raise Failure("%d files after %d sessions" % (n_files, n_sessions))
    return "%d points in %d sessions" % (n_tried, n_sessions)


# ---- compaction ---------------------------------------------------------------

class Upkeep(change.Change):
    """A command that leaves nothing of the removed documents of a store; a
    purge removes one more first. The words of removed documents weigh in quote
    until then."""

    def __init__(self, bench, is_purge):
        super().__init__(bench, "upkeep",
                         bench.make("upkeep.base", 120, how=ALL))
        self.old = self.export(self.base)
        self.between = [answers(bench, self.base)]
        self.command = [bench.origo, "compact", "-q", "-s"]
        if is_purge:
            self.choose_purge()
        must([*self.command, self.fresh()])
        self.new = self.export(self.store)
        self.new_answers = answers(bench, self.store)
        if not is_purge and self.new != self.old:
            raise Failure("documents changed")

    def choose_purge(self):
        """Of a document of one version; it may be seen removed and not yet
        purged."""
        alive = next(line for line in self.old.splitlines()
                     if self.old.count(b'"id":%s' % self.id_of(line)) == 1)
        name = self.id_of(alive).strip(b'"').decode()
        self.command = [self.bench.origo, "rm", "--purge", "-q", name, "-s"]
        must([self.bench.origo, "rm", "-s", self.fresh(), name])
        self.between.append(answers(self.bench, self.store))

    @staticmethod
    def id_of(line):
        return line.split(b'"id":')[1].split(b",")[0]

    def check(self, store, must_be_done=False):
        """The old store or the new one, whole, and it can be used."""
        seen = self.export(store)
        if seen != self.new and (must_be_done or seen != self.old):
            raise Failure("%s: other documents" % store)
        check_answers(self.bench, store, self.new_answers,
                      *([] if must_be_done else self.between))

    def finish(self, store):
        if self.export(store) == self.new:
            must([self.bench.origo, "compact", "-q", "-s", store])
        else:
            must([*self.command, store])
        self.check(store, must_be_done=True)
        self.check_generations(store)


def both(bench):
    return (Upkeep(bench, False), Upkeep(bench, True))


def compact_kills(bench):
    return change.kills(both(bench))


def compact_faults(bench):
    return change.faults(both(bench))


def compact_power(bench):
    return change.power_losses(both(bench))


def conf_change(log):
    """The number of the change that gives the conf its name."""
    changes = [row for row in power.read_log(log) if row[0] not in "ua"]
    return next(i + 1 for i, row in enumerate(changes) if row[0] == "r" and
                row[5].decode().endswith("/origo.conf"))


def compact_power_after_kill(bench):
    """Killed while it switches over; the next writer cleans up, and the power
    goes: what it removed must not be what the conf names then."""
    upkeep, n_tried = Upkeep(bench, False), 0
    folder, target = bench.path("power.d"), bench.path("power.copy")
    store, copy = os.path.join(folder, "store"), os.path.join(target, "store")
    logs = [bench.path("first.log"), bench.path("second.log")]
    nothing = bench.path("nothing.jsonl")
    open(nothing, "w").close()
    at = 0
    for after in (None, 0, 1, 2) if not bench.full else (None, *range(-1, 12)):
        bench.fresh("power.d")
        os.mkdir(folder)
        shutil.copytree(upkeep.base, store)
        before = power.Before(folder, bench.path("power.base"))
        command = [*upkeep.command, store]
        if after is None:  # the first round shows what there is
            watch(bench, folder, logs[0], command)
            at = conf_change(logs[0])
            continue
        watch(bench, folder, logs[0], command, SHIM_KILL=str(at + after))
        watch(bench, folder, logs[1], bench.add(store, nothing, how=("add",)))
        points = some_points(bench, logs[1], 30 if bench.full else 6)
        for _ in power.replay(before, logs, points, bench.random, target):
            upkeep.check(copy)
        n_tried += len(points)
    return "%d points" % n_tried


CHECKS = [small_appends, compact_kills, compact_faults, compact_power,
          compact_power_after_kill]
