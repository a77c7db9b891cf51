/* Entries of pipes. */
#include "flow.h"

/* What a program gives for an entry. */
struct request {
    const struct doca_flow_actions *actions;  /* the entry's */
    const struct doca_flow_actions *template; /* NULL: no actions */
    const struct doca_flow_actions *mask;
    bool literal; /* the template is the entry's own */
    const struct doca_flow_monitor *monitor;
    const struct doca_flow_fwd *fwd;
    uint32_t number; /* of the entry of a hash pipe */
    /* What an earlier release has in another layout (releases.c). */
    struct doca_flow_actions actions_room, mask_room;
    struct doca_flow_monitor monitor_room;
    struct doca_flow_fwd fwd_room;
};

/* Reads the monitor and the destination of an entry. */
static void read_ends(const struct flow_pipe *p, struct request *r)
{
    const struct flow_layout *l = p->port->settings.layout;
    r->monitor = flow_monitor_read(l, r->monitor, &r->monitor_room);
    r->fwd = flow_fwd_read(l, r->fwd, &r->fwd_room);
}

/* ---- Ways ---- */

/* Sets the entry's counter and age by the monitor. */
static doca_error_t set_monitor(struct flow_pipe *p, struct flow_entry *e,
                                const struct doca_flow_monitor *monitor)
{
    const struct doca_flow_monitor *m = monitor ? monitor : &p->settings.monitor;
    const struct flow_counters *shared = p->port->settings.shared;
    const doca_error_t result = flow_monitor_check(m);
    if (result != DOCA_SUCCESS)
        return result;
    const uint32_t id = m->shared_counter.shared_counter_id;
    const bool shares = m->counter_type == DOCA_FLOW_RESOURCE_TYPE_SHARED;
    if (shares && (!shared || id >= shared->count))
        return dpk_doca_because(
            DOCA_ERROR_INVALID_VALUE,
            "there is no shared counter %u (doca_flow_cfg_set_nr_shared_resource)", id);
    e->counts = m->counter_type != DOCA_FLOW_RESOURCE_TYPE_NONE;
    e->aging = m->aging_sec;
    e->aged = false;
    e->since = (int64_t)dpk_now_ns();
    e->counter = NULL;
    if (shares)
        e->counter = &p->port->settings.shared->counters[id];
    else if (e->counts || e->aging > 0)
        e->counter = &e->own;
    e->seen = e->counter ? e->counter->packets : 0;
    return DOCA_SUCCESS;
}

/* Makes the rules of an entry. */
static doca_error_t make_way(struct flow_pipe *p, struct flow_entry *e, const struct request *r,
                             struct flow_way **way)
{
    struct flow_rule rule = {.match = e->match, .priority = e->priority};
    const bool own = r->fwd && r->fwd->type != DOCA_FLOW_FWD_NONE;
    doca_error_t result = set_monitor(p, e, r->monitor);
    if (result == DOCA_SUCCESS && !own && !p->has_fwd)
        result = dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                  "neither the pipe nor the entry has a destination");
    if (result == DOCA_SUCCESS && r->template)
        result = flow_actions_fill(r->template, r->mask, r->actions, r->literal, p->settings.sent,
                                   &rule.changes);
    rule.changes.counter = e->counter;
    return result == DOCA_SUCCESS ? flow_way_new(p, own ? r->fwd : &p->fwd, &rule, way) : result;
}

/* Finds the template of the entry's actions. */
static doca_error_t choose_actions(const struct flow_pipe *p, unsigned index, struct request *r)
{
    if (r->actions && index > 0 && index >= p->settings.action_count)
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                "action %u, but the pipe has %zu "
                                "(doca_flow_pipe_cfg_set_actions)",
                                index, p->settings.action_count);
    if (index < p->settings.action_count) {
        const struct flow_actions *a = &p->actions[index];
        r->template = &a->actions;
        r->mask = a->has_mask ? &a->mask : NULL;
    }
    doca_error_t result = DOCA_SUCCESS;
    read_ends(p, r);
    r->actions = flow_actions_read(p->port->settings.layout, r->actions, r->template, false,
                                   &r->actions_room, &result);
    return r->actions && result == DOCA_SUCCESS ? flow_actions_check(r->actions, NULL, NULL)
                                                : result;
}

