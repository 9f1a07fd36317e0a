/* The floor of bench_server.py: a bare handler of libmicrohttpd, with the
 * flags of origo serve, that answers with the bytes that it was sent.
 *
 *     echo_http THREADS      prints its address, ends with stdin */

#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct body {
    char *data;
    size_t len, cap;
};

static enum MHD_Result on_access(void *ctx, struct MHD_Connection *connection,
                                 const char *url, const char *method,
                                 const char *version, const char *data,
                                 size_t *len, void **con_cls)
{
    struct body *b = *con_cls;
    (void)ctx, (void)url, (void)method, (void)version;
    if (b == NULL) {
        *con_cls = calloc(1, sizeof(struct body));
        return *con_cls != NULL ? MHD_YES : MHD_NO;
    }
    if (*len > 0) {
        if (b->cap - b->len < *len) {
            b->cap = 2 * (b->len + *len);
            b->data = realloc(b->data, b->cap);
            if (b->data == NULL) return MHD_NO;
        }
        memcpy(b->data + b->len, data, *len);
        b->len += *len;
        *len = 0;
        return MHD_YES;
    }
    struct MHD_Response *response =
        MHD_create_response_from_buffer(b->len, b->data, MHD_RESPMEM_MUST_FREE);
    if (response == NULL) return MHD_NO;
    b->data = NULL;
    const enum MHD_Result queued =
        MHD_queue_response(connection, 200, response);
    MHD_destroy_response(response);
    return queued;
}

static void on_end(void *ctx, struct MHD_Connection *connection, void **con_cls,
                   enum MHD_RequestTerminationCode code)
{
    struct body *b = *con_cls;
    (void)ctx, (void)connection, (void)code;
    if (b != NULL) free(b->data);
    free(b);
}

int main(int argc, char **argv)
{
    const unsigned n_threads = argc > 1 ? (unsigned)atoi(argv[1]) : 2;
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct MHD_Daemon *daemon = MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME |
            MHD_USE_TURBO,
        0, NULL, NULL, on_access, NULL, MHD_OPTION_SOCK_ADDR, &address,
        MHD_OPTION_THREAD_POOL_SIZE, n_threads, MHD_OPTION_NOTIFY_COMPLETED,
        on_end, NULL, MHD_OPTION_END);
    if (daemon == NULL) return 3;
    const union MHD_DaemonInfo *info =
        MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
    printf("listening on http://127.0.0.1:%u\n", info != NULL ? info->port : 0);
    fflush(stdout);
    while (getchar() != EOF) {
    }
    MHD_stop_daemon(daemon);
    return 0;
}
