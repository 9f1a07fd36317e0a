/* Two versions of the same sentences, record by record with the same ids:
 * is the true one found, and is it the first? */

#include <string.h>

#include "eval/evaluation.h"
#include "eval/measure/quote_eval.h"
#include "eval/measure/read_stream.h"
#include "lib/os/clock.h"

struct aligned {
    og_sentences *sentences; /* those of B, in one segment */
    struct og_memtable memtable;
    struct og_word_reader reader;
    double threshold;
    og_aligned_result result;
};

static og_status read_records(const char *path, og_eval_document_fn *take,
                              struct aligned *a, og_error *err)
{
    og_input input = og_input_default();
    struct og_eval_read_counts counts;
    input.paths = &path;
    input.n_paths = 1;
    TRY(og_eval_read_stream(&input, take, a, &counts, err));
    if (counts.failure.status == OG_OK) return OG_OK;
    return og_error_set(err, counts.failure.status, "%s",
                        counts.failure.message);
}

static og_status add_record(void *ctx, const og_document *doc, og_error *err)
{
    struct aligned *a = ctx;
    TRY(og_word_reader_read_one(&a->reader, doc->text, err));
    const struct og_words_read read = og_word_reader_view(&a->reader);
    return og_memtable_add(&a->memtable, 0, doc, 0, &read, err);
}

/* Whether the record with this id is among the places of a wordset. */
static bool has_id(const struct og_sentence_segment *m, uint32_t wordset,
                   og_bytes id)
{
    for (uint32_t i = m->place_starts[wordset];
         i < m->place_starts[wordset + 1]; i++) {
        const struct og_sentence_segment_document *d =
            &m->documents[m->sentences[m->places[i]].document];
        if (d->id_len == id.len &&
            memcmp(m->names + d->name_off, id.data, id.len) == 0)
            return true;
    }
    return false;
}

static og_status ask_record(void *ctx, const og_document *doc, og_error *err)
{
    struct aligned *a = ctx;
    struct og_sentences *s = a->sentences;
    og_quote_options o = og_quote_options_default();
    o.threshold = a->threshold;
    o.max_candidates = UINT64_MAX;
    if (!og_sentences_has(s, doc->id)) return OG_OK;
    TRY(og_word_reader_read_one(&a->reader, doc->text, err));
    const double start = og_clock_seconds();
    TRY(og_sentences_find(s, a->reader.words, a->reader.n_words, &o, err));
    a->result.seconds += og_clock_seconds() - start;
    a->result.n_pairs++;
    double best = 0, own = -1;
    for (size_t i = 0; i < s->own.n_found; i++) {
        if (s->own.found[i].similarity > best)
            best = s->own.found[i].similarity;
        if (s->own.found[i].similarity > own &&
            has_id(&s->segment[0], s->own.found[i].wordset, doc->id))
            own = s->own.found[i].similarity;
    }
    a->result.n_found += own > 0;
    a->result.n_first += own > 0 && own >= best;
    return OG_OK;
}

static og_status run(struct aligned *a, const char *path_a, const char *path_b,
                     og_error *err)
{
    const struct og_sentences_place place = {.is_writable = true};
    const struct og_phases alone = og_phases_alone(NULL);
    og_sentences_options o = og_sentences_options_default();
    o.signature_bits = 0;
    TRY(og_sentences_open(&place, &o, &a->sentences, err));
    TRY(read_records(path_b, add_record, a, err));
    TRY(og_memtable_build(&a->memtable, &alone, &a->sentences->segment[0],
                          err));
    a->sentences->n_segments = 1;
    a->sentences->n_sentences = a->memtable.n_sentences;
    TRY(read_records(path_a, ask_record, a, err));
    if (a->result.n_pairs != 0) a->result.seconds /= (double)a->result.n_pairs;
    return OG_OK;
}

og_status og_quote_eval_aligned(const char *path_a, const char *path_b,
                                double threshold, og_aligned_result *out,
                                og_error *err)
{
    struct aligned a = {.threshold = threshold};
    og_memtable_init(&a.memtable, NULL, 0, 0);
    TRY(og_word_reader_init(&a.reader, NULL, NULL, NULL, err));
    const og_status status = run(&a, path_a, path_b, err);
    og_sentences_close(a.sentences);
    og_memtable_release(&a.memtable);
    og_word_reader_release(&a.reader);
    *out = a.result;
    return status;
}
