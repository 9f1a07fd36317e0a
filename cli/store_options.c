#include "store_options.h"

#include "say.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void store_defaults(struct store_settings *s)
{
    s->params = og_params_default();
}

const char *store_path(const struct store_settings *s)
{
    const char *path = s->path != NULL ? s->path : getenv("ORIGO_STORE");
    return path != NULL && path[0] != '\0' ? path : "./origo.store";
}

static bool is_table(const char *path)
{
    return strncmp(path, "redis://", 8) == 0 ||
           strncmp(path, "rediss://", 9) == 0;
}

const char *store_folder(const struct store_settings *s)
{
    return s->catalogue != NULL ? s->catalogue : store_path(s);
}

bool store_has_folder(const struct store_settings *s)
{
    return !store_is_memory(s) &&
           (s->catalogue != NULL || !is_table(store_path(s)));
}

const char *store_name(const char *path)
{
    const char *name = strchr(path, '@');
    if (!is_table(path)) return path;
    return name != NULL ? name + 1 : strstr(path, "//") + 2;
}

bool store_is_memory(const struct store_settings *s)
{
    return strcmp(store_path(s), ":memory:") == 0;
}

/* ---- types ---- */

static bool parse_preset(const struct option *option, const char *s, void *out)
{
    (void)option;
    return og_params_preset((og_bytes){s, strlen(s)}, out);
}

static void show_preset(const struct option *option, const void *value,
                        char *out, size_t out_cap)
{
    (void)option, (void)value;
    snprintf(out, out_cap, "prose");
}

static bool parse_same(const struct option *option, const char *s, void *out)
{
    enum { CAP = sizeof(((og_params *)NULL)->same) };
    (void)option;
    const size_t len = strlen(s);
    if (len == 0 || len >= CAP || strpbrk(s, "\n\r") != NULL) return false;
    memcpy(out, s, len + 1);
    return true;
}

static void show_same(const struct option *option, const void *value, char *out,
                      size_t out_cap)
{
    (void)option;
    snprintf(out, out_cap, "%s", (const char *)value);
}

static bool parse_fold(const struct option *option, const char *s, void *out)
{
    (void)option;
    return og_fold_parse((og_bytes){s, strlen(s)}, out);
}

static void show_fold(const struct option *option, const void *value, char *out,
                      size_t out_cap)
{
    char name[32];
    (void)option;
    og_fold_name(*(const uint32_t *)value, name);
    snprintf(out, out_cap, "%s", name);
}

const struct option_type type_fold = {
    true, "none, or marks, latin, arabic, han, separated by commas", parse_fold,
    show_fold};

static bool parse_key(const struct option *option, const char *s, void *out)
{
    uint64_t key = 0;
    (void)option;
    if (strcmp(s, "random") == 0 || strcmp(s, "default") == 0) {
        key = s[0] == 'd' ? OG_KEY_PUBLIC : 0;
    } else {
        const size_t len = strspn(s, "0123456789abcdefABCDEF");
        if (len == 0 || len > 16 || s[len] != 0) return false;
        key = strtoull(s, NULL, 16);
        if (key == 0 || key == OG_KEY_PUBLIC) return false;
    }
    memcpy(out, &key, sizeof(key));
    return true;
}

static void show_key(const struct option *option, const void *value, char *out,
                     size_t out_cap)
{
    (void)option, (void)value;
    snprintf(out, out_cap, "random");
}

const struct option_type type_key = {
    true, "random, default, or 1 to 16 hex digits that are not all 0 or f",
    parse_key, show_key};

static bool parse_indexes(const struct option *option, const char *s, void *out)
{
    (void)option;
    return og_indexes_parse((og_bytes){s, strlen(s)}, out);
}

static void show_indexes(const struct option *option, const void *value,
                         char *out, size_t out_cap)
{
    char names[64];
    (void)option;
    og_indexes_name(*(const unsigned *)value, names);
    snprintf(out, out_cap, "%s", names);
}

const struct option_type type_indexes = {
    true, "passages, near, sentences, separated by commas", parse_indexes,
    show_indexes};
const struct option_type type_preset = {true, "prose, short, code or dna",
                                        parse_preset, show_preset};
const struct option_type type_same = {true, "a name of at most 31 bytes",
                                      parse_same, show_same};

