#include "engine/proc/thread.h"

#include <stdlib.h>
#include <string.h>

#include "engine/proc/affinity.h"
#include "engine/proc/trigger.h"
#include "engine/proc/tsan.h"

static void set_state(struct dpk_thread *t, enum thread_state state)
{
    t->state = state;
    for (struct list *n = t->triggers.next; n != &t->triggers; n = n->next)
        owner_of(n, struct dpk_trigger, of_thread)->heard = state == THREAD_RUN;
}

/* ---- Activations ---- */

static void activation_begin(struct dpk_thread *t)
{
    struct hart *h = t->hart;
    t->active = true;
    if (!t->parked) {
        proc_hart_reset(h, &t->options.call, &t->options.argument, t->options.call.argument_size);
        memcpy(h->caller.state, t->options.state, sizeof h->caller.state);
        h->rank = t->options.rank;
        h->peers = t->options.peers > 0 ? t->options.peers : 1;
    } else {
        proc_hart_counts(h);
    }
    t->parked = false;
    proc_tsan_activated(h, t);
    sched_hart_start(&h->sched, proc_units_of(t->process, &t->options.affinity));
}

void proc_thread_activate(struct dpk_thread *t)
{
    if (t->state != THREAD_RUN || t->process->failed != DPK_OK)
        return;
    proc_tsan_activates(t->process, t);
    if (t->active)
        t->events++;
    else
        activation_begin(t);
}

void proc_activation_end(struct dpk_thread *t, enum hart_end how)
{
    t->active = false;
    if (t->state != THREAD_RUN || t->process->failed != DPK_OK)
        return;
    if (how == END_RETURN || how == END_FINISH) {
        set_state(t, THREAD_STARTED);
        t->events = 0;
        return;
    }
    const bool again = how == END_RETRIGGER || how == END_PARK_RETRIGGER;
    t->parked = (how == END_PARK || how == END_PARK_RETRIGGER) && t->options.continuable;
    if (!again && t->events == 0)
        return;
    if (!again)
        t->events--;
    activation_begin(t);
}

/* ---- Life ---- */

enum dpk_status dpk_thread_create(struct dpk_process *p, const struct dpk_thread_options *options,
                                  struct dpk_thread **out, struct dpk_error *err)
{
    *out = NULL;
    if (options->call.argument_size > sizeof options->argument)
        return dpk_fail(err, DPK_ERR_RANGE,
                        "the function of a thread takes one argument of 8 bytes, not %llu bytes",
                        (unsigned long long)options->call.argument_size);
    struct dpk_thread *t = calloc(1, sizeof *t);
    if (!t)
        return dpk_fail_nomem(err);
    t->process = p;
    t->options = *options;
    list_init(&t->triggers);
    sched_lock();
    enum dpk_status status = proc_process_state(p, err);
    unsigned count = 0;
    for (struct list *n = p->threads.next; n != &p->threads; n = n->next)
        count++;
    if (status == DPK_OK && (count == DPK_THREADS_OF_PROCESS || !(t->hart = proc_hart_take(p))))
        status = dpk_fail(err, DPK_ERR_NOMEM, "no room for a thread: the process has %u", count);
    if (status == DPK_OK) {
        t->hart->thread = t;
        t->hart->sched.event = true;
        t->hart->sched.limit = p->activation_limit;
        list_append(&p->threads, &t->in_process);
        *out = t;
    }
    sched_unlock();
    if (status != DPK_OK)
        free(t);
    return status;
}

enum dpk_status dpk_thread_start(struct dpk_thread *t, struct dpk_error *err)
{
    sched_lock();
    enum dpk_status status = proc_process_state(t->process, err);
    const struct dpk_affinity *affinity = &t->options.affinity;
    if (status == DPK_OK && !dpk_eu_exists(t->process, affinity))
        status = affinity->kind == DPK_AFFINITY_NONE
                     ? dpk_fail(err, DPK_ERR_RANGE, "every execution unit is in an EU group")
                     : dpk_fail(err, DPK_ERR_RANGE, "there is no execution unit%s %u",
                                affinity->kind == DPK_AFFINITY_GROUP ? " group" : "", affinity->id);
    if (status == DPK_OK)
        status = proc_process_start_workers(err);
    if (status == DPK_OK && t->state == THREAD_CREATED)
        set_state(t, THREAD_STARTED);
    sched_unlock();
    return status;
}

enum dpk_status dpk_thread_run(struct dpk_thread *t, const uint64_t *argument,
                               struct dpk_error *err)
{
    sched_lock();
    enum dpk_status status = proc_process_state(t->process, err);
    if (status == DPK_OK && t->state == THREAD_CREATED)
        status = dpk_fail(err, DPK_ERR_USAGE, "thread %u was not started", t->hart->id);
    else if (status == DPK_OK && t->active)
        status = dpk_fail(err, DPK_ERR_USAGE, "thread %u runs already", t->hart->id);
    if (status == DPK_OK) {
        if (argument)
            t->options.argument = *argument;
        set_state(t, THREAD_RUN);
    }
    sched_unlock();
    return status;
}

void dpk_thread_activate(struct dpk_thread *t)
{
    sched_lock();
    proc_thread_activate(t);
    sched_unlock();
}

static void stop(struct dpk_thread *t)
{
    struct sched_waiter w;
    set_state(t, THREAD_CREATED);
    t->events = 0;
    t->parked = false;
    sched_waiter_begin(&w, &t->process->group);
    sched_hart_stop(&t->hart->sched);
    while (t->hart->sched.state == HART_ENDING)
        sched_waiter_sleep(&w);
    proc_tsan_ended(t->hart);
    sched_waiter_end(&w);
}

void dpk_thread_stop(struct dpk_thread *t)
{
    sched_lock();
    if (!sched_is_forked())
        stop(t);
    sched_unlock();
}

void dpk_thread_destroy(struct dpk_thread *t)
{
    if (!t)
        return;
    sched_lock();
    if (sched_is_forked()) {
        sched_unlock();
        return;
    }
    stop(t);
    while (!list_empty(&t->triggers)) {
        struct dpk_trigger *trigger = owner_of(t->triggers.next, struct dpk_trigger, of_thread);
        trigger->thread = NULL;
        trigger->heard = false;
        list_remove(&trigger->of_thread);
    }
    t->hart->thread = NULL;
    t->hart->sched.event = false;
    t->hart->sched.limit = t->process->group.limit;
    list_remove(&t->in_process);
    sched_unlock();
    free(t);
}

unsigned dpk_thread_id(const struct dpk_thread *t)
{
    return t->hart->id;
}

void proc_threads_free(struct dpk_process *p)
{
    for (size_t i = 0; i < p->trigger_count; i++)
        free(p->triggers[i]);
    free(p->triggers);
    while (!list_empty(&p->threads)) {
        struct dpk_thread *t = owner_of(p->threads.next, struct dpk_thread, in_process);
        list_remove(&t->in_process);
        free(t);
    }
}
