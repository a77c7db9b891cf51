/*
 * steering_bench RULES: nanoseconds that a frame of 64 bytes takes from its bytes to its receive
 * queues by a root table with that many rules, half of them for a source address, half for an IPv4
 * destination. The frames are the same whatever the number is.
 * steering_bench drop, rss: by one rule, which drops all; or which leads them to a receiver that
 * chooses one of 256 queues by the hash of addresses and ports. No queue is there to take them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "net/queues/model.h"

#define FLOWS   10u
#define FRAMES  2000000u
#define QUEUES  256u
#define SMAC    2u  /* in the match, and 6 bytes later in a frame */
#define ADDRESS 60u /* in the match; at 30 in a frame */

static void must(bool good)
{
    if (good)
        return;
    fprintf(stderr, "steering_bench: failed\n");
    exit(1);
}

static void put(uint8_t *to, unsigned number)
{
    for (unsigned i = 0; i < 4; i++)
        to[i] = (uint8_t)(number >> 8 * (3 - i));
}

static void add(struct dpk_flow_table *root, unsigned number)
{
    struct dpk_match m = {{0}, {0}};
    const unsigned at = number % 2 ? SMAC : ADDRESS;
    memset(m.mask + at, 0xff, 4);
    put(m.value + at, number + 1);
    const struct dpk_flow_actions drop = {.targets = {{.kind = DPK_FLOW_DROP}}, .target_count = 1};
    must(dpk_flow_rule_new(root, &m, number % 2, &drop));
}

/* A receiver whose queues are destroyed. */
static struct dpk_flow_tir *receiver(struct dpk_steering *s, struct dpk_queues *nic)
{
    static const struct dpk_uuid identity;
    static uint32_t numbers[QUEUES];
    struct dpk_queue queue = {.nic = nic, .number = 1, .options = {.kind = DPK_RQ}};
    struct dpk_rss rss = {.hashes = true,
                          .udp = true,
                          .fields = DPK_RSS_SOURCE | DPK_RSS_DESTINATION | DPK_RSS_SOURCE_PORT |
                                    DPK_RSS_DESTINATION_PORT};
    struct dpk_flow_rqt *rqt = NULL;
    struct dpk_flow_tir *tir = NULL;
    memset(rss.key, 0x5a, sizeof rss.key);
    for (unsigned i = 0; i < QUEUES; i++)
        numbers[i] = queue.number;
    must(dpk_rc_open(&identity, &nic->rc, NULL) == DPK_OK);
    TAILQ_INIT(&nic->queues);
    TAILQ_INSERT_TAIL(&nic->queues, &queue, in_nic);
    queues_steering_attach(s, nic);
    must(dpk_flow_rqt_new(s, numbers, QUEUES, &rqt, NULL) == DPK_OK &&
         dpk_flow_tir_new(s, &rss, false, dpk_flow_rqt_number(rqt), &tir, NULL) == DPK_OK);
    queues_steering_forget(s, &queue);
    return tir;
}

int main(int argc, char **argv)
{
    const char *what = argc == 2 ? argv[1] : "";
    const unsigned rules = (unsigned)strtoul(what, NULL, 10);
    static uint8_t frames[FLOWS][64];
    struct timespec begin, end;
    struct dpk_steering *s = dpk_steering_new();
    static const struct passage in = {.sent = false};
    static struct dpk_queues nic;
    struct dpk_flow_target to = {.kind = DPK_FLOW_DROP};
    nic.steering = s;
    must(s && dpk_counters_open(NULL, &nic.counters, NULL) == DPK_OK);
    struct dpk_flow_table *root = dpk_flow_table_new(s, DPK_FLOW_RX, true);
    must(root && (rules >= FLOWS || strcmp(what, "drop") == 0 || strcmp(what, "rss") == 0));
    for (unsigned i = 0; i < rules; i++)
        add(root, i);
    if (strcmp(what, "rss") == 0)
        to = (struct dpk_flow_target){.kind = DPK_FLOW_TIR, .tir = receiver(s, &nic)};
    const struct dpk_flow_actions all = {.targets = {to}, .target_count = 1};
    if (rules == 0)
        must(dpk_flow_rule_new(root, &(struct dpk_match){{0}, {0}}, 0, &all));
    for (unsigned i = 0; i < FLOWS; i++) {
        frames[i][12] = 0x08, frames[i][14] = 0x45, frames[i][23] = 17;
        put(frames[i] + (i % 2 ? SMAC + 6 : 30), i + 1);
    }
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (unsigned i = 0; i < FRAMES; i++)
        queues_steering_pass(&nic, frames[i % FLOWS], 64, &in);
    clock_gettime(CLOCK_MONOTONIC, &end);
    must(dpk_counters_port(nic.counters)->values[DPK_DROP_NO_RULE] == FRAMES);
    printf("%.1f\n",
           ((double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec)) /
               FRAMES);
    return 0; /* its rules end with the process */
}
