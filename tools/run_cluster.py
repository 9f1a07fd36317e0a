#!/usr/bin/env python3
"""A cluster on this machine: three masters and three replicas with the module.

    tools/run_cluster.py MODULE [--port N] [--dir DIR] [--masters N]
                         [--replicas N]

Starts the servers in folders below DIR, on the ports from N on (their bus on the
ports from N + 1000 on), joins them, says where they are and waits for Ctrl-C,
which ends them. What they had is there again when the same command is given
again."""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import time

LONG = 60  # seconds until a cluster must stand, on a busy machine


def server_program():
    """The server that is started: Redis, unless another one is named."""
    return os.environ.get("ORIGO_TEST_SERVER") or "redis-server"


def module_options(module):
    """None: a server without the module."""
    return ["--loadmodule", module] if module else []


class Node:
    """A server. `before` is what its commands, and those about it, begin
    with."""

    def __init__(self, module, folder, port, bus_port, options=(),
                 host="127.0.0.1", before=()):
        self.module, self.folder = module, folder
        self.host, self.port, self.bus_port = host, port, bus_port
        self.options, self.before = list(options), list(before)
        self.process = None

    @property
    def address(self):
        return "%s:%d" % (self.host, self.port)

    def log(self):
        with open(os.path.join(self.folder, "log"), encoding="utf-8",
                  errors="replace") as f:
            return f.read()

    def start(self):
        os.makedirs(self.folder, exist_ok=True)
        self.process = subprocess.Popen(
            [*self.before, server_program(), "--port", str(self.port), "--bind",
             self.host, "--cluster-enabled", "yes", "--cluster-port",
             str(self.bus_port), "--cluster-config-file", "nodes.conf", "--dir",
             self.folder, "--logfile", "log", "--appendonly", "yes",
             "--repl-diskless-sync-delay", "0", *module_options(self.module),
             *self.options],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True)

    def stop(self, how=signal.SIGTERM):
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait(LONG)
        self.process = None

    def cli(self, *arguments):
        """What redis-cli prints; None: it failed."""
        done = subprocess.run([*self.before, "redis-cli", "-h", self.host, "-p",
                               str(self.port), *arguments], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=5 * LONG)
        return done.stdout if done.returncode == 0 else None

    def facts(self, section="cluster"):
        text = self.cli("CLUSTER", "INFO") if section == "cluster" else \
            self.cli("INFO", section)
        lines = (text or "").replace("\r", "").split("\n")
        return dict(line.split(":", 1) for line in lines if ":" in line)


def wait_for(condition, what):
    until = time.monotonic() + LONG
    while not condition():
        if time.monotonic() > until:
            raise TimeoutError(what)
        time.sleep(0.1)


def is_up(node):
    if node.process.poll() is not None:
        raise RuntimeError("the server on port %d ended:\n%s" % (
            node.port, node.log()))
    return node.cli("PING") == "PONG\n"


def is_joined(nodes):
    """All know all, and every slot has its master."""
    return all(n.facts().get("cluster_state") == "ok" and
               n.facts().get("cluster_known_nodes") == str(len(nodes))
               for n in nodes)


def start(nodes, n_replicas):
    """Starts the servers and joins those that were never in a cluster."""
    for node in nodes:
        node.start()
    for node in nodes:
        wait_for(lambda node=node: is_up(node), "a server")
    if nodes[0].facts().get("cluster_known_nodes") == "1":
        done = subprocess.run(
            [*nodes[0].before, "redis-cli", "--cluster", "create",
             *[n.address for n in nodes], "--cluster-replicas", str(n_replicas), "--cluster-yes"], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=5 * LONG)
        if done.returncode != 0:
            raise RuntimeError(done.stdout)
    wait_for(lambda: is_joined(nodes), "the cluster")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("module")
    parser.add_argument("--port", type=int, default=7100)
    parser.add_argument("--dir", default="build/cluster")
    parser.add_argument("--masters", type=int, default=3)
    parser.add_argument("--replicas", type=int, default=1,
                        help="of each master")
    options = parser.parse_args()
    if shutil.which(server_program()) is None:
        sys.exit("run_cluster: %s is not installed" % server_program())
    n = options.masters * (1 + options.replicas)
    nodes = [Node(os.path.abspath(options.module),
                  os.path.abspath(os.path.join(options.dir, str(i))),
                  options.port + i, options.port + 1000 + i)
             for i in range(n)]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        start(nodes, options.replicas)
        for node in nodes:
            print("%s  %s" % (node.address,
                              node.facts("replication").get("role")))
        print("The cluster stands. Ctrl-C ends it.", flush=True)
        signal.pause()
    except KeyboardInterrupt:
        pass
    finally:
        for node in nodes:
            node.stop()


if __name__ == "__main__":
    main()
