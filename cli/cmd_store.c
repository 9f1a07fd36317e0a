/* The commands for maintaining a store: info, verify, rm, export, import. */

#include "compaction.h"
#include "output_options.h"
#include "progress.h"
#include "say.h"
#include "signals.h"
#include "store_options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <string.h>

struct plain_settings {
    struct store_settings store;
    bool quiet, json, purge;
};

static void plain_defaults(void *settings)
{
    struct plain_settings *s = settings;
    store_defaults(&s->store);
}

#define AT(member) offsetof(struct plain_settings, member)
#define OUT        "Output"

/* ---- info ---- */

static void print_params(const og_params *p, bool is_keyed)
{
    char select[16];
    og_select_name(&p->select, select);
    printf("tokens        %s, %u to a shingle\n", og_token_name(p->tokens),
           p->shingle_len);
    printf("selection     %s\n", select);
    if (og_params_guarantee(p) > 0)
        printf("guaranteed    copies of %u tokens or more\n",
               og_params_guarantee(p));
    printf("eviction      %s\n", og_evict_name(p->evict));
    printf("estimation    %s\n", og_estimate_name(p->estimate));
    printf("layout        %s, buckets of %u\n", og_layout_name(p->layout),
           p->bucket_slots);
    printf("least tokens  %u\n", p->min_tokens);
    printf("texts         %s\n", p->no_texts ? "no" : "yes");
    char fold[32];
    og_fold_name(p->fold, fold);
    printf("folding       %s\n", fold);
    printf("keyed         %s\n", is_keyed ? "yes" : "no");
    if (p->same[0] != 0) printf("same          %s\n", p->same);
}

static void print_date(int64_t time, char *out, size_t out_cap)
{
    char text[40];
    if (time == INT64_MIN) {
        snprintf(out, out_cap, "-");
        return;
    }
    og_time_format(time, text);
    snprintf(out, out_cap, "%.10s", text);
}

static void print_ages(const og_survey *survey)
{
    if (survey->n_ages == 0) return;
    printf("\ndocuments    from        to          fingerprints kept  copies "
           "recognised\n");
    for (size_t i = 0; i < survey->n_ages; i++) {
        const og_age *a = &survey->ages[i];
        char first[24];
        char last[24];
        char recall[24] = "-";
        const double kept =
            a->n_born == 0 ? 1 : (double)a->n_kept / (double)a->n_born;
        print_date(a->first_time, first, sizeof(first));
        print_date(a->last_time, last, sizeof(last));
        if (a->n_asked > 0)
            snprintf(recall, sizeof(recall), "%.1f %%", 100 * a->recall);
        printf("%9" PRIu64 "    %-10s  %-10s  %15.1f %%  %17s\n",
               a->n_documents, first, last, 100 * (kept < 1 ? kept : 1),
               recall);
    }
}

static const og_index all_indexes[] = {OG_INDEX_PASSAGES, OG_INDEX_NEAR,
                                       OG_INDEX_SENTENCES};
enum { N_INDEXES = sizeof(all_indexes) / sizeof(all_indexes[0]) };

/* Documents that are not in the files of an index are replayed from the
 * journal, or added from their texts at the next query. */
static uint64_t n_behind(const og_store *store, const og_index_info *x)
{
    og_store_info info;
    og_store_info_get(store, &info);
    const uint64_t n = info.n_documents + info.n_removed;
    return x->is_on && n > x->n_documents ? n - x->n_documents : 0;
}

static void print_indexes(const og_store *store)
{
    for (size_t i = 0; i < N_INDEXES; i++) {
        og_index_info x;
        og_store_index_info(store, all_indexes[i], &x);
        const uint64_t behind = n_behind(store, &x);
        printf("%-13s %s", x.name, x.is_on ? "on" : "off\n");
        if (!x.is_on) continue;
        printf(", %" PRIu64 " documents, %" PRIu64 " bytes on disk",
               x.n_documents + behind, x.bytes);
        if (behind > 0)
            printf("; %" PRIu64 " documents come from the %s", behind,
                   i == 0 ? "journal" : "texts when it is asked");
        printf("\n");
    }
}

