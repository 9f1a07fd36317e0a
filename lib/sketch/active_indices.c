/* Weighted sampling over active indices (weighted.h): three ways.
 *
 *     copies    whole weights: every feature that many times, then `auto`
 *     active    Gollapudi and Panigrahy: all active indices below the weight,
 *               a better value at each; steps grow with the logarithm
 *     interval  the book, 5.1: only y and z around the weight; the value is
 *               drawn from the distribution it must have, given z
 *
 * Values are on the scale g = -ln x, x being the book's value in (0, 1): the
 * smallest wins. On that scale the best of a stretch of length w is exponential
 * with rate w, and the next better value at an active index is uniform below
 * the last. */

#include "lib/sketch/weighted.h"

/* ---- copies ---- */

/* A larger sum is a mistake rather than a weight. */
#define COPIES_MAX ((uint64_t)1 << 28)

static og_status count_copies(const float *w, size_t n, uint64_t *out,
                              og_error *err)
{
    *out = 0;
    for (size_t i = 0; i < n; i++) {
        if (w[i] != floorf(w[i]))
            return og_error_set(err, OG_ERR_INPUT,
                                "weight %g of feature %zu of %zu: method "
                                "'copies' takes whole numbers",
                                (double)w[i], i + 1, n);
        if (w[i] > (float)COPIES_MAX || (*out += (uint64_t)w[i]) > COPIES_MAX)
            return og_error_set(err, OG_ERR_LIMIT,
                                "weights add up to more than %llu copies",
                                (unsigned long long)COPIES_MAX);
    }
    return OG_OK;
}

og_status og_minhash_copies(struct og_minhash *m, const uint64_t *x,
                            const float *w, size_t n, uint32_t *out,
                            og_error *err)
{
    uint64_t n_copies;
    size_t n_set = 0;
    TRY(count_copies(w, n, &n_copies, err));
    if (!OG_GROW(m->allocator, m->set, m->set_cap, n_copies))
        return og_error_memory(err, n_copies * sizeof(*m->set), "copies");
    for (size_t i = 0; i < n; i++)
        for (uint32_t copy = 0; copy < (uint32_t)w[i]; copy++)
            m->set[n_set++] =
                copy == 0 ? x[i] : og_mix64(x[i] + 0x9e3779b97f4a7c15u * copy);
    og_minhash_auto(m, m->set, n_set, out);
    return OG_OK;
}

/* ---- Gollapudi and Panigrahy ---- */

/* Active indices continue towards 0 without end; below this value the line is
 * one piece. Weights must not be smaller. */
#define FLOOR_EXPONENT (-10)

/* From the floor upwards: better values than g come with rate g, so the next
 * active index is an exponential step away, and its value is uniform below g.
 * (The book draws indices and values separately. They are not independent: a
 * long stretch without a new best means that the best is good. In tests that
 * form missed the similarity by a fifth.) One stream serves all weights; the
 * number of steps is the logarithm of the weight. */
static double active_value(struct og_ioffe_chain *chain, double w, double *y)
{
    double index = ldexp(1, FLOOR_EXPONENT);
    chain->state = og_mix64(chain->key ^ 0x676f6c6c61707564u);
    double g = -log(og_ioffe_chain_draw(chain)) / index;
    for (;;) {
        *y = index;
        index += -log(og_ioffe_chain_draw(chain)) / g;
        if (!(index <= w)) return g;
        g *= og_ioffe_chain_draw(chain);
    }
}

og_status og_minhash_active(struct og_minhash *m, const uint64_t *x,
                            const float *w, size_t n, uint32_t *out,
                            og_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (w[i] < ldexpf(1, FLOOR_EXPONENT))
            return og_error_set(err, OG_ERR_INPUT,
                                "weight %g of feature %zu of %zu: method "
                                "'active' takes 1/1024 or more",
                                (double)w[i], i + 1, n);
    for (size_t s = 0; s < m->options.n_samples; s++) {
        double best = INFINITY;
        for (size_t i = 0; i < n; i++) {
            const uint64_t hash = og_family_hash(&m->family, x[i]);
            struct og_ioffe_chain chain =
                og_ioffe_chain_of(hash, s, &m->n_bits_used);
            double y;
            const double g = active_value(&chain, w[i], &y);
            if (g >= best) continue;
            best = g;
            out[s] = og_sample_at(hash, y);
        }
    }
    return OG_OK;
}

/* ---- constant expected time ---- */

void og_ioffe_chain_bracket(struct og_ioffe_chain *chain, double w, double *y,
                            double *z)
{
    const int home = og_interval_of(w);
    *y = *z = 0;
    og_ioffe_chain_seek(chain, home);
    double a = og_ioffe_chain_last(chain);
    for (; a > w; a = og_ioffe_chain_before(chain, a))
        *z = a;
    *y = a; /* 0 if there is none in this interval */
    for (int i = home - 1; *y == 0; i--) {
        og_ioffe_chain_seek(chain, i);
        *y = og_ioffe_chain_last(chain);
    }
    for (int i = home + 1; *z == 0; i++) {
        og_ioffe_chain_seek(chain, i);
        for (a = og_ioffe_chain_last(chain); a != 0;
             a = og_ioffe_chain_before(chain, a))
            *z = a;
    }
}

/* Newton's method on ln(1 + t) - t = ln p, which is concave: after the first
 * step all iterates approach from the same side. */
double og_second_largest(double p)
{
    const double target = log(p);
    double t = -target + sqrt(-2 * target); /* a good start at both ends */
    for (int i = 0; i < 50 && t > 0; i++) {
        const double step = (log1p(t) - t - target) * (1 + t) / t;
        t += step;
        if (fabs(step) <= 1e-15 * t) break;
    }
    return t > 0 ? t : 0;
}

/* The probability belongs to feature and sample, not to z (the book says both):
 * a smaller weight must never get a better value. Whether it wins is decided
 * without the inverse: t < g z if the distribution at g z is below p. Only a
 * winner's t is computed. */
void og_minhash_interval(struct og_minhash *m, const uint64_t *x,
                         const float *w, size_t n, uint32_t *out)
{
    for (size_t s = 0; s < m->options.n_samples; s++) {
        double best = INFINITY;
        for (size_t i = 0; i < n; i++) {
            const uint64_t hash = og_family_hash(&m->family, x[i]);
            struct og_ioffe_chain chain =
                og_ioffe_chain_of(hash, s, &m->n_bits_used);
            double y, z;
            og_ioffe_chain_bracket(&chain, w[i], &y, &z);
            const double p = og_ioffe_chain_probability(&chain);
            m->n_bits_used += 64;
            const double t = best * z;
            if (best != INFINITY && (1 + t) * exp(-t) >= p) continue;
            best = og_second_largest(p) / z;
            out[s] = og_sample_at(hash, y);
        }
    }
}
