/* The arguments and headers of a request. */

#include "problem.h"
#include "request.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int hex_value(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

bool path_decode(const char *uri, char *out, size_t *out_len)
{
    char *to = out;
    for (; *uri != 0 && *uri != '?'; uri++) {
        if (*uri != '%') {
            *to++ = *uri;
            continue;
        }
        const int high = hex_value(uri[1]);
        const int low = high >= 0 ? hex_value(uri[2]) : -1;
        if (low < 0 || (high | low) == 0) return false;
        *to++ = (char)(16 * high + low);
        uri += 2;
    }
    *to = 0;
    *out_len = (size_t)(to - out);
    return true;
}

const char *request_argument(const struct request *r, const char *name)
{
    return MHD_lookup_connection_value(r->connection, MHD_GET_ARGUMENT_KIND,
                                       name);
}

const char *request_header(const struct request *r, const char *name)
{
    return MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND, name);
}

bool request_is_type(const struct request *r, const char *type)
{
    const char *given = request_header(r, "Content-Type");
    const size_t len = strlen(type);
    return given != NULL && strncasecmp(given, type, len) == 0 &&
           (given[len] == 0 || given[len] == ';' || given[len] == ' ');
}

bool request_flag(struct request *r, const char *name, bool *out)
{
    const char *value = request_argument(r, name);
    *out = false;
    if (value == NULL) return true;
    *out = strcmp(value, "true") == 0 || strcmp(value, "1") == 0;
    if (*out || strcmp(value, "false") == 0 || strcmp(value, "0") == 0)
        return true;
    return problem(r, 400, "'%s' must be true or false", name);
}

bool request_number(struct request *r, const char *name, double least,
                    double most, double *out)
{
    const char *value = request_argument(r, name);
    char *end;
    if (value == NULL) return true;
    const size_t len = strspn(value, "0123456789.");
    const double number = strtod(value, &end);
    if (len > 0 && value[len] == 0 && *end == 0 && number >= least &&
        number <= most) {
        *out = number;
        return true;
    }
    return problem(r, 400, "'%s' must be a number from %g to %g", name, least,
                   most);
}

void reply_json(struct request *r, unsigned status)
{
    r->reply.status = status;
    r->reply.type = "application/json";
}