static void print_indexes_json(const og_store *store)
{
    printf(",\"indexes\":[");
    for (size_t i = 0; i < N_INDEXES; i++) {
        og_index_info x;
        og_store_index_info(store, all_indexes[i], &x);
        const uint64_t behind = n_behind(store, &x);
        printf("%s{\"name\":\"%s\",\"on\":%s,\"documents\":%" PRIu64
               ",\"bytes\":%" PRIu64 ",\"behind\":%" PRIu64 "}",
               i == 0 ? "" : ",", x.name, x.is_on ? "true" : "false",
               x.n_documents + behind, x.bytes, behind);
    }
    printf("]");
}

static void print_servers(const og_servers_info *servers,
                          const og_store_info *info)
{
    const uint64_t n_known = info->n_documents + info->n_removed;
    if (servers->n_partitions == 0)
        printf("partitions    none: each fingerprint is a key\n");
    else
        printf("partitions    %" PRIu64 " of %" PRIu64 " bytes, %.1f to %.1f "
               "%% full, on %" PRIu64 " servers\n",
               servers->n_partitions, info->table_bytes / servers->n_partitions,
               100 * servers->least_full, 100 * servers->most_full,
               servers->n_servers);
    printf("numbers       %" PRIu64 " assigned, %" PRIu64 " of them without a "
           "complete document\n",
           servers->n_numbers,
           servers->n_numbers > n_known ? servers->n_numbers - n_known : 0);
}

static void print_servers_json(const og_servers_info *servers)
{
    printf(",\"partitions\":%" PRIu64 ",\"servers\":%" PRIu64
           ",\"least_full\":%.4f,\"most_full\":%.4f,\"numbers\":%" PRIu64,
           servers->n_partitions, servers->n_servers, servers->least_full,
           servers->most_full, servers->n_numbers);
}

static void print_info(const og_store *store, const og_survey *survey,
                       const og_servers_info *servers)
{
    og_store_info info;
    char oldest[24] = "-";
    og_store_info_get(store, &info);
    if (survey->has_oldest) print_date(survey->oldest, oldest, sizeof(oldest));
    printf("documents     %" PRIu64 "\n", info.n_documents);
    printf("removed       %" PRIu64 "\n", info.n_removed);
    printf("table         %" PRIu64 " of %" PRIu64 " bytes, %" PRIu64
           " of %" PRIu64 " slots used (%.1f %%)\n",
           info.table_used_bytes, info.table_bytes, info.n_slots_used,
           info.n_slots,
           100.0 * (double)info.n_slots_used / (double)info.n_slots);
    printf("evicted       %" PRIu64 " fingerprints\n", info.n_evicted);
    printf("boilerplate   %" PRIu64 " fingerprints in over 100 documents\n",
           info.n_boilerplate);
    printf("oldest        %s\n", oldest);
    printf("journal       %" PRIu64 " bytes\n", info.journal_bytes);
    if (servers != NULL) print_servers(servers, &info);
    print_indexes(store);
    print_params(og_store_params(store), og_store_is_keyed(store));
    print_ages(survey);
}

static void print_info_json(const og_store *store, const og_survey *survey,
                            const og_servers_info *servers)
{
    og_store_info info;
    char oldest[40] = "";
    og_store_info_get(store, &info);
    if (survey->has_oldest && survey->oldest != INT64_MIN)
        og_time_format(survey->oldest, oldest);
    printf("{\"documents\":%" PRIu64 ",\"removed\":%" PRIu64
           ",\"table_bytes\":%" PRIu64 ",\"table_used_bytes\":%" PRIu64
           ",\"slots\":%" PRIu64 ",\"slots_used\":%" PRIu64
           ",\"evicted\":%" PRIu64 ",\"keyed\":%s,\"boilerplate\":%" PRIu64
           ",\"journal_bytes\":%" PRIu64 ",\"oldest_print\":",
           info.n_documents, info.n_removed, info.table_bytes,
           info.table_used_bytes, info.n_slots, info.n_slots_used,
           info.n_evicted, og_store_is_keyed(store) ? "true" : "false",
           info.n_boilerplate, info.journal_bytes);
    printf(oldest[0] != 0 ? "\"%s\"" : "null", oldest);
    if (servers != NULL) print_servers_json(servers);
    print_indexes_json(store);
    printf(",\"ages\":[");
    for (size_t i = 0; i < survey->n_ages; i++) {
        const og_age *a = &survey->ages[i];
        printf("%s{\"documents\":%" PRIu64 ",\"born\":%" PRIu64
               ",\"kept\":%" PRIu64 ",\"asked\":%" PRIu64 ",\"recall\":%.4f}",
               i == 0 ? "" : ",", a->n_documents, a->n_born, a->n_kept,
               a->n_asked, a->recall);
    }
    printf("]}\n");
}

