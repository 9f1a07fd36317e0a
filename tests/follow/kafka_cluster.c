/* A cluster of Kafka in memory: prints its address, then produces messages from
 * stdin, each line "TOPIC PARTITION MESSAGE", and prints "ok" once all up to an
 * empty line are stored. Ends with its input. */

#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static rd_kafka_t *producer(const char *brokers)
{
    char story[300] = "";
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    rd_kafka_conf_set(conf, "bootstrap.servers", brokers, story, sizeof(story));
    rd_kafka_t *const client =
        rd_kafka_new(RD_KAFKA_PRODUCER, conf, story, sizeof(story));
    if (client == NULL) fprintf(stderr, "%s\n", story);
    return client;
}

static rd_kafka_t *host_of_cluster(void)
{
    char story[300] = "";
    return rd_kafka_new(RD_KAFKA_PRODUCER, rd_kafka_conf_new(), story,
                        sizeof(story));
}

static int produce(rd_kafka_t *client, char *line)
{
    char *rest = NULL;
    const char *const topic = strtok_r(line, " ", &rest);
    const char *const partition = strtok_r(NULL, " ", &rest);
    if (topic == NULL || partition == NULL) return 1;
    return rd_kafka_producev(client, RD_KAFKA_V_TOPIC(topic),
                             RD_KAFKA_V_PARTITION(atoi(partition)),
                             RD_KAFKA_V_VALUE(rest, strlen(rest)),
                             RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
                             RD_KAFKA_V_END) != RD_KAFKA_RESP_ERR_NO_ERROR;
}

int main(int argc, char **argv)
{
    static char line[1 << 16];
    rd_kafka_t *const host = host_of_cluster();
    rd_kafka_mock_cluster_t *const cluster =
        host != NULL ? rd_kafka_mock_cluster_new(host, 1) : NULL;
    if (cluster == NULL) return 1;
    for (int i = 1; i < argc; i++)
        rd_kafka_mock_topic_create(cluster, argv[i], 2, 1);
    const char *const brokers = rd_kafka_mock_cluster_bootstraps(cluster);
    rd_kafka_t *const client = producer(brokers);
    if (client == NULL) return 1;
    printf("%s\n", brokers);
    fflush(stdout);
    while (fgets(line, sizeof(line), stdin) != NULL) {
        line[strcspn(line, "\n")] = 0;
        if (line[0] != 0) {
            if (produce(client, line) != 0) return 1;
            continue;
        }
        rd_kafka_flush(client, 120000);
        printf("ok\n");
        fflush(stdout);
    }
    rd_kafka_destroy(client);
    rd_kafka_mock_cluster_destroy(cluster);
    rd_kafka_destroy(host);
    return 0;
}
