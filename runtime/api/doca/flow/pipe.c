/* Pipes. */
#include "flow.h"

struct flow_pipe_cfg {
    struct dpk_object object;
    struct flow_port *port; /* a reference */
    struct flow_pipe_settings settings;
    struct flow_actions *actions; /* settings.action_count */
};

static void cfg_release(void *object)
{
    struct flow_pipe_cfg *c = object;
    dpk_object_drop(c->port);
    free(c->actions);
    free(c);
}
static const struct dpk_kind cfg_kind = {.release = cfg_release};

static void pipe_left(void *object)
{
    struct flow_pipe *p = object;
    flow_entries_end(p);
    flow_way_free(p->miss);
    flow_hash_close(p);
    dpk_flow_table_free(p->table);
    pthread_mutex_lock(&p->port->object.lock);
    LIST_REMOVE(p, in_port);
    pthread_mutex_unlock(&p->port->object.lock);
    dpk_object_end_use(p->port);
}

static void pipe_free(struct flow_pipe *p)
{
    if (p->has_fwd && p->fwd.type == DOCA_FLOW_FWD_RSS)
        free(p->fwd.rss.queues_array);
    free(p->actions);
    free(p);
}

static void pipe_release(void *object)
{
    struct flow_pipe *p = object;
    dpk_object_drop(p->port);
    pipe_free(p);
}
const struct dpk_kind flow_pipe_kind = {.left = pipe_left, .release = pipe_release};

/* ---- Settings ---- */

doca_error_t doca_flow_pipe_cfg_create(struct doca_flow_pipe_cfg **cfg, struct doca_flow_port *port)
{
    if (cfg)
        *cfg = NULL;
    struct flow_port *p = cfg ? dpk_object_pin(port, &flow_port_kind) : NULL;
    if (!p)
        return dpk_doca_end(port, __func__, DOCA_ERROR_INVALID_VALUE);
    struct flow_pipe_cfg *c = calloc(1, sizeof *c);
    if (c) {
        c->port = p;
        *cfg = dpk_object_enter(c, &cfg_kind);
    } else {
        dpk_object_drop(p);
    }
    return dpk_doca_end(port, __func__, *cfg ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY);
}

doca_error_t doca_flow_pipe_cfg_destroy(struct doca_flow_pipe_cfg *cfg)
{
    return dpk_doca_destroy(cfg, &cfg_kind, __func__);
}

/* Returns the locked settings, or NULL if `cfg` or the argument is missing. */
static struct flow_pipe_cfg *lock_cfg(const struct doca_flow_pipe_cfg *cfg, const void *argument)
{
    return argument ? dpk_object_lock(cfg, &cfg_kind) : NULL;
}

doca_error_t doca_flow_pipe_cfg_set_name(struct doca_flow_pipe_cfg *cfg, const char *name)
{
    struct flow_pipe_cfg *c = lock_cfg(cfg, name);
    if (c)
        snprintf(c->settings.name, sizeof c->settings.name, "%s", name);
    return dpk_doca_end(cfg, __func__, dpk_object_unlock(c, DOCA_SUCCESS));
}

doca_error_t doca_flow_pipe_cfg_set_label(struct doca_flow_pipe_cfg *cfg, const char *label)
{
    return dpk_doca_end(cfg, __func__, dpk_object_unlock(lock_cfg(cfg, label), DOCA_SUCCESS));
}

doca_error_t doca_flow_pipe_cfg_set_type(struct doca_flow_pipe_cfg *cfg,
                                         enum doca_flow_pipe_type type)
{
    doca_error_t result = DOCA_SUCCESS;
    if ((unsigned)type > DOCA_FLOW_PIPE_HASH)
        result = DOCA_ERROR_INVALID_VALUE;
    else if (type != DOCA_FLOW_PIPE_BASIC && type != DOCA_FLOW_PIPE_CONTROL &&
             type != DOCA_FLOW_PIPE_LPM && type != DOCA_FLOW_PIPE_ACL &&
             type != DOCA_FLOW_PIPE_HASH)
        result = flow_cannot("a pipe that is not basic, control, LPM, ACL or hash");
    struct flow_pipe_cfg *c = lock_cfg(cfg, cfg);
    if (c && result == DOCA_SUCCESS)
        c->settings.type = type;
    return dpk_doca_end(cfg, __func__, dpk_object_unlock(c, result));
}

