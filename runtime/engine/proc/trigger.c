#include "engine/proc/trigger.h"

#include <stdlib.h>

#include "engine/proc/thread.h"

/* A handle is never reused, so an old handle stays invalid. */
static enum dpk_status add_handle(struct dpk_trigger *trigger, struct dpk_error *err)
{
    struct dpk_process *p = trigger->process;
    if (p->trigger_count == p->trigger_capacity) {
        size_t capacity = p->trigger_capacity ? p->trigger_capacity * 2 : 16;
        struct dpk_trigger **more = realloc(p->triggers, capacity * sizeof(struct dpk_trigger *));
        if (!more)
            return dpk_fail_nomem(err);
        p->triggers = more;
        p->trigger_capacity = capacity;
    }
    p->triggers[p->trigger_count++] = trigger;
    trigger->handle = p->trigger_count;
    return DPK_OK;
}

struct dpk_trigger *proc_trigger_of_handle(const struct dpk_process *p, uint64_t handle)
{
    return handle >= 1 && handle <= p->trigger_count ? p->triggers[handle - 1] : NULL;
}

enum dpk_status dpk_trigger_create(struct dpk_process *p, enum dpk_trigger_kind kind,
                                   struct dpk_trigger **out, struct dpk_error *err)
{
    *out = NULL;
    struct dpk_trigger *trigger = calloc(1, sizeof *trigger);
    if (!trigger)
        return dpk_fail_nomem(err);
    trigger->process = p;
    trigger->kind = kind;
    list_init(&trigger->of_thread);
    sched_lock();
    enum dpk_status status = proc_process_state(p, err);
    if (status == DPK_OK)
        status = add_handle(trigger, err);
    sched_unlock();
    if (status == DPK_OK)
        *out = trigger;
    else
        free(trigger);
    return status;
}

void dpk_trigger_destroy(struct dpk_trigger *trigger)
{
    if (!trigger)
        return;
    sched_lock();
    list_remove(&trigger->of_thread);
    trigger->process->triggers[trigger->handle - 1] = NULL;
    sched_unlock();
    free(trigger);
}

enum dpk_status dpk_trigger_attach(struct dpk_trigger *trigger, struct dpk_thread *t,
                                   struct dpk_error *err)
{
    if (t && t->process != trigger->process)
        return dpk_fail(err, DPK_ERR_MISMATCH, "the thread is of another process");
    sched_lock();
    list_remove(&trigger->of_thread);
    trigger->thread = t;
    trigger->heard = t && t->state == THREAD_RUN;
    if (t)
        list_append(&t->triggers, &trigger->of_thread);
    sched_unlock();
    return DPK_OK;
}

uint64_t dpk_trigger_handle(const struct dpk_trigger *trigger)
{
    return trigger->handle;
}

bool dpk_trigger_is_heard(struct dpk_trigger *trigger)
{
    return trigger->heard;
}

static void fire(struct dpk_trigger *trigger)
{
    trigger->armed = false;
    if (trigger->thread)
        proc_thread_activate(trigger->thread);
}

void proc_trigger_signal(struct dpk_trigger *trigger, unsigned count)
{
    trigger->completions += count;
    if (trigger->kind == DPK_TRIGGER_NOTIFICATION)
        for (; count > 0; count--)
            fire(trigger);
    else if (trigger->armed)
        fire(trigger);
}

/* A completion that its consumer has not seen fires the trigger at once. */
void proc_trigger_arm(struct dpk_trigger *trigger, uint32_t consumed)
{
    trigger->armed = true;
    if ((int32_t)(trigger->completions - consumed) > 0)
        fire(trigger);
}

/* The arming thread arms, then counts completions. A completing thread counts, then looks whether
 * the trigger is armed. So at least one of them sees the other. */
bool dpk_trigger_count(struct dpk_trigger *trigger, unsigned count)
{
    trigger->completions += count;
    return trigger->armed;
}

void dpk_triggers_fire(struct dpk_trigger *const *triggers, size_t count)
{
    if (count == 0)
        return;
    sched_lock();
    for (size_t i = 0; i < count; i++)
        proc_trigger_signal(triggers[i], 0);
    sched_unlock();
}

void dpk_trigger_signal(struct dpk_trigger *trigger, unsigned count)
{
    if (trigger->kind == DPK_TRIGGER_QUEUE) {
        dpk_triggers_fire(&trigger, dpk_trigger_count(trigger, count));
        return;
    }
    sched_lock();
    proc_trigger_signal(trigger, count);
    sched_unlock();
}

void dpk_trigger_arm(struct dpk_trigger *trigger, uint32_t consumed)
{
    sched_lock();
    proc_trigger_arm(trigger, consumed);
    sched_unlock();
}
