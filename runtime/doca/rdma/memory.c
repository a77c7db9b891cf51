/* What the NIC asks for: memory by the numbers of maps, sync events, and who is told. */
#include <doca_dpa_dev.h>
#include <time.h>

#include "rdma.h"

#define PART_SIZE 4096u

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Registered memory that was looked up. */
struct found {
    struct dpk_memory memory;
    void *map;                   /* whose access it is */
    struct dpk_process *process; /* DPA memory: entered */
};

static uint32_t needed(enum dpk_rc_access access)
{
    static const uint32_t flags[] = {
        [DPK_RC_LOCAL_READ] = 0,
        [DPK_RC_LOCAL_WRITE] = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE,
        [DPK_RC_REMOTE_READ] = DOCA_ACCESS_FLAG_RDMA_READ,
        [DPK_RC_REMOTE_WRITE] = DOCA_ACCESS_FLAG_RDMA_WRITE,
        [DPK_RC_REMOTE_ATOMIC] = DOCA_ACCESS_FLAG_RDMA_ATOMIC,
    };
    return flags[access];
}

static bool covers(const struct dpk_memory *m, const struct dpk_rc_range *r)
{
    return r->address >= m->address && r->size <= m->size &&
           r->address - m->address <= m->size - r->size;
}

static void leave(const struct found *f)
{
    if (f->process)
        dpk_dpa_leave(f->memory.dpa);
    dpk_mmap_leave(f->map);
}

/* Looks memory up, which stays until leave(). False: it is not registered here, not so much of it,
 * not for this, or not for the device of `rdma` (NULL: for any). */
static bool find(const struct dpk_rdma *rdma, const struct dpk_rc_range *r,
                 enum dpk_rc_access access, struct found *f)
{
    *f = (struct found){0};
    if (!dpk_memory_of_key(r->key, &f->memory, &f->map))
        return false;
    uint32_t flags = needed(access);
    bool good = f->memory.place != DPK_MEMORY_REMOTE && covers(&f->memory, r) &&
                (f->memory.permissions & flags) == flags &&
                (!rdma || dpk_memory_is_on(f->map, rdma->dev));
    if (good && f->memory.place == DPK_MEMORY_DPA)
        good = (f->process = dpk_dpa_enter(f->memory.dpa, 0)) != NULL;
    if (!good)
        leave(f);
    return good;
}

static void *host_address(const struct dpk_rc_range *r)
{
    return dpk_pointer(r->address);
}

static bool memory_has(void *context, const struct dpk_rc_range *r, enum dpk_rc_access access)
{
    struct found f;
    if (!find(context, r, access, &f))
        return false;
    bool good = !f.process ||
                dpk_process_has_memory(f.process, r->address, r->size,
                                       access != DPK_RC_LOCAL_READ && access != DPK_RC_REMOTE_READ);
    leave(&f);
    return good;
}

static bool memory_out(void *context, const struct dpk_rc_range *r, enum dpk_rc_access access,
                       void *to)
{
    struct found f;
    bool good = true;
    if (!find(context, r, access, &f))
        return false;
    if (f.process)
        good = dpk_copy_out(f.process, to, r->address, r->size, NULL) == DPK_OK;
    else
        memcpy(to, host_address(r), (size_t)r->size);
    leave(&f);
    return good;
}

static bool memory_in(void *context, const struct dpk_rc_range *r, enum dpk_rc_access access,
                      const void *from)
{
    struct found f;
    bool good = true;
    if (!find(context, r, access, &f))
        return false;
    if (f.process)
        good = dpk_copy_in(f.process, r->address, from, r->size, NULL) == DPK_OK;
    else
        memcpy(host_address(r), from, (size_t)r->size);
    leave(&f);
    return good;
}

static bool memory_add(void *context, const struct dpk_rc_range *r, uint64_t value,
                       uint64_t *before)
{
    struct found f;
    bool good = true;
    if (!find(context, r, DPK_RC_REMOTE_ATOMIC, &f))
        return false;
    if (f.process)
        good = dpk_fetch_add(f.process, r->address, value, before, NULL) == DPK_OK;
    else
        *before = __atomic_fetch_add((uint64_t *)host_address(r), value, __ATOMIC_SEQ_CST);
    leave(&f);
    return good;
}

