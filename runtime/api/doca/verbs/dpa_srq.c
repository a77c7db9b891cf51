/* Shared receive queues of the DPA. Receives are taken in the order of posting, and end in any
 * order. The place of an ended receive is free at once, or in a linked list after DPA code
 * acknowledges it. A contiguous queue uses its places in order, so it is full while the next place
 * is not free. The lock of rc guards them. */
#include "dpa_queues.h"

#include <stdatomic.h>

#include "api/doca/memory/memory.h"

#define NONE UINT32_MAX

struct shared_receive {
    enum { FREE, POSTED, TAKEN, ENDED } state;
    uint32_t number;               /* the count that DPA code got for it */
    uint32_t count;                /* pieces */
    uint32_t next;                 /* next free place of a linked list; NONE: last */
    const struct dpa_srq_user *by; /* the user that took it */
};

struct dpa_srq {
    struct dpk_object object;
    struct dpk_rc *rc;
    struct dpk_dpa *base; /* a reference */
    uint64_t run;
    struct dpa_memory memory;
    uint32_t id;
    bool linked; /* type: linked list or contiguous */
    struct shared_receive *receives;
    struct dpk_rc_piece *pieces;        /* `segments` for each receive */
    uint32_t *order;                    /* the places of posted receives, in order */
    uint32_t size, segments;            /* the size is a power of two */
    uint32_t posted, committed, taken;  /* counters, which wrap */
    uint32_t first_free, last_free;     /* places of a linked list */
    TAILQ_HEAD(, dpa_srq_user) waiting; /* users with a message but no receive */
};

static void dpa_srq_release(void *object);
static const struct dpk_kind dpa_srq_kind = {.release = dpa_srq_release};

uint32_t verbs_srq_number_new(void)
{
    static atomic_uint last;
    return atomic_fetch_add(&last, 1) + 1;
}

/* ---- Places ---- */

static uint32_t place_of(const struct dpa_srq *s, const struct shared_receive *r)
{
    return (uint32_t)(r - s->receives);
}

static void set_free(struct dpa_srq *s, struct shared_receive *r)
{
    const uint32_t place = place_of(s, r);
    r->state = FREE;
    if (!s->linked)
        return;
    r->next = NONE;
    if (s->first_free == NONE)
        s->first_free = place;
    else
        s->receives[s->last_free].next = place;
    s->last_free = place;
}

/* Returns the place of the next receive, or NULL if it is not free. */
static struct shared_receive *next_place(const struct dpa_srq *s)
{
    if (s->linked)
        return s->first_free == NONE ? NULL : &s->receives[s->first_free];
    struct shared_receive *r = &s->receives[s->posted & (s->size - 1)];
    return r->state == FREE ? r : NULL;
}

uint32_t verbs_dpa_srq_number(const struct dpa_srq *s)
{
    return s->id;
}

bool verbs_dpa_srq_is_of(const struct dpa_srq *s, const struct dpk_dpa *base)
{
    return s->base == base && s->run == base->run;
}

enum dpk_rc_taken verbs_dpa_srq_take(struct dpa_srq *s, struct dpa_srq_user *u,
                                     struct dpk_rc_receive *out)
{
    if (s->taken == s->committed) {
        if (!u->waits)
            TAILQ_INSERT_TAIL(&s->waiting, u, link);
        u->waits = true;
        return DPK_RC_NONE;
    }
    const uint32_t place = s->order[s->taken & (s->size - 1)];
    *out = (struct dpk_rc_receive){.pieces = s->pieces + (size_t)place * s->segments,
                                   .count = s->receives[place].count,
                                   .index = s->taken,
                                   .user = &s->receives[place]};
    s->taken++;
    s->receives[place].state = TAKEN;
    s->receives[place].by = u;
    return DPK_RC_TAKEN;
}

uint32_t verbs_dpa_srq_ended(const struct dpa_srq *s, struct shared_receive *r)
{
    r->state = s->linked ? ENDED : FREE;
    return r->number;
}

void verbs_dpa_srq_leave(struct dpa_srq *s, struct dpa_srq_user *u)
{
    if (u->waits)
        TAILQ_REMOVE(&s->waiting, u, link);
    u->waits = false;
    /* No completion will report the receives that it has taken. */
    for (struct shared_receive *r = s->receives; r < s->receives + s->size; r++)
        if (r->state == TAKEN && r->by == u)
            set_free(s, r);
}

/* Resumes messages that wait for a receive, the oldest first. */
static void resume(struct dpa_srq *s)
{
    struct dpa_srq_user *u;
    unsigned count = 0;
    TAILQ_FOREACH(u, &s->waiting, link)
    count++;
    while (count-- > 0 && s->taken != s->committed && (u = TAILQ_FIRST(&s->waiting))) {
        TAILQ_REMOVE(&s->waiting, u, link);
        u->waits = false;
        dpk_rc_end_resume(u->end);
    }
}

