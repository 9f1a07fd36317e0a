/* bin/origo of the tarball, and under their names origo-serve, origo-follow and
 * origo-eval. It starts the program of its name with the loader and the
 * libraries that lie beside it, so that the system's own, of whatever age and
 * kind, are never asked. Linked statically, it needs nothing itself.
 *
 * The libraries look for certificates where Debian has them; where this system
 * has them, SSL_CERT_FILE tells them, unless it is set.
 *
 *     bin/origo            this
 *     lib/origo/           the loader, the libraries, gconv/
 *     lib/origo/bin/       the programs; not beside the loader, where origo
 *                          would find the others and start them without this
 */

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[PATH_MAX];
static char program[NAME_MAX + 5] = "bin/"; /* in the folder */

/* lib/origo beside the bin that this file is in; the program is its name. */
static int find_folder(void)
{
    static const char below[] = "lib/origo";
    const ssize_t len = readlink("/proc/self/exe", folder, sizeof(folder) - 1);
    if (len <= 0 || (size_t)len + sizeof(below) >= sizeof(folder)) return 0;
    folder[len] = 0;
    for (int level = 0; level < 2; level++) {
        char *const slash = strrchr(folder, '/');
        if (slash == NULL) return 0;
        if (level == 0) strncat(program, slash + 1, NAME_MAX);
        *slash = 0;
    }
    strcat(folder, "/");
    strcat(folder, below);
    return 1;
}

static const char *path_of(const char *name)
{
    const size_t len = strlen(folder) + strlen(name) + 2;
    char *const path = malloc(len);
    if (path == NULL) exit(3);
    snprintf(path, len, "%s/%s", folder, name);
    return path;
}

static void find_certificates(void)
{
    static const char *const known[] = {
        "/etc/ssl/certs/ca-certificates.crt", /* Debian, Arch, Alpine */
        "/etc/pki/tls/certs/ca-bundle.crt",   /* Fedora, RHEL */
        "/etc/ssl/ca-bundle.pem",             /* openSUSE */
        "/etc/ssl/cert.pem",
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (access(known[i], R_OK) == 0) {
            setenv("SSL_CERT_FILE", known[i], 0);
            return;
        }
}

int main(int argc, char **argv)
{
    if (!find_folder()) {
        fputs("origo: /proc is needed to find lib/origo\n", stderr);
        return 3;
    }
    const char **const args = calloc((size_t)argc + 6, sizeof(*args));
    if (args == NULL) return 3;
    const char *const loader = path_of("ld-linux-x86-64.so.2");
    size_t n = 0;
    args[n++] = loader;
    args[n++] = "--library-path";
    args[n++] = folder;
    args[n++] = "--argv0";
    args[n++] = argc > 0 ? argv[0] : "origo";
    args[n++] = path_of(program);
    for (int i = 1; i < argc; i++)
        args[n++] = argv[i];
    find_certificates();
    setenv("GCONV_PATH", path_of("gconv"), 1);
    execv(loader, (char *const *)(void *)args);
    perror(loader);
    return 3;
}