static int info_run(const void *settings, const char *const *operands, size_t n)
{
    const struct plain_settings *s = settings;
    og_store *store;
    og_survey survey = {0};
    og_error err = {0};
    (void)operands, (void)n;
    const int opened = store_open(&s->store, OG_READ, "info", &store);
    if (opened != EXIT_DONE) return opened;
    og_servers_info servers = {0};
    const bool is_far = og_store_is_shared(store);
    const og_status status = is_far ? og_store_servers(store, &servers, &err)
                                    : og_store_survey(store, &survey, &err);
    if (status == OG_OK && s->json)
        print_info_json(store, &survey, is_far ? &servers : NULL);
    if (status == OG_OK && !s->json)
        print_info(store, &survey, is_far ? &servers : NULL);
    return store_close(store, "info",
                       status == OG_OK ? EXIT_DONE : say_error("info", &err));
}

static const struct option info_options[] = {
    STORE_OPTION(AT, store, "the store"),
    {.group = OUT,
     .name = "json",
     .type = &type_flag,
     .offset = AT(json),
     .brief = "print one JSON object instead of lines"},
};

const struct command command_info = {
    .name = "info",
    .group = GROUP_STORE,
    .operands = "",
    .brief = "show parameters, size and coverage of a store",
    .about =
        "Prints the parameters of a store, how full its table is and how much "
        "it has forgotten: for each tenth of the documents, by arrival, the "
        "share of their fingerprints that are still in the table and, if texts "
        "are kept, how much of a copy of such a document would be recognised "
        "now. Both are measured on the store itself.",
    .examples = "  origo info -s news.store\n",
    .options = info_options,
    .n_options = sizeof(info_options) / sizeof(info_options[0]),
    .settings_len = sizeof(struct plain_settings),
    .defaults = plain_defaults,
    .run = info_run,
};

/* ---- verify ---- */

static void on_step(void *ctx, const char *what, uint64_t done, uint64_t total)
{
    progress_step(ctx, what, done, total);
}

static void print_check_of_servers(const og_check *check)
{
    printf("sound: %" PRIu64 " documents (%" PRIu64 " removed), %" PRIu64
           " partitions, %" PRIu64 " bytes of text; no damage was found\n",
           check->n_documents, check->n_removed, check->n_partitions,
           check->text_bytes);
    if (check->n_incomplete > 0)
        printf("%" PRIu64 " documents are incomplete: they are being added, or "
               "who added them ended; sent again, they are completed\n",
               check->n_incomplete);
    if (check->n_unused > 0)
        printf("%" PRIu64 " numbers have no document\n", check->n_unused);
}

static int verify_run(const void *settings, const char *const *operands,
                      size_t n)
{
    const struct plain_settings *s = settings;
    const char *path = store_path(&s->store);
    struct progress progress;
    og_check check;
    og_error err = {0};
    (void)operands, (void)n;
    progress_start(&progress, &path, 1, s->quiet, false);
    const og_status status =
        og_store_check(path, &check, on_step, &progress, &err);
    progress_end(&progress);
    if (status != OG_OK) return say_error("verify", &err);
    if (s->quiet) return EXIT_DONE;
    if (!store_has_folder(&s->store)) {
        print_check_of_servers(&check);
        return EXIT_DONE;
    }
    printf("sound: %" PRIu64 " documents (%" PRIu64 " removed), %" PRIu64
           " records after the checkpoint, %" PRIu64 " bytes of text in "
           "%" PRIu64 "; no damage was found\n",
           check.n_documents, check.n_removed, check.n_records,
           check.text_bytes, check.packed_bytes);
    if (check.torn_bytes > 0)
        printf("the journal ends with %" PRIu64 " bytes of a write that was "
               "broken off; nothing in them had been acknowledged\n",
               check.torn_bytes);
    return EXIT_DONE;
}

static const struct option verify_options[] = {
    STORE_OPTION(AT, store, "the store"),
    QUIET_AS_OPTION(AT, quiet, "print nothing if no damage is found"),
};

