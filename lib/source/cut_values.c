/* Cuts JSON arrays and CSV into blocks of whole records. Unlike lines, the
 * bytes have to be examined, because quoted newlines and brackets end nothing.
 * That is one pass at the speed of memory; parsing the records is left to all
 * cores. */

#include <string.h>

#include "lib/source/block.h"
#include "lib/source/json/scan_bytes.h"
#include "lib/source/record_scan.h"
#include "lib/source/source_state.h"

static uint64_t count_lines(const char *data, size_t len)
{
    const struct og_scan_kernels *const kernels =
        og_scan_kernels_of(og_cpu_level());
    return len == 0 ? 0 : kernels->count_newlines(data, data + len);
}

/* Drops n bytes from the front, and counts the lines in them. */
static void drop(struct og_source *source, struct og_block *block, size_t n)
{
    source->line += count_lines(block->data, n);
    og_source_drop_front(source, block, n);
}

struct cutting {
    struct og_record_scan scan;
    size_t whole; /* bytes of whole records at the front */
    bool is_full;
};

/* A record ends at `end`. */
static og_status take_record(struct og_source *source, struct og_block *block,
                             struct cutting *cut, size_t end, og_error *err)
{
    const bool is_long = end - cut->whole > source->options.max_document;
    if (!is_long && !source->is_skipping) {
        cut->whole = end;
        cut->is_full = end >= source->options.block_len;
        return OG_OK;
    }
    /* Unwanted bytes are dropped from the front of a block without records. */
    cut->is_full = cut->whole > 0;
    if (cut->is_full) return OG_OK;
    if (!source->is_skipping)
        TRY(og_block_report_long_line(block, source->line, source->offset,
                                      source->options.max_document, err));
    source->is_skipping = false;
    drop(source, block, end);
    cut->scan.at = 0;
    return OG_OK;
}

/* No record ends in the bytes read so far. */
static og_status go_on(struct og_source *source, struct og_block *block,
                       struct cutting *cut, og_error *err)
{
    const bool is_long = block->len - cut->whole > source->options.max_document;
    if (cut->whole > 0 &&
        (is_long || source->is_ended || og_unpack_must_wait(source->in))) {
        cut->is_full = true;
        return OG_OK;
    }
    if (is_long && !source->is_skipping) {
        TRY(og_block_report_long_line(block, source->line, source->offset,
                                      source->options.max_document, err));
        source->is_skipping = true;
    }
    if (source->is_skipping) {
        drop(source, block, block->len);
        cut->scan.at = 0;
    }
    if (source->is_ended) {
        cut->whole = block->len;
        cut->is_full = true;
        return OG_OK;
    }
    return og_source_read_more(source, block, err);
}

og_status og_source_cut_values(struct og_source *source, struct og_block *block,
                               og_error *err)
{
    struct cutting cut = {.whole = 0};
    while (!cut.is_full) {
        size_t end;
        if (og_scan_record(source->kind, source->delimiter,
                           (og_bytes){block->data, block->len}, &cut.scan,
                           &end))
            TRY(take_record(source, block, &cut, end, err));
        else
            TRY(go_on(source, block, &cut, err));
    }
    TRY(og_source_carry(source, block, cut.whole, err));
    block->first_line = source->line;
    block->offset = source->offset;
    block->is_cut = source->is_cut;
    if (cut.whole == 0) return OG_OK;
    block->kind = source->kind;
    block->delimiter = source->delimiter;
    if (!OG_GROW(block->allocator, block->names, block->names_cap,
                 source->names.len + 1))
        return og_error_memory(err, source->names.len, "names of columns");
    if (source->names.len > 0)
        memcpy(block->names, source->names.data, source->names.len);
    block->names_len = source->names.len;
    source->line += count_lines(block->data, cut.whole);
    source->offset += cut.whole;
    return OG_OK;
}