/* Returns the bytes of a receive in the ring. In a linked list the first segment belongs to the list. */
static uint32_t stride(const struct dpa_srq *s)
{
    return verbs_receive_size(s->segments + s->linked);
}

/* ---- Life ---- */

static void dpa_srq_release(void *object)
{
    struct dpa_srq *s = object;
    free(s->receives);
    free(s->pieces);
    free(s->order);
    dpk_object_drop(s->base);
    free(s);
}

static bool make_places(struct dpa_srq *s, const struct srq_init_attr *a)
{
    s->linked = a->type == DOCA_VERBS_SRQ_TYPE_LINKED_LIST;
    s->segments = a->receive_max_sges;
    for (s->size = 1; s->size < a->srq_wr;)
        s->size *= 2;
    s->receives = calloc(s->size, sizeof *s->receives);
    s->pieces = calloc(s->size, s->segments * sizeof *s->pieces);
    s->order = calloc(s->size, sizeof *s->order);
    s->first_free = s->last_free = NONE;
    for (uint32_t i = 0; s->receives && s->linked && i < s->size; i++)
        set_free(s, &s->receives[i]);
    return s->receives && s->pieces && s->order;
}

/* Finds the DPA context: the given context, or the context of the given memory. */
static bool find_base(struct dpa_srq *s, const struct srq_init_attr *a)
{
    if (!a->dpa)
        return (s->base = dpk_umem_base(a->external_umem)) && a->pd;
    struct dpk_dpa *d = dpk_object_pin(a->dpa, &dpk_dpa_kind);
    if (d)
        dpk_object_hold(s->base = dpk_dpa_base(d));
    dpk_object_drop(d);
    return d && !a->pd && !a->external_umem && !a->external_dbr_umem;
}

static bool find_memory(struct dpa_srq *s, const struct srq_init_attr *a)
{
    const uint64_t size = (uint64_t)s->size * stride(s);
    s->memory.base = s->base;
    s->memory.run = s->run;
    return a->dpa
               ? verbs_memory_new(&s->memory, size, 0)
               : verbs_memory_find(&s->memory, size, 0, a->external_umem, a->external_umem_offset,
                                   a->external_dbr_umem, a->external_dbr_umem_offset);
}

static doca_error_t begin(struct dpa_srq *s, const struct srq_init_attr *a)
{
    struct dpk_error err = {0};
    if (!make_places(s, a))
        return DOCA_ERROR_NO_MEMORY;
    if (!find_base(s, a))
        return DOCA_ERROR_INVALID_VALUE;
    if (!dpk_dpa_enter(s->base, 0))
        return DOCA_ERROR_BAD_STATE;
    s->run = s->base->run;
    const bool fits = find_memory(s, a);
    dpk_dpa_leave(s->base);
    if (!fits)
        return DOCA_ERROR_INVALID_VALUE;
    return dpk_rc_enter(&s->rc, &err) == DPK_OK ? DOCA_SUCCESS : dpk_doca_error_of(&err);
}

doca_error_t verbs_dpa_srq_new(const struct srq_init_attr *a, uint32_t id, struct dpa_srq **out)
{
    if (a->srq_wr == 0 || a->srq_wr > WORKS_MAX || a->receive_max_sges == 0 ||
        a->receive_max_sges > DPA_VERBS_SEGMENTS_MAX ||
        (a->type != DOCA_VERBS_SRQ_TYPE_LINKED_LIST && a->type != DOCA_VERBS_SRQ_TYPE_CONTIGUOUS))
        return DOCA_ERROR_INVALID_VALUE;
    struct dpa_srq *s = calloc(1, sizeof *s);
    if (!s)
        return DOCA_ERROR_NO_MEMORY;
    s->id = id;
    TAILQ_INIT(&s->waiting);
    const doca_error_t result = begin(s, a);
    if (result != DOCA_SUCCESS) {
        verbs_memory_free(&s->memory);
        dpa_srq_release(s);
        return result;
    }
    struct dpk_rc *rc = s->rc;
    if (dpk_object_enter(s, &dpa_srq_kind)) {
        *out = s;
        return DOCA_SUCCESS;
    }
    dpk_rc_leave(rc);
    return DOCA_ERROR_NO_MEMORY; /* dpk_object_enter released it */
}

void verbs_dpa_srq_free(struct dpa_srq *s)
{
    if (!s)
        return;
    pthread_mutex_lock(&s->object.lock); /* a call of DPA code holds the lock */
    dpk_rc_leave(s->rc);
    s->rc = NULL;
    verbs_memory_free(&s->memory);
    pthread_mutex_unlock(&s->object.lock);
    dpk_object_destroy(s->object.handle, &dpa_srq_kind);
}

doca_error_t verbs_dpa_srq_handle(const struct dpa_srq *s, const struct doca_dpa *dpa,
                                  uint64_t *handle)
{
    return verbs_dpa_handle(&s->object, s->base, dpa, handle);
}

