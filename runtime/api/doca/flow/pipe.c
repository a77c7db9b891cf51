/* Pipes and their entries. */
#include "flow.h"

struct flow_entry {
    struct dpk_object object;
    struct flow_entry *next;
    struct flow_way *way;
};

struct flow_pipe_cfg {
    struct dpk_object object;
    struct flow_port *port; /* a reference */
    bool is_root;
    size_t actions;
};

static void entry_release(void *object)
{
    free(object);
}
static const struct dpk_kind entry_kind = {.release = entry_release};

static void cfg_release(void *object)
{
    struct flow_pipe_cfg *c = object;
    dpk_object_drop(c->port);
    free(c);
}
static const struct dpk_kind cfg_kind = {.release = cfg_release};

static void pipe_left(void *object)
{
    struct flow_pipe *p = object;
    for (struct flow_entry *e = p->entries, *next; e; e = next) {
        next = e->next;
        flow_way_free(e->way);
        dpk_object_destroy(e->object.handle, &entry_kind);
    }
    flow_way_free(p->miss);
    dpk_flow_table_free(p->table);
    dpk_object_end_use(p->port);
}

static void pipe_release(void *object)
{
    struct flow_pipe *p = object;
    dpk_object_drop(p->port);
    if (p->has_fwd && p->fwd.type == DOCA_FLOW_FWD_RSS)
        free(p->fwd.rss.queues_array);
    free(p);
}
const struct dpk_kind flow_pipe_kind = {.left = pipe_left, .release = pipe_release};

/* ---- Configuration ---- */

