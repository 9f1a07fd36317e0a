/* Pieces cut out of texts. A document without cuts is written byte for byte; of
 * another one, only the text is rewritten. */

#include "lib/dedup/dedup_pieces.h"

#include <string.h>

#include "lib/source/json/json_edit.h"
#include "lib/source/json/jsonl.h"

/* ---- the report ---- */

static void pack_tsv(struct og_pack *line, const struct og_dedup_doc *d,
                     og_bytes of_id, const struct og_dedup_piece *p)
{
    og_pack_field(line, d->doc.id);
    og_pack_text(line, "\t");
    og_pack_field(line, of_id);
    const uint64_t numbers[] = {p->begin, p->end, p->n_tokens, p->first};
    for (size_t i = 0; i < 4; i++) {
        og_pack_text(line, "\t");
        og_pack_decimal(line, numbers[i]);
    }
    og_pack_text(line, "\t");
    og_pack_field(line, (og_bytes){d->block->file, strlen(d->block->file)});
    og_pack_text(line, "\t");
    og_pack_decimal(line, d->line);
    og_pack_text(line, "\n");
}

static void pack_jsonl(struct og_pack *line, const struct og_dedup_doc *d,
                       og_bytes of_id, const struct og_dedup_piece *p)
{
    static const char *const names[] = {
        ",\"begin\":", ",\"end\":", ",\"n_tokens\":", ",\"first\":"};
    const uint64_t numbers[] = {p->begin, p->end, p->n_tokens, p->first};
    og_pack_text(line, "{\"id\":");
    og_pack_json_string(line, d->doc.id);
    og_pack_text(line, ",\"duplicate_of\":");
    og_pack_json_string(line, of_id);
    for (size_t i = 0; i < 4; i++) {
        og_pack_text(line, names[i]);
        og_pack_decimal(line, numbers[i]);
    }
    og_pack_text(line, ",\"file\":");
    og_pack_json_string(line,
                        (og_bytes){d->block->file, strlen(d->block->file)});
    og_pack_text(line, ",\"line\":");
    og_pack_decimal(line, d->line);
    og_pack_text(line, "}\n");
}

/* On the writing thread. */
static og_status pack_rows(void *ctx, const struct og_dedup_doc *d,
                           og_bytes pieces, struct og_pack *lines,
                           og_error *err)
{
    struct og_piece_cutter *c = ctx;
    const bool is_jsonl = c->run->options->format == OG_FORMAT_JSON;
    if (!is_jsonl && og_dedup_begins_report(&c->run->output))
        og_pack_text(lines, "id\tduplicate_of\tbegin\tend\tn_tokens\tfirst\t"
                            "file\tline\n");
    for (size_t at = 0; at < pieces.len; at += sizeof(struct og_dedup_piece)) {
        struct og_dedup_piece piece;
        og_bytes of_id;
        memcpy(&piece, pieces.data + at, sizeof(piece));
        TRY(og_dedup_ids_get(&c->ids, piece.first, &of_id, err));
        (is_jsonl ? pack_jsonl : pack_tsv)(lines, d, of_id, &piece);
    }
    return OG_OK;
}

/* ---- beginning and end ---- */

void og_piece_cutter_init(struct og_piece_cutter *c, struct og_dedup_run *run)
{
    *c = (struct og_piece_cutter){.run = run};
    og_dedup_ids_init(&c->ids, run->folder);
}

og_status og_piece_cutter_open(struct og_piece_cutter *c, og_error *err)
{
    struct og_dedup_run *run = c->run;
    run->output.pack_rows = pack_rows;
    run->output.rows_ctx = c;
    TRY(og_dedup_output_lock(&run->output, err));
    TRY(og_dedup_journal_open(&c->journal, run, 0, NULL, NULL, NULL, err));
    if (c->journal.is_resumed) {
        const uint64_t n_against = run->counts->n_against;
        *run->counts = c->journal.mark.counts;
        run->counts->stream = (og_stream_counts){0};
        run->counts->n_against = n_against;
        run->counts->n_resumed = 0;
    }
    return og_dedup_output_open(&run->output, c->journal.parts,
                                &c->journal.mark.lens, err);
}

og_status og_piece_cutter_close(struct og_piece_cutter *c, og_status status,
                                og_error *err)
{
    struct og_dedup_run *run = c->run;
    if (status == OG_OK) status = og_dedup_output_commit(&run->output, err);
    const bool can_resume = run->options->resume && status != OG_OK;
    og_dedup_journal_close(&c->journal, !can_resume); /* under the locks */
    og_dedup_output_close(&run->output, can_resume);
    og_dedup_ids_release(&c->ids);
    og_cut_scratch_release(&c->scratch);
    return status;
}

