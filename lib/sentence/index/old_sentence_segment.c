/* Reads segments of the first layout: old_sentence_segment.h. */

#include "lib/sentence/index/old_sentence_segment.h"

#include <string.h>

#include "lib/base/bits.h"
#include "lib/disk/old_sum.h"

uint64_t og_old_sentence_foot_sum(const struct og_old_sentence_foot *foot)
{
    struct og_old_sentence_foot copy = *foot;
    copy.foot_sum = 0;
    return og_old_sum(&copy, sizeof(copy));
}

static bool find_sections(struct og_segment_file *f,
                          const struct og_old_sentence_foot *foot)
{
    const uint64_t end = f->len - sizeof(*foot);
    uint64_t at = 0;
    for (unsigned i = 0; i < OG_OLD_SEGMENT_PARTS; i++) {
        const uint64_t len = foot->part[i].len;
        if (foot->part[i].off != at || len > end - at ||
            (len + 63) / 64 * 64 > end - at)
            return false;
        f->section[i].off = at;
        f->section[i].len = len;
        at += (len + 63) / 64 * 64;
    }
    f->section[OG_PART_TOTALS].off = f->section[OG_PART_TOTALS].len = 0;
    f->n_sections = OG_N_PARTS;
    return at == end;
}

og_status og_sentence_segment_open_old(struct og_segment_file *file,
                                       const char *name, og_error *err)
{
    struct og_old_sentence_foot foot;
    if (file->len < sizeof(foot) || file->len % 64 != 0)
        return og_segment_file_damaged(name, "it is truncated", err);
    memcpy(&foot, file->data + file->len - sizeof(foot), sizeof(foot));
    if (og_le64(foot.magic) != OG_OLD_SEGMENT_MAGIC)
        return og_segment_file_damaged(
            name, "it is not a file of sentences, or its head is damaged", err);
    if (OG_BIG_ENDIAN) return og_segment_file_too_old(name, err);
    if (foot.version == 0 || foot.version > OG_OLD_SEGMENT_VERSION)
        return og_error_set(
            err, OG_ERR_STORE,
            "'%s' has version %u, which this version of origo does not support",
            name, foot.version);
    if (foot.foot_sum != og_old_sentence_foot_sum(&foot) ||
        og_old_sum(file->data, file->len - sizeof(foot)) != foot.body_sum)
        return og_segment_file_damaged(name, "its sums are wrong", err);
    if (foot.file_len != file->len || !find_sections(file, &foot))
        return og_segment_file_damaged(name, "its lengths do not agree", err);
    file->version = 0;
    file->sum = foot.foot_sum;
    return OG_OK;
}

void og_sentence_segment_old_totals(const struct og_segment_file *file,
                                    struct og_sentence_totals *out)
{
    struct og_old_sentence_foot foot;
    memcpy(&foot, file->data + file->len - sizeof(foot), sizeof(foot));
    *out = (struct og_sentence_totals){.n_documents = foot.n_documents,
                                       .n_sentences = foot.n_sentences,
                                       .n_wordsets = foot.n_wordsets,
                                       .n_keys = foot.n_keys,
                                       .n_words = foot.n_words,
                                       .n_blocks = foot.n_blocks,
                                       .text_len = foot.text_len,
                                       .latest = foot.latest,
                                       .directory_bits = foot.directory_bits,
                                       .signature_bits = foot.signature_bits,
                                       .word_bits = foot.word_bits,
                                       .no_texts = foot.no_texts != 0};
}
