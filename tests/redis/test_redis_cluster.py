#!/usr/bin/env python3
"""A cluster of three masters and three replicas, on this machine:
tests/redis/test_redis_cluster.py MODULE [--all]

With --all, by `make test-cluster`: slots move to a fourth master while documents
are added; a master is killed while documents are added. In both cases every
answer must be right, and nothing that was acknowledged by a replica (WAIT 1) may
be lost. As root also: the network is cut in two, both sides write, and are one
again."""

import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import redis_support as support
from redis_support import document, equal, fps, holders

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "..", "tools"))
import run_cluster  # noqa: E402

BITS = 4
MEMORY = 1 << 18
# Milliseconds until a node counts as dead: long where all live, so that a busy
# machine is not taken for a dead node.
PATIENT, IMPATIENT = 30000, 2000
NAME = "test"
MASK = (1 << 64) - 1


# ---- a client ----

def mix(x):
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9 & MASK
    x = (x ^ x >> 27) * 0x94d049bb133111eb & MASK
    return x ^ x >> 31


def tags():
    """{slot: tag}: the smallest number with that checksum."""
    found = {}
    number = 0
    while len(found) < 16384:
        found.setdefault(support.slot_of_tag(str(number)), str(number))
        number += 1
    return found


TAGS = tags()


def slot_of(partition):
    return ((2 * partition + 1) << 14) >> BITS + 1


def key_of(partition):
    return "origo:{%s}:%s:%d" % (TAGS[slot_of(partition)], NAME, partition)


class Client:
    """Follows the cluster wherever a partition is."""

    def __init__(self, nodes):
        self.ports = [n.port for n in nodes]
        self.connections = {}
        self.masters = {}  # {slot of a partition: port}
        self.redirected = {"MOVED": 0, "ASK": 0, "TRYAGAIN": 0}

    def connection(self, port):
        if port not in self.connections:
            self.connections[port] = support.Connection(("127.0.0.1", port))
        return self.connections[port]

    def drop(self, port):
        if port in self.connections:
            self.connections.pop(port).close()

    def learn(self):
        """Where the slots are, from whoever answers."""
        for port in self.ports:
            try:
                ranges = self.connection(port)("CLUSTER", "SLOTS")
            except (OSError, support.Refused):
                self.drop(port)
                continue
            for first, last, master, *_ in ranges:
                for p in range(1 << BITS):
                    if first <= slot_of(p) <= last:
                        self.masters[slot_of(p)] = master[1]
            return

    def once(self, port, asking, arguments, wait):
        c = self.connection(port)
        if asking:
            c("ASKING")
        answer = c(*arguments)
        # A master whose replica took over from another has none: not for long.
        return answer, c("WAIT", 1, 100) if wait else 0

    def __call__(self, partition, name, *more, wait=False):
        """The answer; with wait: (answer, replicas that have it)."""
        slot, port, asking = slot_of(partition), None, False
        until = time.monotonic() + support.LONG
        while time.monotonic() < until:
            if port is None and slot not in self.masters:
                self.learn()
            port = port or self.masters.get(slot)
            try:
                done = self.once(port, asking, [name, key_of(partition), *more],
                                 wait)
                return done if wait else done[0]
            except (OSError, TypeError):
                self.drop(port)
                self.masters.pop(slot, None)
                port, asking = None, False
                time.sleep(0.05)
            except support.Refused as error:
                kind, *rest = str(error).split(" ")
                self.redirected[kind] = self.redirected.get(kind, 0) + 1
                if kind in ("MOVED", "ASK"):
                    asking = kind == "ASK"
                    port = int(rest[1].split(":")[1])
                    if not asking:
                        self.masters[slot] = port
                elif kind in ("TRYAGAIN", "CLUSTERDOWN", "LOADING", "READONLY"):
                    port, asking = None, False
                    self.masters.pop(slot, None)
                    time.sleep(0.05)
                else:
                    raise
        raise AssertionError("partition %d did not answer: %r" % (
            partition, self.redirected))

    def close(self):
        for port in list(self.connections):
            self.drop(port)


