#ifndef SERVER_EMBEDDED_H
#define SERVER_EMBEDDED_H

/* Files that are part of the program: made by tools/embed_files.py. */

#include <stddef.h>

extern const char embedded_openapi[];
extern const size_t embedded_openapi_len;

#endif
