/* Files without a name. */

#define _GNU_SOURCE
#include "lib/os/temp_file.h"

#include "lib/os/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int og_temp_file_open(const char *folder, og_error *err)
{
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0) return fd;
    /* For file systems without unnamed files. */
    char *path;
    if (asprintf(&path, "%s/.origo-XXXXXX", folder) < 0) {
        og_error_memory(err, strlen(folder), "a file name");
        return -1;
    }
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    else
        og_file_failure(err, "write a temporary file in", folder, errno);
    free(path);
    return fd;
}

const char *og_temp_folder(void)
{
    const char *folder = getenv("TMPDIR");
    return folder != NULL && folder[0] != '\0' ? folder : "/tmp";
}

char *og_folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL) return strdup(".");
    const size_t len = slash == path ? 1 : (size_t)(slash - path);
    char *folder = malloc(len + 1);
    if (folder == NULL) return NULL;
    memcpy(folder, path, len);
    folder[len] = '\0';
    return folder;
}
