#ifndef OG_ALIGN_THRESHOLDS_H
#define OG_ALIGN_THRESHOLDS_H

/* The conditions for calling a passage reworded or a summary. These values are
 * not derived but chosen by cross-validation (bench/cross_pan.py); that is why
 * they are in one place and can be replaced. A value equal to a minimum
 * satisfies it. */

struct og_align_thresholds {
    /* pairings.c: sentences with the same meaning */
    float min_cosine, min_dice; /* of two sentences; more than this */
    float max_gap;              /* sentences between two pairs of a passage */
    /* groups.c, reworded.c: passages of them */
    float min_weight; /* shared weight times Dice's coefficient */
    float mostly;     /* if copies are this share of a passage, they are the
                         passage */
    float max_rest;   /* the most evidence required beyond the copies inside */
    /* summaries.c: the share of words that are in the origin */
    float min_share;  /* whatever the texts are */
    float above_rest; /* more than in the rest of the document */
    float long_share; /* for an origin of 1,000 tokens ... */
    float long_slope; /* ... and more for every doubling */
    float min_score;
    float min_ratio;      /* the origin is at least this many times as long */
    float max_explained;  /* a group with this share of the weight is better */
    float max_copied;     /* and so are copies of this share of the tokens */
    float resembles;      /* cosine of a sentence with one of the origin */
    float min_resembling; /* share of the sentences that do */
    float min_spread;     /* share of the origin that they come from */
    float drawn_on; /* weight in common with a sentence of the origin that was
                       used */
    /* passages.c: pieces of a summary */
    float join_gap;   /* tokens of the document between two pieces */
    float join_ratio; /* the origin's side is this many times as long */
    float join_copy;  /* a copy worth this many tokens is not a piece */
};

#define OG_ALIGN_THRESHOLDS_DEFAULT                                            \
    {                                                                          \
        .min_cosine = 0.3f, .min_dice = 0.2f, .max_gap = 3, .min_weight = 40,  \
        .mostly = 0.9f, .max_rest = 10, .min_share = 0.5f, .above_rest = 0.2f, \
        .long_share = 0.55f, .long_slope = 0.1f, .min_score = 35,              \
        .min_ratio = 3, .max_explained = 0.9f, .max_copied = 0.5f,             \
        .resembles = 0.25f, .min_resembling = 0.4f, .min_spread = 0.3f,        \
        .drawn_on = 3, .join_gap = 60, .join_ratio = 1.5f, .join_copy = 60     \
    }

#endif