/* ---- opening ---- */

/* The option that was given and differs from the store's; NULL: none. A preset
 * counts for all options that it sets. */
static const char *unlike(const og_params *wanted, og_store *store)
{
    const og_params *has = og_store_params(store);
    /* Without passages there is no table whose memory could differ. */
    const bool has_table = (og_store_indexes(store) & OG_INDEX_PASSAGES) != 0;
    const bool preset = option_was_given("preset");
#define UNLIKE(name, member)                                                   \
    ((preset || option_was_given(name)) &&                                     \
     memcmp(&wanted->member, &has->member, sizeof(wanted->member)) != 0)
    if (has_table && option_was_given("memory") &&
        wanted->memory != has->memory)
        return "memory";
    if (UNLIKE("tokens", tokens)) return "tokens";
    if (UNLIKE("shingle", shingle_len)) return "shingle";
    if (UNLIKE("select", select.kind) || UNLIKE("select", select.param) ||
        UNLIKE("select", select.no_overlap) || UNLIKE("select", select.sparse))
        return "select";
    if (UNLIKE("evict", evict)) return "evict";
    if (UNLIKE("estimate", estimate)) return "estimate";
    if (UNLIKE("bridge-limit", bridge_limit)) return "bridge-limit";
    if (UNLIKE("layout", layout)) return "layout";
    if (UNLIKE("bucket", bucket_slots)) return "bucket";
    if (UNLIKE("min-tokens", min_tokens)) return "min-tokens";
#undef UNLIKE
    if (option_was_given("key") && wanted->key != 0 &&
        (wanted->key == OG_KEY_PUBLIC ? 0 : wanted->key) != has->key)
        return "key";
    if (option_was_given("fold") && wanted->fold != has->fold) return "fold";
    if (option_was_given("no-texts") && wanted->no_texts != has->no_texts)
        return "no-texts";
    if (option_was_given("group-by") && strcmp(wanted->same, has->same) != 0)
        return "group-by";
    return NULL;
}

/* Builds those that it does not have yet. */
static int add_indexes(og_store *store, unsigned indexes, const char *command)
{
    og_error err = {0};
    if ((indexes & ~og_store_indexes(store)) == 0) return EXIT_DONE;
    if (og_store_index_add(store, indexes, NULL, &err) == OG_OK)
        return EXIT_DONE;
    const int status = say_error(command, &err);
    (void)og_store_close(store, NULL);
    return status;
}

/* The library does not know about options. */
static int say_not_opened(const char *command, og_error *err)
{
    static const char advice[] = "; use a smaller --memory";
    const size_t len = strlen(err->message);
    if (err->status == OG_ERR_MEMORY &&
        len + sizeof(advice) <= sizeof(err->message))
        memcpy(err->message + len, advice, sizeof(advice));
    return say_error(command, err);
}

static int refuse_servers(const char *command)
{
    return say_usage(
        command,
        "a store on servers is for add, import, trace, near, "
        "follow, serve, info, verify, rm and export; 'origo %s' takes one "
        "in a folder",
        command);
}

int store_need_folder(const char *path, const char *command)
{
    return is_table(path) ? refuse_servers(command) : EXIT_DONE;
}

/* Whether a command can work with documents that are on servers. */
static bool takes_servers(const char *command)
{
    static const char *const names[] = {"add",    "import", "trace",
                                        "follow", "serve",  "info",
                                        "verify", "rm",     "export"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(command, names[i]) == 0) return true;
    return false;
}

static int needs_table(const char *command)
{
    return say_usage(command, "--catalogue is for a table on a server: -s "
                              "redis://HOST:PORT/TABLE");
}

/* A catalogue belongs to a table. */
static int check_catalogue(const struct store_settings *s, const char *command)
{
    const bool has_table = is_table(store_path(s));
    if (has_table && s->catalogue == NULL && !takes_servers(command))
        return refuse_servers(command);
    if (has_table || s->catalogue == NULL) return EXIT_DONE;
    return needs_table(command);
}

