"""Steps of jobs on a cluster: record batches in, record batches out.

An engine (origo.spark, origo.ray) owns the cluster, sorts and shuffles; what
comes between two shuffles is one of these. They keep no state but that of the
partition at hand, and give the same rows for the same rows."""

import contextlib
import fcntl
import os
import shutil
import tempfile

import numpy
import pyarrow
import pyarrow.compute

from . import _origo
from .dedup import find_items, with_nulls
from .hamming import HammingIndex
from .keys import band_keys, compare_pairs, fingerprint_keys, least_equal
from .sources import make_input, null_rows
from .store import Store

BANDS = pyarrow.schema([("key", pyarrow.int64()), ("node", pyarrow.int64())])
EDGES = pyarrow.schema([("node", pyarrow.int64()), ("root", pyarrow.int64())])
NEIGHBOURS = pyarrow.schema([("node", pyarrow.int64()),
                             ("neighbour", pyarrow.int64())])
STARS = EDGES.append(pyarrow.field("is_open", pyarrow.bool_()))
PAIRS = pyarrow.schema([("id", pyarrow.string()),
                        ("match", pyarrow.string()),
                        ("similarity", pyarrow.float64())])
CODES = pyarrow.schema([("new_id", pyarrow.string()),
                        ("old_id", pyarrow.string()),
                        ("distance", pyarrow.int32())])
BATCH_ROWS = 1 << 16
TASK_ROWS = 1 << 20  # of a forest; a task takes 120 bytes for each
# Of a Store: none. A task that runs again must give what it gave before.
PUBLIC_KEY = (1 << 64) - 1
TEXT = {"text": "text"}


def batches_of(schema, columns):
    """Record batches of bounded size out of whole columns."""
    table = pyarrow.table(columns, schema=schema)
    yield from table.to_batches(max_chunksize=BATCH_ROWS)


def as_rows(table, schema, **renamed):
    """The columns of a schema, out of a table of the library."""
    columns = [table.column(renamed.get(field.name, field.name)).cast(
        field.type) for field in schema]
    yield from batches_of(schema, columns)


def numbers(buffer, dtype):
    return numpy.frombuffer(buffer, dtype=dtype)


def strings(column):
    """An engine may send strings with offsets of 64 bits as well."""
    return column.cast(pyarrow.string())


# ---- which documents may be alike -------------------------------------------

def band_step(batches, options):
    """(node, text) -> (key, node): a row for each band of a document."""
    for batch in batches:
        keys = band_keys(batch.select(["text"]), fields=TEXT, threads=1,
                         **options)
        nodes = numpy.repeat(batch.column("node").to_numpy(),
                             numpy.array(keys.counts, dtype="int64"))
        yield pyarrow.record_batch(
            [pyarrow.array(numbers(keys.values, "int64")),
             pyarrow.array(nodes)], schema=BANDS)


def runs_of(batches, names):
    """Of rows of two columns, sorted, batch by batch: keys, values, the least
    value of each row's key, which rows begin a key, and which differ from the
    row before them."""
    last = None
    for batch in batches:
        if batch.num_rows == 0:
            continue
        key, value = (batch.column(name).to_numpy() for name in names)
        begins = numpy.ones(len(key), dtype=bool)
        begins[1:] = key[1:] != key[:-1]
        is_new = begins.copy()
        is_new[1:] |= value[1:] != value[:-1]
        first = numpy.maximum.accumulate(
            numpy.where(begins, numpy.arange(len(key)), 0))
        least = value[first]
        if last is not None and last[0] == key[0]:
            # The run began in a batch before.
            least[first == 0] = last[2]
            begins[0], is_new[0] = False, value[0] != last[1]
        last = key[-1], value[-1], least[-1]
        yield key, value, least, begins, is_new


def rows_in(schema, *columns):
    return pyarrow.record_batch([pyarrow.array(one, field.type) for one, field
                                 in zip(columns, schema)], schema=schema)


def edge_step(batches):
    """(key, node), sorted -> (node, root): each node of a key joined to the
    least one. A key of a million nodes is as many edges, and none of them is
    kept here."""
    for _, node, least, begins, _ in runs_of(batches, ("key", "node")):
        yield rows_in(EDGES, node[~begins], least[~begins])


