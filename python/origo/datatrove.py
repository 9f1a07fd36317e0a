"""origo as blocks of datatrove.

`DedupStage` is one of the four stages of deduplication, as a block whose tasks
are shards: the executors of datatrove (local, Slurm, Ray) run them, and what is
done is not done again. `.dups` and `.clusters` of datatrove's own blocks can
stand for the bands (each pair is compared before anything goes), its `.remove`
for the decisions; those that origo writes are read by datatrove's filter.

    from datatrove.executor import LocalPipelineExecutor
    from origo.datatrove import DedupStage, STAGES
    for stage in STAGES:
        LocalPipelineExecutor([DedupStage(stage, files, "work", "kept")],
                              tasks=8).run()

`DecontaminationFilter` drops documents that hold benchmark items."""

import os

from datatrove.pipeline.base import PipelineStep
from datatrove.pipeline.filters.base_filter import BaseFilter

from . import _origo
from .dedup import decontaminate
from .sources import make_input

__all__ = ["DecontaminationFilter", "DedupStage", "STAGES"]

STAGES = ("sketch", "bands", "components", "filter")


class DedupStage(PipelineStep):
    """`files`: the same list, in the same order, for all stages. `work`: a
    folder that all tasks see. `output`: the folder of what stays, and of
    `.remove` and `.clusters`; of the last stage. `candidates`: a folder of
    `.dups` or `.clusters` to compare instead of bands; `remove`: a folder of
    `.remove` to obey. Other options are those of `origo.dedup`."""

    name = "origo"
    type = "DEDUP"

    def __init__(self, stage, files, work, output=None, *, candidates=None,
                 remove=None, fields=None, **options):
        super().__init__()
        if stage not in STAGES:
            raise ValueError("stage %r: must be one of %s" %
                             (stage, ", ".join(STAGES)))
        self.stage = stage
        self.name = "origo " + stage
        self.files = [os.fspath(one) for one in files]
        self.fields = fields
        self.options = {**options, "work": os.fspath(work)}
        for key, value in (("folder", output), ("candidates", candidates),
                           ("remove", remove)):
            if value is not None:
                self.options[key] = os.fspath(value)

    def run(self, data=None, rank=0, world_size=1):
        from pathlib import Path
        given = make_input([Path(one) for one in self.files],
                           fields=self.fields, threads=1)
        with self.track_time():
            counts = _origo.stage(
                self.stage, given,
                {**self.options, "shard": rank, "n_shards": world_size})
        for name, value in counts.items():
            if value:
                self.stat_update(name, value=value)
        if data:
            yield from data


class DecontaminationFilter(BaseFilter):
    """Drops documents that hold items of `benchmarks`; `origo.decontaminate`
    tells what it is to hold one."""

    name = "origo decontamination"

    def __init__(self, benchmarks, min_share=0.5, min_words=13,
                 exclusion_writer=None, batch_size=2000):
        super().__init__(exclusion_writer, batch_size)
        self.benchmarks = list(benchmarks)
        self.limits = {"min_share": min_share, "min_words": min_words}

    def filter_batch(self, batch):
        result = decontaminate([one.text for one in batch], self.benchmarks,
                               threads=1, **self.limits)
        reasons = {one.index: "holds %s" % one.item for one in result.found}
        return [(False, reasons[i]) if i in reasons else True
                for i in range(len(batch))]

    def filter(self, doc):
        return self.filter_batch([doc])[0]
