/*
 * What one event of a program of congestion control takes: pcc_bench PROGRAM.elf EVENTS
 * It prints nanoseconds of processor time, the least of several runs, and instructions.
 */
#include <stdlib.h>
#include <time.h>

#include "api/pcc/pcc.h"

#define RUNS  5
#define FLOWS 64

static uint64_t virtual_now;

static uint64_t now(void *context)
{
    (void)context;
    return virtual_now;
}

static double processor_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int complain(const struct dpk_error *err)
{
    fprintf(stderr, "-E- %s\n", err->message);
    return 1;
}

/* Bursts of 64 flows, and after each fourth the answer to a probe. */
static enum dpk_status give(struct dpk_pcc *pcc, unsigned events, struct dpk_error *err)
{
    static struct dpk_pcc_context contexts[FLOWS];
    static struct dpk_pcc_result results[FLOWS];
    enum dpk_status status = DPK_OK;
    for (unsigned i = 0; i < events && status == DPK_OK; i++) {
        const unsigned flow = i % FLOWS;
        const struct dpk_pcc_event e = {.type = i % 5 ? DPK_PCC_TX : DPK_PCC_RTT,
                                        .flags = DPK_PCC_TX_RTT_REQ_SENT,
                                        .flow = flow,
                                        .time_ns = virtual_now += 700,
                                        .request_sent_ns = virtual_now - 12000,
                                        .bytes = 4096,
                                        .packets = 4};
        if (results[flow].rate == 0)
            results[flow].rate = DPK_PCC_RATE_MAX;
        status = dpk_pcc_event(pcc, 0, &contexts[flow], &e, &results[flow], err);
    }
    return status;
}

int main(int argc, char **argv)
{
    struct dpk_buf elf = {0};
    struct dpk_image *image = NULL;
    struct dpk_pcc *pcc = NULL;
    struct dpk_pcc_stats stats;
    struct dpk_error err = {0};
    const struct dpk_pcc_options options = {.now = now, .speed_gbps = 100};
    const unsigned events = argc == 3 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
    double least = 1e18;
    if (events == 0)
        return 2;
    if (dpk_file_read(argv[1], DPK_FILE_MAX, &elf, &err) != DPK_OK ||
        dpk_image_examine("bench", NULL, elf.data, elf.size, &image, &err) != DPK_OK ||
        dpk_pcc_open(image, &options, &pcc, &err) != DPK_OK)
        return complain(&err);
    for (unsigned i = 0; i < RUNS; i++) {
        const double before = processor_ns();
        if (give(pcc, events, &err) != DPK_OK)
            return complain(&err);
        const double took = (processor_ns() - before) / events;
        least = took < least ? took : least;
    }
    dpk_pcc_stats(pcc, &stats);
    printf("%.0f %.0f\n", least, (double)stats.instructions / (double)stats.events);
    dpk_pcc_close(pcc);
    dpk_image_free(image);
    dpk_buf_free(&elf);
    return 0;
}