/* Reads and checks the actions of an entry that has no template. */
static doca_error_t read_own_actions(const struct flow_pipe *p,
                                     const struct doca_flow_actions *actions,
                                     const struct doca_flow_actions *mask,
                                     const struct doca_flow_action_descs *descs, struct request *r)
{
    const struct flow_layout *l = p->port->settings.layout;
    doca_error_t result = DOCA_SUCCESS;
    read_ends(p, r);
    r->template = flow_actions_read(l, actions, NULL, false, &r->actions_room, &result);
    r->mask = flow_actions_read(l, mask, r->template, true, &r->mask_room, &result);
    if (r->template == &r->actions_room)
        descs = flow_descs_read(l, descs, &r->actions_room);
    return r->template && result == DOCA_SUCCESS ? flow_actions_check(r->template, r->mask, descs)
                                                 : result;
}

/* Makes the match of an entry that has a match and a mask of its own. `like`: the pipe's match, or NULL. */
static doca_error_t read_own_match(const struct flow_pipe *p, const struct doca_flow_match *match,
                                   const struct doca_flow_match *mask,
                                   const struct doca_flow_match *like, struct flow_template *t)
{
    const struct flow_layout *l = p->port->settings.layout;
    struct doca_flow_match match_room, mask_room;
    doca_error_t result = DOCA_SUCCESS;
    match = flow_match_read(l, match, like, false, &match_room, &result);
    mask = flow_match_read(l, mask, match, true, &mask_room, &result);
    return result == DOCA_SUCCESS ? flow_template_make(match, mask, true, p->settings.sent, t)
                                  : result;
}

/* ---- Adding ---- */

/* An entry that is added: the pipe is locked, or NULL if the arguments are wrong. */
static struct flow_pipe *begin_add(uint16_t queue, struct doca_flow_pipe *pipe,
                                   enum doca_flow_pipe_type type,
                                   struct doca_flow_pipe_entry **entry, doca_error_t *result)
{
    if (entry)
        *entry = NULL;
    struct flow_pipe *p = entry ? dpk_object_lock(pipe, &flow_pipe_kind) : NULL;
    *result = DOCA_SUCCESS;
    if (!p) {
        *result = DOCA_ERROR_INVALID_VALUE;
        return NULL;
    }
    /* Another thread may have destroyed the pipe before this thread got the lock. */
    if (p->object.gone)
        *result = DOCA_ERROR_INVALID_VALUE;
    else if (p->settings.type != type)
        *result = dpk_doca_because(DOCA_ERROR_INVALID_VALUE, "the pipe is of another type");
    else if (queue >= p->port->settings.queues)
        *result = dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                   "queue %u, but there are %u (doca_flow_cfg_set_pipe_queues)",
                                   queue, p->port->settings.queues);
    else if (p->settings.entries_max > 0 && p->entry_count >= p->settings.entries_max)
        *result = dpk_doca_because(DOCA_ERROR_FULL,
                                   "the pipe is full (doca_flow_pipe_cfg_set_nr_entries)");
    return p;
}

static doca_error_t add_entry(struct flow_pipe *p, struct doca_flow_pipe *pipe, uint16_t queue,
                              const struct dpk_match *match, unsigned priority,
                              const struct request *r, void *usr_ctx,
                              struct doca_flow_pipe_entry **entry)
{
    struct flow_entry *e = calloc(1, sizeof *e);
    if (!e)
        return DOCA_ERROR_NO_MEMORY;
    e->pipe = pipe;
    e->queue = queue;
    e->usr_ctx = usr_ctx;
    e->match = *match;
    e->priority = priority;
    e->number = r->number;
    void *handle = dpk_object_enter(e, &flow_entry_kind);
    if (!handle)
        return DOCA_ERROR_NO_MEMORY;
    doca_error_t result = make_way(p, e, r, &e->way);
    if (result == DOCA_SUCCESS && !flow_port_tell(p->port, e, DOCA_FLOW_ENTRY_OP_ADD, queue)) {
        flow_way_free(e->way);
        result = DOCA_ERROR_NO_MEMORY;
    }
    if (result != DOCA_SUCCESS) {
        dpk_object_destroy(handle, &flow_entry_kind);
        return result;
    }
    *entry = handle;
    e->in = true;
    if (p->hash)
        p->hash->taken[e->number] = true;
    LIST_INSERT_HEAD(&p->entries, e, in_pipe);
    p->entry_count++;
    return DOCA_SUCCESS;
}

