/* Min-hash: names, checks, and the entry point of all methods.
 *
 * Which method should be the default? Sketches of two methods cannot be
 * compared, so a default that chose the method by the size of the set would
 * fail for pairs across the limit. `auto` chooses sample by sample instead:
 * one-permutation hashing where a bin has features, further rounds of it where
 * it has none, and exact sampling where the bin is still empty. For long sets
 * that is the time of one permutation, for short ones less than that of the
 * exact form; its variance is never more than that of the exact form.
 * docs/evaluation.md has the figures. */

#include "lib/sketch/minhash.h"

#include <math.h>
#include <string.h>

/* ---- names ---- */

static const char *const names[OG_MINHASH_METHOD_END] = {
    "auto",   "exact",    "one",      "super",  "byte",
    "zeros",  "biased",   "smallest", "modulo", "copies",
    "active", "interval", "ioffe",    "ioffe0", "coarse"};

bool og_minhash_method_parse(og_bytes name, og_minhash_method *out)
{
    for (int i = 0; i < OG_MINHASH_METHOD_END; i++) {
        if (strlen(names[i]) != name.len ||
            memcmp(names[i], name.data, name.len) != 0)
            continue;
        *out = (og_minhash_method)i;
        return true;
    }
    return false;
}

const char *og_minhash_method_name(og_minhash_method method)
{
    return (unsigned)method < OG_MINHASH_METHOD_END ? names[method] : "?";
}

bool og_minhash_is_weighted(og_minhash_method method)
{
    return method >= OG_MINHASH_COPIES && method < OG_MINHASH_METHOD_END;
}

bool og_minhash_is_set(og_minhash_method method)
{
    return method == OG_MINHASH_SMALLEST || method == OG_MINHASH_MODULO;
}

/* ---- options ---- */

og_minhash_options og_minhash_options_default(void)
{
    /* 84 samples: the book's number, 6 supershingles over 14 samples. */
    return (og_minhash_options){.method = OG_MINHASH_AUTO,
                                .family = OG_FAMILY_MIX,
                                .n_samples = 84,
                                .n_bits = 32,
                                .modulus = 32,
                                .seed = 0};
}

og_status og_minhash_options_check(const og_minhash_options *o, og_error *err)
{
    if ((unsigned)o->method >= OG_MINHASH_METHOD_END)
        return og_error_set(err, OG_ERR_USAGE, "no such min-hash method: %d",
                            (int)o->method);
    if ((unsigned)o->family >= OG_FAMILY_END)
        return og_error_set(err, OG_ERR_USAGE, "no such hash family: %d",
                            (int)o->family);
    if (o->n_samples < 1 || o->n_samples > OG_SAMPLES_MAX)
        return og_error_set(err, OG_ERR_USAGE, "'%u' samples: must be 1 to %d",
                            (unsigned)o->n_samples, OG_SAMPLES_MAX);
    if (o->n_bits != 32 && (o->n_bits < 1 || o->n_bits > 16))
        return og_error_set(err, OG_ERR_USAGE,
                            "'%u' bits of a sample: must be 1 to 16, or 32",
                            (unsigned)o->n_bits);
    if (o->n_bits != 32 && og_minhash_is_set(o->method))
        return og_error_set(
            err, OG_ERR_USAGE, "method '%s' keeps whole hashes, not %u bits",
            og_minhash_method_name(o->method), (unsigned)o->n_bits);
    if (o->modulus < 1)
        return og_error_set(err, OG_ERR_USAGE, "the modulus must be 1 or more");
    return OG_OK;
}

/* ---- making ---- */

static bool needs_lanes(og_minhash_method method)
{
    return method == OG_MINHASH_AUTO || method == OG_MINHASH_EXACT ||
           method == OG_MINHASH_COPIES;
}

static bool is_lazy(og_minhash_method method)
{
    return method == OG_MINHASH_BYTE || method == OG_MINHASH_ZEROS ||
           method == OG_MINHASH_BIASED;
}

/* n_samples, rounded up to whole vectors. */
static size_t n_wide(const struct og_minhash *m)
{
    return (m->options.n_samples + OG_LANES - 1) / OG_LANES * OG_LANES;
}

static bool allocate_scratch(struct og_minhash *m)
{
    const size_t n = m->options.n_samples;
    m->least = og_allocate(m->allocator, n_wide(m) * sizeof(*m->least));
    if (m->least == NULL) return false;
    if (m->options.method == OG_MINHASH_SUPER) {
        m->super_value = og_allocate(m->allocator, n * sizeof(uint64_t));
        m->super_order = og_allocate(m->allocator, 3 * n * sizeof(uint32_t));
        return m->super_value != NULL && m->super_order != NULL;
    }
    if (is_lazy(m->options.method)) {
        m->contest = og_allocate(m->allocator, n * og_contest_size());
        return m->contest != NULL;
    }
    return true;
}

og_status og_minhash_new_with(const og_minhash_options *options,
                              const og_allocator *allocator, og_minhash **out,
                              og_error *err)
{
    TRY(og_minhash_options_check(options, err));
    struct og_minhash *m = og_allocate_zero(allocator, sizeof(*m));
    if (m == NULL) return og_error_memory(err, sizeof(*m), "min-hash");
    m->allocator = allocator;
    m->options = *options;
    const size_t n_lanes =
        needs_lanes(options->method) ? options->n_samples : 0;
    const og_status status = og_family_init(
        &m->family, options->family, options->seed, n_lanes, allocator, err);
    if (status != OG_OK) {
        og_release(allocator, m, sizeof(*m));
        return status;
    }
    if (!allocate_scratch(m)) {
        og_minhash_free(m);
        return og_error_memory(err, options->n_samples * sizeof(uint32_t),
                               "samples");
    }
    *out = m;
    return OG_OK;
}

