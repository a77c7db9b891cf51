/* The library: its settings, and what all files of the room use. */
#include "flow.h"

#include <stdarg.h>

#define QUEUES_MAX 512u
#define SHARED_MAX 65536u

struct flow_cfg {
    struct dpk_object object;
    struct flow_settings settings;
    uint32_t shared_count;
};

static void cfg_release(void *object)
{
    free(object);
}
static const struct dpk_kind cfg_kind = {.release = cfg_release};

static pthread_mutex_t library = PTHREAD_MUTEX_INITIALIZER;
static bool begun;
static struct flow_settings current; /* with the lock */

/* ---- What all files use ---- */

doca_error_t flow_cannot(const char *format, ...)
{
    char what[192];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return dpk_doca_because(DOCA_ERROR_NOT_SUPPORTED, "%s is not emulated", what);
}

bool flow_is_empty(const void *bytes, size_t size)
{
    const uint8_t *b = bytes;
    for (size_t i = 0; i < size; i++)
        if (b[i])
            return false;
    return true;
}

bool flow_is_full(const void *bytes, size_t size)
{
    const uint8_t *b = bytes;
    for (size_t i = 0; i < size; i++)
        if (b[i] != UINT8_MAX)
            return false;
    return true;
}

bool flow_field_is_valid(enum flow_when when, const struct doca_flow_header_format *outer,
                         enum doca_flow_tun_type tunnel, bool sent)
{
    const unsigned l4 = outer->l4_type_ext;
    switch (when) {
    case FLOW_ALWAYS:
        return true;
    case FLOW_IP4:
        return outer->l3_type == DOCA_FLOW_L3_TYPE_IP4;
    case FLOW_IP6:
        return outer->l3_type == DOCA_FLOW_L3_TYPE_IP6;
    case FLOW_TCP:
        return l4 == DOCA_FLOW_L4_TYPE_EXT_TCP;
    case FLOW_UDP:
        return l4 == DOCA_FLOW_L4_TYPE_EXT_UDP;
    case FLOW_ICMP:
        return l4 == DOCA_FLOW_L4_TYPE_EXT_ICMP || l4 == DOCA_FLOW_L4_TYPE_EXT_ICMP6;
    case FLOW_TRANSPORT:
        return l4 == DOCA_FLOW_L4_TYPE_EXT_TRANSPORT;
    case FLOW_VXLAN:
        return tunnel == DOCA_FLOW_TUN_VXLAN;
    case FLOW_SENT:
        return sent;
    case FLOW_RECEIVED:
        return !sent;
    }
    return false;
}

void flow_counter_read(const struct dpk_flow_counter *counter, struct doca_flow_resource_query *out)
{
    out->counter.total_bytes = atomic_load_explicit(&counter->octets, memory_order_relaxed);
    out->counter.total_pkts = atomic_load_explicit(&counter->packets, memory_order_relaxed);
}

void flow_counters_drop(struct flow_counters *counters)
{
    if (counters && atomic_fetch_sub(&counters->references, 1) == 1)
        free(counters);
}

bool flow_settings_get(struct flow_settings *out)
{
    pthread_mutex_lock(&library);
    const bool good = begun;
    *out = current;
    if (good && out->shared)
        atomic_fetch_add(&out->shared->references, 1);
    pthread_mutex_unlock(&library);
    return good;
}

/* ---- Settings ---- */

doca_error_t doca_flow_cfg_create(struct doca_flow_cfg **cfg)
{
    if (!cfg)
        return dpk_doca_end(NULL, __func__, DOCA_ERROR_INVALID_VALUE);
    struct flow_cfg *c = calloc(1, sizeof *c);
    if (c)
        c->settings.queues = 1;
    *cfg = c ? dpk_object_enter(c, &cfg_kind) : NULL;
    return dpk_doca_end(NULL, __func__, *cfg ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY);
}

doca_error_t doca_flow_cfg_destroy(struct doca_flow_cfg *cfg)
{
    return dpk_doca_destroy(cfg, &cfg_kind, __func__);
}

/* Accepts a setting without an effect. */
static doca_error_t accept_setting(const struct doca_flow_cfg *cfg)
{
    return dpk_object_unlock(dpk_object_lock(cfg, &cfg_kind), DOCA_SUCCESS);
}

doca_error_t doca_flow_cfg_set_pipe_queues(struct doca_flow_cfg *cfg, uint16_t pipe_queues)
{
    if (pipe_queues == 0 || pipe_queues > QUEUES_MAX)
        return dpk_doca_end(cfg, __func__,
                            dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                             "%u queues, but 1 to %u are possible", pipe_queues,
                                             QUEUES_MAX));
    struct flow_cfg *c = dpk_object_lock(cfg, &cfg_kind);
    if (c)
        c->settings.queues = pipe_queues;
    return dpk_doca_end(cfg, __func__, dpk_object_unlock(c, DOCA_SUCCESS));
}

doca_error_t doca_flow_cfg_set_queue_depth(struct doca_flow_cfg *cfg, uint32_t queue_depth)
{
    (void)queue_depth;
    return dpk_doca_end(cfg, __func__, accept_setting(cfg));
}

