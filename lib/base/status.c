#include "lib/base/status.h"

#include <stdarg.h>
#include <string.h>

#include "lib/base/c_locale.h"

const char *og_status_name(og_status status)
{
    switch (status) {
    case OG_OK: return "ok";
    case OG_END: return "end";
    case OG_ERR_USAGE: return "usage";
    case OG_ERR_INPUT: return "input";
    case OG_ERR_IO: return "io";
    case OG_ERR_MEMORY: return "memory";
    case OG_ERR_STORE: return "store";
    case OG_ERR_LIMIT: return "limit";
    case OG_ERR_STOPPED: return "stopped";
    case OG_ERR_NO_STORE: return "no store";
    case OG_ERR_BUSY: return "busy";
    }
    return "unknown";
}

og_status og_error_set(og_error *err, og_status status, const char *format, ...)
{
    if (err == NULL) return status;
    err->status = status;
    err->file[0] = '\0';
    err->line = err->byte = 0;
    va_list args;
    va_start(args, format);
    og_text_format_list(err->message, sizeof(err->message), format, args);
    va_end(args);
    return status;
}

og_status og_error_place(og_error *err, og_status status, const char *file,
                         uint64_t line, uint64_t byte)
{
    if (err == NULL) return status;
    const size_t len = strlen(file), most = sizeof(err->file) - 1;
    memcpy(err->file, len > most ? file + (len - most) : file,
           (len > most ? most : len) + 1);
    err->line = line;
    err->byte = byte;
    return status;
}

og_status og_error_pass(og_error *err, const og_error *from)
{
    if (err != NULL && err != from) *err = *from;
    return from->status;
}

og_status og_error_memory(og_error *err, size_t len, const char *what)
{
    return og_error_set(err, OG_ERR_MEMORY, "out of memory (%zu bytes for %s)",
                        len, what);
}
