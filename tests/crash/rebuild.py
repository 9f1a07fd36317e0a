"""The index of passages dropped and built again ('origo index'): kills, power
losses and failing changes. All files of the store are written anew for it."""

import change
from bench import Failure, must
from upkeep import ALL, answers

REST = ("add", "--index", "near,sentences")


class Rebuild(change.Change):
    """A command that changes whether a store has passages, and what it answers
    before and after."""

    def __init__(self, bench, is_drop):
        name = "drop" if is_drop else "build"
        super().__init__(bench, name, bench.make(name + ".base", 90,
                                                 how=ALL if is_drop else REST))
        self.command = [bench.origo, "index", "-q",
                        "--drop" if is_drop else "--add", "passages", "-s"]
        self.documents = self.export(self.base)
        self.old = self.ask(self.base)
        must([*self.command, self.fresh()])
        self.new = self.ask(self.store)
        if self.export(self.store) != self.documents:
            raise Failure("documents changed")
        if ("passages" in self.old[0]) == ("passages" in self.new[0]):
            raise Failure("'%s' became '%s'" % (self.old[0], self.new[0]))

    def ask(self, store):
        """Its indexes, and what each of them answers."""
        names = must([self.bench.origo, "index", "-s", store]).stdout.decode()
        said = answers(self.bench, store)
        if "passages" in names:
            said.append(must([self.bench.origo, "trace", "-q", "-s", store,
                              self.bench.stream.queries]).stdout)
        return [names, *said]

    def check(self, store, must_be_done=False):
        """The old store or the new one, whole, and nothing of the other."""
        must([self.bench.origo, "verify", "-q", "-s", store])
        if self.export(store) != self.documents:
            raise Failure("%s: other documents" % store)
        seen = self.ask(store)
        if seen != self.new and (must_be_done or seen != self.old):
            differ = [i for i, said in enumerate(seen) if said != self.new[i]] \
                if len(seen) == len(self.new) else "number"
            raise Failure("%s: answers %s, indexes %s; differs in %s" % (
                store, "as before" if seen == self.old else
                "neither as before nor as after", seen[0].strip(), differ))

    def finish(self, store):
        """Once more, undisturbed; then it takes a document, and no file of
        another generation is left."""
        must([*self.command, store])
        self.check(store, must_be_done=True)
        one = self.bench.path("one.jsonl")
        with open(one, "w") as f:
            f.write('{"id":"one more","text":"The last of all documents."}\n')
        must([self.bench.origo, "add", "-q", "-s", store, one])
        must([self.bench.origo, "compact", "-q", "-s", store])
        must([self.bench.origo, "verify", "-q", "-s", store])
        self.check_generations(store)


def both(bench):
    return (Rebuild(bench, True), Rebuild(bench, False))


def rebuild_kills(bench):
    return change.kills(both(bench))


def rebuild_faults(bench):
    return change.faults(both(bench))


def rebuild_power(bench):
    return change.power_losses(both(bench))


CHECKS = [rebuild_kills, rebuild_faults, rebuild_power]