int store_open(const struct store_settings *s, og_access access,
               const char *command, og_store **out)
{
    og_error err = {0};
    const char *path = store_folder(s);
    const og_store_options options = {
        .params = &s->params,
        .indexes = s->indexes,
        .table = s->catalogue != NULL ? store_path(s) : NULL};
    const int status = check_catalogue(s, command);
    if (status != EXIT_DONE) return status;
    if (og_params_check(&s->params, &err) != OG_OK ||
        og_store_open(path, access, &options, out, &err) != OG_OK)
        return say_not_opened(command, &err);
    const char *option = unlike(&s->params, *out);
    if (option == NULL) return add_indexes(*out, s->indexes, command);
    (void)og_store_close(*out, NULL);
    *out = NULL;
    return say_usage(command,
                     "--%s is fixed when a store is created, and store '%s' "
                     "has a different value; see 'origo info'",
                     option, store_name(path));
}

int store_close(og_store *store, const char *command, int status)
{
    og_error err = {0};
    if (og_store_close(store, &err) == OG_OK) return status;
    if (status != EXIT_DONE && status != EXIT_FOUND) return status;
    return say_error(command, &err);
}

static int index_is_off(og_store *store, const char *path, unsigned index,
                        const char *command)
{
    char name[64];
    og_indexes_name(index, name);
    if (index == OG_INDEX_PASSAGES && og_store_table(store)[0] != 0) {
        char table[160];
        snprintf(table, sizeof(table), "%s", og_store_table(store));
        (void)og_store_close(store, NULL);
        return say_usage(command,
                         "the passages of store '%s' are in table '%s' on a "
                         "server: -s redis://HOST:PORT/%s --catalogue %s",
                         path, table, table, path);
    }
    const bool is_shared = og_store_is_shared(store);
    (void)og_store_close(store, NULL);
    if (is_shared)
        return say_usage(command,
                         "store '%s' has no index of %s; on servers it is "
                         "chosen when the store is created: --index "
                         "passages,%s",
                         store_name(path), name, name);
    return say_usage(command,
                     "store '%s' has no index of %s; 'origo index -s %s --add "
                     "%s' builds it",
                     path, name, path, name);
}

void store_say_upgrade(const og_store *store, const char *path)
{
    if (og_store_old_indexes(store) != 0)
        say("'origo upgrade -s %s' moves it aside and builds the index from "
            "the texts",
            path);
}

int store_need_index(og_store *store, const char *path, unsigned index,
                     const char *command)
{
    if ((og_store_indexes(store) & index) != 0) return EXIT_DONE;
    return index_is_off(store, path, index, command);
}

int store_refuse_option(og_store *store, const char *path, unsigned index,
                        const char *option, const char *has,
                        const char *command)
{
    char name[64];
    og_indexes_name(index, name);
    (void)og_store_close(store, NULL);
    return say_usage(command,
                     "--%s is fixed when an index is created; index %s of "
                     "store '%s' has %s",
                     option, name, store_name(path),
                     has[0] != 0 ? has : "none");
}

/* Reused sentences are not on servers. */
static int check_index_place(const char *path, const char *catalogue,
                             unsigned index, const char *command)
{
    if (catalogue != NULL && !is_table(path)) return needs_table(command);
    if (is_table(path) && catalogue == NULL && index != OG_INDEX_NEAR)
        return refuse_servers(command);
    return EXIT_DONE;
}

int store_open_index(const char *path, const char *catalogue, unsigned index,
                     bool add, const og_store_options *options,
                     const char *command, og_store **out)
{
    const bool is_memory = strcmp(path, ":memory:") == 0;
    og_error err = {0};
    og_store_options used = *options;
    const int refused = check_index_place(path, catalogue, index, command);
    if (refused != EXIT_DONE) return refused;
    if (catalogue != NULL) used.table = path;
    used.indexes = is_memory ? index : index | OG_INDEX_PASSAGES;
    if (og_store_open(catalogue != NULL ? catalogue : path,
                      add || is_memory ? OG_CREATE : OG_READ, &used, out,
                      &err) != OG_OK)
        return say_error(command, &err);
    if ((og_store_indexes(*out) & index) != 0) return EXIT_DONE;
    if (!add || og_store_is_shared(*out))
        return index_is_off(*out, path, index, command);
    if (og_store_index_add(*out, index, options, &err) == OG_OK)
        return EXIT_DONE;
    const int status = say_error(command, &err);
    store_say_upgrade(*out, path);
    (void)og_store_close(*out, NULL);
    return status;
}
