/* Parameters: defaults, checks, names. */

#include <origo/trace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/status.h"
#include "lib/fingerprint/fingerprint.h"
#include "lib/source/block.h"

#define DOTTED_VALUES(a, b, c) #a "." #b "." #c
#define DOTTED(a, b, c)        DOTTED_VALUES(a, b, c)

const char *og_version(void)
{
    return DOTTED(OG_VERSION_MAJOR, OG_VERSION_MINOR, OG_VERSION_PATCH);
}

int og_version_number(void)
{
    return OG_VERSION_NUMBER;
}

og_params og_params_default(void)
{
    return (og_params){
        .tokens = OG_TOKEN_WORDS,
        .shingle_len = 8,
        .select = {.kind = OG_SELECT_HAILSTORM, .sparse = true},
        .evict = OG_EVICT_LEARN,
        .estimate = OG_ESTIMATE_CONTEXT,
        .bridge_limit = 30,
        .layout = OG_LAYOUT_PACKED,
        .bucket_slots = 64,
        .memory = OG_SOURCE_MEMORY,
        .fold = OG_FOLD_MARKS,
    };
}

static const char *const fold_names[] = {"marks", "latin", "arabic", "han"};
enum { N_FOLDS = sizeof(fold_names) / sizeof(fold_names[0]) };

bool og_fold_parse(og_bytes names, uint32_t *out)
{
    uint32_t fold = 0;
    if (names.len == 4 && memcmp(names.data, "none", 4) == 0) {
        *out = 0;
        return true;
    }
    while (names.len > 0) {
        const char *const comma = memchr(names.data, ',', names.len);
        const size_t len =
            comma == NULL ? names.len : (size_t)(comma - names.data);
        size_t i = 0;
        while (i < N_FOLDS && (strlen(fold_names[i]) != len ||
                               memcmp(fold_names[i], names.data, len) != 0))
            i++;
        if (i == N_FOLDS) return false;
        fold |= 1u << i;
        if (comma == NULL) {
            *out = fold;
            return true;
        }
        names = (og_bytes){comma + 1, names.len - len - 1};
    }
    return false;
}

void og_fold_name(uint32_t fold, char out[32])
{
    size_t len = 0;
    for (size_t i = 0; i < N_FOLDS; i++)
        if ((fold >> i & 1) != 0)
            len += (size_t)snprintf(out + len, 32 - len, "%s%s",
                                    len > 0 ? "," : "", fold_names[i]);
    if (len == 0) snprintf(out, 32, "none");
}

/* Short or reworded passages do not contain eight consecutive equal words; code
 * repeats its idioms, so more consecutive tokens are needed to be significant,
 * but not so many that one change in ten tokens leaves none; there are only
 * four bases,
 * so only their order is significant, and a smallest one is not distinctive. */
bool og_params_preset(og_bytes name, og_params *out)
{
    static const struct {
        const char *name;
        og_token_kind tokens;
        uint32_t shingle_len;
        og_select_options select;
    } presets[] = {
        {"prose", OG_TOKEN_WORDS, 8, {OG_SELECT_HAILSTORM, 0, 0, true}},
        {"short", OG_TOKEN_WORDS, 4, {OG_SELECT_HAILSTORM, 0, 0, true}},
        {"code", OG_TOKEN_WORDS, 9, {OG_SELECT_HAILSTORM, 0, 0, true}},
        {"dna", OG_TOKEN_DNA, 24, {OG_SELECT_WINNOW, 8, 0, true}},
    };
    for (size_t i = 0; i < sizeof(presets) / sizeof(presets[0]); i++) {
        if (name.len != strlen(presets[i].name) ||
            memcmp(name.data, presets[i].name, name.len) != 0)
            continue;
        out->tokens = presets[i].tokens;
        out->shingle_len = presets[i].shingle_len;
        out->min_tokens = 0;
        out->select = presets[i].select;
        return true;
    }
    return false;
}

/* A copy that contains a whole window of shingles selects what its origin
 * selects there, for the smallest of a window depends on nothing else
 * (winnowing). The N and S forms leave some of them out. */