doca_error_t doca_flow_pipe_cfg_set_domain(struct doca_flow_pipe_cfg *cfg,
                                           enum doca_flow_pipe_domain domain)
{
    doca_error_t result = DOCA_SUCCESS;
    if ((unsigned)domain > DOCA_FLOW_PIPE_DOMAIN_SECURE_EGRESS)
        result = DOCA_ERROR_INVALID_VALUE;
    else if (domain != DOCA_FLOW_PIPE_DOMAIN_DEFAULT && domain != DOCA_FLOW_PIPE_DOMAIN_EGRESS)
        result = flow_cannot("a secure domain");
    struct flow_pipe_cfg *c = lock_cfg(cfg, cfg);
    if (c && result == DOCA_SUCCESS)
        c->settings.sent = domain == DOCA_FLOW_PIPE_DOMAIN_EGRESS;
    return dpk_doca_end(cfg, __func__, dpk_object_unlock(c, result));
}

doca_error_t doca_flow_pipe_cfg_set_is_root(struct doca_flow_pipe_cfg *cfg, bool is_root)
{
    struct flow_pipe_cfg *c = lock_cfg(cfg, cfg);
    if (c)
        c->settings.is_root = is_root;
    return dpk_doca_end(cfg, __func__, dpk_object_unlock(c, DOCA_SUCCESS));
}

doca_error_t doca_flow_pipe_cfg_set_nr_entries(struct doca_flow_pipe_cfg *cfg, uint32_t nr_entries)
{
    struct flow_pipe_cfg *c = lock_cfg(cfg, cfg);
    if (c)
        c->settings.entries_max = nr_entries;
    return dpk_doca_end(cfg, __func__, dpk_object_unlock(c, DOCA_SUCCESS));
}

doca_error_t doca_flow_pipe_cfg_set_miss_counter(struct doca_flow_pipe_cfg *cfg, bool miss_counter)
{
    struct flow_pipe_cfg *c = lock_cfg(cfg, cfg);
    if (c)
        c->settings.counts_misses = miss_counter;
    return dpk_doca_end(cfg, __func__, dpk_object_unlock(c, DOCA_SUCCESS));
}

doca_error_t doca_flow_pipe_cfg_set_enable_strict_matching(struct doca_flow_pipe_cfg *cfg,
                                                           bool enable_strict_matching)
{
    (void)enable_strict_matching;
    return dpk_doca_end(cfg, __func__, dpk_object_unlock(lock_cfg(cfg, cfg), DOCA_SUCCESS));
}

doca_error_t doca_flow_pipe_cfg_set_congestion_level_threshold(struct doca_flow_pipe_cfg *cfg,
                                                               uint8_t congestion_level_threshold)
{
    enum { PERCENT_MAX = 100 };
    const bool good = congestion_level_threshold > 0 && congestion_level_threshold <= PERCENT_MAX;
    const doca_error_t result =
        good ? DOCA_SUCCESS
             : dpk_doca_because(DOCA_ERROR_INVALID_VALUE, "%u percent, but 1 to %d are possible",
                                congestion_level_threshold, PERCENT_MAX);
    return dpk_doca_end(cfg, __func__, dpk_object_unlock(lock_cfg(cfg, cfg), result));
}

doca_error_t doca_flow_pipe_cfg_set_dir_info(struct doca_flow_pipe_cfg *cfg,
                                             enum doca_flow_direction_info dir_info)
{
    const bool good = (unsigned)dir_info <= DOCA_FLOW_DIRECTION_HOST_TO_NETWORK;
    return dpk_doca_end(
        cfg, __func__,
        dpk_object_unlock(lock_cfg(cfg, cfg), good ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE));
}

doca_error_t doca_flow_pipe_cfg_set_is_resizable(struct doca_flow_pipe_cfg *cfg, bool is_resizable)
{
    (void)is_resizable;
    return dpk_doca_end(cfg, __func__, dpk_object_unlock(lock_cfg(cfg, cfg), DOCA_SUCCESS));
}

doca_error_t doca_flow_pipe_cfg_set_user_ctx(struct doca_flow_pipe_cfg *cfg, void *user_ctx)
{
    (void)user_ctx;
    return dpk_doca_end(cfg, __func__, dpk_object_unlock(lock_cfg(cfg, cfg), DOCA_SUCCESS));
}

doca_error_t doca_flow_pipe_cfg_set_hash_map_algorithm(struct doca_flow_pipe_cfg *cfg,
                                                       uint32_t algorithm_flags)
{
    struct flow_pipe_cfg *c = lock_cfg(cfg, cfg);
    const doca_error_t result = c ? flow_hash_check(algorithm_flags) : DOCA_SUCCESS;
    if (c && result == DOCA_SUCCESS)
        c->settings.algorithms = algorithm_flags;
    return dpk_doca_end(cfg, __func__, dpk_object_unlock(c, result));
}