# ---- a cluster ----

def new_node(module, folder, number, timeout=PATIENT):
    return run_cluster.Node(
        module, os.path.join(folder, str(number)), support.free_port(),
        support.free_port(),
        ["--cluster-node-timeout", str(timeout), "--appendonly", "no",
         "--save", "", "--cluster-replica-validity-factor", "0"])


@contextlib.contextmanager
def cluster(module, timeout=PATIENT):
    """Its nodes. A port that was taken meanwhile: once more."""
    folder = tempfile.mkdtemp(prefix="origo-cluster-")
    nodes = []
    try:
        for attempt in range(5):
            nodes[:] = [new_node(module, folder, "%d-%d" % (attempt, i), timeout)
                        for i in range(6)]
            try:
                run_cluster.start(nodes, 1)
                break
            except RuntimeError as error:
                if "in use" not in str(error):
                    raise
                for node in nodes:
                    node.stop(signal.SIGKILL)
        yield nodes
    finally:
        for node in nodes:
            node.stop(signal.SIGKILL)
        shutil.rmtree(folder, ignore_errors=True)


# ---- documents ----

class Writer(threading.Thread):
    """Adds documents until it is told to stop. Document k has fingerprints of its
    own and some of documents before it, which those must keep."""

    def __init__(self, nodes):
        super().__init__()
        self.client = Client(nodes)
        self.known = {}        # {fingerprint: document}, acknowledged
        self.n = 0
        self.longest = 0       # seconds that one batch took
        self.wrong = []
        self.is_over = threading.Event()
        self.failure = None

    def batches(self):
        own = [mix(self.n * 16 + i + 1) for i in range(12)]
        old = mix(self.n * 7919 % (self.n * 16 + 1) + 1)
        parts = {}
        for fp in dict.fromkeys(own + [old]):  # each once
            parts.setdefault(mix(fp) >> 64 - BITS, []).append(fp)
        return parts

    def add(self):
        for partition, numbers in self.batches().items():
            start = time.monotonic()
            answer, n_copies = self.client(
                partition, "ORIGO.OBSERVE", document(self.n, numbers),
                wait=True)
            self.longest = max(self.longest, time.monotonic() - start)
            for fp, holder in zip(numbers, holders(answer)):
                expected = self.known.get(fp)
                # A batch that is sent again finds itself.
                if expected is not None and holder != expected or \
                        expected is None and holder not in (None, self.n) and \
                        holder > self.n:
                    self.wrong.append((fp, holder, expected))
                if n_copies >= 1:
                    self.known.setdefault(fp, self.n if holder is None
                                          else holder)
        self.n += 1

    def run(self):
        try:
            while not self.is_over.is_set():
                self.add()
        except Exception as error:  # told by check()
            self.failure = error

    def wait_for_documents(self, n):
        until = self.n + n
        support.wait_for(lambda: self.failure or self.n >= until, "documents")

    def check(self):
        """After the end: all that was acknowledged is there, under its origin."""
        self.is_over.set()
        self.join()
        if self.failure:
            raise self.failure
        equal(self.wrong, [])
        parts = {}
        for fp in self.known:
            parts.setdefault(mix(fp) >> 64 - BITS, []).append(fp)
        for partition, numbers in parts.items():
            found = holders(self.client(partition, "ORIGO.LOOKUP",
                                        fps(*numbers)))
            equal([(fp, h) for fp, h in zip(numbers, found)
                   if h != self.known[fp]], [])
        assert len(self.known) > 12, "nothing was acknowledged"


@contextlib.contextmanager
def writer(nodes):
    w = Writer(nodes)
    for p in range(1 << BITS):
        w.client(p, "ORIGO.RESERVE", MEMORY, "BITS", BITS)
    w.start()
    try:
        w.wait_for_documents(20)
        yield w
    finally:
        w.is_over.set()
        w.join()
        w.client.close()