static doca_error_t add_basic(uint16_t queue, struct doca_flow_pipe *pipe,
                              const struct doca_flow_match *match, unsigned action_idx,
                              struct request *r, void *usr_ctx, struct doca_flow_pipe_entry **entry)
{
    doca_error_t result;
    struct flow_pipe *p = begin_add(queue, pipe, DOCA_FLOW_PIPE_BASIC, entry, &result);
    if (!p)
        return result;
    if (result == DOCA_SUCCESS)
        result = choose_actions(p, action_idx, r);
    struct doca_flow_match room;
    match =
        flow_match_read(p->port->settings.layout, match, &p->match.layers, false, &room, &result);
    if (result == DOCA_SUCCESS) {
        const struct dpk_match m = flow_template_fill(&p->match, match);
        result = add_entry(p, pipe, queue, &m, 0, r, usr_ctx, entry);
    }
    return dpk_object_unlock(p, result);
}

doca_error_t(doca_flow_pipe_add_entry)(uint16_t pipe_queue, struct doca_flow_pipe *pipe,
                                       const struct doca_flow_match *match, uint8_t action_idx,
                                       const struct doca_flow_actions *actions,
                                       const struct doca_flow_monitor *monitor,
                                       const struct doca_flow_fwd *fwd, uint32_t flags,
                                       void *usr_ctx, struct doca_flow_pipe_entry **entry)
{
    (void)flags;
    return dpk_doca_end(
        pipe, __func__,
        add_basic(pipe_queue, pipe, match, action_idx,
                  &(struct request){.actions = actions, .monitor = monitor, .fwd = fwd}, usr_ctx,
                  entry));
}

doca_error_t doca_flow_pipe_basic_add_entry(uint16_t pipe_queue, struct doca_flow_pipe *pipe,
                                            const struct doca_flow_match *match, uint8_t action_idx,
                                            const struct doca_flow_actions *actions,
                                            const struct doca_flow_monitor *monitor,
                                            const struct doca_flow_fwd *fwd, uint32_t flags,
                                            void *usr_ctx, struct doca_flow_pipe_entry **entry)
{
    (void)flags;
    return dpk_doca_end(
        pipe, __func__,
        add_basic(pipe_queue, pipe, match, action_idx,
                  &(struct request){.actions = actions, .monitor = monitor, .fwd = fwd}, usr_ctx,
                  entry));
}

doca_error_t doca_flow_pipe_control_add_entry(
    uint16_t pipe_queue, uint32_t priority, struct doca_flow_pipe *pipe,
    const struct doca_flow_match *match, const struct doca_flow_match *match_mask,
    const struct doca_flow_match_condition *condition, const struct doca_flow_actions *actions,
    const struct doca_flow_actions *actions_mask, const struct doca_flow_action_descs *action_descs,
    const struct doca_flow_monitor *monitor, const struct doca_flow_fwd *fwd, void *usr_ctx,
    struct doca_flow_pipe_entry **entry)
{
    struct request r = {.literal = true, .monitor = monitor, .fwd = fwd};
    struct flow_template t;
    doca_error_t result;
    struct flow_pipe *p = begin_add(pipe_queue, pipe, DOCA_FLOW_PIPE_CONTROL, entry, &result);
    if (!p)
        return dpk_doca_end(pipe, __func__, result);
    if (result == DOCA_SUCCESS && condition)
        result = flow_cannot("a condition of a match");
    if (result == DOCA_SUCCESS && priority > FLOW_PRIORITY_MAX)
        result = dpk_doca_because(DOCA_ERROR_INVALID_VALUE, "the priority is above %u",
                                  FLOW_PRIORITY_MAX);
    if (result == DOCA_SUCCESS)
        result = read_own_match(p, match, match_mask, NULL, &t);
    if (result == DOCA_SUCCESS)
        result = read_own_actions(p, actions, actions_mask, action_descs, &r);
    if (result == DOCA_SUCCESS)
        result = add_entry(p, pipe, pipe_queue, &t.fixed, priority, &r, usr_ctx, entry);
    return dpk_doca_end(pipe, __func__, dpk_object_unlock(p, result));
}

/* Returns the number of leading bits of an address' mask, or -1 if it is not a prefix. */
static int prefix_of(const uint8_t *mask, size_t size)
{
    int bits = 0;
    bool ended = false;
    for (size_t i = 0; i < size * 8; i++) {
        const bool set = mask[i / 8] >> (7 - i % 8) & 1;
        if (set && ended)
            return -1;
        ended = !set;
        bits += set;
    }
    return bits;
}

