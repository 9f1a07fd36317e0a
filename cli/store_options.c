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
    true, "none, or of marks, latin and arabic, with commas", parse_fold,
    show_fold};
const struct option_type type_preset = {true, "prose, short, code or dna",
                                        parse_preset, show_preset};
const struct option_type type_same = {true, "a name of at most 31 bytes",
                                      parse_same, show_same};

/* ---- opening ---- */

/* The option that was given and is not what the store has; NULL: all is well.
 * A preset speaks for all that it sets. */
static const char *unlike(const og_params *wanted, const og_params *has)
{
    const bool preset = option_was_given("preset");
#define UNLIKE(name, member)                                                   \
    ((preset || option_was_given(name)) &&                                     \
     memcmp(&wanted->member, &has->member, sizeof(wanted->member)) != 0)
    if (option_was_given("memory") && wanted->memory != has->memory)
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
    if (option_was_given("fold") && wanted->fold != has->fold) return "fold";
    if (option_was_given("no-texts") && wanted->no_texts != has->no_texts)
        return "no-texts";
    if (option_was_given("group-by") && strcmp(wanted->same, has->same) != 0)
        return "group-by";
    return NULL;
}

int store_open(const struct store_settings *s, og_access access,
               const char *command, og_store **out)
{
    og_error err = {0};
    const char *path = store_path(s);
    if (og_params_check(&s->params, &err) != OG_OK ||
        og_store_open(path, access, &(og_store_options){.params = &s->params},
                      out, &err) != OG_OK)
        return say_error(command, &err);
    const char *option = unlike(&s->params, og_store_params(*out));
    if (option == NULL) return EXIT_DONE;
    (void)og_store_close(*out, NULL);
    *out = NULL;
    return say_usage(command,
                     "--%s is fixed when a store is made, and store '%s' has "
                     "another value; see 'origo info'",
                     option, path);
}

int store_close(og_store *store, const char *command, int status)
{
    og_error err = {0};
    if (og_store_close(store, &err) == OG_OK) return status;
    if (status != EXIT_DONE && status != EXIT_FOUND) return status;
    return say_error(command, &err);
}
