#ifndef CLI_SERVE_SETTINGS_H
#define CLI_SERVE_SETTINGS_H

/* The settings of 'origo serve': its options fill them in (cmd_serve.c),
 * origo-serve runs with them (serve_main.c). */

#include "options.h"
#include "store_options.h"

#include "server/serve.h"

struct serve_settings {
    struct store_settings store;
    struct serve_options serve;
    struct string_list hosts, origins, webhook_hosts;
    int log;
};

extern const struct command command_serve;

#endif
