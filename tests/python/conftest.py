import random

import pytest

WORDS = ["harbour", "lamp", "keeper", "spring", "museum", "fishermen", "oil",
         "north", "quay", "beacon", "winter", "letter", "ballast", "wedding",
         "captain", "silver", "kitchen", "weather", "priest", "tide"]


def make_text(seed, n=120):
    rng = random.Random(seed)
    return " ".join(rng.choice(WORDS) + str(rng.randrange(1000))
                    for _ in range(n))


@pytest.fixture
def text():
    return make_text


@pytest.fixture
def store_path(tmp_path):
    return tmp_path / "store"