/* ---- Calls of DPA code ---- */

/* Writes a receive to its place in the ring. */
static void keep(const struct dpk_dpa *d, const struct dpa_srq *s, uint32_t place)
{
    uint8_t wqe[2 * DPA_VERBS_SEGMENTS_MAX * WQE_SEGMENT];
    const uint32_t head = s->linked ? WQE_SEGMENT : 0, size = stride(s) - head;
    verbs_write_receive(wqe, size, s->pieces + (size_t)place * s->segments,
                        s->receives[place].count);
    dpk_copy_in(d->process->dpa, s->memory.receives + (uint64_t)place * stride(s) + head, wqe, size,
                NULL);
}

/* Posts a receive of a work request, or (`raw`) of a WQE: args[2] are segments, or bytes. */
static bool post(struct dpk_dpa *d, struct dpa_srq *s, bool raw, const uint64_t args[6],
                 uint64_t *result, char *reason, size_t size)
{
    if (!!args[3] == s->linked)
        return dpk_dpa_call_fails(reason, size, "Verbs: a shared receive queue of the other type");
    struct shared_receive *r = next_place(s);
    if (!r || args[2] > (uint64_t)s->segments * (raw ? WQE_SEGMENT : 1))
        return true; /* *result is 0: the queue is full */
    const uint32_t place = place_of(s, r);
    struct dpk_rc_piece *pieces = s->pieces + (size_t)place * s->segments;
    if (!(raw ? verbs_read_raw_receive(d, pieces, args[1], args[2], &r->count)
              : verbs_read_receive(d, pieces, args[1], (uint32_t)args[2], &r->count)))
        return dpk_dpa_call_fails(reason, size, "Verbs: no memory where the segments are");
    keep(d, s, place);
    if (s->linked)
        s->first_free = r->next;
    r->state = POSTED;
    s->order[s->posted & (s->size - 1)] = place;
    s->posted++;
    *result = r->number = s->linked ? place + 1 : s->posted;
    return true;
}

static bool acknowledge(struct dpa_srq *s, uint64_t number, char *reason, size_t size)
{
    struct shared_receive *r =
        s->linked && number > 0 && number <= s->size ? &s->receives[number - 1] : NULL;
    if (!r || r->state != ENDED)
        return dpk_dpa_call_fails(reason, size, "Verbs: no receive of that count has ended");
    set_free(s, r);
    return true;
}

static uint64_t tell_number(const struct dpa_srq *s, uint64_t what)
{
    switch (what) {
    case DPA_VERBS_NUMBER:
        return s->id;
    case DPA_VERBS_RECEIVES_AT:
        return s->memory.receives;
    case DPA_VERBS_RECEIVE_ENTRIES:
        return s->size;
    case DPA_VERBS_RECEIVE_SIZE:
        return stride(s);
    default:
        return s->memory.record;
    }
}

/* Call this with the lock of rc. */
static bool call_on(struct dpk_dpa *d, struct dpa_srq *s, unsigned call, const uint64_t args[6],
                    uint64_t *result, char *reason, size_t size)
{
    switch (call) {
    case DPA_VERBS_SHARED_RECEIVE:
    case DPA_VERBS_SHARED_RAW:
        return post(d, s, call == DPA_VERBS_SHARED_RAW, args, result, reason, size);
    case DPA_VERBS_SHARED_COMMIT:
        s->committed = s->posted;
        verbs_write_record(d, s->memory.record, s->posted & UINT16_MAX);
        resume(s);
        return true;
    case DPA_VERBS_SHARED_ACK:
        return acknowledge(s, args[1], reason, size);
    case DPA_VERBS_SHARED_TELL:
        *result = tell_number(s, args[1]);
        return true;
    default:
        return dpk_dpa_call_unknown(reason, size, call);
    }
}

static bool shared_call(void *context, struct dpk_caller *caller, unsigned call,
                        const uint64_t args[6], uint64_t *result, char *reason, size_t size)
{
    struct dpk_dpa *d = context;
    (void)caller;
    bool good = false;
    struct dpa_srq *s = dpk_object_lock(dpk_pointer(args[0]), &dpa_srq_kind);
    if (s && s->rc && verbs_dpa_srq_is_of(s, d)) {
        dpk_rc_lock(s->rc);
        good = call_on(d, s, call, args, result, reason, size);
        dpk_rc_unlock(s->rc);
    } else {
        dpk_dpa_call_fails(reason, size, "Verbs: not a shared receive queue of this process");
    }
    dpk_object_unlock(s, DOCA_SUCCESS);
    return good;
}

static struct dpk_dpa_calls calls = {.room = DPA_ROOM_SHARED, .call = shared_call};

__attribute__((constructor)) static void register_calls(void)
{
    dpk_dpa_register_calls(&calls);
}