const struct command command_verify = {
    .name = "verify",
    .group = GROUP_STORE,
    .operands = "",
    .brief = "read all of a store and verify its checksums",
    .about = "Exits with status 0 if no damage is found; otherwise with 4, and "
             "reports the file and the position. Changes nothing, and may run "
             "while another process writes.",
    .examples = "  origo verify -s news.store\n",
    .options = verify_options,
    .n_options = sizeof(verify_options) / sizeof(verify_options[0]),
    .settings_len = sizeof(struct plain_settings),
    .defaults = plain_defaults,
    .run = verify_run,
};

/* ---- rm ---- */

static int rm_run(const void *settings, const char *const *ids, size_t n)
{
    const struct plain_settings *s = settings;
    og_store *store;
    og_error err = {0};
    og_status status = OG_OK;
    size_t n_missing = 0;
    const int opened = store_open(&s->store, OG_WRITE, "rm", &store);
    if (opened != EXIT_DONE) return opened;
    const bool purges_here = s->purge && og_store_is_shared(store);
    for (size_t i = 0; i < n && status == OG_OK; i++) {
        uint64_t n_versions = 0;
        const og_bytes id = {ids[i], strlen(ids[i])};
        status = (purges_here ? og_store_purge
                              : og_store_remove)(store, id, &n_versions, &err);
        if (status == OG_OK && n_versions == 0) {
            say("there is no document '%s'", ids[i]);
            n_missing++;
        }
    }
    if (status == OG_OK) status = og_store_commit(store, &err);
    int result = n_missing == 0 ? EXIT_DONE : EXIT_IO;
    if (status != OG_OK) result = say_error("rm", &err);
    result = store_close(store, "rm", result);
    if (status != OG_OK || !s->purge || purges_here) return result;
    const int purged = compact_store(store_path(&s->store), s->quiet, "rm");
    return purged != EXIT_DONE ? purged : result;
}

static const struct option rm_options[] = {
    STORE_OPTION(AT, store, "the store"),
    {.group = "Store",
     .name = "purge",
     .type = &type_flag,
     .offset = AT(purge),
     .brief = "erase every byte of them from the store",
     .more = "Rewrites the store as 'origo compact' does, which also erases "
             "documents that were removed earlier."},
    QUIET_AS_OPTION(AT, quiet, "do not print a summary of a purge"),
};

const struct command command_rm = {
    .name = "rm",
    .group = GROUP_STORE,
    .operands = "ID...",
    .brief = "remove documents from a store",
    .about =
        "Removes all versions of each document, so that no command "
        "returns it any more. If the store keeps texts, passages that "
        "others copied from it are attributed to the earliest of them. "
        "The bytes remain in the files of the store until 'origo "
        "compact'; --purge erases them at once.\n\n"
        "In a store on servers --purge erases text, id, title, address and "
        "fields of these documents alone. Other processes stop naming a "
        "removed document within a second.",
    .examples = "  origo rm -s news.store article-4711\n"
                "  origo rm -s news.store --purge article-4711\n",
    .options = rm_options,
    .n_options = sizeof(rm_options) / sizeof(rm_options[0]),
    .settings_len = sizeof(struct plain_settings),
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .missing = "no ID given",
    .defaults = plain_defaults,
    .run = rm_run,
};

/* ---- index ---- */

struct index_settings {
    struct store_settings store;
    unsigned add, drop;
    bool quiet;
};

static void index_defaults(void *settings)
{
    struct index_settings *s = settings;
    store_defaults(&s->store);
}

/* Passages are built and dropped with the whole store. */
static int change_passages(const struct index_settings *s,
                           const og_store_options *options)
{
    og_store *store;
    og_error err = {0};
    og_store_options used = *options;
    const int opened = store_open(&s->store, OG_READ, "index", &store);
    if (opened != EXIT_DONE) return opened;
    const unsigned on = og_store_indexes(store);
    (void)og_store_close(store, NULL);
    used.indexes = (on | s->add) & ~s->drop;
    if (used.indexes == 0)
        return say_usage("index", "a store needs at least one index");
    if (((on ^ used.indexes) & OG_INDEX_PASSAGES) == 0) return EXIT_DONE;
    if (og_store_rebuild(store_path(&s->store), &used, &err) == OG_OK)
        return EXIT_DONE;
    return say_error("index", &err);
}

