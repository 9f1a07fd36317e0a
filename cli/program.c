/* Finds another program of origo, and replaces this process by it. */

#include "program.h"

#include "say.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* As seen from this program: installed, in the build tree, in the tarball
 * (packaging/launcher.c), where this one is lib/origo/ld-linux-x86-64.so.2. */
static const char *const places[] = {"", "../eval/", "../server/", "../follow/",
                                     "../../bin/"};

static void exec_in(const char *folder, const char *place, char **argv)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof(path), "%s/%s%s", folder, place, argv[0]);
    execv(path, argv);
}

static void exec_beside(char **argv)
{
    char self[PATH_MAX];
    const ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (len <= 0) return;
    self[len] = '\0';
    char *slash = strrchr(self, '/');
    if (slash == NULL) return;
    *slash = '\0';
    errno = ENOENT;
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
        if (errno == ENOENT) exec_in(self, places[i], argv);
}

int program_run(const char *program, const char *const *words, size_t n)
{
    char **argv = calloc(n + 2, sizeof(*argv));
    if (argv == NULL) return say("out of memory"), EXIT_IO;
    argv[0] = (char *)program;
    for (size_t i = 0; i < n; i++)
        argv[i + 1] = (char *)words[i];
    errno = ENOENT;
    exec_beside(argv);
    if (errno == ENOENT) execvp(program, argv);
    say("cannot run '%s', which should be installed next to 'origo': %s",
        program, strerror(errno));
    free(argv);
    return EXIT_IO;
}