doca_error_t doca_flow_cfg_set_nr_counters(struct doca_flow_cfg *cfg, uint32_t nr_counters)
{
    (void)nr_counters;
    return dpk_doca_end(cfg, __func__, accept_setting(cfg));
}

doca_error_t doca_flow_cfg_set_nr_meters(struct doca_flow_cfg *cfg, uint32_t nr_meters)
{
    (void)nr_meters;
    return dpk_doca_end(cfg, __func__, accept_setting(cfg));
}

doca_error_t doca_flow_cfg_set_nr_acl_collisions(struct doca_flow_cfg *cfg,
                                                 uint8_t nr_acl_collisions)
{
    (void)nr_acl_collisions;
    return dpk_doca_end(cfg, __func__, accept_setting(cfg));
}

doca_error_t doca_flow_cfg_set_nr_shared_resource(struct doca_flow_cfg *cfg,
                                                  uint32_t nr_shared_resource,
                                                  enum doca_flow_shared_resource_type type)
{
    doca_error_t result = DOCA_SUCCESS;
    if ((unsigned)type > DOCA_FLOW_SHARED_RESOURCE_IPSEC_SA || nr_shared_resource > SHARED_MAX)
        result = DOCA_ERROR_INVALID_VALUE;
    else if (type != DOCA_FLOW_SHARED_RESOURCE_COUNTER && nr_shared_resource > 0)
        result = flow_cannot("a shared resource that is not a counter");
    struct flow_cfg *c = dpk_object_lock(cfg, &cfg_kind);
    if (c && result == DOCA_SUCCESS && type == DOCA_FLOW_SHARED_RESOURCE_COUNTER)
        c->shared_count = nr_shared_resource;
    return dpk_doca_end(cfg, __func__, dpk_object_unlock(c, result));
}

doca_error_t doca_flow_cfg_set_cb_entry_process(struct doca_flow_cfg *cfg,
                                                doca_flow_entry_process_cb cb)
{
    struct flow_cfg *c = dpk_object_lock(cfg, &cfg_kind);
    if (c)
        c->settings.callback = cb;
    return dpk_doca_end(cfg, __func__, dpk_object_unlock(c, DOCA_SUCCESS));
}

doca_error_t doca_flow_cfg_set_cb_pipe_process(struct doca_flow_cfg *cfg,
                                               doca_flow_pipe_process_cb cb)
{
    (void)cb;
    return dpk_doca_end(cfg, __func__, accept_setting(cfg));
}

doca_error_t doca_flow_cfg_set_default_rss(struct doca_flow_cfg *cfg,
                                           const struct doca_flow_resource_rss_cfg *rss)
{
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    if (rss && (!rss->queues_array || rss->nr_queues <= 0))
        result = dpk_doca_because(result, "rss has %d queues, or no queues_array", rss->nr_queues);
    else if (rss)
        result = accept_setting(cfg);
    return dpk_doca_end(cfg, __func__, result);
}

static bool is_mode(const char *word, size_t size)
{
    static const char *const known[] = {"vnf", "isolated", "hws"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i]) == size && memcmp(known[i], word, size) == 0)
            return true;
    return false;
}

doca_error_t doca_flow_cfg_set_mode_args(struct doca_flow_cfg *cfg, const char *mode_args)
{
    doca_error_t result = mode_args ? accept_setting(cfg) : DOCA_ERROR_INVALID_VALUE;
    for (const char *word = mode_args; result == DOCA_SUCCESS && *word;) {
        const size_t size = strcspn(word, ",");
        if (!is_mode(word, size)) {
            result =
                dpk_doca_because(DOCA_ERROR_NOT_SUPPORTED,
                                 "the mode \"%.*s\" is not emulated, only vnf, isolated and hws",
                                 (int)(size < 64 ? size : 64), word);
            break;
        }
        word += size + (word[size] == ',');
    }
    return dpk_doca_end(cfg, __func__, result);
}

/* ---- Start and end ---- */

static doca_error_t begin(const struct flow_cfg *c, const struct flow_layout *layout)
{
    struct flow_counters *shared = NULL;
    if (begun)
        return dpk_doca_because(DOCA_ERROR_ALREADY_EXIST,
                                "the process has started the library before");
    if (c->shared_count > 0) {
        shared = calloc(1, sizeof *shared + c->shared_count * sizeof *shared->counters);
        if (!shared)
            return DOCA_ERROR_NO_MEMORY;
        shared->references = 1;
        shared->count = c->shared_count;
    }
    current = c->settings;
    current.shared = shared;
    current.layout = layout;
    begun = true;
    return DOCA_SUCCESS;
}

doca_error_t flow_begin(struct doca_flow_cfg *cfg, const struct flow_layout *layout)
{
    struct flow_cfg *c = dpk_object_lock(cfg, &cfg_kind);
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    if (c) {
        pthread_mutex_lock(&library);
        result = begin(c, layout);
        pthread_mutex_unlock(&library);
    }
    return dpk_object_unlock(c, result);
}

doca_error_t doca_flow_init(struct doca_flow_cfg *cfg)
{
    return dpk_doca_end(cfg, __func__, flow_begin(cfg, NULL));
}

void doca_flow_destroy(void)
{
    pthread_mutex_lock(&library);
    flow_counters_drop(current.shared);
    current = (struct flow_settings){0};
    begun = false;
    pthread_mutex_unlock(&library);
}