static int index_run(const void *settings, const char *const *operands,
                     size_t n)
{
    const struct index_settings *s = settings;
    og_store *store;
    char names[64];
    og_error err = {0};
    struct progress progress;
    (void)operands, (void)n;
    progress_start(&progress, NULL, 0, s->quiet, false);
    const og_store_options options = {.on_step = on_step,
                                      .step_ctx = &progress};
    const unsigned add = s->add & ~(unsigned)OG_INDEX_PASSAGES;
    const unsigned drop = s->drop & ~(unsigned)OG_INDEX_PASSAGES;
    const bool changes = add != 0 || drop != 0;
    if (((s->add | s->drop) & OG_INDEX_PASSAGES) != 0) {
        const int changed = change_passages(s, &options);
        if (changed != EXIT_DONE) return changed;
    }
    const int opened =
        store_open(&s->store, changes ? OG_WRITE : OG_READ, "index", &store);
    if (opened != EXIT_DONE) return opened;
    og_status status = OG_OK;
    if (drop != 0) status = og_store_index_drop(store, drop, &err);
    if (status == OG_OK && add != 0)
        status = og_store_index_add(store, add, &options, &err);
    progress_end(&progress);
    og_indexes_name(og_store_indexes(store), names);
    if (status == OG_OK) printf("%s\n", names);
    const int result = status == OG_OK ? EXIT_DONE : say_error("index", &err);
    if (status == OG_ERR_STORE) store_say_upgrade(store, store_path(&s->store));
    return store_close(store, "index", result);
}

#define AT_INDEX(member) offsetof(struct index_settings, member)

static const struct option index_options[] = {
    STORE_OPTION(AT_INDEX, store, "the store"),
    {.group = "Store",
     .name = "add",
     .type = &type_indexes,
     .offset = AT_INDEX(add),
     .value = "LIST",
     .choices = "passages|near|sentences",
     .unset = "none",
     .brief = "build these indexes from the texts"},
    {.group = "Store",
     .name = "drop",
     .type = &type_indexes,
     .offset = AT_INDEX(drop),
     .value = "LIST",
     .choices = "passages|near|sentences",
     .unset = "none",
     .brief = "remove these indexes",
     .more = "The documents remain, and the index can be built again."},
    QUIET_OPTION(AT_INDEX, quiet),
};

const struct command command_index = {
    .name = "index",
    .group = GROUP_STORE,
    .operands = "",
    .brief = "list, build or drop the indexes of a store",
    .about =
        "Prints the indexes that the store has after the command: passages "
        "(for origo trace), near (for origo near), sentences (for origo "
        "quote). They are built from the texts in the store, so they can be "
        "built and dropped at any time; a store without texts has only "
        "passages. Building or dropping passages rewrites the whole store.",
    .examples = "  origo index -s news.store\n"
                "  origo index -s news.store --add near,sentences\n"
                "  origo index -s news.store --drop near\n",
    .options = index_options,
    .n_options = sizeof(index_options) / sizeof(index_options[0]),
    .settings_len = sizeof(struct index_settings),
    .defaults = index_defaults,
    .run = index_run,
};

/* ---- upgrade ---- */

static int upgrade_run(const void *settings, const char *const *operands,
                       size_t n)
{
    const struct plain_settings *s = settings;
    og_store *store;
    unsigned upgraded = 0;
    char names[64];
    og_error err = {0};
    (void)operands, (void)n;
    const int opened = store_open(&s->store, OG_WRITE, "upgrade", &store);
    if (opened != EXIT_DONE) return opened;
    const og_status status = og_store_upgrade(store, &upgraded, &err);
    og_indexes_name(upgraded, names);
    if (status == OG_OK && upgraded == 0)
        printf("nothing to upgrade\n");
    else if (status == OG_OK)
        printf("built from the texts: %s; the old files are in folders that "
               "end in .old\n",
               names);
    return store_close(store, "upgrade",
                       status == OG_OK ? EXIT_DONE
                                       : say_error("upgrade", &err));
}

static const struct option upgrade_options[] = {
    STORE_OPTION(AT, store, "the store"),
};

