/* Messages between two sides: through real pipes, cut off, and from a side that
 * says nonsense. */

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/sync/sync_wire.h"

enum { N_MESSAGES = 200 };

struct side {
    int in_fd, out_fd;
    bool is_sender;
    og_sync_options options;
    og_status status;
    og_error err;
};

static size_t length_of(unsigned i)
{
    return i * i * 7 % 70000;
}

static og_status send_all(struct og_wire *wire, og_error *err)
{
    static uint8_t data[70000];
    for (unsigned i = 0; i < N_MESSAGES; i++) {
        memset(data, (int)i, sizeof(data));
        TRY(og_wire_put_bytes(wire, OG_WIRE_BYTES, data, length_of(i), 1, err));
    }
    return og_wire_flush(wire, err);
}

static void *run_sender(void *ctx)
{
    struct side *s = ctx;
    struct og_wire wire;
    s->status = og_wire_open(&wire, s->in_fd, s->out_fd, s->is_sender,
                             &s->options, &s->err);
    if (s->status != OG_OK) return NULL;
    s->status = send_all(&wire, &s->err);
    og_wire_close(&wire);
    return NULL;
}

static void messages_arrive(void **state)
{
    (void)state;
    for (int compress = 0; compress < 2; compress++) {
        int there[2], back[2];
        assert_int_equal(pipe(there), 0);
        assert_int_equal(pipe(back), 0);
        struct side sender = {.in_fd = back[0],
                              .out_fd = there[1],
                              .is_sender = true,
                              .options = og_sync_options_default()};
        og_sync_options options = og_sync_options_default();
        options.no_compress = sender.options.no_compress = compress == 0;
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, run_sender, &sender), 0);
        struct og_wire wire;
        og_error err;
        assert_int_equal(
            og_wire_open(&wire, there[0], back[1], false, &options, &err),
            OG_OK);
        for (unsigned i = 0; i < N_MESSAGES; i++) {
            struct og_unpacker u;
            assert_int_equal(og_wire_get(&wire, OG_WIRE_BYTES, &u, &err),
                             OG_OK);
            assert_int_equal(og_unpacker_left(&u), length_of(i));
            for (; u.at < u.end; u.at++)
                assert_int_equal(*u.at, (uint8_t)i);
        }
        pthread_join(thread, NULL);
        assert_int_equal(sender.status, OG_OK);
        og_wire_close(&wire);
        for (int i = 0; i < 2; i++) {
            close(there[i]);
            close(back[i]);
        }
    }
}

/* What a side that is none says. */
static void nonsense_is_refused(void **state)
{
    static const char *const words[] = {"", "hello", "GET / HTTP/1.1\r\n\r\n",
                                        "0123456789abcdef0123456789abcdef"};
    const og_sync_options options = og_sync_options_default();
    (void)state;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        struct og_wire wire;
        og_error err = {0};
        const og_status status =
            og_wire_open_memory(&wire, (const uint8_t *)words[i],
                                strlen(words[i]), false, &options, &err);
        assert_int_not_equal(status, OG_OK);
        assert_true(err.message[0] != '\0');
        og_wire_close(&wire); /* also after a failure */
    }
}

static void names_of_kinds(void **state)
{
    (void)state;
    assert_string_equal(og_wire_kind_name(OG_WIRE_ERROR), "error");
    assert_string_equal(og_wire_kind_name(OG_WIRE_DONE), "done");
    assert_string_equal(og_wire_kind_name((enum og_wire_kind)99), "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_arrive),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(names_of_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
