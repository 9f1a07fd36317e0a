/* The options of features: names, checks, and the words that distinguish two
 * sets of them. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/c_locale.h"
#include "lib/sketch/features/features.h"
#include "lib/sketch/features/stem.h"
#include "lib/sketch/features/stop.h"

static const char *const feature_names[] = {"tokens", "phrases", "wrap",
                                            "spot"};
static const char *const tf_names[] = {"count", "log", "one"};

static bool find_name(og_bytes name, const char *const *names, size_t n,
                      size_t *out)
{
    for (size_t i = 0; i < n; i++) {
        if (strlen(names[i]) != name.len ||
            memcmp(names[i], name.data, name.len) != 0)
            continue;
        *out = i;
        return true;
    }
    return false;
}

bool og_feature_parse(og_bytes name, og_feature_kind *out)
{
    size_t i;
    if (!find_name(name, feature_names, 4, &i)) return false;
    *out = (og_feature_kind)i;
    return true;
}

const char *og_feature_name(og_feature_kind kind)
{
    return (unsigned)kind < 4 ? feature_names[kind] : "unknown";
}

bool og_tf_parse(og_bytes name, og_tf_kind *out)
{
    size_t i;
    if (!find_name(name, tf_names, 3, &i)) return false;
    *out = (og_tf_kind)i;
    return true;
}

const char *og_tf_name(og_tf_kind kind)
{
    return (unsigned)kind < 3 ? tf_names[kind] : "unknown";
}

og_feature_options og_feature_options_default(void)
{
    return (og_feature_options){.kind = OG_FEATURE_PHRASES,
                                .tokens = OG_TOKEN_WORDS,
                                .phrase_len = 3,
                                .tf = OG_TF_COUNT,
                                .heading_weight = 1};
}

/* The stop words in effect, or NULL. */
static const char *stop_of(const og_feature_options *o)
{
    if (o->stop == NULL && o->kind == OG_FEATURE_SPOT) return "en";
    return o->stop;
}

/* ---- words ---- */

static size_t append(char *out, size_t cap, size_t len, const char *name,
                     const char *value)
{
    if (value == NULL || len >= cap) return len;
    const int n = snprintf(out + len, cap - len, "%s%s=%s", len > 0 ? " " : "",
                           name, value);
    return n < 0 ? len : len + (size_t)n;
}

static size_t append_number(char *out, size_t cap, size_t len, const char *name,
                            double value)
{
    char text[32];
    og_text_format(text, sizeof(text), "%.9g", value);
    return append(out, cap, len, name, text);
}

/* The identity of features, without their weights: an idf file depends on
 * nothing else. */
static size_t append_identity(const og_feature_options *o, char *out,
                              size_t cap)
{
    size_t len = 0;
    out[0] = '\0';
    len = append(out, cap, len, "tokens", og_token_name(o->tokens));
    len = append(out, cap, len, "features", og_feature_name(o->kind));
    if (o->kind != OG_FEATURE_TOKENS)
        len = append_number(out, cap, len, "phrase", o->phrase_len);
    len = append(out, cap, len, "stop", stop_of(o));
    len = append(out, cap, len, "stem", o->stem);
    if (o->key != 0) {
        /* Distinguishes keys without revealing them. */
        char text[8];
        const uint64_t fold = og_mul_fold(o->key ^ 0x9e3779b97f4a7c15u,
                                          o->key ^ 0xd1b54a32d192ed03u);
        snprintf(text, sizeof(text), "%04x", (unsigned)(fold & 0xffff));
        len = append(out, cap, len, "key", text);
    }
    return len;
}

void og_feature_identity(const og_feature_options *o, char *out, size_t cap)
{
    append_identity(o, out, cap);
}

void og_feature_words(const og_feature_options *o, char *out, size_t cap)
{
    size_t len = append_identity(o, out, cap);
    len = append(out, cap, len, "tf", og_tf_name(o->tf));
    if (o->title_weight > 0)
        len = append_number(out, cap, len, "title", o->title_weight);
    if (o->heading_weight != 1)
        len = append_number(out, cap, len, "heading", o->heading_weight);
    if (o->idf != NULL) {
        char text[24];
        snprintf(text, sizeof(text), "%016llx",
                 (unsigned long long)og_idf_check(o->idf));
        append(out, cap, len, "idf", text);
    }
}

bool og_feature_weights_are_whole(const og_feature_options *o)
{
    return o->idf == NULL && o->tf != OG_TF_LOG &&
           o->title_weight == floor(o->title_weight) &&
           o->heading_weight == floor(o->heading_weight);
}

/* ---- checks ---- */

static bool is_weight(double weight)
{
    return isfinite(weight) && weight >= 0 && weight <= 1000;
}

static og_status check_weights(const og_feature_options *o, og_error *err)
{
    if (!is_weight(o->title_weight))
        return og_error_set(err, OG_ERR_USAGE,
                            "title weight must be 0 to 1000, not %g",
                            o->title_weight);
    if (!is_weight(o->heading_weight) || o->heading_weight == 0)
        return og_error_set(err, OG_ERR_USAGE,
                            "heading weight must be more than 0 and at most "
                            "1000, not %g",
                            o->heading_weight);
    return OG_OK;
}

static og_status check_languages(const og_feature_options *o, og_error *err)
{
    const bool needs_words = stop_of(o) != NULL || o->stem != NULL;
    if (needs_words && o->tokens != OG_TOKEN_WORDS)
        return og_error_set(err, OG_ERR_USAGE,
                            "stop words and stems need tokens that are words, "
                            "not %s",
                            og_token_name(o->tokens));
    if (o->stop != NULL && !og_stop_language_is(o->stop))
        return og_error_set(err, OG_ERR_USAGE,
                            "no stop words of '%s', only of: %s", o->stop,
                            og_stop_languages());
    return o->stem != NULL ? og_stem_check(o->stem, err) : OG_OK;
}

static og_status check_idf(const og_feature_options *o, og_error *err)
{
    char mine[OG_FEATURE_WORDS_MAX];
    if (o->idf == NULL) return OG_OK;
    og_feature_identity(o, mine, sizeof(mine));
    if (strcmp(mine, og_idf_words(o->idf)) == 0) return OG_OK;
    return og_error_set(err, OG_ERR_USAGE,
                        "the document frequencies are of other features: "
                        "'%.180s', asked for are '%.180s'",
                        og_idf_words(o->idf), mine);
}

og_status og_feature_options_check(const og_feature_options *o, og_error *err)
{
    if ((unsigned)o->kind > OG_FEATURE_SPOT)
        return og_error_set(err, OG_ERR_USAGE, "no features of kind %d",
                            (int)o->kind);
    if ((unsigned)o->tf > OG_TF_ONE)
        return og_error_set(err, OG_ERR_USAGE, "no term frequency of kind %d",
                            (int)o->tf);
    if ((unsigned)o->tokens > OG_TOKEN_DNA)
        return og_error_set(err, OG_ERR_USAGE, "no tokens of kind %d",
                            (int)o->tokens);
    const uint32_t least = o->kind == OG_FEATURE_SPOT ? 2 : 1;
    if (o->phrase_len < least || o->phrase_len > OG_SHINGLE_MAX)
        return og_error_set(err, OG_ERR_USAGE,
                            "phrase length must be %u to %d tokens, not %u",
                            least, OG_SHINGLE_MAX, o->phrase_len);
    TRY(check_weights(o, err));
    TRY(check_languages(o, err));
    return check_idf(o, err);
}
