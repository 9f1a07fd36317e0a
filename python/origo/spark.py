"""origo on Spark: Spark shuffles, retries and owns the cluster; the library
works inside the tasks (origo.steps), on Arrow batches.

    import origo.spark
    kept = origo.spark.dedup(df, text="text", id="id")

Results are those of the command over the same documents in the same order,
whatever the number of partitions and workers. Every worker needs the wheel of
origo, pyarrow and numpy; one that lacks them says so."""

import functools
import importlib
import sys

import py4j.protocol
import pyarrow
from pyspark import cloudpickle
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StringType, StructField, StructType
from pyspark.sql.window import Window

from . import steps as own_steps

__all__ = ["contamination", "decontaminate", "dedup", "hamming_join", "near_pairs", "passages",
           "removals"]

# What a worker runs comes by value: one without origo can then say that it has
# none, instead of failing at a name.
cloudpickle.register_pickle_by_value(sys.modules[__name__])

def step(name, *arguments):
    """A step of origo.steps as a function of mapInArrow()."""
    def run(batches):
        try:
            steps = importlib.import_module("origo.steps")
        except ImportError as e:
            import socket
            raise RuntimeError(
                "origo cannot be imported on the worker %s (%s): install its "
                "wheel, pyarrow and numpy there, or send a packed environment "
                "with the job" % (socket.gethostname(), e)) from e
        yield from getattr(steps, name)(batches, *arguments)
    return run


def rows_of(schema, **kinds):
    """The type of a step's rows; `kinds` are those of the table's own."""
    return StructType([
        StructField(field.name, kinds.get(field.name, field.dataType))
        for field in from_arrow_schema(schema)])


TASK_ROWS = own_steps.TASK_ROWS
PAIR_ROWS = own_steps.TASK_ROWS  # of documents that are alike
MAX_TEXT = 1 << 30  # bytes; what the library takes, and a batch of Arrow
BANDS = rows_of(own_steps.BANDS)
EDGES = rows_of(own_steps.EDGES)
NEIGHBOURS = rows_of(own_steps.NEIGHBOURS)
STARS = rows_of(own_steps.STARS)
SHARED = rows_of(own_steps.SHARED)
CANDIDATES = rows_of(own_steps.CANDIDATES)
COMPARED = rows_of(own_steps.COMPARED)
SETTLED = rows_of(own_steps.SETTLED)


def check_columns(df, **columns):
    for what, name in columns.items():
        if name not in df.columns:
            raise ValueError("the %s column %r is not in the table: it has %s"
                             % (what, name, ", ".join(df.columns)))
    text = df.schema[columns["text"]].dataType if "text" in columns else None
    if text is not None and not isinstance(text, StringType):
        raise TypeError("the column %r is %s, not string: %s" % (
            columns["text"], text.simpleString(), df.schema.simpleString()))


def check_ids(df, id, has_unique_ids=False):
    """Repeated ids could not be told apart in the result."""
    if has_unique_ids:
        return
    repeated = (df.groupBy(F.col(id).alias("id")).count()
                .where("count > 1 or id is null").limit(3).collect())
    if repeated:
        raise ValueError(
            "ids must be there and differ: %s" % ", ".join(
                "%r is there %d times" % (one["id"], one["count"])
                for one in repeated))


def text_of(text, id):
    """The column; a text that is too long ends the job before it is copied to
    Python, and is named."""
    value, size = F.col(text), F.octet_length(F.col(text))
    story = F.format_string(
        "the text of the row '%%s' has %%d bytes; the most are %d: cut it, or "
        "leave the row out" % MAX_TEXT, F.col(id).cast("string"), size)
    return F.when(value.isNull() | (size <= MAX_TEXT), value).otherwise(
        F.raise_error(story)).alias("text")


def partitions_of(df, n_partitions):
    if n_partitions is not None:
        return n_partitions
    return int(df.sparkSession.conf.get("spark.sql.shuffle.partitions"))


