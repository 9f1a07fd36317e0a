#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/os/file.h"

static void test_open(void **state)
{
    (void)state;
    const int fd = og_file_open("/dev/null");
    char c;
    assert_true(fd >= 0);
    assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    assert_int_equal(og_file_read(fd, &c, 1), 0);
    close(fd);
    errno = 0;
    assert_int_equal(og_file_open("/nonexistent/file"), -1);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(og_file_read(-1, &c, 1), -1);
    assert_int_equal(errno, EBADF);
}

static void test_error_text(void **state)
{
    char text[80], little[4];
    (void)state;
    assert_string_equal(og_file_error_text(ENOENT, text, sizeof(text)),
                        "no such file or directory");
    assert_string_equal(og_file_error_text(EACCES, text, sizeof(text)),
                        "permission denied");
    assert_string_equal(og_file_error_text(ENOENT, little, sizeof(little)),
                        "no ");
    assert_true(strlen(og_file_error_text(99999, text, sizeof(text))) > 0);
}

static int write_end;
static volatile sig_atomic_t n_alarms;

static void on_alarm(int signal)
{
    (void)signal;
    if (++n_alarms == 3 && write(write_end, "x", 1) != 1) _exit(1);
}

/* A blocking read is interrupted three times and continues. */
static void test_signals(void **state)
{
    int ends[2];
    char c = 0;
    (void)state;
    assert_int_equal(pipe(ends), 0);
    write_end = ends[1];
    struct sigaction action = {.sa_handler = on_alarm}; /* no SA_RESTART */
    assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
    const struct itimerval every = {{0, 5000}, {0, 5000}}, never = {0};
    setitimer(ITIMER_REAL, &every, NULL);
    assert_int_equal(og_file_read(ends[0], &c, 1), 1);
    setitimer(ITIMER_REAL, &never, NULL);
    assert_true(n_alarms >= 3);
    assert_int_equal(c, 'x');
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_open),
        cmocka_unit_test(test_error_text),
        cmocka_unit_test(test_signals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