def components(a, b):
    """Nodes, and the smallest node of the component of each, for edges a - b.

    Every round hooks roots onto smaller ones and halves all paths: a chain of
    n nodes takes some log n rounds."""
    nodes, places = numpy.unique(numpy.concatenate([a, b]),
                                 return_inverse=True)
    u, v = places[:len(a)], places[len(a):]
    parent = numpy.arange(len(nodes))
    while True:
        lower = numpy.minimum(parent[u], parent[v])
        before = parent.copy()
        numpy.minimum.at(parent, before[u], lower)
        numpy.minimum.at(parent, before[v], lower)
        parent = parent[parent]
        if numpy.array_equal(parent, before):
            return nodes, nodes[parent]


def forest_step(batches):
    """(node, root), all edges -> (node, root) with the least node of each tree:
    where there are few enough for one task, 120 bytes for each."""
    rows = [(batch.column("node").to_numpy(), batch.column("root").to_numpy())
            for batch in batches]
    if rows:
        nodes, roots = components(numpy.concatenate([a for a, _ in rows]),
                                  numpy.concatenate([b for _, b in rows]))
        yield from batches_of(EDGES, [nodes, roots])


# Where there are more, trees become stars, each around its least node, by the
# alternating algorithm of Kiveris and others, "Connected Components in MapReduce
# and Beyond" (2014): the two steps take turns until no row is open. Both look at
# one node and its neighbours at a time and keep nothing of them, so a task is as
# large as an engine makes its partitions, however large a tree is.

def small_star_step(batches):
    """(node, root), sorted -> (node, neighbour), each edge in both directions:
    a node and its smaller neighbours joined to the least of them."""
    for node, root, least, _, is_new in runs_of(batches, ("node", "root")):
        ends = numpy.where(root == least, node, root)[is_new]
        least = least[is_new]
        differ = ends != least
        yield rows_in(NEIGHBOURS, numpy.concatenate([ends, least[differ]]),
                      numpy.concatenate([least, ends[differ]]))


def large_star_step(batches):
    """(node, neighbour), sorted, each edge in both directions -> (node, root,
    is_open): the larger neighbours of a node joined to its least one. When no
    row is open, these are stars, with each node once."""
    for node, neighbour, least, begins, is_new in runs_of(
            batches, ("node", "neighbour")):
        root = numpy.minimum(node, least)
        larger = is_new & (neighbour > node)
        center = begins & (root == node)
        # A second smaller neighbour; its own rows have the edge.
        second = is_new & (neighbour < node) & (neighbour != root)
        alone = numpy.concatenate([node[center], node[second]])
        yield rows_in(
            STARS, numpy.concatenate([neighbour[larger], alone]),
            numpy.concatenate([root[larger], alone]),
            numpy.concatenate([(root < node)[larger],
                               numpy.zeros(center.sum(), dtype=bool),
                               numpy.ones(second.sum(), dtype=bool)]))


class Passing:
    """Batches on their way to the library, one column of which is kept."""

    def __init__(self, batches, kept, columns):
        self.kept = []
        self._batches = iter(batches)
        self._first = next(self._batches, None)
        self._names = (kept, columns)

    def is_empty(self):
        return self._first is None

    def reader(self):
        schema = self._first.select(self._names[1]).schema
        return pyarrow.RecordBatchReader.from_batches(schema, self._pass())

    def _pass(self):
        batch = self._first
        while batch is not None:
            self.kept.append(batch.column(self._names[0]))
            yield batch.select(self._names[1])
            batch = next(self._batches, None)

    def column(self):
        return pyarrow.chunked_array(self.kept).combine_chunks()


def removal_schema(id_type):
    return pyarrow.schema([("id", id_type), ("duplicate_of", id_type),
                           ("similarity", pyarrow.float64())])


def decide_step(batches, options):
    """(id, text), in the order that decides -> (id, duplicate_of, similarity)
    of what goes. All documents that a chain of bands joins must be here."""
    passing = Passing(batches, "id", ["text"])
    if passing.is_empty():
        return
    source = passing.reader()
    if options.get("keep", "first") != "first" or "cluster" in options:
        source = source.read_all()  # these go over the documents twice
    given = make_input(source, fields={"id": None, **TEXT}, threads=1)
    _, decisions = _origo.dedup(given, options, True)
    kept, of, similarity, _, _ = with_nulls(decisions, null_rows(given))
    gone = numpy.flatnonzero(numbers(kept, "uint8") == 0)
    ids = passing.column()
    yield from batches_of(removal_schema(ids.type), [
        ids.take(pyarrow.array(gone)),
        ids.take(pyarrow.array(numbers(of, "int64")[gone])),
        pyarrow.array(numbers(similarity, "float64")[gone])])