static bool memory_swap(void *context, const struct dpk_rc_range *r, uint64_t compare,
                        uint64_t value, uint64_t *before)
{
    struct found f;
    bool good = true;
    if (!find(context, r, DPK_RC_REMOTE_ATOMIC, &f))
        return false;
    *before = compare;
    if (f.process)
        good = dpk_compare_swap(f.process, r->address, compare, value, before, NULL) == DPK_OK;
    else
        __atomic_compare_exchange_n((uint64_t *)host_address(r), before, value, false,
                                    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    leave(&f);
    return good;
}

bool dpk_rdma_copy(const struct dpk_rc_range *to, const struct dpk_rc_range *from)
{
    uint8_t part[PART_SIZE];
    if (!memory_has(NULL, to, DPK_RC_LOCAL_WRITE) || !memory_has(NULL, from, DPK_RC_LOCAL_READ))
        return false;
    for (uint64_t at = 0; at < from->size; at += PART_SIZE) {
        uint64_t size = from->size - at < PART_SIZE ? from->size - at : PART_SIZE;
        if (!memory_out(NULL, &(struct dpk_rc_range){from->key, from->address + at, size},
                        DPK_RC_LOCAL_READ, part) ||
            !memory_in(NULL, &(struct dpk_rc_range){to->key, to->address + at, size},
                       DPK_RC_LOCAL_WRITE, part))
            return false;
    }
    return true;
}

/* ---- Events ---------------------------------------------------------------------------------- */

static bool signal_event(void *context, uint64_t key, uint64_t value, bool adds)
{
    void *pinned = NULL;
    (void)context;
    struct dpk_event *e = dpk_sync_event_of_key(key, &pinned);
    if (e && adds)
        dpk_event_add(e, value);
    else if (e)
        dpk_event_set(e, value);
    dpk_object_drop(pinned);
    return e != NULL;
}

/* ---- Completions ----------------------------------------------------------------------------- */

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Nobody looks at completions of this one: an error must not go unseen. */
static void end_process(struct dpk_rdma *r, const struct dpk_rc_completion *c)
{
    struct dpk_process *p = dpk_dpa_enter(dpk_rdma_dpa(r), r->run);
    char story[120];
    if (!p)
        return;
    snprintf(story, sizeof story, "RDMA: operation %u of connection %u failed", c->index,
             c->connection);
    dpk_process_end(p, story);
    dpk_dpa_leave(dpk_rdma_dpa(r));
}

static bool completed(void *context, const struct dpk_rc_completion *c)
{
    static const uint32_t types[] = {
        [DPK_RC_DONE] = DOCA_DPA_DEV_COMP_SEND,
        [DPK_RC_RECEIVED] = DOCA_DPA_DEV_COMP_RECV_SEND,
        [DPK_RC_RECEIVED_IMMEDIATE] = DOCA_DPA_DEV_COMP_RECV_SEND_IMM,
        [DPK_RC_WRITTEN_IMMEDIATE] = DOCA_DPA_DEV_COMP_RECV_RDMA_WRITE_IMM,
        [DPK_RC_FAILED] = DOCA_DPA_DEV_COMP_SEND_ERR,
        [DPK_RC_RECEIVE_FAILED] = DOCA_DPA_DEV_COMP_RECV_ERR,
    };
    struct dpk_rdma *r = context;
    if (r->queue)
        dpk_completion_post(r->queue, &(struct dpk_completion){.type = types[c->event],
                                                               .user_data = c->connection,
                                                               .immediate = c->immediate,
                                                               .wqe_counter = c->index,
                                                               .timestamp = now()});
    else if (c->event == DPK_RC_FAILED)
        end_process(r, c);
    return true;
}

const struct dpk_rc_ops dpk_rdma_ops = {.has = memory_has,
                                        .copy_out = memory_out,
                                        .copy_in = memory_in,
                                        .add = memory_add,
                                        .swap = memory_swap,
                                        .signal = signal_event,
                                        .complete = completed};