uint32_t og_params_guarantee(const og_params *params)
{
    const og_select_options *select = &params->select;
    if (select->no_overlap || select->sparse) return 0;
    if (select->kind == OG_SELECT_ALL) return params->shingle_len;
    if (select->kind == OG_SELECT_WINNOW)
        return params->shingle_len + select->param - 1;
    return 0;
}

/* ---- names ---- */

static bool same(og_bytes name, const char *word)
{
    return name.len == strlen(word) && memcmp(name.data, word, name.len) == 0;
}

/* Finds a name in a list whose places are the values of an enumeration. */
static bool find_name(og_bytes name, const char *const *names, size_t n,
                      size_t *out)
{
    for (size_t i = 0; i < n; i++)
        if (same(name, names[i])) {
            *out = i;
            return true;
        }
    return false;
}

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

#define DEFINE_NAMES(what, type, ...)                                          \
    static const char *const what##_names[] = {__VA_ARGS__};                   \
    const char *og_##what##_name(type value)                                   \
    {                                                                          \
        return (size_t)value < LENGTH(what##_names) ? what##_names[value]      \
                                                    : "unknown";               \
    }

#define DEFINE_PARSE(what, type)                                               \
    bool og_##what##_parse(og_bytes name, type *out)                           \
    {                                                                          \
        size_t place;                                                          \
        if (!find_name(name, what##_names, LENGTH(what##_names), &place))      \
            return false;                                                      \
        *out = (type)place;                                                    \
        return true;                                                           \
    }

DEFINE_NAMES(evict, og_evict_kind, "R", "LRU", "CC", "LS", "S3", "thin",
             "learn")
DEFINE_PARSE(evict, og_evict_kind)
DEFINE_NAMES(estimate, og_estimate_kind, "NB", "E", "B", "BE", "CX")
DEFINE_PARSE(estimate, og_estimate_kind)
DEFINE_NAMES(layout, og_layout_kind, "packed", "paper")
DEFINE_PARSE(layout, og_layout_kind)
DEFINE_NAMES(token, og_token_kind, "words", "chars", "lines", "dna")
DEFINE_PARSE(token, og_token_kind)
DEFINE_NAMES(how, og_how, "hit", "bridged", "expanded", "verified")

/* Rules of selection are a word and a number: the number follows it,
 * but before "th" and its like. */
struct rule {
    const char *word;
    og_select_kind kind;
    bool has_param;
    bool has_forms; /* N and S */
};

static const struct rule rules[] = {
    {"All", OG_SELECT_ALL, false, false},
    {"M", OG_SELECT_MODULO, true, true},
    {"W", OG_SELECT_WINNOW, true, true},
    {"Hb", OG_SELECT_HASH_BREAK, true, false},
    {"Dct", OG_SELECT_DCT, true, false},
    {"Hs", OG_SELECT_HAILSTORM, false, true},
    {"Os", OG_SELECT_SYNCMER, true, true},
};

/* A number without sign or leading 0 that ends where the name ends. */
static bool parse_param(og_bytes digits, uint32_t *out)
{
    if (digits.len == 0 || digits.len > 4) return false;
    uint32_t value = 0;
    for (size_t i = 0; i < digits.len; i++) {
        const char c = digits.data[i];
        if (c < '0' || c > '9') return false;
        value = value * 10 + (uint32_t)(c - '0');
    }
    if (digits.data[0] == '0' && digits.len > 1) return false;
    *out = value;
    return true;
}

static const char *ordinal_ending(uint32_t n)
{
    if (n % 100 >= 11 && n % 100 <= 13) return "th";
    switch (n % 10) {
    case 1: return "st";
    case 2: return "nd";
    case 3: return "rd";
    default: return "th";
    }
}

/* "4th", and whatever ending goes with the number in English. */
static bool parse_every(og_bytes name, og_select_options *out)
{
    uint32_t step;
    if (name.len < 3 ||
        !parse_param((og_bytes){name.data, name.len - 2}, &step))
        return false;
    const og_bytes ending = {name.data + name.len - 2, 2};
    if (step == 0 || !same(ending, ordinal_ending(step))) return false;
    *out = (og_select_options){.kind = OG_SELECT_EVERY, .param = step};
    return true;
}

static bool parse_rule(og_bytes name, const struct rule *rule,
                       og_select_options *out)
{
    const size_t word_len = strlen(rule->word);
    if (name.len < word_len || memcmp(name.data, rule->word, word_len) != 0)
        return false;
    const og_bytes digits = {name.data + word_len, name.len - word_len};
    uint32_t param = 0;
    if (rule->has_param ? !parse_param(digits, &param) : digits.len > 0)
        return false;
    const bool counts_from_0 = rule->kind == OG_SELECT_SYNCMER;
    if (rule->has_param && param == 0 && !counts_from_0) return false;
    *out = (og_select_options){.kind = rule->kind, .param = param};
    return true;
}

bool og_select_parse(og_bytes name, og_select_options *out)
{
    if (parse_every(name, out)) return true;
    const bool no_overlap = name.len > 1 && name.data[0] == 'N';
    const bool sparse = name.len > 1 && name.data[0] == 'S';
    const bool is_form = no_overlap || sparse;
    if (is_form) name = (og_bytes){name.data + 1, name.len - 1};
    for (size_t i = 0; i < LENGTH(rules); i++) {
        og_select_options found;
        if (!parse_rule(name, &rules[i], &found)) continue;
        if (is_form && !rules[i].has_forms) return false;
        found.no_overlap = no_overlap;
        found.sparse = sparse;
        *out = found;
        return true;
    }
    return false;
}

void og_select_name(const og_select_options *select, char out[16])
{
    if (select->kind == OG_SELECT_EVERY) {
        snprintf(out, 16, "%u%s", select->param, ordinal_ending(select->param));
        return;
    }
    const char *form = select->no_overlap ? "N" : select->sparse ? "S" : "";
    for (size_t i = 0; i < LENGTH(rules); i++) {
        if (rules[i].kind != select->kind) continue;
        if (rules[i].has_param)
            snprintf(out, 16, "%s%s%u", form, rules[i].word, select->param);
        else
            snprintf(out, 16, "%s%s", form, rules[i].word);
        return;
    }
    snprintf(out, 16, "unknown");
}

/* ---- checks ---- */

static og_status check_range(const char *what, uint64_t value, uint64_t least,
                             uint64_t most, og_error *err)
{
    if (value >= least && value <= most) return OG_OK;
    return og_error_set(err, OG_ERR_USAGE,
                        "%s is %llu, but must be %llu to %llu", what,
                        (unsigned long long)value, (unsigned long long)least,
                        (unsigned long long)most);
}

static bool needs_number(og_select_kind kind)
{
    return kind == OG_SELECT_EVERY || kind == OG_SELECT_MODULO ||
           kind == OG_SELECT_WINNOW || kind == OG_SELECT_HASH_BREAK ||
           kind == OG_SELECT_DCT;
}

static og_status check_select(const og_params *p, og_error *err)
{
    char name[16];
    og_select_name(&p->select, name);
    if (needs_number(p->select.kind) && p->select.param == 0)
        return og_error_set(err, OG_ERR_USAGE,
                            "the number of selection %s must be at least 1",
                            name);
    if (p->select.kind == OG_SELECT_SYNCMER &&
        p->select.param >= p->shingle_len)
        return og_error_set(err, OG_ERR_USAGE,
                            "selection %s names a token outside a shingle of "
                            "%u",
                            name, p->shingle_len);
    if (p->select.param > 1024)
        return og_error_set(err, OG_ERR_USAGE,
                            "the number of selection %s must be at most 1024",
                            name);
    return OG_OK;
}

og_status og_params_check(const og_params *params, og_error *err)
{
    TRY(check_range("the shingle length", params->shingle_len, 2,
                    OG_SHINGLE_MAX, err));
    TRY(check_range("the bridge limit", params->bridge_limit, 1, UINT32_MAX,
                    err));
    TRY(check_range("the number of slots in a bucket", params->bucket_slots, 4,
                    256, err));
    if ((params->bucket_slots & (params->bucket_slots - 1)) != 0)
        return og_error_set(err, OG_ERR_USAGE,
                            "the number of slots in a bucket is %u, but must "
                            "be a power of two",
                            params->bucket_slots);
    return check_select(params, err);
}
