/* The world's message queue, with a consumer completion, a consumer on the DPA, and a producer there of
 * another queue; DOCA 3.x only. */
#include "matrix_world.h"

static bool begins(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static struct doca_comch_msgq *queue_new(struct world *w, struct doca_dev *dev, bool to_dpa)
{
    struct doca_comch_msgq *q = NULL;
    CHECK(doca_comch_msgq_create(dev, &q) == OK);
    CHECK((to_dpa ? doca_comch_msgq_set_dpa_consumer
                  : doca_comch_msgq_set_dpa_producer)(q, w->objects[DPA]) == OK);
    return q;
}

/* Both run, then are idle again if the world is stopped. */
static void make_ends(struct world *w, enum state state)
{
    struct doca_comch_consumer *n = NULL;
    struct doca_comch_producer *p = NULL;
    CHECK(doca_comch_msgq_start(w->msgq_back) == OK);
    CHECK(doca_comch_msgq_consumer_create(w->objects[COMCH_MSGQ], &n) == OK);
    CHECK(doca_comch_msgq_producer_create(w->msgq_back, &p) == OK);
    struct doca_ctx *ctx[] = {doca_comch_consumer_as_ctx(n), doca_comch_producer_as_ctx(p)};
    CHECK(doca_comch_consumer_set_completion(n, w->objects[COMCH_COMPLETION], 0) == OK);
    CHECK(doca_comch_producer_dpa_completion_attach(p, w->rdma_queue) == OK);
    for (int i = 0; i < 2; i++) {
        CHECK(doca_ctx_set_datapath_on_dpa(ctx[i], w->objects[DPA]) == OK);
        CHECK(doca_ctx_start(ctx[i]) == OK);
        CHECK(state != STOPPED || doca_ctx_stop(ctx[i]) == OK);
    }
    w->pipes[0] = w->objects[COMCH_CONSUMER]; /* those of the connection */
    w->pipes[1] = w->objects[COMCH_PRODUCER];
    w->objects[COMCH_CONSUMER] = n;
    w->objects[COMCH_PRODUCER] = p;
}

void make_msgq(struct world *w, struct doca_dev *dev, enum state state, const char *function)
{
    const bool has_ends = state >= RUNNING && function && !begins(function, "doca_comch_msgq_") &&
                          !begins(function, "doca_comch_consumer_completion_");
    struct doca_comch_consumer_completion *k = NULL;
    w->objects[COMCH_MSGQ] = queue_new(w, dev, true);
    w->msgq_back = queue_new(w, dev, false);
    CHECK(doca_comch_consumer_completion_create(&k) == OK);
    CHECK(doca_comch_consumer_completion_set_dpa_thread(k, w->objects[THREAD]) == OK);
    w->objects[COMCH_COMPLETION] = k;
    if (state < RUNNING)
        return;
    CHECK(doca_comch_msgq_start(w->objects[COMCH_MSGQ]) == OK);
    CHECK(doca_comch_consumer_completion_start(k) == OK);
    if (has_ends)
        make_ends(w, state);
    if (state == STOPPED)
        CHECK(doca_comch_consumer_completion_stop(k) == OK);
    if (state == STOPPED && !has_ends)
        CHECK(doca_comch_msgq_stop(w->objects[COMCH_MSGQ]) == OK);
}

void destroy_msgq_object(void *object)
{
    if (!object)
        return;
    doca_comch_msgq_destroy(object);
    doca_comch_consumer_completion_destroy(object);
}

void destroy_msgq(struct world *w)
{
    if (w->pipes[0]) {
        doca_comch_consumer_destroy(w->objects[COMCH_CONSUMER]);
        doca_comch_producer_destroy(w->objects[COMCH_PRODUCER]);
        w->objects[COMCH_CONSUMER] = w->pipes[0];
        w->objects[COMCH_PRODUCER] = w->pipes[1];
    }
    destroy_msgq_object(w->objects[COMCH_COMPLETION]);
    destroy_msgq_object(w->objects[COMCH_MSGQ]);
    destroy_msgq_object(w->msgq_back);
}