def master_ports(nodes):
    with support.Connection(("127.0.0.1", nodes[0].port)) as c:
        return {r[2][1] for r in c("CLUSTER", "SLOTS")}


# ---- two networks ----

class Networks:
    """Two network namespaces with a cable between them. Servers have addresses
    that do not depend on the cable."""

    def __init__(self):
        self.names = ["origo-%d-%s" % (os.getpid(), side) for side in "ab"]
        self.hosts = ["10.77.1.1", "10.77.2.1"]
        ends = ["og%da" % os.getpid(), "og%db" % os.getpid()]
        self.ip("link", "add", ends[0], "type", "veth", "peer", "name", ends[1])
        for name, end in zip(self.names, ends):
            self.ip("netns", "add", name)
            self.ip("link", "set", end, "netns", name)
        for side, end in enumerate(ends):
            self.inside(side, "addr", "add", "10.77.0.%d/24" % (side + 1),
                        "dev", end)
            self.inside(side, "addr", "add", self.hosts[side] + "/32", "dev",
                        "lo")
            for link in ("lo", end):
                self.inside(side, "link", "set", link, "up")
        self.join()

    @staticmethod
    def ip(*arguments):
        subprocess.run(["ip", *arguments], check=True, timeout=support.LONG)

    def inside(self, side, *arguments):
        self.ip("-n", self.names[side], *arguments)

    def join(self):
        for side in (0, 1):
            self.inside(side, "route", "replace", self.hosts[1 - side], "via",
                        "10.77.0.%d" % (2 - side), "src", self.hosts[side])

    def cut(self):
        for side in (0, 1):
            self.inside(side, "route", "replace", "blackhole",
                        self.hosts[1 - side])

    def before(self, side):
        return ["ip", "netns", "exec", self.names[side]]

    def connect(self, node):
        """A connection from its own side; a socket stays where it was made."""
        libc = ctypes.CDLL(None, use_errno=True)
        side = self.hosts.index(node.host)
        with open("/proc/self/ns/net") as home, \
                open("/run/netns/" + self.names[side]) as there:
            assert libc.setns(there.fileno(), 0) == 0, ctypes.get_errno()
            try:
                return support.Connection((node.host, node.port))
            finally:
                assert libc.setns(home.fileno(), 0) == 0, ctypes.get_errno()

    def close(self):
        for name in self.names:
            subprocess.run(["ip", "netns", "del", name], check=False,
                           timeout=support.LONG)


@contextlib.contextmanager
def divided_cluster(module):
    """Three nodes on either side."""
    folder = tempfile.mkdtemp(prefix="origo-cluster-")
    networks, nodes = Networks(), []
    try:
        nodes += [run_cluster.Node(
            module, os.path.join(folder, str(i)), 7001 + i, 8001 + i,
            ["--cluster-node-timeout", str(IMPATIENT), "--appendonly", "no",
             "--save", "", "--cluster-replica-validity-factor", "0",
             "--protected-mode", "no", "--enable-debug-command", "yes",
             "--cluster-announce-ip", networks.hosts[i % 2]],
            networks.hosts[i % 2], networks.before(i % 2)) for i in range(6)]
        run_cluster.start(nodes, 1)
        yield networks, nodes
    finally:
        for node in nodes:
            node.stop(signal.SIGKILL)
        networks.close()
        shutil.rmtree(folder, ignore_errors=True)


def roles(node):
    """{port: (is a master, port of its master or None)} as a node sees it."""
    lines = [line.split(" ") for line in node.cli("CLUSTER", "NODES")
             .splitlines()]
    ports = {line[0]: int(line[1].split("@")[0].split(":")[1])
             for line in lines}
    return {ports[line[0]]: ("master" in line[2], ports.get(line[3]))
            for line in lines}


def replica_of(node, nodes):
    seen = roles(node)
    return next(n for n in nodes if seen[n.port] == (False, node.port))


N_FPS = 997  # of each partition that is written to