def order_of(df, order, id):
    """Columns that decide which document is the earlier one; the last is the
    id, so that there are no equals."""
    names = [order] if isinstance(order, str) else list(order or [])
    for name in names:
        check_columns(df, order=name)
    return [*names, *([] if id in names else [id])]


# ---- tables between the steps -------------------------------------------------

class Kept:
    """The rows of a table, computed once. They stay with the executors; what is
    lost with one of them is computed again.

    `rows` reads them and has a plan that says no more. Spark describes each plan
    with those of all kept tables that it reads, twice where it was adapted: two
    rounds of `decided` were 1 GB of descriptions and most of the time of a job."""

    def __init__(self, df):
        self._df = df.persist()
        self.n_rows = self._df.count()
        self.rows = with_short_plan(self._df)

    def release(self):
        self._df.unpersist()


def with_short_plan(df):
    """What localCheckpoint() gives, but for the lineage, which remains: no row
    is lost with an executor. Python has no public name for it."""
    try:
        made = df.sparkSession._jsparkSession.internalCreateDataFrame(
            df._jdf.queryExecution().toRdd(), df._jdf.schema(), False)
    except (AttributeError, py4j.protocol.Py4JError):
        return df
    return type(df)(made, df.sparkSession)


def tasks_for(n_rows, most):
    return -(-n_rows // most)


# ---- documents that are alike -----------------------------------------------

def edges(df, text, id, options, n):
    """(node, root): for each band of a document, the least of those that have
    it. A node is a hash of an id; two ids with one hash only share a task."""
    nodes = df.select(F.xxhash64(F.col(id)).alias("node"), text_of(text, id))
    return edges_of(nodes.mapInArrow(step("band_step", options), BANDS), n)


def edges_of(keys, n):
    return (keys.repartition(n, "key").sortWithinPartitions("key", "node")
            .mapInArrow(step("edge_step"), EDGES))


def star_round(found, n):
    """The same trees, with shorter paths."""
    found = (found.select("node", "root").repartition(n, "node")
             .sortWithinPartitions("node", "root")
             .mapInArrow(step("small_star_step"), NEIGHBOURS))
    return (found.repartition(n, "node")
            .sortWithinPartitions("node", "neighbour")
            .mapInArrow(step("large_star_step"), STARS))


def stars(found, n):
    """(node, root): rounds, a job for each, until nothing changes."""
    before = None
    while True:
        after = Kept(star_round(found, n))
        if before is not None:
            before.release()
        before, found = after, after.rows
        if not found.agg(F.max("is_open")).first()[0]:
            return found.select("node", "root")


def forest(df, text, id, options, n):
    """(node, root): the documents that chains of shared bands join, from tasks
    of some TASK_ROWS rows; the center of a tree has all of its rows in one,
    which keeps none of them.

    The text is read at once, to know how many that are. What is returned comes
    from rows that stay with the executors, 16 bytes each, until the session
    ends or its cache is cleared."""
    found = Kept(edges(df, text, id, options, n))
    n_tasks = tasks_for(found.n_rows, TASK_ROWS)
    if n_tasks <= 1:
        return small_forest(found.rows)
    trees = stars(found.rows, n_tasks)
    found.release()
    return trees


def small_forest(found):
    """Of one task; it is sent to the texts."""
    return F.broadcast(found.repartition(1).mapInArrow(step("forest_step"),
                                                       EDGES))


def neighbourhoods(df, text, id, order, trees, n):
    """(id, text) of all documents that share a band with another, those that a
    chain of bands joins in one partition, in order."""
    columns = [F.xxhash64(F.col(id)).alias("node"), F.col(id).alias("id"),
               F.col(text).alias("text")]
    columns += [F.col(name).alias("order%d" % i)
                for i, name in enumerate(order)]
    met = df.select(*columns).join(trees, "node")
    return (met.repartition(n, "root")
            .sortWithinPartitions(*["order%d" % i for i in range(len(order))])
            .select("id", "text"))


# ---- what of them goes ------------------------------------------------------

def sketched(df, text, id, order, options):
    """(id, order0, ..., keys, sketch, n_tokens) of documents with a text."""
    columns = [F.col(id).alias("id"), text_of(text, id)]
    columns += [F.col(name).alias("order%d" % i)
                for i, name in enumerate(order)]
    given = df.select(*columns)
    rest = [field for field in given.schema if field.name != "text"]
    return given.mapInArrow(step("sketch_step", options), StructType(
        rest + list(rows_of(own_steps.SKETCH))))


def ranked(made, by, n):
    """With a rank: a number in the order that decides. Of sorted rows it is the
    number of the partition, then of the row."""
    found = Kept(made.rows.repartitionByRange(n, *by).sortWithinPartitions(*by)
                 .withColumn("rank", F.monotonically_increasing_id()))
    made.release()
    return found.rows


def preference(keep, n_order):
    by = [F.col("order%d" % i) for i in range(n_order)]
    if keep == "last":
        return [one.desc() for one in by]
    return [F.desc("n_tokens"), *by] if keep == "longest" else by


def met_in_bands(documents, n):
    """(key, rank, sketch, is_crowded), sorted: of keys that several have."""
    shared = (documents.select(F.explode("keys").alias("key"), "rank")
              .repartition(n, "key").sortWithinPartitions("key", "rank")
              .mapInArrow(step("shared_step"), SHARED))
    return (shared.join(documents.select("rank", "sketch"), "rank")
            .repartition(n, "key").sortWithinPartitions("key", "rank")
            .select("key", "rank", "sketch", "is_crowded"))


def crowd_pairs(crowd, gone, options, n):
    """(rank, earlier) of crowded bands, when `gone` went; None: guessed."""
    if gone is None:
        flagged = crowd.withColumn("is_gone", F.lit(None).cast("boolean"))
    else:
        flagged = (crowd.join(gone.select("rank", F.lit(True).alias("is_gone")),
                              "rank", "left")
                   .select("key", "rank", "sketch", F.coalesce(
                       "is_gone", F.lit(False)).alias("is_gone"))
                   .repartition(n, "key").sortWithinPartitions("key", "rank"))
    return flagged.mapInArrow(step("crowd_step", options), CANDIDATES)


def compared(df, text, id, documents, pairs, options, n):
    """(rank, earlier, similarity) of kept pairs: each document has a place, and
    those that it is compared with come there. One that a million are compared
    with comes once to each of the places."""
    place = F.pmod(F.xxhash64("rank"), F.lit(n)).alias("place")
    asked = pairs.rows.groupBy("rank").agg(
        F.collect_list("earlier").alias("others"))
    asked = asked.select(place, "rank", "others")
    others = pairs.rows.select(place, F.col("earlier").alias("rank"), F.lit(
        None).cast("array<bigint>").alias("others"))
    wanted = (asked.union(others).groupBy("place", "rank")
              .agg(F.first("others", ignorenulls=True).alias("others"))
              .join(documents.select("rank", "id"), "rank"))
    if pairs.n_rows <= TASK_ROWS:
        wanted = F.broadcast(wanted)
    return (df.select(F.col(id).alias("id"), F.col(text).alias("text"))
            .join(wanted, "id").repartition(n, "place")
            .select("rank", "text", "others")
            .mapInArrow(step("compare_step", options), COMPARED))


def settled(alike, n):
    """(rank, of, similarity) of what goes, kept, from kept pairs that are alike
    and that bands show: by trees of such pairs."""
    n_tasks = tasks_for(alike.n_rows, PAIR_ROWS)
    if n_tasks > 1:
        trees = stars(alike.rows.select(F.col("rank").alias("node"), F.col(
            "earlier").alias("root")), n_tasks)
        found = (alike.rows.join(trees.withColumnRenamed("node", "rank"),
                                 "rank").repartition(n, "root"))
    else:
        found = alike.rows.withColumn("root", F.lit(0)).repartition(1)
    gone = Kept(found.select("root", "rank", "earlier", "similarity")
                .sortWithinPartitions("root", "rank", "earlier")
                .mapInArrow(step("settle_step"), SETTLED))
    alike.release()
    return gone


def decided(df, text, id, documents, options, n):
    """(rank, of, similarity) of what goes: rounds, until none is decided
    differently (origo.steps)."""
    met = Kept(met_in_bands(documents, n))
    few = (met.rows.where("not is_crowded").select("key", "rank", "sketch")
           .mapInArrow(step("pair_step", options), CANDIDATES))
    crowd = met.rows.where("is_crowded").select("key", "rank", "sketch")
    seen = Kept(few.union(crowd_pairs(crowd, None, options, n)).distinct())
    known = [Kept(compared(df, text, id, documents, seen, options, n))]
    seen.release()
    gone = settled(Kept(alike_of(known)), n)
    if crowd.limit(1).count():
        # Shown whatever goes; a pair that is there twice does no harm.
        always = Kept(alike_of(known).join(few.distinct(), PAIR, "left_semi"))
        before = None
        while before is None or differ(before.rows, gone.rows):
            shown = Kept(crowd_pairs(crowd, gone.rows, options, n).distinct())
            new = Kept(shown.rows.join(all_of(known), PAIR, "left_anti"))
            if new.n_rows:
                known.append(Kept(compared(df, text, id, documents, new,
                                           options, n)))
            before, gone = gone, settled(Kept(always.rows.union(alike_of(
                known).join(shown.rows, PAIR, "left_semi"))), n)
            shown.release()
            new.release()
        always.release()
    for one in (met, *known):
        one.release()
    return gone.rows


PAIR = ["rank", "earlier"]


def all_of(kept):
    return functools.reduce(lambda a, b: a.union(b),
                            [one.rows for one in kept])


def alike_of(known):
    return all_of(known).where("similarity > 0")


def differ(a, b):
    """Whether the ranks of two tables do."""
    ours = a.select("rank", F.lit(1).alias("ours"))
    theirs = b.select("rank", F.lit(1).alias("theirs"))
    return ours.join(theirs, "rank", "full").where(
        "ours is null or theirs is null").limit(1).count() > 0


def star_removals(df, text, id, order, sketch, decide, n):
    """(id, duplicate_of, similarity). Few documents that share bands are decided
    tree by tree, more in rounds."""
    made = Kept(sketched(df, text, id, order, sketch))
    found = Kept(edges_of(made.rows.select(F.explode("keys").alias("key"),
                                           F.xxhash64("id").alias("node")), n))
    if found.n_rows <= TASK_ROWS:
        made.release()
        return tree_removals(df, text, id, order, small_forest(found.rows),
                             decide, n)
    found.release()
    documents = ranked(made, preference(decide["keep"], len(order)), n)
    options = {name: value for name, value in decide.items()
               if name in (*SKETCH_OPTIONS, "threshold", "measure")}
    gone = decided(df, text, id, documents, options, n)
    names = documents.select("rank", "id")
    return (gone.join(names, "rank")
            .join(names.select(F.col("rank").alias("of"),
                               F.col("id").alias("duplicate_of")), "of")
            .select("id", "duplicate_of", "similarity"))


def tree_removals(df, text, id, order, trees, decide, n):
    """(id, duplicate_of, similarity): each tree is decided by one task."""
    kind = df.schema[id].dataType
    met = neighbourhoods(df, text, id, order, trees, n)
    return met.mapInArrow(step("decide_step", decide),
                          rows_of(own_steps.removal_schema(pyarrow.null()),
                                  id=kind, duplicate_of=kind))


SKETCH_OPTIONS = ("preset", "tokens", "shingle", "bands", "rows")


def removals(df, text="text", id="id", *, threshold=0.8, keep="first",
             order=None, n_partitions=None, has_unique_ids=False, **options):
    """What `dedup` takes away: (id, duplicate_of, similarity)."""
    check_columns(df, text=text, id=id)
    if keep not in ("first", "last", "longest"):
        raise ValueError("keep %r: must be first, last or longest; for a "
                         "column, give `order`" % (keep,))
    check_ids(df, id, has_unique_ids)
    sketch = {name: value for name, value in options.items()
              if name in SKETCH_OPTIONS}
    decide = {**options, "threshold": threshold, "keep": keep}
    n, by = partitions_of(df, n_partitions), order_of(df, order, id)
    if options.get("cluster", "star") == "star":
        return star_removals(df, text, id, by, sketch, decide, n)
    return tree_removals(df, text, id, by, forest(df, text, id, sketch, n),
                         decide, n)


def dedup(df, text="text", id="id", *, threshold=0.8, keep="first", order=None,
          n_partitions=None, has_unique_ids=False, **options):
    """The rows of `df` without near-duplicates; nothing goes that was not
    compared. Rows without a text stay.

    `order`: the column or columns that decide which of two documents is the
    earlier one (`keep="first"`); the id unless told otherwise. `has_unique_ids`
    saves the check that they are. Other options are those of `origo.dedup`.
    """
    gone = removals(df, text, id, threshold=threshold, keep=keep, order=order,
                    n_partitions=n_partitions, has_unique_ids=has_unique_ids,
                    **options)
    gone = gone.select(F.col("id").alias(id))
    return df.join(gone, id, "left_anti").select(df.columns)


def near_pairs(df, text="text", id="id", *, threshold=0.8, order=None,
               n_partitions=None, has_unique_ids=False):
    """(id, match, similarity): every document with the earlier ones that it
    is alike to, as `Store.near_many` lists them. Ids are strings."""
    check_columns(df, text=text, id=id)
    check_ids(df, id, has_unique_ids)
    n = partitions_of(df, n_partitions)
    met = neighbourhoods(df, text, id, order_of(df, order, id),
                         forest(df, text, id, {}, n), n)
    return (met.select(F.col("id").cast("string").alias("id"), "text")
            .mapInArrow(step("near_step", threshold),
                        rows_of(own_steps.PAIRS)))


# ---- passages ---------------------------------------------------------------

def micros(df, time):
    """Any column of time as microseconds since 1970; those without one come
    last."""
    kind = df.schema[time].dataType.typeName()
    value = F.col(time)
    if kind in ("string", "date"):
        value = value.cast("timestamp")
    if kind in ("string", "date", "timestamp"):
        value = F.unix_micros(value)
    return F.coalesce(value.cast("long"), F.lit(2 ** 62))


def passages(df, text="text", id="id", time="time", *, n_partitions=None,
             has_unique_ids=False, most_origins=64, memory=64 << 20, **options):
    """The origin of every copied passage of a whole table: (id, begin, end,
    origin, origin_begin, origin_end, n_tokens), each span compared word by
    word. Offsets are in bytes of UTF-8.

    A document is traced against the `most_origins` documents that have most of
    its fingerprints first. Other options are those of a new `Store`."""
    check_columns(df, text=text, id=id, time=time)
    check_ids(df, id, has_unique_ids)
    n = partitions_of(df, n_partitions)
    documents = df.select(F.col(id).cast("string").alias("id"),
                          micros(df, time).alias("time"),
                          text_of(text, id)).where("text is not null")
    made = Kept(documents.mapInArrow(step("fingerprint_step", options),
                                     rows_of(own_steps.FINGERPRINTS)))
    numbered = ranked(made, [F.col("time"), F.col("id")], n)
    copies = (
        numbered.select(F.explode("keys").alias("key"), "rank")
        .repartition(n, "key").sortWithinPartitions("key", "rank")
        .mapInArrow(step("origin_step"), rows_of(own_steps.COPIES))
        .groupBy("copier", "origin").agg(F.sum("n").alias("n")))
    wanted = wanted_texts(copies, most_origins, n).join(
        numbered.select("rank", "id"), "rank")
    traced = (documents.join(wanted, "id")
              .repartition(n, "place").sortWithinPartitions("rank")
              .select("id", "time", "text", "is_asked"))
    return traced.mapInArrow(
        step("span_step", {**options, "memory": memory}),
        rows_of(own_steps.SPANS))


def wanted_texts(copies, most_origins, n):
    """(place, rank, is_asked): each document that has something of another has a
    place, and its origins come there. An origin of a million documents comes
    once to each of the places."""
    by_share = Window.partitionBy("copier").orderBy(F.desc("n"), "origin")
    chosen = (copies.withColumn("rank", F.row_number().over(by_share))
              .where(F.col("rank") <= most_origins)
              .withColumn("place", F.pmod(F.xxhash64("copier"), F.lit(n))))
    asked = chosen.select("place", F.col("copier").alias("rank"),
                          F.lit(1).alias("is_asked"))
    origins = chosen.select("place", F.col("origin").alias("rank"),
                            F.lit(0).alias("is_asked"))
    return (asked.union(origins).groupBy("place", "rank")
            .agg(F.max("is_asked").alias("is_asked")))


# ---- codes, benchmarks ------------------------------------------------------

def hamming_join(new, old, k=3, *, id="id", code="code",
                 has_unique_ids=False):
    """(new_id, old_id, distance): all pairs of codes of 64 bits (longs) within
    k bits. The smaller side goes to every worker as an index; the larger one is
    scanned where it lies. Ids become strings."""
    for df in (new, old):
        check_columns(df, id=id, code=code)
        check_ids(df, id, has_unique_ids)
    sides = [df.select(F.col(id).cast("string").alias("id"),
                       F.col(code).cast("long").alias("code"))
             for df in (new, old)]
    asks_new = sides[0].count() >= sides[1].count()
    larger, smaller = sides if asks_new else reversed(sides)
    known = [tuple(one) for one in smaller.where("code is not null").collect()]
    shared = new.sparkSession.sparkContext.broadcast(
        ([one for one, _ in known], [value for _, value in known]))

    def run(batches):
        yield from step("hamming_step", shared.value, k, asks_new)(batches)
    return larger.mapInArrow(run, rows_of(own_steps.CODES))


def contamination(df, benchmarks, text="text", id="id", *, min_share=0.5,
                  min_words=13, has_unique_ids=False):
    """(id, item, matching, share): which rows hold which items. `benchmarks`:
    a list of texts, of (name, text) or of dicts, or a small table of Spark with
    the same columns."""
    check_columns(df, text=text, id=id)
    check_ids(df, id, has_unique_ids)
    if hasattr(benchmarks, "collect"):
        check_columns(benchmarks, text=text, id=id)
        benchmarks = [(one[0], one[1]) for one in benchmarks.select(
            id, text).collect()]
    shared = df.sparkSession.sparkContext.broadcast(list(benchmarks))

    def run(batches):
        yield from step("item_step", shared.value, min_share,
                        min_words)(batches)
    found = df.select(F.col(id).alias("id"), text_of(text, id))
    return found.mapInArrow(run, rows_of(
        own_steps.item_schema(pyarrow.null()), id=df.schema[id].dataType))


def decontaminate(df, benchmarks, text="text", id="id", *, min_share=0.5,
                  min_words=13, has_unique_ids=False):
    """The rows of `df` that hold none of the benchmark items; `origo.
    decontaminate` tells what it is to hold one."""
    found = contamination(df, benchmarks, text, id, min_share=min_share,
                          min_words=min_words, has_unique_ids=has_unique_ids)
    gone = found.select(F.col("id").alias(id)).distinct()
    return df.join(gone, id, "left_anti").select(df.columns)
