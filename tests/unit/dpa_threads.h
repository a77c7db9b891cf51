/* What tests of event-driven threads share. */
#ifndef DPK_TEST_DPA_THREADS_H
#define DPK_TEST_DPA_THREADS_H

#include "dpa.h"

/* A thread that was run, with zeroed memory as its argument; options may change the rest. */
struct handler {
    struct dpk_process *p;
    struct dpk_thread *t;
    uint64_t at; /* activations, go, extra */
};

static inline struct handler handler_with(struct dpk_process *p, const char *name,
                                          struct dpk_thread_options options)
{
    struct dpk_error err = {0};
    struct handler h = {.p = p, .at = buffer(p, 24)};
    options.call = function(p, name);
    options.argument = h.at;
    if (dpk_thread_create(p, &options, &h.t, &err) != DPK_OK ||
        dpk_thread_start(h.t, &err) != DPK_OK || dpk_thread_run(h.t, NULL, &err) != DPK_OK)
        fail_msg("%s", err.message);
    return h;
}

static inline struct handler handler(struct dpk_process *p, const char *name)
{
    return handler_with(p, name, (struct dpk_thread_options){0});
}

static inline uint64_t activations(struct handler h)
{
    return word(h.p, h.at);
}

/* Waits until there were so many; the last one may still be under way. */
static inline void activated(struct handler h, uint64_t times)
{
    (void)comes_true(activations(h) >= times);
    assert_int_equal(activations(h), times);
}

/* Nothing more comes: another thread has had its turns since. */
static inline void and_no_more(struct handler h, uint64_t times)
{
    usleep(5000);
    rpc(h.p, "add", 1, 2);
    assert_int_equal(activations(h), times);
}

static inline struct dpk_trigger *trigger(struct handler h, enum dpk_trigger_kind kind)
{
    struct dpk_trigger *trigger = NULL;
    assert_int_equal(dpk_trigger_create(h.p, kind, &trigger, NULL), DPK_OK);
    assert_int_equal(dpk_trigger_attach(trigger, h.t, NULL), DPK_OK);
    return trigger;
}

#endif
