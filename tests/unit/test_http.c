/* Responses of HTTP: their status, their type, and bodies in any packing. */

#include "tests/unit/stage_support.h"

#include "lib/source/web/http.h"
#include <string.h>
#include <zlib.h>

static og_bytes bytes(const char *s)
{
    return (og_bytes){s, strlen(s)};
}

static void expect(const char *message, int status, const char *body)
{
    struct og_http http;
    struct og_http_response r;
    og_http_init(&http, NULL);
    assert_int_equal(og_http_read(&http, bytes(message), 1000, &r, NULL),
                     OG_OK);
    assert_int_equal(r.status, status);
    assert_int_equal(r.body.len, strlen(body));
    assert_memory_equal(r.body.data, body, r.body.len);
    og_http_release(&http);
}

static void bodies(void **state)
{
    (void)state;
    expect("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nhello", 200,
           "hello");
    expect("HTTP/1.0 404 Not Found\r\n\r\n", 404, "");
    expect("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
           "5\r\nhello\r\n1;x=y\r\n!\r\n0\r\n\r\n",
           200, "hello!");
    /* It says so and is not. */
    expect("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nhello", 200,
           "hello");
}

static void packed_bodies(void **state)
{
    char message[400] = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n";
    const size_t head = strlen(message);
    struct og_http http;
    struct og_http_response r;
    og_error err;
    z_stream z = {0};
    (void)state;
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, 0),
                     Z_OK);
    z.next_in = (Bytef *)"hello hello hello";
    z.avail_in = 17;
    z.next_out = (Bytef *)message + head;
    z.avail_out = (uInt)(sizeof(message) - head);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    const og_bytes all = {message, head + z.total_out};
    deflateEnd(&z);
    og_http_init(&http, NULL);
    assert_int_equal(og_http_read(&http, all, 17, &r, &err), OG_OK);
    assert_int_equal(r.body.len, 17);
    assert_memory_equal(r.body.data, "hello hello hello", 17);
    assert_int_equal(og_http_read(&http, all, 16, &r, &err), OG_ERR_LIMIT);
    message[head + 10] = (char)0xff; /* there is no such block */
    assert_int_equal(og_http_read(&http, all, 1000, &r, &err), OG_ERR_INPUT);
    assert_true(err.message[0] != '\0');
    og_http_release(&http);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies),
        cmocka_unit_test(packed_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