/* Returns the number of bits of the one address that a mask has, or -1. */
static int prefix_bits(const struct doca_flow_match *match, const struct doca_flow_match *mask)
{
    const struct doca_flow_header_format *h = &mask->outer;
    const bool v4 = match->outer.l3_type == DOCA_FLOW_L3_TYPE_IP4;
    if (!v4 && match->outer.l3_type != DOCA_FLOW_L3_TYPE_IP6)
        return -1;
    const uint8_t *source = v4 ? (const void *)&h->ip4.src_ip : h->ip6.src_ip;
    const uint8_t *destination = v4 ? (const void *)&h->ip4.dst_ip : h->ip6.dst_ip;
    const size_t size = v4 ? sizeof h->ip4.src_ip : sizeof h->ip6.src_ip;
    const int a = prefix_of(source, size), b = prefix_of(destination, size);
    return a > 0 && b > 0 ? -1 : a < 0 || b < 0 ? -1 : a + b;
}

/* Makes the match of an LPM pipe's entry, and gets the bits of its prefix. */
static doca_error_t read_prefix(const struct flow_pipe *p, const struct doca_flow_match *match,
                                const struct doca_flow_match *mask, struct flow_template *t,
                                int *bits)
{
    const struct flow_layout *l = p->port->settings.layout;
    const struct doca_flow_match *like = &p->settings.match;
    struct doca_flow_match match_room, mask_room;
    doca_error_t result = DOCA_SUCCESS;
    match = flow_match_read(l, match, like, false, &match_room, &result);
    struct doca_flow_match m = match ? *match : (struct doca_flow_match){0};
    /* The pipe's match says which headers an entry has. */
    if (m.outer.l3_type == DOCA_FLOW_L3_TYPE_NONE)
        m.outer.l3_type = like->outer.l3_type;
    mask = flow_match_read(l, mask, &m, true, &mask_room, &result);
    if (result != DOCA_SUCCESS)
        return result;
    *bits = match && mask ? prefix_bits(&m, mask) : -1;
    return *bits < 0 ? dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                        "match_mask is not the prefix of one IP address")
                     : flow_template_make(&m, mask, true, p->settings.sent, t);
}

doca_error_t(doca_flow_pipe_lpm_add_entry)(
    uint16_t pipe_queue, struct doca_flow_pipe *pipe, const struct doca_flow_match *match,
    const struct doca_flow_match *match_mask, uint8_t action_idx,
    const struct doca_flow_actions *actions, const struct doca_flow_monitor *monitor,
    const struct doca_flow_fwd *fwd, const enum doca_flow_flags_type flags, void *usr_ctx,
    struct doca_flow_pipe_entry **entry)
{
    enum { ADDRESS_BITS = 128 };
    struct request r = {.actions = actions, .monitor = monitor, .fwd = fwd};
    struct flow_template t;
    doca_error_t result;
    (void)flags;
    struct flow_pipe *p = begin_add(pipe_queue, pipe, DOCA_FLOW_PIPE_LPM, entry, &result);
    if (!p)
        return dpk_doca_end(pipe, __func__, result);
    int bits = 0;
    if (result == DOCA_SUCCESS)
        result = read_prefix(p, match, match_mask, &t, &bits);
    if (result == DOCA_SUCCESS)
        result = choose_actions(p, action_idx, &r);
    if (result == DOCA_SUCCESS)
        result = add_entry(p, pipe, pipe_queue, &t.fixed, (unsigned)(ADDRESS_BITS - bits), &r,
                           usr_ctx, entry);
    return dpk_doca_end(pipe, __func__, dpk_object_unlock(p, result));
}

doca_error_t(doca_flow_pipe_acl_add_entry)(uint16_t pipe_queue, struct doca_flow_pipe *pipe,
                                           const struct doca_flow_match *match,
                                           const struct doca_flow_match *match_mask,
                                           const struct doca_flow_actions *actions,
                                           uint32_t priority, const struct doca_flow_fwd *fwd,
                                           const enum doca_flow_flags_type flags, void *usr_ctx,
                                           struct doca_flow_pipe_entry **entry)
{
    struct request r = {.fwd = fwd};
    struct flow_template t;
    doca_error_t result;
    (void)flags;
    struct flow_pipe *p = begin_add(pipe_queue, pipe, DOCA_FLOW_PIPE_ACL, entry, &result);
    if (!p)
        return dpk_doca_end(pipe, __func__, result);
    if (result == DOCA_SUCCESS && actions)
        result = flow_cannot("an action of an ACL's entry");
    if (result == DOCA_SUCCESS && priority > FLOW_PRIORITY_MAX)
        result = dpk_doca_because(DOCA_ERROR_INVALID_VALUE, "the priority is above %u",
                                  FLOW_PRIORITY_MAX);
    if (result == DOCA_SUCCESS)
        result = read_own_match(p, match, match_mask, NULL, &t);
    read_ends(p, &r);
    if (result == DOCA_SUCCESS)
        result = add_entry(p, pipe, pipe_queue, &t.fixed, priority, &r, usr_ctx, entry);
    return dpk_doca_end(pipe, __func__, dpk_object_unlock(p, result));
}