def near_step(batches, threshold):
    """(id, text), in order -> (id, match, similarity), as Store.near_many()."""
    passing = Passing(batches, "id", ["id", "text"])
    if passing.is_empty():
        return
    with Store(":memory:", indexes="near", key=PUBLIC_KEY) as store:
        table = store.near_many(passing.reader(), threshold=threshold,
                                add=True, threads=1,
                                fields={"id": "id", **TEXT})
        yield from as_rows(table.to_arrow(), PAIRS, id="document")


# ---- documents that are alike, in many tasks ---------------------------------
#
# Whether a document stays depends on earlier ones: it goes when one that stays
# is alike, and can be seen in a band that both have. A band shows the first
# VISIBLE of those that have it and stay (lib/dedup/band_table.h). What a band of
# few documents shows is known at once, and so is which pairs of a band agree in
# enough samples to be compared. What a crowded band shows depends on what
# stays: an engine assumes something, decides everything with it, looks at the
# crowded bands again, and so on until nothing changes. Each decision depends on
# earlier documents alone, so there is one outcome that does not change, and it
# is that of the command; a round makes at least one more of them final.

VISIBLE = 16
RANKS = pyarrow.schema([("key", pyarrow.int64()), ("rank", pyarrow.int64())])
SHARED = pyarrow.schema([("rank", pyarrow.int64()), ("key", pyarrow.int64()),
                         ("is_crowded", pyarrow.bool_())])
CANDIDATES = pyarrow.schema([("rank", pyarrow.int64()),
                             ("earlier", pyarrow.int64())])
COMPARED = CANDIDATES.append(pyarrow.field("similarity", pyarrow.float64()))
SETTLED = pyarrow.schema([("rank", pyarrow.int64()),
                          ("of", pyarrow.int64()),
                          ("similarity", pyarrow.float64())])
SKETCH = pyarrow.schema([("keys", pyarrow.list_(pyarrow.int64())),
                         ("sketch", pyarrow.binary()),
                         ("n_tokens", pyarrow.int64())])