const struct command command_upgrade = {
    .name = "upgrade",
    .group = GROUP_STORE,
    .operands = "",
    .brief = "upgrade a store of an earlier version",
    .about = "Earlier versions kept the indexes of 'origo near --add' and "
             "'origo quote --add' next to a store, with their own documents. "
             "This command moves such files into folders that end in .old, and "
             "builds the indexes from the texts of the store. Everything else "
             "that earlier versions wrote is read directly.",
    .examples = "  origo upgrade -s news.store\n",
    .options = upgrade_options,
    .n_options = sizeof(upgrade_options) / sizeof(upgrade_options[0]),
    .settings_len = sizeof(struct plain_settings),
    .defaults = plain_defaults,
    .run = upgrade_run,
};

/* ---- export ---- */

struct export_settings {
    struct store_settings store;
    struct output_settings output;
    bool quiet;
};

static void export_defaults(void *settings)
{
    struct export_settings *s = settings;
    store_defaults(&s->store);
}

struct export_run {
    og_input input; /* provides should_stop */
    struct progress progress;
    og_output *output;
    uint64_t n_documents, n_all, text_len;
    og_error err; /* of the output */
};

static void show_export(struct export_run *run, const og_document *doc)
{
    char what[96];
    run->text_len += doc->text.len;
    snprintf(what, sizeof(what), "%" PRIu64 " documents, %.1f MB of text",
             run->n_documents + 1, (double)run->text_len / 1e6);
    progress_step(&run->progress, what, run->n_documents++, run->n_all);
}

static bool on_document(void *ctx, const og_document *doc)
{
    struct export_run *run = ctx;
    FILE *out = og_output_file(run->output);
    if (run->input.should_stop(NULL)) return false;
    show_export(run, doc);
    if (og_output_next(run->output, &run->err) == OG_OK &&
        og_report_document(og_write_file, out, doc, &run->err) == OG_OK)
        return true;
    if (out == stdout) stdout_failed(errno);
    return false;
}

static int status_of_export(const struct export_run *run, og_status status,
                            const og_error *err)
{
    if (status == OG_OK) return EXIT_DONE;
    if (status != OG_ERR_STOPPED) return say_error("export", err);
    if (run->err.status == OG_OK) return stop_status("");
    return output_failed(run->output, "export", &run->err);
}

static int export_all(const struct export_settings *s, og_store *store,
                      struct export_run *run)
{
    og_error err = {0};
    og_store_info info;
    const int opened = output_open(&s->output, "export", &run->output);
    if (opened != EXIT_DONE) return opened;
    og_store_info_get(store, &info);
    run->n_all = info.n_documents;
    progress_start(&run->progress, NULL, 0, s->quiet, false);
    if (output_to_stdout(&s->output)) progress_prints(&run->progress);
    const og_status status = og_store_export(store, on_document, run, &err);
    progress_end(&run->progress);
    return output_end(run->output, &s->output, "export", status == OG_OK,
                      status_of_export(run, status, &err));
}

static int export_run(const void *settings, const char *const *operands,
                      size_t n)
{
    const struct export_settings *s = settings;
    struct export_run run = {0};
    og_store *store;
    (void)operands, (void)n;
    stop_on_signals(&run.input);
    const int opened = store_open(&s->store, OG_READ, "export", &store);
    if (opened != EXIT_DONE) return opened;
    return store_close(store, "export", export_all(s, store, &run));
}

#define AT_EXPORT(member) offsetof(struct export_settings, member)

static const struct option export_options[] = {
    STORE_OPTION(AT_EXPORT, store, "the store"),
    DOCUMENT_OUTPUT_OPTIONS(AT_EXPORT, output),
    QUIET_OPTION(AT_EXPORT, quiet),
};

const struct command command_export = {
    .name = "export",
    .group = GROUP_STORE,
    .operands = "",
    .brief = "write the documents of a store as JSONL",
    .about = "Writes every document that was not removed, in the order of "
             "arrival, with all its fields, in a format that 'origo import' "
             "and 'origo add' read. While another process writes, it exports "
             "the documents that were there when it started.",
    .examples = "  origo export -s news.store -o news.jsonl.zst\n"
                "  origo export -s news.store -o parts/ --shards 8 "
                "--compress zst\n",
    .options = export_options,
    .n_options = sizeof(export_options) / sizeof(export_options[0]),
    .settings_len = sizeof(struct export_settings),
    .defaults = export_defaults,
    .run = export_run,
};
