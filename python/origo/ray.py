"""origo on Ray Data: Ray shuffles, the steps of origo.steps run in its tasks.

    import origo.ray
    kept = origo.ray.dedup(ds, text="text", id="id")"""

import hashlib

import numpy
import pyarrow
import pyarrow.compute
from ray.data import DataContext, from_arrow

from . import steps

__all__ = ["decontaminate", "dedup", "removals"]

TASK_ROWS = steps.TASK_ROWS
MAX_TEXT = 1 << 30  # bytes; what the library takes


def whole(step, *arguments, order=()):
    """A step as a function of one block."""
    def run(table):
        if order and table.num_rows:
            table = table.sort_by([(name, "ascending") for name in order])
        batches = list(step(iter(table.to_batches()), *arguments))
        return (pyarrow.Table.from_batches(batches) if batches
                else empty(step))
    return run


def empty(step):
    schema = {"band_step": steps.BANDS, "edge_step": steps.EDGES,
              "forest_step": steps.EDGES,
              "small_star_step": steps.NEIGHBOURS,
              "large_star_step": steps.STARS}.get(
                  step.__name__, steps.removal_schema(pyarrow.string()))
    return schema.empty_table()


def by_key(ds, n, *keys):
    """Equal keys in one block."""
    context = DataContext.get_current()
    strategy = type(context.shuffle_strategy)
    before = context.shuffle_strategy
    context.shuffle_strategy = strategy.HASH_SHUFFLE
    try:
        return ds.repartition(n, keys=list(keys)).materialize()
    finally:
        context.shuffle_strategy = before


def map_blocks(ds, function):
    return ds.map_batches(function, batch_size=None, batch_format="pyarrow")


def node_of(ids):
    """A number for each id; two ids with one number only share a task."""
    return pyarrow.array(numpy.array(
        [int.from_bytes(hashlib.blake2b(str(one).encode(), digest_size=8)
                        .digest(), "little", signed=True)
         for one in ids.to_pylist()], dtype="int64"))


def forest_of(keys, n):
    """(node, root): the documents that chains of shared bands join; None when
    no two share one: without rows Ray knows no columns to join by."""
    found = map_blocks(by_key(keys, n, "key"), whole(
        steps.edge_step, order=("key", "node"))).materialize()
    n_edges = found.count()
    if n_edges == 0:
        return None
    n_blocks = -(-n_edges // TASK_ROWS)
    if n_blocks > 1:
        return stars(found, n_blocks)
    return map_blocks(found.repartition(1), whole(steps.forest_step))


def stars(found, n):
    """(node, root): rounds until nothing changes."""
    is_open = True
    while is_open:
        found = map_blocks(by_key(found, n, "node"), whole(
            steps.small_star_step, order=("node", "root")))
        found = map_blocks(by_key(found, n, "node"), whole(
            steps.large_star_step, order=("node", "neighbour"))).materialize()
        is_open = any(row["is_open"] for row in map_blocks(
            found, any_open).iter_rows())
        found = found.drop_columns(["is_open"])
    return found


def any_open(table):
    return pyarrow.table({"is_open": [any(
        table.column("is_open").to_pylist())]})


def check_texts(texts, names, most):
    """A text that is too long ends the job, and is named."""
    sizes = pyarrow.compute.binary_length(texts)
    is_long = pyarrow.compute.fill_null(
        pyarrow.compute.greater(sizes, most), False)
    if pyarrow.compute.any(is_long).as_py():
        at = pyarrow.compute.index(is_long, True).as_py()
        raise ValueError(
            "the text of the row %r has %d bytes; the most are %d: cut it, or "
            "leave the row out" % (names[at].as_py(), sizes[at].as_py(), most))


def repeated_ids(table):
    """(id, n) of what cannot tell rows apart."""
    found = table.group_by("id").aggregate([([], "count_all")])
    ids, counts = found.column("id"), found.column("count_all")
    is_bad = pyarrow.compute.or_(pyarrow.compute.greater(counts, 1),
                                 pyarrow.compute.is_null(ids))
    return pyarrow.table({"id": ids, "n": counts}).filter(is_bad)


def check_ids(named, n):
    """Repeated ids could not be told apart in the result."""
    repeated = map_blocks(by_key(named.select_columns(["node", "id"]), n,
                                 "node"), repeated_ids).take(3)
    if repeated:
        raise ValueError("ids must be there and differ: %s" % ", ".join(
            "%r is there %d times" % (row["id"], row["n"])
            for row in repeated))


def removals(ds, text="text", id="id", *, threshold=0.8, keep="first",
             n_blocks=16, has_unique_ids=False, **options):
    """(id, duplicate_of, similarity) of what `dedup` takes away; ids must
    differ and are compared as strings. `has_unique_ids` saves the check that
    they do."""
    sketch = {name: value for name, value in options.items()
              if name in ("preset", "tokens", "shingle", "bands", "rows")}

    most = MAX_TEXT

    def rename(table):
        check_texts(table.column(text), table.column(id), most)
        return pyarrow.table({
            "node": node_of(table.column(id)),
            "id": table.column(id).cast(pyarrow.string()),
            "text": table.column(text).cast(pyarrow.string())})
    named = map_blocks(ds.select_columns([id, text]), rename).materialize()
    if not has_unique_ids:
        check_ids(named, n_blocks)
    keys = map_blocks(named, whole(steps.band_step, sketch))
    forest = forest_of(keys, n_blocks)
    if forest is None:
        return from_arrow(
            steps.removal_schema(pyarrow.string()).empty_table())
    met = named.join(forest, join_type="inner", num_partitions=n_blocks,
                     on=("node",))
    decided = {**options, "threshold": threshold, "keep": keep}
    return map_blocks(by_key(met, n_blocks, "root"),
                      whole(steps.decide_step, decided, order=("id",)))


def dedup(ds, text="text", id="id", **options):
    """The rows of `ds` without near-duplicates; of two, the one with the
    smaller id stays. The options are those of `origo.dedup`."""
    gone = {row["id"] for row in removals(ds, text, id, **options).iter_rows()}

    def keep(table):
        mask = [str(one) not in gone for one in table.column(id).to_pylist()]
        return table.filter(pyarrow.array(mask, pyarrow.bool_()))
    return map_blocks(ds, keep)


def decontaminate(ds, benchmarks, text="text", *, min_share=0.5,
                  min_words=13):
    """The rows of `ds` that hold none of the benchmark items."""
    items, most = list(benchmarks), MAX_TEXT

    def keep(table):
        from .dedup import decontaminate as clean
        texts = table.column(text)
        check_texts(texts, pyarrow.array(range(len(texts))), most)
        found = clean(table.select([text]), items, min_share=min_share,
                      min_words=min_words, fields={"text": text}, threads=1)
        return table.filter(pyarrow.array(
            [bool(one) for one in found.mask], pyarrow.bool_()))
    return map_blocks(ds, keep)