def sketch_step(batches, options):
    """(..., text) -> (..., keys, sketch, n_tokens) of rows with a text."""
    for batch in batches:
        made = band_keys(batch.select(["text"]), fields=TEXT, threads=1,
                         **options)
        is_there = pyarrow.array([count > 0 for count in made.counts],
                                 pyarrow.bool_())
        n = is_there.true_count
        if n == 0:
            continue
        sketch = pyarrow.Array.from_buffers(
            pyarrow.binary(len(made.samples) // n), n,
            [None, pyarrow.py_buffer(made.samples)])
        rest = [name for name in batch.schema.names if name != "text"]
        yield pyarrow.record_batch(
            [*(batch.column(name).filter(is_there) for name in rest),
             key_lists(made).filter(is_there), sketch.cast(pyarrow.binary()),
             pyarrow.array(made.n_tokens, pyarrow.int64()).filter(is_there)],
            names=[*rest, *SKETCH.names])


def whole_runs(batches, most):
    """Rows of sorted batches, column by column, with the length of the run of
    equal keys that each is in: a run of up to `most` rows comes at once and with
    its length, a longer one in parts and with some larger number."""
    held, crowd = None, None
    for batch in batches:
        if batch.num_rows == 0:
            continue
        rows = columns_of(batch)
        if held is not None:
            rows = [numpy.concatenate(both) for both in zip(held, rows)]
        key = rows[0]
        begins = numpy.flatnonzero(
            numpy.concatenate([[True], key[1:] != key[:-1]]))
        lengths = numpy.diff(numpy.append(begins, len(key)))
        if key[0] == crowd:
            lengths[0] += most
        is_crowd = lengths[-1] > most
        crowd = key[-1] if is_crowd else None
        end = len(key) if is_crowd else begins[-1]
        held = None if is_crowd else [one[end:] for one in rows]
        n = len(begins) if is_crowd else len(begins) - 1
        spread = numpy.repeat(lengths[:n], numpy.diff(
            numpy.append(begins[:n], end)))
        if end:
            yield [one[:end] for one in rows], spread
    if held is not None:
        yield held, numpy.full(len(held[0]), len(held[0]))


def columns_of(batch):
    """Arrays of numpy; a sketch as a row of bytes."""
    found = []
    for field, column in zip(batch.schema, batch.columns):
        if pyarrow.types.is_binary(field.type) or (
                pyarrow.types.is_large_binary(field.type)):
            width = len(column[0].as_py())
            column = column.cast(pyarrow.binary(width))
            found.append(numpy.frombuffer(
                column.buffers()[1], "uint8").reshape(-1, width)[
                    column.offset:column.offset + len(column)])
        else:
            found.append(column.to_numpy(zero_copy_only=False))
    return found


def shared_step(batches):
    """(key, rank), sorted -> (rank, key, is_crowded): of keys that several
    documents have; crowded when the last of them may not see all others."""
    for (key, rank), lengths in whole_runs(batches, VISIBLE + 1):
        several = lengths > 1
        yield rows_in(SHARED, rank[several], key[several],
                      lengths[several] > VISIBLE + 1)


def pair_step(batches, options):
    """(key, rank, sketch), sorted, of keys that few have -> (rank, earlier):
    pairs that agree in enough samples."""
    least = least_equal(**options)
    for (key, rank, sketch), _ in whole_runs(batches, VISIBLE + 1):
        for lag in range(1, VISIBLE + 1):
            at = numpy.flatnonzero(key[lag:] == key[:-lag])
            if len(at) == 0:
                break
            equal = (sketch[at + lag] == sketch[at]).sum(axis=1)
            at = at[equal >= least]
            if len(at):
                yield rows_in(CANDIDATES, rank[at + lag], rank[at])


def crowd_step(batches, options):
    """(key, rank, sketch, is_gone), sorted, of keys that many have -> (rank,
    earlier): pairs that agree in enough samples, with those that each key
    shows. Where it is not known yet what is gone (null), samples say so."""
    least = least_equal(**options)
    share = options.get("threshold", 0.8)
    last, shown = None, []
    for batch in batches:
        if batch.num_rows == 0:
            continue
        key, rank, sketch = columns_of(batch.select(["key", "rank", "sketch"]))
        known = batch.column("is_gone")
        is_guess = known.null_count > 0
        gone = numpy.zeros(len(key), dtype=bool) if is_guess else (
            known.to_numpy(zero_copy_only=False))
        begins = numpy.flatnonzero(
            numpy.concatenate([[True], key[1:] != key[:-1]]))
        found = []
        for begin, end in zip(begins, [*begins[1:], len(key)]):
            if key[begin] != last:
                last, shown = key[begin], []
            found += pairs_of_crowd(
                shown, rank[begin:end], sketch[begin:end], gone[begin:end],
                least, share * sketch.shape[1] if is_guess else None)
        if found:
            yield rows_in(CANDIDATES, *(numpy.concatenate(one)
                                        for one in zip(*found)))


def pairs_of_crowd(shown, rank, sketch, gone, least, guess):
    """Those of the next rows of a key; adds to `shown`. With a `guess`, rows
    that agree so much with one that is shown are taken to be gone."""
    found, gone, begin, n = [], gone.copy(), 0, 0
    while True:
        if n == len(shown):
            kept = numpy.flatnonzero(~gone[begin:])
            if len(shown) == VISIBLE or len(kept) == 0:
                return found
            begin += int(kept[0]) + 1
            shown.append((rank[begin - 1], sketch[begin - 1].copy()))
        earlier, samples = shown[n]
        n += 1
        equal = (sketch[begin:] == samples).sum(axis=1)
        at = begin + numpy.flatnonzero(equal >= least)
        if len(at):
            found.append((rank[at], numpy.full(len(at), earlier)))
        if guess is not None:
            gone[begin:] |= equal >= guess


def compare_step(batches, options):
    """(rank, text, others) -> (rank, earlier, similarity): each rank compared
    with its others, whose texts are here as well. A task has these texts."""
    batches = [one for one in batches if one.num_rows]
    if not batches:
        return
    table = pyarrow.Table.from_batches(batches)
    rank = table.column("rank").to_numpy()
    others = table.column("others").combine_chunks()
    lengths = pyarrow.compute.fill_null(
        pyarrow.compute.list_value_length(others), 0).to_numpy()
    earlier = pyarrow.compute.list_flatten(others).to_numpy()
    row = numpy.repeat(numpy.arange(len(rank)), lengths)
    order = numpy.argsort(rank)
    other = order[numpy.searchsorted(rank, earlier, sorter=order)]
    pairs = numpy.stack([row, other], axis=1).astype("int64")
    similarity = compare_pairs(table.select(["text"]), pairs, fields=TEXT,
                               threads=1, **options)
    yield from batches_of(COMPARED, [rank[row], earlier,
                                     numbers(similarity, "float64")])


def settle_step(batches):
    """(root, rank, earlier, similarity) of pairs that are alike, sorted ->
    (rank, of, similarity) of what goes: of the first that is alike and stays.
    The pairs of a root are all here."""
    root, gone, found = None, set(), []
    for batch in batches:
        for one, rank, earlier, similarity in zip(
                *(batch.column(name).to_pylist() for name in (
                    "root", "rank", "earlier", "similarity"))):
            if one != root:
                root, gone = one, set()
            if rank not in gone and earlier not in gone:
                gone.add(rank)
                found.append((rank, earlier, similarity))
        if found:
            yield from batches_of(SETTLED, [list(one) for one in zip(*found)])
        found = []


# ---- passages ---------------------------------------------------------------

FINGERPRINTS = pyarrow.schema([("id", pyarrow.string()),
                               ("time", pyarrow.int64()),
                               ("keys", pyarrow.list_(pyarrow.int64()))])
COPIES = pyarrow.schema([("copier", pyarrow.int64()),
                         ("origin", pyarrow.int64()),
                         ("n", pyarrow.int64())])


def key_lists(keys):
    """A list for each row."""
    ends = numpy.cumsum([0, *keys.counts], dtype="int32")
    return pyarrow.ListArray.from_arrays(
        pyarrow.array(ends), pyarrow.array(numbers(keys.values, "int64")))


def fingerprint_step(batches, options):
    """(id, time, text) -> (id, time, keys): the fingerprints of a document."""
    for batch in batches:
        keys = fingerprint_keys(batch.select(["text"]), fields=TEXT, threads=1,
                                **options)
        yield pyarrow.record_batch(
            [strings(batch.column("id")), batch.column("time"),
             key_lists(keys)], schema=FINGERPRINTS)


def origin_step(batches):
    """(key, rank), sorted -> (copier, origin, n): how many fingerprints a
    document has of the earliest document that has them; rows of one task, which
    another one may add to. A fingerprint that a document has twice counts
    once."""
    for _, rank, origin, _, is_new in runs_of(batches, ("key", "rank")):
        copies = is_new & (origin != rank)
        pairs = numpy.stack([rank[copies], origin[copies]], axis=1)
        order = numpy.lexsort((pairs[:, 1], pairs[:, 0]))
        pairs = pairs[order]
        begins = numpy.flatnonzero(numpy.concatenate(
            [[True], (pairs[1:] != pairs[:-1]).any(axis=1)])) if len(
                pairs) else []
        if len(begins):
            yield rows_in(COPIES, pairs[begins, 0], pairs[begins, 1],
                          numpy.diff(numpy.append(begins, len(pairs))))


SPANS = pyarrow.schema([("id", pyarrow.string()),
                        ("begin", pyarrow.int64()),
                        ("end", pyarrow.int64()),
                        ("origin", pyarrow.string()),
                        ("origin_begin", pyarrow.int64()),
                        ("origin_end", pyarrow.int64()),
                        ("n_tokens", pyarrow.int64()),
                        ("how", pyarrow.string()),
                        ("score", pyarrow.float64())])


def each_once(batches, asked):
    """Rows without those that repeat the id before them; notes in `asked`
    which ids any of them asks about."""
    last = None
    for batch in batches:
        ids = batch.column("id").to_pylist()
        asked.update(one for one, is_asked in zip(
            ids, batch.column("is_asked").to_pylist()) if is_asked)
        is_new = [one != before for one, before in zip(ids, [last, *ids])]
        last = ids[-1] if ids else last
        yield batch.filter(pyarrow.array(is_new, pyarrow.bool_()))


FOLDER = "origo-spans-"


def lock_of(folder, mode):
    """The open lock of a folder; None while another process has it, or when it
    is gone."""
    try:
        lock = open(os.path.join(folder, "lock"), mode)
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        return None
    return lock


def remove_abandoned(parent):
    """Folders of tasks that were killed: their locks went with them."""
    for name in os.listdir(parent):
        folder = os.path.join(parent, name)
        lock = lock_of(folder, "rb") if name.startswith(FOLDER) else None
        if lock is not None:
            shutil.rmtree(folder, ignore_errors=True)
            lock.close()


@contextlib.contextmanager
def task_folder():
    """A folder for as long as a task runs. An engine may kill a task: the next
    one on the machine then removes what it left. Spark's own folder, where
    there is one, goes with the executor."""
    parent = (os.environ.get("SPARK_LOCAL_DIRS", "").split(",")[0] or
              tempfile.gettempdir())
    remove_abandoned(parent)
    made = tempfile.mkdtemp(prefix="origo-new-", dir=parent)
    lock = lock_of(made, "wb")
    # Only one that is locked has the name that others look for.
    folder = os.path.join(parent, FOLDER + os.path.basename(made)[10:])
    os.rename(made, folder)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        lock.close()


def span_step(batches, options):
    """(id, time, text, is_asked), in order of time -> spans of those that are
    asked about. The documents that have their fingerprints first are here."""
    asked = set()
    passing = Passing(each_once(batches, asked), "id", ["id", "time", "text"])
    if passing.is_empty():
        return
    with task_folder() as folder:
        with Store(os.path.join(folder, "store"),
                   **{"key": PUBLIC_KEY, **options}) as store:
            spans = store.trace_many(
                passing.reader(), add=True, threads=1,
                fields={"id": "id", "time": "time", **TEXT}).to_arrow()
    chosen = pyarrow.compute.is_in(
        spans.column("document").cast(pyarrow.string()),
        pyarrow.array(sorted(asked), pyarrow.string()))
    yield from as_rows(spans.filter(chosen), SPANS, id="document")


# ---- codes, benchmarks ------------------------------------------------------

def hamming_step(batches, known, max_distance, asks_new):
    """(id, code) -> (new_id, old_id, distance), for the codes `known` of the
    smaller side: (ids, codes)."""
    with HammingIndex(max_distance=max_distance) as index:
        for one, code in zip(*known):
            index.add(one, code & (1 << 64) - 1)
        for batch in batches:
            found = [(one, other, distance)
                     for one, code in zip(batch.column("id").to_pylist(),
                                          batch.column("code").to_pylist())
                     if code is not None
                     for other, _, distance in index.query(
                         code & (1 << 64) - 1)]
            mine, theirs = ([row[i] for row in found] for i in (0, 1))
            distances = [row[2] for row in found]
            new, old = (mine, theirs) if asks_new else (theirs, mine)
            yield pyarrow.record_batch(
                [pyarrow.array(new, pyarrow.string()),
                 pyarrow.array(old, pyarrow.string()),
                 pyarrow.array(distances, pyarrow.int32())], schema=CODES)


def item_schema(id_type):
    return pyarrow.schema([("id", id_type), ("item", pyarrow.string()),
                           ("matching", pyarrow.int64()),
                           ("share", pyarrow.float64())])


def item_step(batches, benchmarks, min_share, min_words):
    """(id, text) -> (id, item, matching, share)."""
    passing = Passing(batches, "id", ["text"])
    if passing.is_empty():
        return
    found, _ = find_items(passing.reader(), benchmarks, min_share, min_words,
                          TEXT, threads=1)
    ids = passing.column()
    yield from batches_of(item_schema(ids.type), [
        ids.take(pyarrow.array([one.index for one in found],
                               pyarrow.int64())),
        pyarrow.array([str(one.item) for one in found], pyarrow.string()),
        pyarrow.array([one.matching for one in found], pyarrow.int64()),
        pyarrow.array([one.share for one in found], pyarrow.float64())])