/* A hash pipe has no match: its mask, or else the match, names the fields to hash. */
static doca_error_t check_match(const struct flow_pipe_settings *s,
                                const struct doca_flow_match *match,
                                const struct doca_flow_match *mask)
{
    uint8_t hashed[DPK_MATCH_BYTES];
    struct flow_template t;
    if (s->type == DOCA_FLOW_PIPE_HASH)
        return flow_fields_get(mask ? mask : match, s->sent, hashed);
    return match ? flow_template_make(match, mask, false, s->sent, &t)
                 : dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                    "only a hash pipe has a match_mask without a match");
}

doca_error_t doca_flow_pipe_cfg_set_match(struct doca_flow_pipe_cfg *cfg,
                                          const struct doca_flow_match *match,
                                          const struct doca_flow_match *match_mask)
{
    struct flow_pipe_cfg *c = lock_cfg(cfg, match ? match : match_mask);
    const struct flow_layout *l = c ? c->port->settings.layout : NULL;
    struct doca_flow_match match_room, mask_room;
    doca_error_t result = DOCA_SUCCESS;
    const struct doca_flow_match *m = flow_match_read(l, match, NULL, false, &match_room, &result);
    const struct doca_flow_match *mask =
        flow_match_read(l, match_mask, m, true, &mask_room, &result);
    if (c && result == DOCA_SUCCESS)
        result = check_match(&c->settings, m, mask);
    if (c && result == DOCA_SUCCESS) {
        c->settings.match = m ? *m : (struct doca_flow_match){0};
        c->settings.has_mask = mask != NULL;
        if (mask)
            c->settings.mask = *mask;
    }
    return dpk_doca_end(cfg, __func__, dpk_object_unlock(c, result));
}

