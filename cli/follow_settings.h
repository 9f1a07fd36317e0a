#ifndef CLI_FOLLOW_SETTINGS_H
#define CLI_FOLLOW_SETTINGS_H

/* The settings of 'origo follow': its options fill them in (cmd_follow.c),
 * origo-follow runs with them (follow_main.c). */

#include "options.h"
#include "reading_options.h"
#include "store_options.h"

struct follow_settings {
    struct store_settings store;
    struct reading_settings reading;
    struct string_list hosts;
    const char *server, *token_file, *state, *kafka_config;
    const char *group, *consumer;
    uint64_t max_batch;
    uint32_t interval, feed_interval;
    bool once;
};

extern const struct command command_follow;

#endif
