"""Hugging Face datasets: as a source, and inside map() and filter()."""

import datasets

import origo


def make(documents):
    return datasets.Dataset.from_list(
        [one for one in documents if one["text"] is not None])


def test_a_dataset_comes_and_goes(documents):
    ds = make(documents)
    whole = origo.dedup(ds["text"][:])
    result = origo.dedup(ds)
    assert isinstance(result.kept, datasets.Dataset)
    assert result.kept["id"][:] == [ds["id"][i] for i in whole.indices]


def test_inside_map(documents):
    """Batches of map() are dicts of columns; sketches come back as one."""
    ds = make(documents)

    def bands(batch):
        keys = origo.band_keys(list(batch["text"]))
        values = list(keys.values)
        return {"bands": [[one - (1 << 64) if one >> 63 else one
                           for one in values[i * 14:i * 14 + 14]]
                          for i in range(len(keys))]}
    mapped = ds.map(bands, batched=True, batch_size=100, num_proc=2)
    alone = origo.band_keys(ds["text"][:])
    assert [one & (1 << 64) - 1 for row in mapped["bands"][:]
            for one in row] == list(alone.values)


def test_inside_filter(documents, tmp_path):
    """A store that is open for reading answers from every process."""
    ds = make(documents)
    path = tmp_path / "store"
    with origo.Store(path) as store:
        store.add(ds[0]["text"], id="known")

    def is_new(batch):
        with origo.Store(path, "r") as store:
            return [store.trace(one).copied < 0.5 for one in batch["text"]]
    kept = ds.filter(is_new, batched=True, batch_size=100, num_proc=2)
    assert 0 < len(ds) - len(kept) < len(ds)
    assert ds[0]["id"] not in kept["id"][:]
