"""Documents for jobs: families that are alike, copies of passages, a crowd that
is one text, rows without a text."""

import random

WORDS = ["harbour", "lamp", "keeper", "spring", "museum", "fishermen", "oil",
         "north", "quay", "beacon", "winter", "letter", "ballast", "wedding",
         "captain", "silver", "kitchen", "weather", "priest", "tide"]


def make_text(seed, n=120):
    rng = random.Random(seed)
    return " ".join(rng.choice(WORDS) + str(rng.randrange(1000))
                    for _ in range(n))


def changed(rng, text):
    """The text with up to four of its words replaced."""
    words = text.split()
    for _ in range(rng.randrange(5)):
        words[rng.randrange(len(words))] = "changed%d" % rng.randrange(10 ** 6)
    return " ".join(words)


def make_documents(n_families, n_copies, n_crowd, n_nulls, seed=11):
    """id, time (a number; two documents have the same) and text, shuffled."""
    rng = random.Random(seed)
    texts = [changed(rng, make_text(family)) for family in range(n_families)
             for _ in range(rng.randrange(1, 6))]
    texts += [make_text(1000 + i, 60) + " " + texts[i][rng.randrange(200):][
        :500] for i in range(n_copies)]
    texts += [make_text(999, 80)] * n_crowd + [None] * n_nulls
    rng.shuffle(texts)
    return [{"id": "d%04d" % i, "time": 1000 + i // 2, "text": text}
            for i, text in enumerate(texts)]