og_status og_minhash_new(const og_minhash_options *options, og_minhash **out,
                         og_error *err)
{
    return og_minhash_new_with(options, NULL, out, err);
}

void og_minhash_free(og_minhash *m)
{
    if (m == NULL) return;
    const og_allocator *a = m->allocator;
    const size_t n = m->options.n_samples;
    og_family_release(&m->family);
    og_release(a, m->least, n_wide(m) * sizeof(*m->least));
    og_release(a, m->super_value, n * sizeof(uint64_t));
    og_release(a, m->super_order, 3 * n * sizeof(uint32_t));
    og_release(a, m->contest, n * og_contest_size());
    OG_UNGROW(a, m->set, m->set_cap);
    OG_UNGROW(a, m->feature, m->feature_cap);
    OG_UNGROW(a, m->weight, m->weight_cap);
    og_release(a, m, sizeof(*m));
}

/* ---- the door ---- */

static void take_set(struct og_minhash *m, const uint64_t *x, size_t n,
                     uint32_t *out)
{
    switch (m->options.method) {
    case OG_MINHASH_EXACT: og_minhash_exact(m, x, n, out); break;
    case OG_MINHASH_ONE: og_minhash_one(m, x, n, out); break;
    case OG_MINHASH_SUPER: og_minhash_super(m, x, n, out); break;
    case OG_MINHASH_BYTE: og_minhash_byte(m, x, n, out); break;
    case OG_MINHASH_ZEROS: og_minhash_zeros(m, x, n, out); break;
    case OG_MINHASH_BIASED: og_minhash_biased(m, x, n, out); break;
    default: og_minhash_auto(m, x, n, out); break;
    }
}

static og_status take_weighted(struct og_minhash *m, const uint64_t *x,
                               const float *w, size_t n, uint32_t *out,
                               og_error *err)
{
    switch (m->options.method) {
    case OG_MINHASH_COPIES: return og_minhash_copies(m, x, w, n, out, err);
    case OG_MINHASH_ACTIVE: return og_minhash_active(m, x, w, n, out, err);
    case OG_MINHASH_COARSE: return og_minhash_coarse(m, x, w, n, out, err);
    case OG_MINHASH_INTERVAL: og_minhash_interval(m, x, w, n, out); break;
    default: og_minhash_ioffe(m, x, w, n, out); break;
    }
    return OG_OK;
}

static og_status check_weights(const float *weights, size_t n, og_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (!(weights[i] >= 0) || isinf(weights[i]))
            return og_error_set(err, OG_ERR_INPUT,
                                "weight %g of feature %zu of %zu: must be a "
                                "finite number, 0 or more",
                                (double)weights[i], i + 1, n);
    return OG_OK;
}

/* Copies features of positive weight to m->feature and m->weight. */
static og_status keep_positive(struct og_minhash *m, const uint64_t *x,
                               const float *weights, size_t n, size_t *out_n,
                               og_error *err)
{
    size_t n_kept = 0;
    if (!OG_GROW(m->allocator, m->feature, m->feature_cap, n) ||
        !OG_GROW(m->allocator, m->weight, m->weight_cap, n))
        return og_error_memory(err, n * sizeof(*x), "weighted features");
    for (size_t i = 0; i < n; i++) {
        m->feature[n_kept] = x[i];
        m->weight[n_kept] = weights == NULL ? 1 : weights[i];
        n_kept += m->weight[n_kept] > 0;
    }
    *out_n = n_kept;
    return OG_OK;
}

og_status og_minhash_samples(og_minhash *m, const uint64_t *features,
                             const float *weights, size_t n, uint32_t *out,
                             og_error *err)
{
    if (og_minhash_is_set(m->options.method))
        return og_error_set(err, OG_ERR_USAGE,
                            "method '%s' gives a set of samples",
                            og_minhash_method_name(m->options.method));
    const bool is_weighted = og_minhash_is_weighted(m->options.method);
    if (is_weighted) {
        if (weights != NULL) TRY(check_weights(weights, n, err));
        TRY(keep_positive(m, features, weights, n, &n, err));
    }
    if (n == 0) {
        memset(out, 0xff, m->options.n_samples * sizeof(*out));
        return OG_OK;
    }
    if (is_weighted)
        return take_weighted(m, m->feature, m->weight, n, out, err);
    take_set(m, features, n, out);
    return OG_OK;
}

og_status og_minhash_sample_set(og_minhash *m, const uint64_t *features,
                                size_t n, const uint64_t **out, size_t *out_n,
                                og_error *err)
{
    if (!og_minhash_is_set(m->options.method))
        return og_error_set(err, OG_ERR_USAGE,
                            "method '%s' gives a row of samples, not a set",
                            og_minhash_method_name(m->options.method));
    *out_n = 0;
    TRY((m->options.method == OG_MINHASH_SMALLEST
             ? og_minhash_smallest
             : og_minhash_modulo)(m, features, n, out_n, err));
    *out = m->set;
    return OG_OK;
}
