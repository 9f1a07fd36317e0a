/* TLS between two buffers, with a server of OpenSSL on the other side and a
 * certificate that is made here. */

#define _GNU_SOURCE
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <unistd.h>

#include "lib/remote/redis_tls.h"
#include "tests/unit/stage_support.h"

static EVP_PKEY *key;
static X509 *certificate;
static char ca_path[64];

static void add_name(X509 *x, const char *names)
{
    X509_EXTENSION *e =
        X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name, names);
    assert_non_null(e);
    assert_int_equal(X509_add_ext(x, e, -1), 1);
    X509_EXTENSION_free(e);
}

/* Of its own authority, for an address and a name. */
static int make_certificate(void **state)
{
    (void)state;
    key = EVP_EC_gen("P-256");
    certificate = X509_new();
    assert_non_null(key);
    X509_set_version(certificate, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_set_pubkey(certificate, key);
    X509_NAME *name = X509_get_subject_name(certificate);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                               (const unsigned char *)"test", -1, -1, 0);
    X509_set_issuer_name(certificate, name);
    add_name(certificate, "IP:127.0.0.1,DNS:table.example");
    assert_true(X509_sign(certificate, key, EVP_sha256()) > 0);
    const char *folder = getenv("TMPDIR");
    snprintf(ca_path, sizeof(ca_path), "%.40s/origo-ca-XXXXXX",
             folder != NULL ? folder : "/tmp");
    const int fd = mkstemp(ca_path);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    assert_int_equal(PEM_write_X509(file, certificate), 1);
    fclose(file);
    return 0;
}

static int drop_certificate(void **state)
{
    (void)state;
    unlink(ca_path);
    X509_free(certificate);
    EVP_PKEY_free(key);
    return 0;
}

struct server {
    SSL_CTX *context;
    SSL *ssl;
    BIO *in, *out;
};

static void start_server(struct server *s)
{
    s->context = SSL_CTX_new(TLS_server_method());
    assert_int_equal(SSL_CTX_use_certificate(s->context, certificate), 1);
    assert_int_equal(SSL_CTX_use_PrivateKey(s->context, key), 1);
    s->ssl = SSL_new(s->context);
    s->in = BIO_new(BIO_s_mem());
    s->out = BIO_new(BIO_s_mem());
    SSL_set_bio(s->ssl, s->in, s->out);
    SSL_set_accept_state(s->ssl);
}

static void stop_server(struct server *s)
{
    SSL_free(s->ssl);
    SSL_CTX_free(s->context);
}

/* What each side has to say goes to the other. */
static void exchange(struct server *s, struct og_tls *tls)
{
    struct og_pack out = {0};
    char bytes[4096];
    int n;
    assert_int_equal(og_tls_drain(tls, &out, NULL), OG_OK);
    if (out.len > 0) BIO_write(s->in, out.data, (int)out.len);
    og_pack_release(&out);
    if (!SSL_is_init_finished(s->ssl)) SSL_do_handshake(s->ssl);
    while ((n = BIO_read(s->out, bytes, sizeof(bytes))) > 0)
        assert_int_equal(og_tls_feed(tls, bytes, (size_t)n, NULL), OG_OK);
}

static og_status shake(struct server *s, struct og_tls *tls, og_error *err)
{
    for (unsigned i = 0; i < 10; i++) {
        const og_status status = og_tls_shake(tls, err);
        if (status != OG_OK && status != OG_END) return status;
        exchange(s, tls);
        if (status == OG_OK) return OG_OK;
    }
    fail_msg("the handshake does not end");
    return OG_ERR_IO;
}

static og_status try_host(const char *host, og_error *err)
{
    struct server s;
    struct og_tls *tls;
    start_server(&s);
    og_status status = og_tls_new(host, &tls, err);
    if (status == OG_OK) status = shake(&s, tls, err);
    og_tls_free(tls);
    stop_server(&s);
    return status;
}

static void test_hosts(void **state)
{
    og_error err = {0};
    (void)state;
    setenv("ORIGO_REDIS_CA", ca_path, 1);
    assert_int_equal(try_host("127.0.0.1", &err), OG_OK);
    assert_int_equal(try_host("table.example", &err), OG_OK);
    assert_int_equal(try_host("other.example", &err), OG_ERR_USAGE);
    assert_non_null(strstr(err.message, "certificate"));
    assert_int_equal(try_host("127.0.0.2", &err), OG_ERR_USAGE);
    setenv("ORIGO_REDIS_CA", "/nowhere/ca.pem", 1);
    assert_int_equal(try_host("127.0.0.1", &err), OG_ERR_USAGE);
    assert_non_null(strstr(err.message, "ORIGO_REDIS_CA"));
    /* The system knows nothing of it. */
    unsetenv("ORIGO_REDIS_CA");
    assert_int_equal(try_host("127.0.0.1", &err), OG_ERR_USAGE);
}

static void test_bytes(void **state)
{
    enum { N = 100000 };
    static char sent[N], got[N];
    struct server s;
    struct og_tls *tls;
    struct og_pack in = {0};
    og_error err = {0};
    (void)state;
    setenv("ORIGO_REDIS_CA", ca_path, 1);
    for (size_t i = 0; i < N; i++)
        sent[i] = (char)(i * i >> 3);
    start_server(&s);
    assert_int_equal(og_tls_new("127.0.0.1", &tls, &err), OG_OK);
    assert_int_equal(shake(&s, tls, &err), OG_OK);
    assert_int_equal(og_tls_write(tls, sent, N, &err), OG_OK);
    exchange(&s, tls);
    int len = 0, n;
    while (len < N && (n = SSL_read(s.ssl, got + len, N - len)) > 0)
        len += n;
    assert_int_equal(len, N);
    assert_memory_equal(got, sent, N);
    assert_int_equal(SSL_write(s.ssl, sent, N), N);
    exchange(&s, tls);
    assert_int_equal(og_tls_read(tls, &in, &err), OG_OK);
    assert_int_equal(in.len, N);
    assert_memory_equal(in.data, sent, N);
    /* Something else than TLS comes in. */
    assert_int_equal(og_tls_feed(tls, "-ERR this is no TLS\r\n", 21, &err),
                     OG_OK);
    assert_int_equal(og_tls_read(tls, &in, &err), OG_ERR_IO);
    og_pack_release(&in);
    og_tls_free(tls);
    stop_server(&s);
    unsetenv("ORIGO_REDIS_CA");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hosts),
        cmocka_unit_test(test_bytes),
    };
    return cmocka_run_group_tests(tests, make_certificate, drop_certificate);
}
