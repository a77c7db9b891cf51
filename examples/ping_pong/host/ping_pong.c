/* Two threads of the DPA send each other a number, which grows with every message. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../common/dpa_rdma.h"
#include "../common/ping_pong.h"

#define BUFFER 64 /* bytes */

extern struct doca_dpa_app *ping_pong_app;
extern doca_dpa_func_t thread_kernel;
extern doca_dpa_func_t trigger_first_iteration_rpc;

struct side {
    struct end end;
    struct doca_mmap *map;
    doca_dpa_dev_uintptr_t argument, score, buffers;
    struct player player;
};

static void side_open(struct side *s, const struct dpa *d, doca_dpa_dev_sync_event_t over,
                      uint64_t rounds)
{
    MUST(doca_dpa_mem_alloc(d->dpa, sizeof s->player, &s->argument));
    MUST(doca_dpa_mem_alloc(d->dpa, sizeof(struct score), &s->score));
    MUST(doca_dpa_memset(d->dpa, s->score, 0, sizeof(struct score)));
    MUST(doca_dpa_mem_alloc(d->dpa, 2 * BUFFER, &s->buffers));
    end_open(&s->end, d, &thread_kernel, s->argument, s->score, 1);
    s->player = (struct player){.dpa = d->handle,
                                .completion = s->end.completion_handle,
                                .rdma = s->end.rdma_handle,
                                .receive_address = s->buffers,
                                .send_address = s->buffers + BUFFER,
                                .size = sizeof(uint64_t),
                                .rounds = rounds,
                                .over = over};
    s->map = map_dpa(d, s->buffers, 2 * BUFFER, &s->player.receive_map);
    s->player.send_map = s->player.receive_map;
    MUST(doca_dpa_h2d_memcpy(d->dpa, s->argument, &s->player, sizeof s->player));
    MUST(doca_dpa_thread_run(s->end.thread));
}

static void side_close(struct side *s, const struct dpa *d)
{
    end_close(&s->end);
    MUST(doca_mmap_destroy(s->map));
    MUST(doca_dpa_mem_free(d->dpa, s->buffers));
    MUST(doca_dpa_mem_free(d->dpa, s->score));
    MUST(doca_dpa_mem_free(d->dpa, s->argument));
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The value of the event when it is over. */
static uint64_t play(const struct dpa *d, uint64_t rounds, double *took)
{
    static struct side first, second;
    doca_dpa_dev_sync_event_t over;
    uint64_t result = 0, value = 0;
    struct doca_sync_event *event = event_open(d, &over);
    side_open(&first, d, over, rounds);
    side_open(&second, d, over, rounds);
    end_connect(&first.end, &second.end);
    double begin = seconds();
    MUST(doca_dpa_rpc(d->dpa, &trigger_first_iteration_rpc, &result, d->handle, first.player,
                      second.player));
    MUST(doca_sync_event_wait_gt(event, 1, UINT64_MAX));
    *took = seconds() - begin;
    MUST(doca_sync_event_get(event, &value));
    side_close(&first, d);
    side_close(&second, d);
    MUST(doca_sync_event_destroy(event));
    return value;
}

int main(int argc, char **argv)
{
    struct dpa d;
    double took;
    uint64_t rounds = argc > 2 ? strtoull(argv[2], NULL, 10) : 100;
    if (argc < 2 || argc > 3 || rounds == 0) {
        fprintf(stderr, "usage: %s DEVICE [ROUNDS]\n", argv[0]);
        return 2;
    }
    dpa_open(&d, argv[1], ping_pong_app);
    uint64_t value = play(&d, rounds, &took);
    dpa_close(&d);
    if (value != 2) {
        fprintf(stderr, "a message did not arrive as it was sent\n");
        return 1;
    }
    printf("%" PRIu64 " rounds, %.2f us each\n", rounds, took * 1e6 / (double)rounds);
    return 0;
}
