/* Groups of threads, in which each thread has a rank. */
#include <doca_dpa.h>

#include "private.h"

struct group {
    struct dpk_object object;
    struct dpk_dpa *dpa;              /* a reference */
    unsigned count, set;              /* threads of the group, and threads that have a rank */
    uint64_t run;                     /* run of the context; 0: not started */
    struct dpk_dpa_thread *threads[]; /* by rank: references; NULL: not set */
};

static void group_release(void *object)
{
    struct group *g = object;
    for (unsigned i = 0; i < g->count; i++)
        dpk_object_drop(g->threads[i]);
    dpk_object_drop(g->dpa);
    free(g);
}
static const struct dpk_kind group_kind = {.release = group_release};

doca_error_t doca_dpa_thread_group_create(struct doca_dpa *dpa, unsigned int num_threads,
                                          struct doca_dpa_tg **tg)
{
    if (tg)
        *tg = NULL;
    struct dpk_dpa *d = tg ? dpk_object_pin(dpa, &dpk_dpa_kind) : NULL;
    if (!d)
        return dpk_doca_no_object(__func__);
    if (num_threads == 0 || num_threads > DPK_THREADS_OF_PROCESS) {
        dpk_object_drop(d);
        return dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, __func__,
                                    "%u threads are not within 1 to %u", num_threads,
                                    (unsigned)DPK_THREADS_OF_PROCESS);
    }
    struct group *g = calloc(1, sizeof *g + num_threads * sizeof(struct dpk_dpa_thread *));
    if (g) {
        g->dpa = d; /* keeps the pin as its reference */
        g->count = num_threads;
        *tg = dpk_object_enter(g, &group_kind);
    } else {
        dpk_object_drop(d);
    }
    return dpk_doca_end(dpa, __func__, *tg ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY);
}

doca_error_t doca_dpa_thread_group_destroy(struct doca_dpa_tg *tg)
{
    return dpk_doca_destroy(tg, &group_kind, __func__);
}

doca_error_t doca_dpa_thread_group_get_num_threads(struct doca_dpa_tg *tg,
                                                   unsigned int *num_threads)
{
    struct group *g = num_threads ? dpk_object_lock(tg, &group_kind) : NULL;
    if (g)
        *num_threads = g->count;
    return dpk_doca_end(tg, __func__, dpk_object_unlock(g, DOCA_SUCCESS));
}

/* Call this with both locks held. */
static doca_error_t set_thread(struct group *g, struct dpk_dpa_thread *t, unsigned rank)
{
    if (rank >= g->count)
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE, "the group has %u ranks, and not rank %u",
                                g->count, rank);
    if (dpk_dpa_base(g->dpa) != dpk_dpa_base(t->dpa))
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE, "the thread is of another DPA context");
    if (g->run != 0 || t->thread)
        return dpk_doca_because(DOCA_ERROR_BAD_STATE, "the %s is started, and must not be",
                                g->run != 0 ? "group" : "thread");
    if (g->threads[rank] || t->peers != 0)
        return dpk_doca_because(DOCA_ERROR_ALREADY_EXIST,
                                "rank %u has a thread, or the thread is in a group", rank);
    dpk_object_hold(g->threads[rank] = t);
    t->rank = rank;
    t->peers = g->count;
    g->set++;
    return DOCA_SUCCESS;
}

doca_error_t doca_dpa_thread_group_set_thread(struct doca_dpa_tg *tg,
                                              struct doca_dpa_thread *thread, unsigned int rank)
{
    struct dpk_dpa_thread *t = dpk_object_pin(thread, &dpk_dpa_thread_kind);
    struct group *g = t ? dpk_object_lock(tg, &group_kind) : NULL;
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    if (g) {
        pthread_mutex_lock(&t->object.lock);
        result = set_thread(g, t, rank);
        pthread_mutex_unlock(&t->object.lock);
    }
    result = dpk_object_unlock(g, result);
    dpk_object_drop(t);
    return dpk_doca_end(tg, __func__, result);
}

doca_error_t doca_dpa_thread_group_start(struct doca_dpa_tg *tg)
{
    struct group *g = dpk_object_lock(tg, &group_kind);
    doca_error_t result = DOCA_SUCCESS;
    if (!g || g->run != 0) {
        result = dpk_doca_because(DOCA_ERROR_BAD_STATE, "the group is started already");
    } else if (g->set < g->count) {
        result = dpk_doca_because(DOCA_ERROR_BAD_CONFIG,
                                  "%u of %u ranks have no thread: "
                                  "doca_dpa_thread_group_set_thread",
                                  g->count - g->set, g->count);
    } else if (!dpk_dpa_enter(g->dpa, 0)) {
        result = dpa_not_started();
    } else {
        g->run = dpk_dpa_base(g->dpa)->run;
        dpk_dpa_leave(g->dpa);
    }
    return dpk_doca_end(tg, __func__, dpk_object_unlock(g, result));
}

doca_error_t doca_dpa_thread_group_stop(struct doca_dpa_tg *tg)
{
    struct group *g = dpk_object_lock(tg, &group_kind);
    if (!g || g->run == 0)
        return dpk_doca_end(tg, __func__,
                            dpk_object_unlock(g, dpk_doca_because(DOCA_ERROR_BAD_STATE,
                                                                  "the group is not started")));
    g->run = 0;
    return dpk_doca_end(tg, __func__, dpk_object_unlock(g, DOCA_SUCCESS));
}
