/* Any bytes may be the origo.conf of a store: they are refused with a message,
 * or give valid parameters. Once unchanged, once with a correct checksum. */

#include "tests/fuzz/fuzz_support.h"

#include <inttypes.h>
#include <stdio.h>

#include "lib/base/checksum.h"
#include "lib/store/conf.h"

static void parse(const char *text, size_t len)
{
    struct og_conf conf;
    og_error err = {0};
    const og_status status =
        og_conf_parse((og_bytes){text, len}, "fuzz", &conf, &err);
    if (status == OG_OK && og_params_check(&conf.params, &err) != OG_OK)
        abort();
    if (status != OG_OK && err.message[0] == '\0') abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    char *text = malloc(len + 40);
    if (text == NULL) return 0;
    memcpy(text, data, len);
    parse(text, len);
    const int n = snprintf(text + len, 40, "checksum %016" PRIx64 "\n",
                           og_checksum(text, len));
    parse(text, len + (size_t)n);
    free(text);
    return 0;
}