og_status og_piece_cutter_note(struct og_piece_cutter *c, og_bytes id,
                               og_error *err)
{
    if (c->run->options->report == NULL) return OG_OK;
    return og_dedup_ids_add(&c->ids, id, err);
}

og_status og_piece_cutter_end_block(struct og_piece_cutter *c,
                                    uint64_t sequence, og_error *err)
{
    const struct og_dedup_journal_mark *mark = &c->journal.mark;
    if (sequence + 1 > mark->n_blocks)
        return og_dedup_journal_mark(&c->journal, sequence + 1, c->n_taken,
                                     c->run->counts, &c->run->output, err);
    if (sequence + 1 < mark->n_blocks || c->n_taken == mark->n_documents)
        return OG_OK;
    return og_error_set(err, OG_ERR_INPUT,
                        "'%s' names %llu documents where the input has "
                        "%llu; remove it to begin anew",
                        c->journal.path, (unsigned long long)mark->n_documents,
                        (unsigned long long)c->n_taken);
}

/* ---- documents ---- */

void og_cut_scratch_release(struct og_cut_scratch *s)
{
    og_pack_release(&s->text);
    og_pack_release(&s->record);
    OG_UNGROW(NULL, s->unescaped, s->unescaped_cap);
}

og_status og_cut_text(const struct og_dedup_run *run,
                      const struct og_dedup_doc *d, struct og_cut_scratch *s,
                      og_bytes *out, og_error *err)
{
    struct og_record record;
    struct og_jsonl_problem problem;
    *out = d->doc.text;
    if (d->record.len == 0) return OG_OK;
    if (!OG_GROW(NULL, s->unescaped, s->unescaped_cap,
                 d->record.len + OG_BLOCK_PADDING))
        return og_error_memory(err, d->record.len, "a text");
    if (og_jsonl_read(d->record, &run->input->fields, s->unescaped, NULL,
                      &record, &problem) == NULL)
        return og_error_set(err, OG_ERR_INPUT, "%s", problem.message);
    *out = record.doc.text;
    return OG_OK;
}

og_status og_cut(const struct og_dedup_run *run, const struct og_dedup_doc *d,
                 og_bytes text, struct og_cut_scratch *s,
                 struct og_cut_document *out, og_error *err)
{
    size_t done = 0;
    out->text = out->record = (og_bytes){"", 0};
    if (out->n == 0) return OG_OK;
    s->text.len = s->record.len = 0;
    for (size_t i = 0; i < out->n; i++) {
        og_pack_bytes(&s->text, text.data + done, out->pieces[i].begin - done);
        done = out->pieces[i].end;
    }
    og_pack_bytes(&s->text, text.data + done, text.len - done);
    if (s->text.failed) return og_error_memory(err, text.len, "a text");
    out->text = (og_bytes){(const char *)s->text.data, s->text.len};
    if (out->is_all || !run->output.has_kept) return OG_OK;
    TRY(og_dedup_pack_cut(&run->input->fields, d, out->text, &s->record, err));
    out->record = (og_bytes){(const char *)s->record.data, s->record.len};
    return OG_OK;
}

og_status og_piece_cutter_write(struct og_piece_cutter *c,
                                const struct og_dedup_doc *d,
                                const struct og_cut_document *cut,
                                og_error *err)
{
    og_dedup_counts *counts = c->run->counts;
    if (c->n_taken++ < c->journal.mark.n_documents) {
        counts->n_resumed++;
        return OG_OK;
    }
    counts->n_kept += !cut->is_all;
    counts->n_removed += cut->is_all;
    if (cut->n == 0) {
        counts->kept_len += d->text_len;
        return og_dedup_write_kept(&c->run->output, d, err);
    }
    counts->n_cut += cut->n;
    for (size_t i = 0; i < cut->n; i++)
        counts->cut_len += cut->pieces[i].end - cut->pieces[i].begin;
    const og_bytes pieces = {(const char *)cut->pieces,
                             cut->n * sizeof(*cut->pieces)};
    TRY(og_dedup_write_rows(&c->run->output, d, pieces, err));
    if (cut->is_all) return og_dedup_write_gone(&c->run->output, d, err);
    counts->kept_len += cut->text.len;
    return og_dedup_write_cut(&c->run->output, d, cut->text, cut->record,
                              cut->stays, err);
}
