/* Threads of event-driven programs: from events to activations. */
#include <stdlib.h>
#include <string.h>

#include "proc/engine.h"

/* ---- Activations ---------------------------------------------------------------------------- */

static void activation_begin(struct dpk_thread *o)
{
    struct thread *t = o->thread;
    o->active = true;
    if (o->parked) {
        t->begun = false;
        t->ran = 0;
    } else {
        thread_reset(t, &o->options.call, &o->options.argument, o->options.call.argument_size);
        memcpy(t->caller.state, o->options.state, sizeof t->caller.state);
    }
    o->parked = false;
    eu_wait(t);
}

void thread_activate(struct dpk_thread *o)
{
    if (o->state != OBJECT_RUN || o->process->failed != DPK_OK)
        return;
    if (o->active)
        o->events++;
    else
        activation_begin(o);
}

void activation_end(struct dpk_thread *o, enum end how)
{
    o->active = false;
    if (o->state != OBJECT_RUN || o->process->failed != DPK_OK)
        return;
    if (how == END_RETURN || how == END_FINISH) {
        o->state = OBJECT_STARTED;
        o->events = 0;
        return;
    }
    o->parked = how == END_PARK && o->options.continuable;
    if (how != END_RETRIGGER && o->events == 0)
        return;
    if (how != END_RETRIGGER)
        o->events--;
    activation_begin(o);
}

/* ---- Life ----------------------------------------------------------------------------------- */

enum dpk_status dpk_thread_create(struct dpk_process *p, const struct dpk_thread_options *options,
                                  struct dpk_thread **out, struct dpk_error *err)
{
    *out = NULL;
    if (options->call.argument_size > sizeof options->argument)
        return dpk_fail(err, DPK_ERR_RANGE,
                        "the function of a thread takes one argument of 8 bytes, not %llu bytes",
                        (unsigned long long)options->call.argument_size);
    struct dpk_thread *o = calloc(1, sizeof *o);
    if (!o)
        return dpk_fail_nomem(err);
    o->process = p;
    o->options = *options;
    list_init(&o->triggers);
    engine_lock();
    enum dpk_status status = process_state(p, err);
    unsigned count = 0;
    for (struct list *n = p->threads.next; n != &p->threads; n = n->next)
        count++;
    if (status == DPK_OK && (count == DPK_THREADS_OF_PROCESS || !(o->thread = thread_take(p))))
        status = dpk_fail(err, DPK_ERR_NOMEM, "no room for a thread: the process has %u", count);
    if (status == DPK_OK) {
        o->thread->object = o;
        list_append(&p->threads, &o->in_process);
        *out = o;
    }
    engine_unlock();
    if (status != DPK_OK)
        free(o);
    return status;
}

enum dpk_status dpk_thread_start(struct dpk_thread *t, struct dpk_error *err)
{
    engine_lock();
    enum dpk_status status = process_state(t->process, err);
    const struct dpk_affinity *affinity = &t->options.affinity;
    if (status == DPK_OK && !dpk_eu_exists(affinity))
        status = dpk_fail(err, DPK_ERR_RANGE, "there is no execution unit%s %u",
                          affinity->kind == DPK_AFFINITY_GROUP ? " group" : "", affinity->id);
    if (status == DPK_OK && !engine_start_workers())
        status = dpk_fail(err, DPK_ERR_NOMEM, "the host gives no thread to run on");
    if (status == DPK_OK && t->state == OBJECT_CREATED)
        t->state = OBJECT_STARTED;
    engine_unlock();
    return status;
}

enum dpk_status dpk_thread_run(struct dpk_thread *t, const uint64_t *argument,
                               struct dpk_error *err)
{
    engine_lock();
    enum dpk_status status = process_state(t->process, err);
    if (status == DPK_OK && t->state == OBJECT_CREATED)
        status = dpk_fail(err, DPK_ERR_USAGE, "thread %u was not started", t->thread->slot);
    else if (status == DPK_OK && t->active)
        status = dpk_fail(err, DPK_ERR_USAGE, "thread %u runs already", t->thread->slot);
    if (status == DPK_OK) {
        if (argument)
            t->options.argument = *argument;
        t->state = OBJECT_RUN;
    }
    engine_unlock();
    return status;
}

void dpk_thread_activate(struct dpk_thread *t)
{
    engine_lock();
    thread_activate(t);
    engine_unlock();
}

static void stop(struct dpk_thread *o)
{
    struct host_wait w;
    struct thread *t = o->thread;
    o->state = OBJECT_CREATED;
    o->events = 0;
    o->parked = false;
    if (t->state != THREAD_IDLE && t->state != THREAD_RUNNING)
        thread_end(t, END_FINISH, 0);
    host_wait_begin(&w, o->process);
    t->stopping = t->state == THREAD_RUNNING;
    while (t->state == THREAD_RUNNING)
        host_wait_sleep(&w);
    t->stopping = false;
    host_wait_end(&w);
}

void dpk_thread_stop(struct dpk_thread *t)
{
    engine_lock();
    if (!the_engine.forked)
        stop(t);
    engine_unlock();
}

void dpk_thread_destroy(struct dpk_thread *t)
{
    if (!t)
        return;
    engine_lock();
    if (the_engine.forked) {
        engine_unlock();
        return;
    }
    stop(t);
    while (!list_empty(&t->triggers)) {
        struct dpk_trigger *trigger = owner_of(t->triggers.next, struct dpk_trigger, of_thread);
        trigger->thread = NULL;
        list_remove(&trigger->of_thread);
    }
    t->thread->object = NULL;
    list_remove(&t->in_process);
    engine_unlock();
    free(t);
}

unsigned dpk_thread_id(const struct dpk_thread *t)
{
    return t->thread->slot;
}

void threads_free(struct dpk_process *p)
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
