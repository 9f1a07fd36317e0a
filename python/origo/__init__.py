"""origo finds out where text came from.

>>> import origo
>>> store = origo.Store(":memory:")
>>> store.add(
...     "the old lighthouse will be lit again in spring, once the lamp has "
...     "been brought back from the museum where it stood for forty years",
...     id="harbour-1", time="2020-03-01")
>>> answer = store.trace(
...     "They say the old lighthouse will be lit again in spring, once the "
...     "lamp has been brought back from the museum where it stood for forty "
...     "years, and so do I.")
>>> [(span.origin, span.text[:14]) for span in answer.spans]
[('harbour-1', 'the old lighth')]
"""

import atexit

from . import _origo
from ._origo import (
    BusyError,
    Error,
    InputError,
    IOFailure,
    LimitError,
    NoStoreError,
    StoppedError,
    StoreError,
    UsageError,
)
from ._origo import version as __version__
from .answers import (
    Answer,
    Match,
    Matches,
    Origin,
    Phrase,
    Phrases,
    Quote,
    QuoteMatch,
    Quotes,
    Span,
)
from .dedup import (
    Contamination,
    Decision,
    DecontaminationResult,
    DedupResult,
    decontaminate,
    dedup,
)
from .hamming import HammingIndex, SimHash
from .keys import (Keys, band_keys, compare_pairs, fingerprint_keys,
                   least_equal)
from .lsh import MinHashLSH, WeightedMinHashLSH
from .minhash import (
    LeanMinHash,
    MinHash,
    WeightedMinHash,
    WeightedMinHashGenerator,
)
from .store import Store, compare, read, verify
from .tables import Table

# Threads that still run when the interpreter ends are stopped first.
atexit.register(_origo.stop_all)

__all__ = [
    "Answer",
    "BusyError",
    "Contamination",
    "Decision",
    "DecontaminationResult",
    "DedupResult",
    "Error",
    "HammingIndex",
    "IOFailure",
    "InputError",
    "Keys",
    "LeanMinHash",
    "LimitError",
    "Match",
    "Matches",
    "MinHash",
    "MinHashLSH",
    "NoStoreError",
    "Origin",
    "Phrase",
    "Phrases",
    "Quote",
    "QuoteMatch",
    "Quotes",
    "SimHash",
    "Span",
    "StoppedError",
    "Store",
    "StoreError",
    "Table",
    "UsageError",
    "WeightedMinHash",
    "WeightedMinHashGenerator",
    "WeightedMinHashLSH",
    "__version__",
    "band_keys",
    "compare",
    "compare_pairs",
    "decontaminate",
    "dedup",
    "fingerprint_keys",
    "least_equal",
    "read",
    "verify",
]
