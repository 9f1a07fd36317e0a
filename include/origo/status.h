#ifndef ORIGO_STATUS_H
#define ORIGO_STATUS_H

/* Status, errors, memory, bytes. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define OG_API __attribute__((visibility("default")))
#else
#define OG_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum og_status {
    OG_OK = 0,
    OG_END,          /* nothing more to read; not an error                    */
    OG_ERR_USAGE,    /* an option or argument that makes no sense             */
    OG_ERR_INPUT,    /* the input is broken; the message names file and place */
    OG_ERR_IO,       /* the system could not read or write                    */
    OG_ERR_MEMORY,   /* the allocator gave nothing                            */
    OG_ERR_STORE,    /* a store that is damaged or of another version         */
    OG_ERR_LIMIT,    /* larger than a limit that was set                      */
    OG_ERR_STOPPED,  /* a callback of the caller asked to stop                */
    OG_ERR_NO_STORE, /* there is no such store                               */
    OG_ERR_BUSY,     /* another process writes to the store, or is making the
                        same output; it may be tried again                    */
} og_status;

/* A short name, "ok" or "input"; never NULL. */
OG_API const char *og_status_name(og_status status);

typedef struct og_error {
    og_status status;
    char message[512]; /* lower case, no newline; "" when status is OG_OK */
    /* The position, as far as it is known; also part of the message. */
    char file[256]; /* "": not of a file; the end of a longer name */
    uint64_t line;  /* from 1; 0: not known */
    uint64_t byte;  /* from the start of the (unpacked) file */
} og_error;

/* resize(ctx, ptr, old, new) works like realloc: ptr NULL allocates, new 0
 * frees and returns NULL; old is the length that was requested for ptr. Must
 * be thread-safe. */
typedef struct og_allocator {
    void *ctx;
    void *(*resize)(void *ctx, void *ptr, size_t old_len, size_t new_len);
} og_allocator;

/* Sets the allocator of the library, for all its objects. Call it while no
 * object exists: before any other function, or after everything is closed. The
 * struct is copied. NULL restores the allocator of the C library. File names
 * and stdio buffers always come from the C library, and tables from mapped
 * pages. The libraries that origo uses do not use this allocator. */
OG_API void og_allocator_set(const og_allocator *allocator);

/* Borrowed bytes, not zero-terminated. */
typedef struct og_bytes {
    const char *data;
    size_t len;
} og_bytes;

#define OG_LITERAL(s)                                                          \
    {                                                                          \
        (s), sizeof(s) - 1                                                     \
    }

/* The version of these headers: 0.2.0 is 200, 1.2.3 is 10203. */
#define OG_VERSION_MAJOR 0
#define OG_VERSION_MINOR 2
#define OG_VERSION_PATCH 0
#define OG_VERSION_NUMBER                                                      \
    (OG_VERSION_MAJOR * 10000 + OG_VERSION_MINOR * 100 + OG_VERSION_PATCH)

/* The version of the running library: "0.2.0", and its OG_VERSION_NUMBER. */
OG_API const char *og_version(void);
OG_API int og_version_number(void);

typedef struct og_range {
    uint64_t begin, end;
} og_range;

#ifdef __cplusplus
}
#endif

#endif