doca_error_t flow_monitor_check(const struct doca_flow_monitor *monitor)
{
    if (monitor->meter_type != DOCA_FLOW_RESOURCE_TYPE_NONE)
        return flow_cannot("a meter");
    if (monitor->shared_mirror_id != 0)
        return flow_cannot("a mirror");
    return (unsigned)monitor->counter_type <= DOCA_FLOW_RESOURCE_TYPE_NON_SHARED
               ? DOCA_SUCCESS
               : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_flow_pipe_cfg_set_monitor(struct doca_flow_pipe_cfg *cfg,
                                            const struct doca_flow_monitor *monitor)
{
    struct flow_pipe_cfg *c = lock_cfg(cfg, monitor);
    struct doca_flow_monitor room;
    const struct doca_flow_monitor *m =
        c ? flow_monitor_read(c->port->settings.layout, monitor, &room) : NULL;
    const doca_error_t result = c ? flow_monitor_check(m) : DOCA_SUCCESS;
    if (c && result == DOCA_SUCCESS)
        c->settings.monitor = *m;
    return dpk_doca_end(cfg, __func__, dpk_object_unlock(c, result));
}

/* Copies a template of actions after its check. */
static doca_error_t copy_template(const struct flow_layout *layout,
                                  const struct doca_flow_actions *actions,
                                  const struct doca_flow_actions *mask,
                                  const struct doca_flow_action_descs *descs,
                                  struct flow_actions *out)
{
    struct doca_flow_actions room;
    doca_error_t result = actions ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
    const struct doca_flow_actions *a =
        flow_actions_read(layout, actions, NULL, false, &room, &result);
    if (result != DOCA_SUCCESS)
        return result;
    out->actions = *a;
    descs = flow_descs_read(layout, descs, &out->actions);
    mask = flow_actions_read(layout, mask, &out->actions, true, &room, &result);
    out->has_mask = mask != NULL;
    if (mask)
        out->mask = *mask;
    return result == DOCA_SUCCESS ? flow_actions_check(&out->actions, mask, descs) : result;
}

/* Returns a copy of the templates, or NULL and the error. */
static struct flow_actions *copy_actions(const struct flow_layout *layout,
                                         struct doca_flow_actions *const *actions,
                                         struct doca_flow_actions *const *masks,
                                         struct doca_flow_action_descs *const *descs, size_t count,
                                         doca_error_t *result)
{
    struct flow_actions *list = calloc(count, sizeof *list);
    *result = list ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
    for (size_t i = 0; i < count && *result == DOCA_SUCCESS; i++)
        *result = copy_template(layout, actions[i], masks ? masks[i] : NULL,
                                descs ? descs[i] : NULL, &list[i]);
    if (*result == DOCA_SUCCESS)
        return list;
    free(list);
    return NULL;
}

doca_error_t doca_flow_pipe_cfg_set_actions(struct doca_flow_pipe_cfg *cfg,
                                            struct doca_flow_actions *const *actions,
                                            struct doca_flow_actions *const *actions_masks,
                                            struct doca_flow_action_descs *const *action_descs,
                                            size_t nb_actions)
{
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    struct flow_pipe_cfg *c = lock_cfg(cfg, actions);
    struct flow_actions *list = c && nb_actions > 0 && nb_actions <= FLOW_ACTIONS
                                    ? copy_actions(c->port->settings.layout, actions, actions_masks,
                                                   action_descs, nb_actions, &result)
                                    : NULL;
    if (list) {
        free(c->actions);
        c->actions = list;
        c->settings.action_count = nb_actions;
    }
    return dpk_doca_end(cfg, __func__, dpk_object_unlock(c, result));
}

/* ---- Pipes ---- */

/* Stores the destination of entries that have none, with a copy of its list of queues. */
static doca_error_t keep_fwd(struct flow_pipe *p, const struct doca_flow_fwd *fwd)
{
    if (!fwd || fwd->type == DOCA_FLOW_FWD_NONE || fwd->type == DOCA_FLOW_FWD_CHANGEABLE ||
        (fwd->type == DOCA_FLOW_FWD_PIPE && !fwd->next_pipe))
        return DOCA_SUCCESS;
    doca_error_t result = flow_way_check(p->port, fwd, p->settings.sent);
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

/* Makes the way of frames that match no entry. *out may become NULL: the table's default. */
static doca_error_t make_miss(struct flow_pipe *p, const struct doca_flow_fwd *fwd,
                              struct flow_way **out)
{
    static const struct doca_flow_fwd drop = {.type = DOCA_FLOW_FWD_DROP};
    struct flow_rule rule = {.priority = FLOW_PRIORITY_LAST};
    const bool has = fwd && fwd->type != DOCA_FLOW_FWD_NONE;
    *out = NULL;
    if (p->settings.counts_misses)
        rule.changes.counter = &p->misses;
    if (!has && !p->settings.counts_misses)
        return DOCA_SUCCESS;
    return flow_way_new(p, has ? fwd : p->settings.sent ? NULL : &drop, &rule, out);
}

static doca_error_t pipe_fill(struct flow_pipe *p, const struct flow_pipe_cfg *c,
                              const struct doca_flow_fwd *fwd, const struct doca_flow_fwd *fwd_miss)
{
    const struct flow_pipe_settings *s = &p->settings;
    const size_t count = s->action_count;
    const bool hashes = s->type == DOCA_FLOW_PIPE_HASH;
    if (count > 0 && !(p->actions = calloc(count, sizeof *p->actions)))
        return DOCA_ERROR_NO_MEMORY;
    if (count > 0)
        memcpy(p->actions, c->actions, count * sizeof *p->actions);
    /* The domain may have changed since the match was set. */
    doca_error_t result = hashes ? DOCA_SUCCESS
                                 : flow_template_make(&s->match, s->has_mask ? &s->mask : NULL,
                                                      false, s->sent, &p->match);
    if (result == DOCA_SUCCESS &&
        !(p->table = dpk_flow_table_new(p->port->steering, s->sent ? DPK_FLOW_TX : DPK_FLOW_RX,
                                        s->is_root && !hashes)))
        result = DOCA_ERROR_NO_MEMORY;
    if (result == DOCA_SUCCESS && hashes)
        result = flow_hash_open(p);
    if (result == DOCA_SUCCESS)
        result = keep_fwd(p, fwd);
    return result == DOCA_SUCCESS ? make_miss(p, fwd_miss, &p->miss) : result;
}

/* Makes a use of a port. Returns false if the program stopped the port: a port whose handle is valid after
 * the use began stays until the use ends. */
static bool use_port(struct flow_port *port)
{
    dpk_object_use(port);
    void *const valid = dpk_object_pin(port->object.handle, &flow_port_kind);
    dpk_object_drop(valid);
    if (!valid)
        dpk_object_unuse(port);
    return valid != NULL;
}

static doca_error_t pipe_create(const struct flow_pipe_cfg *c, const struct doca_flow_fwd *fwd,
                                const struct doca_flow_fwd *fwd_miss, struct doca_flow_pipe **pipe)
{
    struct flow_pipe *p = calloc(1, sizeof *p);
    if (!p)
        return DOCA_ERROR_NO_MEMORY;
    p->settings = c->settings;
    LIST_INIT(&p->entries);
    if (!use_port(p->port = c->port)) {
        free(p);
        return dpk_doca_because(DOCA_ERROR_BAD_STATE, "the port of the pipe was stopped");
    }
    const doca_error_t result = pipe_fill(p, c, fwd, fwd_miss);
    if (result == DOCA_SUCCESS) {
        pthread_mutex_lock(&p->port->object.lock);
        LIST_INSERT_HEAD(&p->port->pipes, p, in_port);
        pthread_mutex_unlock(&p->port->object.lock);
        *pipe = dpk_object_enter(p, &flow_pipe_kind);
        return *pipe ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
    }
    flow_hash_close(p);
    if (p->table)
        dpk_flow_table_free(p->table);
    dpk_object_unuse(p->port);
    pipe_free(p);
    return result;
}

doca_error_t doca_flow_pipe_create(const struct doca_flow_pipe_cfg *cfg,
                                   const struct doca_flow_fwd *fwd,
                                   const struct doca_flow_fwd *fwd_miss,
                                   struct doca_flow_pipe **pipe)
{
    if (pipe)
        *pipe = NULL;
    struct flow_pipe_cfg *c = pipe ? dpk_object_lock(cfg, &cfg_kind) : NULL;
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    if (c) {
        const struct flow_layout *l = c->port->settings.layout;
        struct doca_flow_fwd room, miss_room;
        result = pipe_create(c, flow_fwd_read(l, fwd, &room),
                             flow_fwd_read(l, fwd_miss, &miss_room), pipe);
    }
    return dpk_doca_end(cfg, __func__, dpk_object_unlock(c, result));
}

void doca_flow_pipe_destroy(struct doca_flow_pipe *pipe)
{
    dpk_doca_destroy(pipe, &flow_pipe_kind, "doca_flow_pipe_destroy");
}

doca_error_t doca_flow_pipe_update_miss(struct doca_flow_pipe *pipe,
                                        const struct doca_flow_fwd *fwd_miss)
{
    struct flow_pipe *p = fwd_miss ? dpk_object_lock(pipe, &flow_pipe_kind) : NULL;
    struct doca_flow_fwd room;
    struct flow_way *miss, *before;
    if (!p)
        return dpk_doca_end(pipe, __func__, DOCA_ERROR_INVALID_VALUE);
    fwd_miss = flow_fwd_read(p->port->settings.layout, fwd_miss, &room);
    /* The older rule counts until it is freed. */
    doca_error_t result = p->object.gone ? DOCA_ERROR_INVALID_VALUE : make_miss(p, fwd_miss, &miss);
    if (result == DOCA_SUCCESS) {
        before = p->miss;
        p->miss = miss;
        flow_way_free(before);
    }
    return dpk_doca_end(pipe, __func__, dpk_object_unlock(p, result));
}

doca_error_t doca_flow_resource_query_pipe_miss(struct doca_flow_pipe *pipe,
                                                struct doca_flow_resource_query *query_stats)
{
    struct flow_pipe *p = query_stats ? dpk_object_pin(pipe, &flow_pipe_kind) : NULL;
    if (!p)
        return dpk_doca_end(pipe, __func__, DOCA_ERROR_INVALID_VALUE);
    doca_error_t result = DOCA_ERROR_NOT_FOUND;
    if (p->settings.counts_misses) {
        flow_counter_read(&p->misses, query_stats);
        result = DOCA_SUCCESS;
    }
    dpk_object_drop(p);
    return dpk_doca_end(pipe, __func__, result);
}

doca_error_t doca_flow_pipe_calc_hash(struct doca_flow_pipe *pipe,
                                      const struct doca_flow_match *match, uint32_t *hash)
{
    struct flow_pipe *p = match && hash ? dpk_object_lock(pipe, &flow_pipe_kind) : NULL;
    struct doca_flow_match room;
    struct flow_template t;
    doca_error_t result = p ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
    if (p && !p->hash)
        result = dpk_doca_because(DOCA_ERROR_INVALID_VALUE, "the pipe is not a hash pipe");
    if (p)
        match = flow_match_read(p->port->settings.layout, match, &p->settings.match, false, &room,
                                &result);
    if (result == DOCA_SUCCESS)
        result = flow_template_make(match, NULL, true, p->settings.sent, &t);
    if (result == DOCA_SUCCESS)
        *hash = dpk_flow_spread_hash(&p->hash->spread, t.fixed.value);
    return dpk_doca_end(pipe, __func__, dpk_object_unlock(p, result));
}