doca_error_t(doca_flow_pipe_hash_add_entry)(uint16_t pipe_queue, struct doca_flow_pipe *pipe,
                                            uint32_t entry_index, uint8_t action_idx,
                                            const struct doca_flow_actions *actions,
                                            const struct doca_flow_monitor *monitor,
                                            const struct doca_flow_fwd *fwd,
                                            const enum doca_flow_flags_type flags, void *usr_ctx,
                                            struct doca_flow_pipe_entry **entry)
{
    struct request r = {.actions = actions, .monitor = monitor, .fwd = fwd, .number = entry_index};
    doca_error_t result;
    (void)flags;
    struct flow_pipe *p = begin_add(pipe_queue, pipe, DOCA_FLOW_PIPE_HASH, entry, &result);
    if (!p)
        return dpk_doca_end(pipe, __func__, result);
    if (result == DOCA_SUCCESS && entry_index >= p->settings.entries_max)
        result = dpk_doca_because(DOCA_ERROR_INVALID_VALUE, "entry %u of a pipe with %u",
                                  entry_index, p->settings.entries_max);
    if (result == DOCA_SUCCESS && p->hash->taken[entry_index])
        result =
            dpk_doca_because(DOCA_ERROR_ALREADY_EXIST, "the pipe has an entry %u", entry_index);
    if (result == DOCA_SUCCESS)
        result = choose_actions(p, action_idx, &r);
    if (result == DOCA_SUCCESS) {
        const struct dpk_match m = flow_hash_match(entry_index);
        result = add_entry(p, pipe, pipe_queue, &m, 0, &r, usr_ctx, entry);
    }
    return dpk_doca_end(pipe, __func__, dpk_object_unlock(p, result));
}

/* ---- Removing and changing ---- */

static void leave_pipe(struct flow_pipe *p, struct flow_entry *e)
{
    LIST_REMOVE(e, in_pipe);
    p->entry_count--;
    e->in = false;
    if (p->hash)
        p->hash->taken[e->number] = false;
    flow_way_free(e->way);
    e->way = NULL;
}

void flow_entries_end(struct flow_pipe *pipe)
{
    pthread_mutex_lock(&pipe->object.lock);
    for (struct flow_entry *e; (e = LIST_FIRST(&pipe->entries));) {
        leave_pipe(pipe, e);
        dpk_object_destroy(e->object.handle, &flow_entry_kind);
    }
    pthread_mutex_unlock(&pipe->object.lock);
}

/* Locks the pipe of an entry that is in its pipe, and pins the entry; NULL if there is none. */
static struct flow_pipe *lock_pipe(const struct doca_flow_pipe_entry *entry,
                                   struct flow_entry **out)
{
    struct flow_entry *e = dpk_object_pin(entry, &flow_entry_kind);
    struct flow_pipe *p = e ? dpk_object_lock(e->pipe, &flow_pipe_kind) : NULL;
    if (p && !e->in) {
        dpk_object_unlock(p, DOCA_SUCCESS);
        p = NULL;
    }
    if (!p)
        dpk_object_drop(e);
    *out = e;
    return p;
}

doca_error_t doca_flow_pipe_remove_entry(uint16_t pipe_queue, uint32_t flags,
                                         struct doca_flow_pipe_entry *entry)
{
    struct flow_entry *e;
    (void)flags;
    struct flow_pipe *p = lock_pipe(entry, &e);
    if (!p)
        return dpk_doca_end(entry, __func__, DOCA_ERROR_INVALID_VALUE);
    doca_error_t result = DOCA_SUCCESS;
    if (pipe_queue >= p->port->settings.queues)
        result = DOCA_ERROR_INVALID_VALUE;
    else if (flow_port_tell(p->port, e, DOCA_FLOW_ENTRY_OP_DEL, pipe_queue))
        leave_pipe(p, e);
    else
        result = DOCA_ERROR_NO_MEMORY;
    dpk_object_drop(e);
    return dpk_doca_end(entry, __func__, dpk_object_unlock(p, result));
}

