/* trigger: notifications and completion queues, and the threads that they activate. Call these with
 * sched's lock; atomic members are also read without it. */
#ifndef DPK_ENGINE_PROC_TRIGGER_H
#define DPK_ENGINE_PROC_TRIGGER_H

#include <stdatomic.h>

#include "engine/proc/process.h"

struct dpk_trigger {
    struct dpk_process *process;
    struct list of_thread;
    struct dpk_thread *thread;
    enum dpk_trigger_kind kind;
    uint64_t handle;
    atomic_bool heard; /* the thread waits for events */
    atomic_bool armed;
    atomic_uint_least32_t completions; /* number of completions, modulo 2^32 */
};

struct dpk_trigger *proc_trigger_of_handle(const struct dpk_process *p, uint64_t handle);
void proc_trigger_signal(struct dpk_trigger *trigger, unsigned count);
void proc_trigger_arm(struct dpk_trigger *trigger, uint32_t consumed);

#endif
