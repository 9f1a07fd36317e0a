"""What mypy and pyright must accept: the types of what users write."""

from datetime import datetime
from typing import Dict, List, Optional

import origo


def who_copied(path: str, texts: List[str]) -> Dict[str, List[str]]:
    found: Dict[str, List[str]] = {}
    with origo.Store(path, indexes="passages,near") as store:
        store.add_many(texts)
        for text in texts:
            answer: origo.Answer = store.trace(text, reworded=True)
            for span in answer.spans:
                when: Optional[datetime] = span.origin_time
                if when is not None and when.year > 2000:
                    found.setdefault(span.origin, []).append(span.text)
            near: List[origo.Match] = store.near(text, threshold=0.9)
            found["near"] = [match.id for match in near]
    return found


def estimate(a: List[bytes], b: List[bytes]) -> float:
    x, y = origo.MinHash(num_perm=64), origo.MinHash(num_perm=64)
    x.update_batch(a)
    y.update_batch(b)
    return x.copy().jaccard(y)


def stay(texts: List[str]) -> List[int]:
    result = origo.dedup(texts, keep="longest")
    return result.indices + [one.index for one in result.removed]
