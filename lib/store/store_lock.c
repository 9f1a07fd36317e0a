#define _GNU_SOURCE
#include "lib/store/store_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "lib/os/new_file.h"

enum { WHO_LEN = 200 };

/* "process 4711 (origo add) since 2024-05-01T10:00:00Z" */
static void describe_self(char *out, size_t out_cap)
{
    char name[64] = "unknown";
    char since[40] = "";
    struct timespec now;
    FILE *comm = fopen("/proc/self/comm", "re");
    if (comm != NULL) {
        if (fgets(name, sizeof(name), comm) == NULL) name[0] = 0;
        name[strcspn(name, "\n")] = 0;
        fclose(comm);
    }
    clock_gettime(CLOCK_REALTIME, &now);
    og_time_format((int64_t)now.tv_sec * 1000000, since);
    snprintf(out, out_cap, "process %ld (%s) since %s\n", (long)getpid(), name,
             since);
}

static og_status held_by_other(const char *folder, int fd, og_error *err)
{
    char who[WHO_LEN + 1];
    const ssize_t n = pread(fd, who, WHO_LEN, 0);
    who[n > 0 ? n : 0] = 0;
    who[strcspn(who, "\n")] = 0;
    return og_error_set(err, OG_ERR_STORE,
                        "store '%s' is being written by %s; only one writer "
                        "can be at work",
                        folder, who[0] != 0 ? who : "another process");
}

og_status og_store_lock(const char *folder, int *out_fd, og_error *err)
{
    char path[4096];
    char who[WHO_LEN];
    snprintf(path, sizeof(path), "%s/lock", folder);
    const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) return og_file_failure(err, "open", path, errno);
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        const og_status status =
            errno == EWOULDBLOCK ? held_by_other(folder, fd, err)
                                 : og_file_failure(err, "lock", path, errno);
        close(fd);
        return status;
    }
    describe_self(who, sizeof(who));
    /* What it says is a courtesy: a full disk does not matter. */
    if (ftruncate(fd, 0) == 0) (void)!pwrite(fd, who, strlen(who), 0);
    *out_fd = fd;
    return OG_OK;
}
