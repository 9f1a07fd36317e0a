#include "lib/remote/redis_tls.h"

#include <limits.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdlib.h>

struct og_tls {
    SSL_CTX *context;
    SSL *ssl;
    BIO *in, *out; /* the ssl's own */
};

static og_status failure(const char *what, og_status status, og_error *err)
{
    char why[160] = "no reason is given";
    const unsigned long code = ERR_peek_last_error();
    if (code != 0) ERR_error_string_n(code, why, sizeof(why));
    ERR_clear_error();
    return og_error_set(err, status, "%s: %s", what, why);
}

static og_status trust(SSL_CTX *context, og_error *err)
{
    const char *file = getenv("ORIGO_REDIS_CA");
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    if (SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) != 1)
        return failure("TLS 1.2 is not there", OG_ERR_USAGE, err);
    if (file == NULL || file[0] == 0) {
        (void)SSL_CTX_set_default_verify_paths(context);
        return OG_OK;
    }
    if (SSL_CTX_load_verify_locations(context, file, NULL) == 1) return OG_OK;
    return failure("cannot read the file of ORIGO_REDIS_CA", OG_ERR_USAGE, err);
}

/* A name, or the numbers of an address. */
static bool expect_host(SSL *ssl, const char *host)
{
    X509_VERIFY_PARAM *param = SSL_get0_param(ssl);
    if (X509_VERIFY_PARAM_set1_ip_asc(param, host) == 1) return true;
    ERR_clear_error();
    return SSL_set1_host(ssl, host) == 1 &&
           SSL_set_tlsext_host_name(ssl, host) == 1;
}

og_status og_tls_new(const char *host, struct og_tls **out, og_error *err)
{
    struct og_tls *tls = og_allocate_zero(NULL, sizeof(*tls));
    *out = tls;
    if (tls == NULL) return og_error_memory(err, sizeof(*tls), "TLS");
    tls->context = SSL_CTX_new(TLS_client_method());
    if (tls->context == NULL) return og_error_memory(err, 1, "TLS");
    TRY(trust(tls->context, err));
    tls->ssl = SSL_new(tls->context);
    tls->in = BIO_new(BIO_s_mem());
    tls->out = BIO_new(BIO_s_mem());
    if (tls->ssl == NULL || tls->in == NULL || tls->out == NULL) {
        BIO_free(tls->in);
        BIO_free(tls->out);
        return og_error_memory(err, 1, "TLS");
    }
    SSL_set_bio(tls->ssl, tls->in, tls->out);
    SSL_set_connect_state(tls->ssl);
    if (!expect_host(tls->ssl, host))
        return failure("the host is no name", OG_ERR_USAGE, err);
    return OG_OK;
}

void og_tls_free(struct og_tls *tls)
{
    if (tls == NULL) return;
    SSL_free(tls->ssl);
    SSL_CTX_free(tls->context);
    og_release(NULL, tls, sizeof(*tls));
}

og_status og_tls_shake(struct og_tls *tls, og_error *err)
{
    ERR_clear_error();
    const int done = SSL_do_handshake(tls->ssl);
    if (done == 1) return OG_OK;
    if (SSL_get_error(tls->ssl, done) == SSL_ERROR_WANT_READ) return OG_END;
    const long verified = SSL_get_verify_result(tls->ssl);
    if (verified == X509_V_OK)
        return failure("there is no TLS", OG_ERR_USAGE, err);
    ERR_clear_error();
    return og_error_set(err, OG_ERR_USAGE, "its certificate is not good: %s",
                        X509_verify_cert_error_string(verified));
}

og_status og_tls_feed(struct og_tls *tls, const void *data, size_t len,
                      og_error *err)
{
    if (len > INT_MAX || BIO_write(tls->in, data, (int)len) != (int)len)
        return og_error_memory(err, len, "TLS");
    return OG_OK;
}

og_status og_tls_read(struct og_tls *tls, struct og_pack *out, og_error *err)
{
    char bytes[16384];
    for (;;) {
        ERR_clear_error();
        const int n = SSL_read(tls->ssl, bytes, sizeof(bytes));
        if (n > 0) {
            og_pack_bytes(out, bytes, (size_t)n);
            if (out->failed) return og_error_memory(err, (size_t)n, "a reply");
            continue;
        }
        if (SSL_get_error(tls->ssl, n) == SSL_ERROR_WANT_READ) return OG_OK;
        return failure("TLS ended", OG_ERR_IO, err);
    }
}

og_status og_tls_write(struct og_tls *tls, const void *data, size_t len,
                       og_error *err)
{
    const char *at = data;
    for (size_t n; len > 0; at += n, len -= n) {
        n = len < INT_MAX / 2 ? len : INT_MAX / 2;
        ERR_clear_error();
        /* The output buffer accepts everything. */
        if (SSL_write(tls->ssl, at, (int)n) != (int)n)
            return failure("TLS ended", OG_ERR_IO, err);
    }
    return OG_OK;
}

og_status og_tls_drain(struct og_tls *tls, struct og_pack *out, og_error *err)
{
    char bytes[16384];
    int n;
    while ((n = BIO_read(tls->out, bytes, sizeof(bytes))) > 0)
        og_pack_bytes(out, bytes, (size_t)n);
    return out->failed ? og_error_memory(err, sizeof(bytes), "TLS") : OG_OK;
}