def draw_fps(partitions):
    """{partition: fingerprints that belong there}"""
    drawn = {p: [] for p in partitions}
    number = 0
    while any(len(numbers) < N_FPS for numbers in drawn.values()):
        number += 1
        numbers = drawn.get(mix(number) >> 64 - BITS, [])
        if len(numbers) < N_FPS:
            numbers.append(number)
    return drawn


def write(c, drawn, documents):
    """Two fingerprints of each partition in each document, as long as the node
    takes them. {(partition, fingerprint): documents}"""
    written = {}
    for doc in documents:
        for p, numbers in drawn.items():
            own = {numbers[doc % N_FPS], numbers[doc * 7 % N_FPS]}
            try:
                c("ORIGO.OBSERVE", key_of(p), document(doc, sorted(own)))
            except support.Refused as error:
                assert str(error).startswith("CLUSTERDOWN"), error
                return written
            for fp in own:
                written.setdefault((p, fp), set()).add(doc)
    return written


def partitions_of(c, port):
    """Those that a master has."""
    ranges = [r for r in c("CLUSTER", "SLOTS") if r[2][1] == port]
    return [p for p in range(1 << BITS)
            if any(r[0] <= slot_of(p) <= r[1] for r in ranges)]


def is_follower(a, b):
    """Whether a is a replica, and has all that b has."""
    seen = a.info("replication")
    return seen["role"] == "slave" and seen["master_link_status"] == "up" and \
        seen["slave_repl_offset"] == b.info("replication")[
            "master_repl_offset"]


def lone_master(nodes):
    """The master that is alone on its side, and its replica, on the other."""
    seen = roles(nodes[0])
    masters = [n for n in nodes if seen[n.port][0]]
    old = next(n for n in masters
               if sum(m.host == n.host for m in masters) == 1)
    new = replica_of(old, nodes)
    assert new.host != old.host, "the replica is on the same side"
    return old, new


# ---- tests ----

def test_spread(module):
    """Partitions are spread evenly; replicas have the same bytes."""
    with cluster(module) as nodes, writer(nodes) as w:
        w.wait_for_documents(50)
        w.check()
        count = {}
        for p in range(1 << BITS):
            port = w.client.masters[slot_of(p)]
            count[port] = count.get(port, 0) + 1
        assert sorted(count.values()) in ([5, 5, 6],), count
        equal(count.keys(), master_ports(nodes))


def test_resharding(module):
    """A fourth master takes its share while documents are added."""
    with cluster(module) as nodes, writer(nodes) as w:
        fourth = new_node(module, os.path.dirname(nodes[0].folder), "fourth")
        nodes.append(fourth)
        fourth.start()
        run_cluster.wait_for(lambda: run_cluster.is_up(fourth), "a server")
        said = nodes[0].cli("--cluster", "add-node", fourth.address,
                            nodes[0].address)
        assert said is not None, "the node was not added"
        run_cluster.wait_for(lambda: run_cluster.is_joined(nodes), "the node")
        said = fourth.cli("--cluster", "rebalance", nodes[0].address,
                          "--cluster-use-empty-masters",
                          "--cluster-timeout", "60000")
        assert said is not None, "slots did not move"
        w.wait_for_documents(50)
        w.check()
        moved = [p for p in range(1 << BITS)
                 if w.client.masters[slot_of(p)] == fourth.port]
        assert len(moved) >= 3, moved
        print("  resharding: %d documents, longest batch %.2f s, %r" % (
            w.n, w.longest, w.client.redirected))


def migrate_slots(c, first, last, target):
    """By the server, all at once (Valkey 9). False: it cannot."""
    try:
        c("CLUSTER", "MIGRATESLOTS", "SLOTSRANGE", first, last, "NODE", target)
    except support.Refused as error:
        assert "unknown subcommand" in str(error).lower(), error
        return False

    def state():
        job = c("CLUSTER", "GETSLOTMIGRATIONS")[0]
        job = dict(zip(job[::2], job[1::2]))
        assert job[b"state"] not in (b"failed", b"canceled"), job
        return job[b"state"] == b"success"
    support.wait_for(state, "the migration")
    return True


