#!/usr/bin/env python3
"""What packaging/redis has for those who run servers, against a real one:
tests/redis/test_redis_operations.py MODULE

The dashboard names no metric that is not there; the configurations are taken by a
server; the manifest says what it should."""

import json
import os
import re
import shutil
import subprocess
import tempfile

import redis_support as support
from redis_support import Server, equal

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..",
                      "packaging", "redis")
# What redis_exporter calls fields of INFO.
EXPORTED = {
    "redis_aof_last_cow_size_bytes": "aof_last_cow_size",
    "redis_connected_slaves": "connected_slaves",
    "redis_cpu_sys_seconds_total": "used_cpu_sys",
    "redis_cpu_user_seconds_total": "used_cpu_user",
    "redis_loading_dump_file": "loading",
    "redis_memory_max_bytes": "maxmemory",
    "redis_memory_used_bytes": "used_memory",
    "redis_net_input_bytes_total": "total_net_input_bytes",
    "redis_net_output_bytes_total": "total_net_output_bytes",
    "redis_rdb_last_cow_size_bytes": "rdb_last_cow_size",
    "redis_replica_resyncs_full": "sync_full",
}
OWN = {"redis_up", "redis_script_values"}  # the exporter's


def read(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as f:
        return f.read()


def load_yaml():
    try:
        import yaml
    except ImportError:
        return None
    return list(yaml.safe_load_all(read("kubernetes.yaml")))


def script_values(c, script):
    answer = c("EVAL", script, 0)
    return dict(zip(answer[::2], answer[1::2]))


# ---- metrics ----

def test_metrics_script(module):
    """It has all that INFO has of the module, and numbers."""
    with Server(module) as s, s.connect() as c:
        c("ORIGO.RESERVE", "k", 1 << 20)
        c("ORIGO.OBSERVE", "k", support.document(1, [1, 2, 3]))
        values = script_values(c, read("origo_metrics.lua"))
        info = {k: v for k, v in c.info("origo").items()
                if k.startswith("origo_")}
        equal({k.decode(): v.decode() for k, v in values.items()}, info)
        equal(values[b"origo_fingerprints_observed"], b"3")


def test_dashboard(module):
    board = json.loads(read("dashboard.json"))
    places = [(p["gridPos"]["x"], p["gridPos"]["y"]) for p in board["panels"]]
    ids = [p["id"] for p in board["panels"]]
    assert len(set(places)) == len(set(ids)) == len(ids) > 10
    queries = [t["expr"] for p in board["panels"] for t in p["targets"]]
    with Server(module) as s, s.connect() as c:
        values = script_values(c, read("origo_metrics.lua"))
        info = c.info("everything")
    shown = set()
    for query in queries:
        equal(query.count("("), query.count(")"))
        for name in re.findall(r"\bredis_\w+", query):
            assert name in OWN or EXPORTED[name] in info, name
        for name in re.findall(r'key="(\w+)"', query):
            assert name.encode() in values, name
            shown.add(name.encode())
    equal(set(values) - shown, set())


# ---- configurations ----

def settings(text):
    """Without comments and the path of the module."""
    lines = [line for line in text.split("\n")
             if line.strip() and not line.strip().startswith("#")]
    return [line for line in lines if not line.startswith("loadmodule ")]


def check_settings(module, lines):
    """A server starts with them, and has them."""
    server = Server(module, start=False)
    path = os.path.join(server.folder, "more.conf")
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")
    server.options = ["--include", path]
    with server as s:
        s.start()
        with s.connect() as c:
            equal(c("CONFIG", "GET", "maxmemory-policy")[1], b"noeviction")
            equal(c("CONFIG", "GET", "appendonly")[1], b"yes")
            equal(c("CONFIG", "GET", "repl-backlog-size")[1], b"268435456")
            equal(c("ORIGO.RESERVE", "k", 1 << 20), "OK")


def test_configuration(module):
    text = read("origo.conf")
    assert "loadmodule /usr/lib/redis/modules/origo.so\n" in text
    check_settings(module, settings(text))


def test_drop_in(module):
    """Of the unit of Debian's server; systemd reads it."""
    unit = "/lib/systemd/system/redis-server.service"
    if not shutil.which("systemd-analyze") or not os.path.exists(unit):
        return "systemd-analyze or Debian's unit is not here"
    with tempfile.TemporaryDirectory() as where:
        folder = os.path.join(where, "redis-server.service.d")
        os.mkdir(folder)
        shutil.copy(os.path.join(FOLDER, "redis-server-origo.conf"), folder)
        path = shutil.copy(unit, where)
        done = subprocess.run(["systemd-analyze", "verify", path],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=support.LONG)
        bad = [line for line in done.stdout.split("\n") if "origo" in line]
        equal(bad, [])
    for line in read("redis-server-origo.conf").split("\n"):
        assert re.fullmatch(r"(#.*|\[Service\]|[A-Z]\w+=\S+|)", line), line
    return None


# ---- Kubernetes ----

def test_manifest(module):
    parts = load_yaml()
    if parts is None:
        return "python3-yaml is not installed"
    kinds = {p["kind"]: p for p in parts}
    equal(sorted(kinds), ["ConfigMap", "Namespace", "PodDisruptionBudget",
                          "Service", "StatefulSet"])
    equal({p["metadata"].get("namespace", "origo") for p in parts}, {"origo"})
    service, stateful = kinds["Service"]["spec"], kinds["StatefulSet"]["spec"]
    equal(service["clusterIP"], "None")
    equal(stateful["serviceName"], kinds["Service"]["metadata"]["name"])
    pod = stateful["template"]
    for selector in (service["selector"], stateful["selector"]["matchLabels"],
                     kinds["PodDisruptionBudget"]["spec"]["selector"]
                     ["matchLabels"]):
        equal(selector, pod["metadata"]["labels"])
    apart = pod["spec"]["affinity"]["podAntiAffinity"]
    rule, = apart["requiredDuringSchedulingIgnoredDuringExecution"]
    equal(rule["topologyKey"], "kubernetes.io/hostname")
    volumes = {v["name"] for v in pod["spec"]["volumes"]} | {
        v["metadata"]["name"] for v in stateful["volumeClaimTemplates"]}
    for container in pod["spec"]["initContainers"] + pod["spec"]["containers"]:
        for mount in container.get("volumeMounts", []):
            assert mount["name"] in volumes, mount
    return None


def test_manifest_configuration(module):
    """A server takes the configuration; the script is the one beside it."""
    parts = load_yaml()
    if parts is None:
        return "python3-yaml is not installed"
    data = next(p for p in parts if p["kind"] == "ConfigMap")["data"]
    code = "".join(line for line in read("origo_metrics.lua").splitlines(True)
                   if not line.startswith("--"))
    equal(data["origo_metrics.lua"], code)
    with tempfile.TemporaryDirectory() as where:
        lines = settings(data["valkey.conf"].replace("/data", where))
        # Cluster mode is Redis 7's as well; ports are not wanted here.
        check_settings(module, [line for line in lines if
                                not line.startswith(("cluster-", "dir "))])
    return None


if __name__ == "__main__":
    support.main(dict(globals()))
