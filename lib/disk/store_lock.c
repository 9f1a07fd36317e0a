#define _GNU_SOURCE
#include "lib/disk/store_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <origo/document.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/checksum.h"
#include "lib/base/packing.h"
#include "lib/os/file.h"
#include "lib/os/new_file.h"

enum { WHO_LEN = 200, TEXT_LEN = 400 };

/* ---- its contents ---- */

static void print_safe(uint64_t safe, char *out, size_t out_cap)
{
    uint8_t bytes[8];
    og_store64(bytes, safe);
    snprintf(out, out_cap, "safe %" PRIu64 " %016" PRIx64 "\n", safe,
             og_checksum(bytes, sizeof(bytes)));
}

/* The line must be exactly what print_safe() prints for its number. */
static uint64_t parse_safe(const char *text)
{
    char same[80];
    uint64_t safe = 0;
    const char *line = strstr(text, "\nsafe ");
    if (line == NULL || sscanf(line + 6, "%20" SCNu64, &safe) != 1) return 0;
    print_safe(safe, same, sizeof(same));
    return strcmp(line + 1, same) == 0 ? safe : 0;
}

static uint64_t read_safe(int fd)
{
    char text[TEXT_LEN + 1];
    const int64_t n = og_file_read_at(fd, text, TEXT_LEN, 0);
    text[n > 0 ? n : 0] = 0;
    return parse_safe(text);
}

/* The text is informative and an extra check only: a full disk does not
 * matter. */
static void write_text(int fd, const char *who, uint64_t safe)
{
    char text[TEXT_LEN];
    char line[80] = "";
    if (safe > 0) print_safe(safe, line, sizeof(line));
    const int n = snprintf(text, sizeof(text), "%s%s", who, line);
    if (ftruncate(fd, 0) == 0) (void)!pwrite(fd, text, (size_t)n, 0);
}

uint64_t og_store_lock_safe(const char *folder)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/lock", folder);
    const int fd = og_file_open_own(path, O_RDONLY, 0);
    if (fd < 0) return 0;
    const uint64_t safe = read_safe(fd);
    close(fd);
    return safe;
}

bool og_store_is_locked(const char *folder)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/lock", folder);
    const int fd = og_file_open_own(path, O_RDONLY, 0);
    if (fd < 0) return false;
    const bool is_locked =
        flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    close(fd);
    return is_locked;
}

og_status og_store_lock_forget(int fd, og_error *err)
{
    if (ftruncate(fd, 0) == 0 && fdatasync(fd) == 0) return OG_OK;
    return og_file_failure(err, "write", "lock", errno);
}

void og_store_lock_end(int fd, uint64_t safe)
{
    write_text(fd, "nobody\n", safe);
}

/* ---- the lock ---- */

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

/* A writer writes its name only after it holds the lock: until then the text is
 * that of the previous writer, or empty. */
static og_status held_by_other(const char *what, const char *folder, int fd,
                               og_error *err)
{
    char who[WHO_LEN + 1];
    const ssize_t n = pread(fd, who, WHO_LEN, 0);
    who[n > 0 ? n : 0] = 0;
    who[strcspn(who, "\n")] = 0;
    const bool is_known = strncmp(who, "process ", 8) == 0;
    return og_error_set(err, OG_ERR_BUSY, "%s '%s' is in use by %s", what,
                        folder, is_known ? who : "another process");
}

/* Readers hold it for a moment to see whether another process writes. */
static int take_lock(int fd)
{
    enum { TRIES = 20 };
    const struct timespec pause = {0, 1000000};
    int result = flock(fd, LOCK_EX | LOCK_NB);
    for (int i = 1; i < TRIES && result != 0 && errno == EWOULDBLOCK; i++) {
        (void)nanosleep(&pause, NULL);
        result = flock(fd, LOCK_EX | LOCK_NB);
    }
    return result;
}

og_status og_folder_lock(const char *what, const char *folder, int *out_fd,
                         og_error *err)
{
    char path[4096];
    char who[WHO_LEN];
    const int len = snprintf(path, sizeof(path), "%s/lock", folder);
    if (len < 0 || (size_t)len >= sizeof(path))
        return og_error_set(err, OG_ERR_USAGE,
                            "the path '%.80s...' is too long", folder);
    const int fd = og_file_open_own(path, O_RDWR | O_CREAT, 0666);
    if (fd < 0) return og_file_failure(err, "open", path, errno);
    if (take_lock(fd) != 0) {
        const og_status status =
            errno == EWOULDBLOCK ? held_by_other(what, folder, fd, err)
                                 : og_file_failure(err, "lock", path, errno);
        close(fd);
        return status;
    }
    describe_self(who, sizeof(who));
    write_text(fd, who, read_safe(fd));
    *out_fd = fd;
    return OG_OK;
}

og_status og_store_lock(const char *folder, int *out_fd, og_error *err)
{
    return og_folder_lock("store", folder, out_fd, err);
}