def test_atomic_migration(module):
    """All partitions of a master move to another one in one step, while
    documents are added."""
    with cluster(module) as nodes, writer(nodes) as w:
        with support.Connection(("127.0.0.1", nodes[0].port)) as c:
            own, other = c("CLUSTER", "SLOTS")[:2]
            source = support.Connection(("127.0.0.1", own[2][1]))
            with source:
                if not migrate_slots(source, own[0], own[1],
                                     other[2][2].decode()):
                    return "the server moves slots one by one"
        w.wait_for_documents(50)
        w.check()
        moved = [p for p in range(1 << BITS) if own[0] <= slot_of(p) <= own[1]]
        assert len(moved) >= 5, moved
        equal({w.client.masters[slot_of(p)] for p in moved}, {other[2][1]})
        print("  atomic migration: %d partitions, %d documents, longest batch "
              "%.2f s, %r" % (len(moved), w.n, w.longest, w.client.redirected))
    return None


def test_killed_master(module):
    with cluster(module, IMPATIENT) as nodes, writer(nodes) as w:
        ports = master_ports(nodes)
        victim = next(n for n in nodes if n.port in ports)
        before = dict(w.client.masters)
        victim.stop(signal.SIGKILL)
        lost = [p for p in range(1 << BITS)
                if before.get(slot_of(p)) == victim.port]
        assert lost
        # Another client, so that the moment is seen.
        client = Client([n for n in nodes if n is not victim])
        start = time.monotonic()
        client(lost[0], "ORIGO.OBSERVE", b"")
        back = time.monotonic() - start
        client.close()
        w.wait_for_documents(20)
        w.check()
        print("  killed master: back after %.1f s (node timeout %.1f s), "
              "%d documents, longest batch %.2f s" % (
                  back, IMPATIENT / 1000, w.n, w.longest))


def check_divided(networks, a, b, new, own):
    """a: the master that will be alone; b: its replica, with the majority."""
    drawn = draw_fps(own)
    for p in own:
        a("ORIGO.RESERVE", key_of(p), MEMORY, "BITS", BITS)
    first = write(a, drawn, range(1000, 1200))
    equal(a("WAIT", 1, 1000 * support.LONG), 1)
    networks.cut()
    # Smaller numbers are earlier: if they stayed they would win.
    lost = write(a, drawn, range(1000))
    assert lost, "nothing was written to the side that lost"
    support.wait_for(lambda: b("ROLE")[0] == b"master", "the failover")
    support.wait_for(lambda: new.facts().get("cluster_state") == "ok",
                     "the cluster")
    second = write(b, drawn, range(2000, 2200))
    networks.join()
    support.wait_for(lambda: is_follower(a, b), "the old master")
    for p in own:
        equal(a("DEBUG", "DIGEST-VALUE", key_of(p)),
              b("DEBUG", "DIGEST-VALUE", key_of(p)))
    for p, fp in {**first, **second}:
        docs = first.get((p, fp), set()) | second.get((p, fp), set())
        equal(holders(b("ORIGO.LOOKUP", key_of(p), fps(fp))), [min(docs)])
    print("  divided: %d fingerprints before, %d given up with the side that "
          "lost, %d after" % (len(first), len(lost), len(second)))


def test_divided(module):
    """The side without a majority stops to take documents; what the other side
    has taken is what both have in the end."""
    if os.geteuid() != 0 or shutil.which("ip") is None:
        return "needs root, and ip of iproute2"
    with divided_cluster(module) as (networks, nodes):
        old, new = lone_master(nodes)
        with networks.connect(old) as a, networks.connect(new) as b:
            check_divided(networks, a, b, new, partitions_of(a, old.port))
    return None


if __name__ == "__main__":
    tests = dict(globals())
    if "--all" not in sys.argv:
        tests = {"test_spread": test_spread,
                 "test_atomic_migration": test_atomic_migration}
    support.main(tests)
