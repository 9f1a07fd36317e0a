/* Cuts archives and mailboxes into blocks of whole records: the reading side of
 * what archive.c and mail.c parse.
 *
 * A record that is too long is skipped without being kept. Its header gives its
 * length, if that is plausible: a length beyond the end of the file, or beyond
 * any stored file, is an error, and the next beginning of a record is searched
 * for. Bytes that are not a record are reported once, however many they are. */

#include "lib/source/block.h"
#include "lib/source/measure_record.h"
#include "lib/source/source_state.h"

/* Longer records are not plausible when the length of the file is unknown. */
#define BELIEVABLE ((uint64_t)1 << 40)

/* The tail of a message that is too long is kept, so that the line that ends it
 * is seen whole. */
enum { KEPT_OF_LONG = 2048 };

static og_status report(const struct og_source *source, struct og_block *block,
                        og_status status, const char *why, og_error *err)
{
    const struct og_source_problem problem = {
        .offset = source->offset, .skipped = true, .status = status};
    return og_block_report(block, &problem, err, "%s", why);
}

static og_status report_long(const struct og_source *source,
                             struct og_block *block, og_error *err)
{
    return og_block_report_long_line(block, 0, source->offset,
                                     source->options.max_document, err);
}

/* Whether the file can contain `claimed` bytes from here on. */
static bool is_believable(const struct og_source *source, uint64_t claimed)
{
    const bool is_plain =
        source->in == &source->unpack && source->unpack.kind == OG_UNPACK_PLAIN;
    if (!is_plain || !source->has_file_time) return claimed <= BELIEVABLE;
    return source->offset <= source->file_len &&
           claimed <= source->file_len - source->offset;
}

/* Drops as much of what must be skipped as the block holds. */
static void skip_known(struct og_source *source, struct og_block *block)
{
    const size_t n =
        source->n_to_skip < block->len ? (size_t)source->n_to_skip : block->len;
    og_source_drop_front(source, block, n);
    source->n_to_skip -= n;
}

/* The front of the block is not a record. */
static og_status drop_junk(struct og_source *source, struct og_block *block,
                           const struct og_measure *m, og_error *err)
{
    if (!source->is_skipping)
        TRY(report(source, block, OG_ERR_INPUT, m->why, err));
    source->is_skipping = true;
    og_source_drop_front(source, block, m->len);
    return OG_OK;
}

static og_status drop_long(struct og_source *source, struct og_block *block,
                           const struct og_measure *m, og_error *err)
{
    TRY(report_long(source, block, err));
    if (is_believable(source, m->claimed)) {
        source->n_to_skip = m->claimed;
    } else {
        source->is_skipping = true;
        og_source_drop_front(source, block, m->len);
    }
    return OG_OK;
}

/* A message that is too long: its front is dropped, the search for its end
 * continues. */
static og_status drop_long_mail(struct og_source *source,
                                struct og_block *block, size_t *searched,
                                og_error *err)
{
    if (!source->is_skipping) TRY(report_long(source, block, err));
    source->is_skipping = true;
    const size_t n = block->len - KEPT_OF_LONG;
    og_source_drop_front(source, block, n);
    *searched = *searched > n ? *searched - n : 0;
    return OG_OK;
}

struct cutting {
    size_t whole;    /* bytes of whole records at the front */
    size_t searched; /* in the record after them */
};

/* One step: *out_is_done when the block is full or the input has ended. */
static og_status step(struct og_source *source, struct og_block *block,
                      struct cutting *cut, bool *out_is_done, og_error *err)
{
    const uint64_t max_len = source->options.max_document;
    const bool is_mbox = source->kind == OG_BLOCK_MBOX;
    const og_bytes rest = {block->data + cut->whole, block->len - cut->whole};
    struct og_measure m;
    *out_is_done = rest.len == 0 && source->is_ended;
    if (*out_is_done) return OG_OK;
    if (rest.len == 0) return og_source_read_more(source, block, err);
    og_measure_record(source->kind, rest, source->is_ended, max_len,
                      &cut->searched, &m);
    const bool is_long_mail =
        is_mbox &&
        (m.verdict == OG_MEASURED_MORE ? rest.len > max_len + KEPT_OF_LONG
                                       : m.len > max_len);
    if (m.verdict == OG_MEASURED_MORE && !is_long_mail)
        return og_source_read_more(source, block, err);
    const bool is_wanted = m.verdict == OG_MEASURED_RECORD && !is_long_mail &&
                           !(is_mbox && source->is_skipping);
    if (is_wanted) {
        cut->whole += m.len;
        cut->searched = 0;
        source->is_skipping = false;
        *out_is_done = cut->whole >= source->options.block_len;
        return OG_OK;
    }
    /* Unwanted bytes are dropped from the front of a block without records. */
    *out_is_done = cut->whole > 0;
    if (*out_is_done) return OG_OK;
    if (is_mbox && m.verdict == OG_MEASURED_MORE)
        return drop_long_mail(source, block, &cut->searched, err);
    if (is_mbox) { /* the end of a long message */
        if (!source->is_skipping) TRY(report_long(source, block, err));
        source->is_skipping = false;
        cut->searched = 0;
        og_source_drop_front(source, block, m.len);
        return OG_OK;
    }
    if (m.verdict == OG_MEASURED_LONG) return drop_long(source, block, &m, err);
    return drop_junk(source, block, &m, err);
}

og_status og_source_cut_records(struct og_source *source,
                                struct og_block *block, og_error *err)
{
    struct cutting cut = {0, 0};
    bool is_done = false;
    while (!is_done) {
        while (source->n_to_skip > 0 && !source->is_ended) {
            skip_known(source, block);
            if (block->len == 0) TRY(og_source_read_more(source, block, err));
        }
        if (source->n_to_skip > 0) skip_known(source, block);
        if (source->n_to_skip > 0 && block->len == 0) break;
        TRY(step(source, block, &cut, &is_done, err));
    }
    TRY(og_source_carry(source, block, cut.whole, err));
    block->first_line = 0;
    block->offset = source->offset;
    block->is_cut = source->is_cut;
    if (cut.whole == 0) return OG_OK;
    block->kind = source->kind;
    source->offset += cut.whole;
    return OG_OK;
}
