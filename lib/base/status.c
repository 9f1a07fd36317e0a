#include "lib/base/status.h"

#include <stdarg.h>

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
    va_list args;
    va_start(args, format);
    vsnprintf(err->message, sizeof(err->message), format, args);
    va_end(args);
    return status;
}

og_status og_error_memory(og_error *err, size_t len, const char *what)
{
    return og_error_set(err, OG_ERR_MEMORY, "out of memory (%zu bytes for %s)",
                        len, what);
}
