#ifndef OG_SOURCE_WEB_PAGE_MAIN_H
#define OG_SOURCE_WEB_PAGE_MAIN_H

/*   in:  the nodes of a page                           (lib/source/web/page.h)
 *   out: its main text                                 (lib/source/web/html.h)
 *
 * The main text is what a reader came for, without navigation, advertisements,
 * comments, footers and lists of other pages. */

#include "lib/source/web/page.h"

/* What is known about a node, counted over all of its content that is kept. */
struct og_page_stat {
    uint32_t text_len; /* bytes; a run of space counts as one */
    uint32_t link_len; /* those inside links */
    uint32_t n_commas;
    uint32_t own_len; /* text outside the blocks below it */
    uint32_t own_link_len;
    uint32_t prose_len; /* in blocks with much text of their own */
    float score;
    bool is_gone;   /* removed, with its content */
    uint32_t home;  /* the node of its block */
    uint32_t block; /* 1 + the number of that block; 0: it has no text */
    uint32_t n_p, n_li, n_input; /* elements below it */
    bool is_link;                /* in a link */
    bool is_silent;              /* a short byline in a line, and the like */
    bool is_unlikely;            /* removed because of its name */
    bool is_best;                /* in the element with the most votes */
    bool is_inside;              /* in a chosen part */
    bool is_kept;                /* its block is main text */
    bool was_gone;
    bool is_scored; /* a candidate */
    bool is_chosen; /* begins a part of the main text */
};

/* A run of text in a block of its own, and what is known about it. */
struct og_page_block {
    uint32_t node;
    uint32_t len, link_len, n_commas, n_digits;
    char last[4]; /* its last character, 0 after it */
    bool is_prose, is_inside;
    bool has_sign; /* a copyright sign */
    uint32_t cues; /* kinds of cues */
    uint32_t hash, n_upper;
    bool is_link_first;
    int score; /* thousandths of log odds of being text */
};

struct og_page_main {
    const og_allocator *allocator;
    struct og_page_stat *stats; /* one for each node */
    size_t stats_cap;
    struct og_page_block *blocks;
    size_t n_blocks, blocks_cap;
    bool is_whole; /* every block is written */
    char *text;    /* OG_BLOCK_PADDING readable bytes after it */
    size_t text_len, text_cap;
};

void og_page_main_init(struct og_page_main *m, const og_allocator *allocator);
void og_page_main_release(struct og_page_main *m);

/* Frees what a large page needed, but not its text. */
void og_page_main_drop(struct og_page_main *m);

/* Sets m->text: paragraphs separated by an empty line, headings after as many #
 * as their level. Valid until the next call. */
og_status og_page_main_text(struct og_page_main *m, const struct og_page *page,
                            og_error *err);

/* The whole page, menus and all. */
og_status og_page_whole_text(struct og_page_main *m, const struct og_page *page,
                             og_error *err);

/* Steps of these: page_choose.c sets is_gone and is_chosen, page_write.c writes
 * the chosen nodes. */
void og_page_count(const struct og_page *page, struct og_page_stat *stats);
void og_page_count_all(const struct og_page *page, struct og_page_stat *stats);
void og_page_choose(const struct og_page *page, struct og_page_stat *stats);
og_status og_page_write(struct og_page_main *m, const struct og_page *page,
                        og_error *err);

#endif
