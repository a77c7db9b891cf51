/* Runs one algorithm in the scenario. */
#include <stdlib.h>
#include <time.h>

#include "dpapcc.h"

#define MARKS_MAX 200000 /* viewers cannot open larger traces */

static void on_sample(void *self, const struct cc_sample *sample)
{
    struct run *r = self;
    dpapcc_series_add(&r->series, sample);
}

static void on_mark(void *self, enum cc_mark what, uint64_t time_ns, uint32_t flow, uint32_t queue)
{
    struct run *r = self;
    const struct mark mark = {.time_ns = time_ns, .flow = flow, .queue = queue, .what = what};
    if (r->marks.size < MARKS_MAX * sizeof mark)
        dpk_put(&r->marks, &mark, sizeof mark);
    else
        r->marks_missed++;
}

static bool on_progress(void *self, uint64_t time_ns, uint64_t end_ns)
{
    struct run *r = self;
    if (r->progress && end_ns)
        dpk_progress_show(r->progress, r->algorithm->name,
                          (size_t)((double)time_ns / (double)end_ns * 100), 100, " %");
    return true;
}

/* Returns the processor time of this thread, which does everything except the translation of
 * code. */
static double now(void)
{
    return (double)dpk_thread_time_ns() * 1e-9;
}

enum dpk_status dpapcc_run_algorithm(struct run *r, struct dpk_error *err)
{
    const struct scenario *s = r->scenario;
    if (!dpapcc_series_start(&r->series, s))
        return dpk_fail_nomem(err);
    const struct cc_recorder recorder = {.self = r,
                                         .interval_ns = s->interval_ns,
                                         .sample = on_sample,
                                         .mark = on_mark,
                                         .progress = on_progress};
    double start = now();
    r->status = model_cc_run(&s->net, &s->work, &r->algorithm->calls, s->seed, s->time_ns,
                             &recorder, &r->results, &r->error);
    r->seconds = now() - start;
    if (r->progress)
        dpk_progress_end(r->progress);
    if (r->marks.failed || r->series.failed)
        return dpk_fail_nomem(err);
    if (r->status == DPK_OK || r->results.has_failed)
        return DPK_OK;
    return dpk_fail(err, r->status, "%s", r->error.message);
}

void dpapcc_run_close(struct run *r)
{
    model_cc_results_free(&r->results);
    dpapcc_series_end(&r->series);
    dpk_buf_free(&r->marks);
}

const struct mark *dpapcc_run_marks(const struct run *r, size_t *count)
{
    *count = r->marks.size / sizeof(struct mark);
    return (const struct mark *)(const void *)r->marks.data;
}

size_t dpapcc_run_queues(const struct run *r, uint32_t out[QUEUES_SHOWN])
{
    const struct cc_queue *queues = r->results.queues;
    size_t count = 0;
    for (uint32_t i = 0; i < r->results.queue_count; i++) {
        if (queues[i].bytes.max == 0)
            continue;
        /* Insert by length, the longest first; equal queues keep their order. */
        size_t at = count < QUEUES_SHOWN ? count : QUEUES_SHOWN;
        while (at > 0 && queues[out[at - 1]].bytes.mean < queues[i].bytes.mean)
            at--;
        if (at == QUEUES_SHOWN)
            continue;
        if (count < QUEUES_SHOWN)
            count++;
        for (size_t k = count - 1; k > at; k--)
            out[k] = out[k - 1];
        out[at] = i;
    }
    return count;
}