/* Gives an entry of a pipe of this type other actions, monitor and destination. */
static doca_error_t update_entry(uint16_t queue, const struct doca_flow_pipe *pipe,
                                 enum doca_flow_pipe_type type, unsigned action_idx,
                                 struct request *r, struct doca_flow_pipe_entry *entry)
{
    struct flow_entry *e;
    struct flow_way *way;
    struct flow_pipe *p = lock_pipe(entry, &e);
    if (!p)
        return DOCA_ERROR_INVALID_VALUE;
    doca_error_t result = DOCA_SUCCESS;
    if (e->pipe != pipe || queue >= p->port->settings.queues || p->settings.type != type)
        result = dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                  "not an entry of this pipe, not a pipe of this type, or "
                                  "not one of its queues");
    if (result == DOCA_SUCCESS)
        result = choose_actions(p, action_idx, r);
    if (result == DOCA_SUCCESS)
        result = make_way(p, e, r, &way);
    /* The older rules count until they are freed. */
    if (result == DOCA_SUCCESS && !flow_port_tell(p->port, e, DOCA_FLOW_ENTRY_OP_UPD, queue)) {
        flow_way_free(way);
        result = DOCA_ERROR_NO_MEMORY;
    }
    if (result == DOCA_SUCCESS) {
        struct flow_way *before = e->way;
        e->way = way;
        flow_way_free(before);
    }
    dpk_object_drop(e);
    return dpk_object_unlock(p, result);
}

doca_error_t doca_flow_pipe_update_entry(uint16_t pipe_queue, struct doca_flow_pipe *pipe,
                                         const struct doca_flow_actions *actions,
                                         const struct doca_flow_monitor *monitor,
                                         const struct doca_flow_fwd *fwd,
                                         const enum doca_flow_flags_type flags,
                                         struct doca_flow_pipe_entry *entry)
{
    struct request r = {.actions = actions, .monitor = monitor, .fwd = fwd};
    (void)flags;
    return dpk_doca_end(entry, __func__,
                        update_entry(pipe_queue, pipe, DOCA_FLOW_PIPE_BASIC,
                                     actions ? actions->action_idx : 0, &r, entry));
}

doca_error_t doca_flow_pipe_lpm_update_entry(uint16_t pipe_queue, struct doca_flow_pipe *pipe,
                                             uint8_t action_idx,
                                             const struct doca_flow_actions *actions,
                                             const struct doca_flow_monitor *monitor,
                                             const struct doca_flow_fwd *fwd, uint32_t flags,
                                             struct doca_flow_pipe_entry *entry)
{
    struct request r = {.actions = actions, .monitor = monitor, .fwd = fwd};
    (void)flags;
    return dpk_doca_end(entry, __func__,
                        update_entry(pipe_queue, pipe, DOCA_FLOW_PIPE_LPM, action_idx, &r, entry));
}

/* ---- Questions ---- */

enum doca_flow_entry_status doca_flow_pipe_entry_get_status(struct doca_flow_pipe_entry *entry)
{
    struct flow_entry *e = dpk_object_pin(entry, &flow_entry_kind);
    const enum doca_flow_entry_status status =
        e ? atomic_load(&e->status) : DOCA_FLOW_ENTRY_STATUS_ERROR;
    dpk_object_drop(e);
    return status;
}

doca_error_t doca_flow_resource_query_entry(struct doca_flow_pipe_entry *entry,
                                            struct doca_flow_resource_query *query_stats)
{
    struct flow_entry *e;
    struct flow_pipe *p = query_stats ? lock_pipe(entry, &e) : NULL;
    if (!p)
        return dpk_doca_end(entry, __func__, DOCA_ERROR_INVALID_VALUE);
    doca_error_t result = DOCA_SUCCESS;
    if (e->counts)
        flow_counter_read(e->counter, query_stats);
    else
        result =
            dpk_doca_because(DOCA_ERROR_NOT_FOUND, "the entry has no counter "
                                                   "(counter_type of struct doca_flow_monitor)");
    dpk_object_drop(e);
    return dpk_doca_end(entry, __func__, dpk_object_unlock(p, result));
}