doca_error_t doca_flow_pipe_cfg_create(struct doca_flow_pipe_cfg **cfg, struct doca_flow_port *port)
{
    if (cfg)
        *cfg = NULL;
    struct flow_port *p = cfg ? dpk_object_pin(port, &flow_port_kind) : NULL;
    if (!p)
        return DOCA_ERROR_INVALID_VALUE;
    struct flow_pipe_cfg *c = calloc(1, sizeof *c);
    if (c) {
        c->port = p;
        *cfg = dpk_object_enter(c, &cfg_kind);
    } else {
        dpk_object_drop(p);
    }
    return *cfg ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

doca_error_t doca_flow_pipe_cfg_destroy(struct doca_flow_pipe_cfg *cfg)
{
    return dpk_object_destroy(cfg, &cfg_kind);
}

static doca_error_t accept(const struct doca_flow_pipe_cfg *cfg, const void *argument)
{
    struct flow_pipe_cfg *c = argument ? dpk_object_pin(cfg, &cfg_kind) : NULL;
    dpk_object_drop(c);
    return c ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_flow_pipe_cfg_set_name(struct doca_flow_pipe_cfg *cfg, const char *name)
{
    return accept(cfg, name);
}

doca_error_t doca_flow_pipe_cfg_set_monitor(struct doca_flow_pipe_cfg *cfg,
                                            const struct doca_flow_monitor *monitor)
{
    return accept(cfg, monitor);
}

doca_error_t doca_flow_pipe_cfg_set_type(struct doca_flow_pipe_cfg *cfg,
                                         enum doca_flow_pipe_type type)
{
    const doca_error_t result =
        (unsigned)type > DOCA_FLOW_PIPE_HASH ? DOCA_ERROR_INVALID_VALUE : accept(cfg, cfg);
    return result == DOCA_SUCCESS && type != DOCA_FLOW_PIPE_BASIC
               ? flow_cannot("a pipe that is not basic")
               : result;
}

doca_error_t doca_flow_pipe_cfg_set_is_root(struct doca_flow_pipe_cfg *cfg, bool is_root)
{
    struct flow_pipe_cfg *c = dpk_object_lock(cfg, &cfg_kind);
    if (c)
        c->is_root = is_root;
    return dpk_object_unlock(c, DOCA_SUCCESS);
}

static bool is_empty(const void *what, size_t size)
{
    const uint8_t *bytes = what;
    for (size_t i = 0; what && i < size; i++)
        if (bytes[i])
            return false;
    return true;
}

/* NULL matches all frames. */
static doca_error_t match_check(const struct doca_flow_match *match)
{
    return is_empty(match, sizeof *match) ? DOCA_SUCCESS : flow_cannot("a match of anything");
}

doca_error_t doca_flow_pipe_cfg_set_match(struct doca_flow_pipe_cfg *cfg,
                                          const struct doca_flow_match *match,
                                          const struct doca_flow_match *match_mask)
{
    doca_error_t result = accept(cfg, match);
    if (result == DOCA_SUCCESS)
        result = match_check(match);
    return result == DOCA_SUCCESS ? match_check(match_mask) : result;
}

/* Checks that actions set only the metadata. */
static doca_error_t actions_check(const struct doca_flow_actions *a)
{
    if (!a)
        return DOCA_SUCCESS;
    struct doca_flow_actions others = *a;
    others.action_idx = 0;
    others.meta.pkt_meta = 0;
    return others.flags == 0 && is_empty(&others.meta, sizeof others.meta)
               ? DOCA_SUCCESS
               : flow_cannot("an action other than meta.pkt_meta");
}

doca_error_t doca_flow_pipe_cfg_set_actions(struct doca_flow_pipe_cfg *cfg,
                                            struct doca_flow_actions *const *actions,
                                            struct doca_flow_actions *const *actions_masks,
                                            struct doca_flow_action_descs *const *action_descs,
                                            size_t nb_actions)
{
    doca_error_t result = accept(cfg, actions);
    if (result == DOCA_SUCCESS && nb_actions == 0)
        result = DOCA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < nb_actions && result == DOCA_SUCCESS; i++) {
        result = actions_check(actions[i]);
        if (result == DOCA_SUCCESS &&
            ((actions_masks && actions_masks[i]) || (action_descs && action_descs[i])))
            result = flow_cannot("a mask or a description of actions");
    }
    struct flow_pipe_cfg *c = result == DOCA_SUCCESS ? dpk_object_lock(cfg, &cfg_kind) : NULL;
    if (!c)
        return result == DOCA_SUCCESS ? DOCA_ERROR_INVALID_VALUE : result;
    c->actions = nb_actions;
    return dpk_object_unlock(c, result);
}

/* ---- Pipes ---- */

/* Stores the forwarding of entries that have none, with a copy of its list of queues. */
static doca_error_t keep_fwd(struct flow_pipe *p, const struct doca_flow_fwd *fwd)
{
    if (!fwd || fwd->type == DOCA_FLOW_FWD_NONE)
        return DOCA_SUCCESS;
    doca_error_t result = flow_way_check(p->port, fwd);
    if (result != DOCA_SUCCESS)
        return result;
    const size_t count = fwd->type == DOCA_FLOW_FWD_RSS ? (size_t)fwd->rss.nr_queues : 0;
    uint16_t *list = count ? calloc(count, sizeof *list) : NULL;
    if (count && !list)
        return DOCA_ERROR_NO_MEMORY;
    p->fwd = *fwd;
    p->has_fwd = true;
    if (count) {
        memcpy(list, fwd->rss.queues_array, count * sizeof *list);
        p->fwd.rss.queues_array = list;
    }
    return DOCA_SUCCESS;
}

static doca_error_t pipe_create(const struct flow_pipe_cfg *c, const struct doca_flow_fwd *fwd,
                                const struct doca_flow_fwd *fwd_miss, struct doca_flow_pipe **pipe)
{
    doca_error_t result = DOCA_ERROR_NO_MEMORY;
    struct flow_pipe *p = calloc(1, sizeof *p);
    if (!p)
        return result;
    p->actions = c->actions;
    dpk_object_use(p->port = c->port);
    p->table = dpk_flow_table_new(p->port->steering, DPK_FLOW_RX, c->is_root);
    if (p->table)
        result = keep_fwd(p, fwd);
    if (result == DOCA_SUCCESS && fwd_miss && fwd_miss->type != DOCA_FLOW_FWD_NONE)
        result = flow_way_new(p, fwd_miss, NULL, true, &p->miss);
    if (result == DOCA_SUCCESS) {
        *pipe = dpk_object_enter(p, &flow_pipe_kind);
        return *pipe ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
    }
    if (p->table)
        dpk_flow_table_free(p->table);
    dpk_object_unuse(p->port);
    if (p->has_fwd && p->fwd.type == DOCA_FLOW_FWD_RSS)
        free(p->fwd.rss.queues_array);
    free(p);
    return result;
}

doca_error_t doca_flow_pipe_create(const struct doca_flow_pipe_cfg *cfg,
                                   const struct doca_flow_fwd *fwd,
                                   const struct doca_flow_fwd *fwd_miss,
                                   struct doca_flow_pipe **pipe)
{
    if (pipe)
        *pipe = NULL;
    struct flow_pipe_cfg *c = pipe ? dpk_object_pin(cfg, &cfg_kind) : NULL;
    const doca_error_t result = c ? pipe_create(c, fwd, fwd_miss, pipe) : DOCA_ERROR_INVALID_VALUE;
    dpk_object_drop(c);
    return result;
}

void doca_flow_pipe_destroy(struct doca_flow_pipe *pipe)
{
    dpk_object_destroy(pipe, &flow_pipe_kind);
}

/* ---- Entries ---- */

static doca_error_t add_entry(struct flow_pipe *p, const struct doca_flow_actions *actions,
                              const struct doca_flow_fwd *fwd, struct doca_flow_pipe_entry **entry)
{
    uint32_t metadata = 0;
    if (actions && p->actions > 0)
        metadata = be32toh(actions->meta.pkt_meta);
    struct flow_entry *e = calloc(1, sizeof *e);
    if (!e)
        return DOCA_ERROR_NO_MEMORY;
    const doca_error_t result = flow_way_new(p, fwd, metadata ? &metadata : NULL, false, &e->way);
    if (result != DOCA_SUCCESS) {
        free(e);
        return result;
    }
    struct flow_way *way = e->way;
    *entry = dpk_object_enter(e, &entry_kind);
    if (!*entry) {
        flow_way_free(way);
        return DOCA_ERROR_NO_MEMORY;
    }
    e->next = p->entries;
    p->entries = e;
    return DOCA_SUCCESS;
}

doca_error_t doca_flow_pipe_add_entry(uint16_t pipe_queue, struct doca_flow_pipe *pipe,
                                      const struct doca_flow_match *match, uint8_t action_idx,
                                      const struct doca_flow_actions *actions,
                                      const struct doca_flow_monitor *monitor,
                                      const struct doca_flow_fwd *fwd, uint32_t flags,
                                      void *usr_ctx, struct doca_flow_pipe_entry **entry)
{
    (void)pipe_queue;
    (void)monitor;
    (void)flags;
    (void)usr_ctx;
    if (entry)
        *entry = NULL;
    struct flow_pipe *p = entry ? dpk_object_lock(pipe, &flow_pipe_kind) : NULL;
    if (!p)
        return DOCA_ERROR_INVALID_VALUE;
    const struct doca_flow_fwd *way = fwd && fwd->type != DOCA_FLOW_FWD_NONE ? fwd
                                      : p->has_fwd                           ? &p->fwd
                                                                             : NULL;
    /* Another thread may have destroyed the pipe before this thread got the lock. */
    doca_error_t result = p->object.gone ? DOCA_ERROR_INVALID_VALUE : match_check(match);
    if (result == DOCA_SUCCESS)
        result = actions_check(actions);
    if (result == DOCA_SUCCESS && (!way || (actions && action_idx > 0 && action_idx >= p->actions)))
        result = DOCA_ERROR_INVALID_VALUE;
    if (result == DOCA_SUCCESS)
        result = add_entry(p, actions, way, entry);
    return dpk_object_unlock(p, result);
}

doca_error_t doca_flow_pipe_basic_add_entry(uint16_t pipe_queue, struct doca_flow_pipe *pipe,
                                            const struct doca_flow_match *match, uint8_t action_idx,
                                            const struct doca_flow_actions *actions,
                                            const struct doca_flow_monitor *monitor,
                                            const struct doca_flow_fwd *fwd, uint32_t flags,
                                            void *usr_ctx, struct doca_flow_pipe_entry **entry)
{
    return doca_flow_pipe_add_entry(pipe_queue, pipe, match, action_idx, actions, monitor, fwd,
                                    flags, usr_ctx, entry);
}
