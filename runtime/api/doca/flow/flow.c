/* The library, and ports. */
#include "flow.h"

#include "api/verbs/verbs.h"

struct flow_cfg {
    struct dpk_object object;
};
struct flow_port_cfg {
    struct dpk_object object;
    struct doca_dev *dev;
};

static void release(void *object)
{
    free(object);
}
static const struct dpk_kind cfg_kind = {.release = release};
static const struct dpk_kind port_cfg_kind = {.release = release};

static void port_left(void *object)
{
    dpk_object_end_use(((struct flow_port *)object)->dev);
}

static void port_release(void *object)
{
    struct flow_port *p = object;
    dpk_object_drop(p->dev);
    free(p);
}
const struct dpk_kind flow_port_kind = {.left = port_left, .release = port_release};

static doca_error_t make(void **out, size_t size, const struct dpk_kind *kind)
{
    if (!out)
        return DOCA_ERROR_INVALID_VALUE;
    void *object = calloc(1, size);
    *out = object ? dpk_object_enter(object, kind) : NULL;
    return *out ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

/* Accepts a setting without an effect. */
static doca_error_t accept(const void *handle, const struct dpk_kind *kind, doca_error_t result)
{
    void *object = dpk_object_pin(handle, kind);
    dpk_object_drop(object);
    return object ? result : DOCA_ERROR_INVALID_VALUE;
}

/* ---- The library ---- */

doca_error_t doca_flow_cfg_create(struct doca_flow_cfg **cfg)
{
    return make((void **)cfg, sizeof(struct flow_cfg), &cfg_kind);
}

doca_error_t doca_flow_cfg_destroy(struct doca_flow_cfg *cfg)
{
    return dpk_object_destroy(cfg, &cfg_kind);
}

doca_error_t doca_flow_cfg_set_pipe_queues(struct doca_flow_cfg *cfg, uint16_t pipe_queues)
{
    return accept(cfg, &cfg_kind, pipe_queues > 0 ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE);
}

doca_error_t doca_flow_cfg_set_nr_counters(struct doca_flow_cfg *cfg, uint32_t nr_counters)
{
    (void)nr_counters;
    return accept(cfg, &cfg_kind, DOCA_SUCCESS);
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
    doca_error_t result =
        accept(cfg, &cfg_kind, mode_args ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE);
    for (const char *word = mode_args; result == DOCA_SUCCESS && *word;) {
        const size_t size = strcspn(word, ",");
        if (!is_mode(word, size)) {
            dpk_doca_log(DOCA_LOG_LEVEL_ERROR,
                         "doca_flow: the mode \"%.*s\" is not emulated, only vnf, isolated and hws",
                         (int)(size < 64 ? size : 64), word);
            return DOCA_ERROR_NOT_SUPPORTED;
        }
        word += size + (word[size] == ',');
    }
    return result;
}

static atomic_bool begun;

doca_error_t doca_flow_init(struct doca_flow_cfg *cfg)
{
    const doca_error_t result = accept(cfg, &cfg_kind, DOCA_SUCCESS);
    if (result != DOCA_SUCCESS)
        return result;
    return atomic_exchange(&begun, true) ? DOCA_ERROR_ALREADY_EXIST : DOCA_SUCCESS;
}

void doca_flow_destroy(void)
{
    atomic_store(&begun, false);
}

/* ---- Ports ---- */

doca_error_t doca_flow_port_cfg_create(struct doca_flow_port_cfg **cfg)
{
    return make((void **)cfg, sizeof(struct flow_port_cfg), &port_cfg_kind);
}

doca_error_t doca_flow_port_cfg_destroy(struct doca_flow_port_cfg *cfg)
{
    return dpk_object_destroy(cfg, &port_cfg_kind);
}

doca_error_t doca_flow_port_cfg_set_port_id(struct doca_flow_port_cfg *cfg, uint16_t port_id)
{
    (void)port_id; /* frames cannot be forwarded to a port */
    return accept(cfg, &port_cfg_kind, DOCA_SUCCESS);
}

doca_error_t doca_flow_port_cfg_set_dev(struct doca_flow_port_cfg *cfg, struct doca_dev *dev)
{
    struct dpk_dev *d = dpk_object_pin(dev, &dpk_dev_kind);
    struct flow_port_cfg *c = d ? dpk_object_lock(cfg, &port_cfg_kind) : NULL;
    if (c)
        c->dev = dev;
    dpk_object_drop(d);
    return dpk_object_unlock(c, DOCA_SUCCESS);
}

static doca_error_t port_start(const struct flow_port_cfg *cfg, struct doca_flow_port **port)
{
    if (!atomic_load(&begun))
        return DOCA_ERROR_BAD_STATE;
    if (!cfg->dev)
        return dpk_doca_bad_config(
            NULL, "doca_flow_port_start: no device was set (doca_flow_port_cfg_set_dev)");
    struct dpk_dev *dev = dpk_object_pin(cfg->dev, &dpk_dev_kind);
    if (!dev)
        return DOCA_ERROR_INVALID_VALUE;
    struct flow_port *p = calloc(1, sizeof *p);
    if (p) {
        dpk_object_use(p->dev = dev);
        p->steering = dpk_verbs_device(dev->context)->steering;
        *port = dpk_object_enter(p, &flow_port_kind);
    }
    dpk_object_drop(dev);
    return *port ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

doca_error_t doca_flow_port_start(const struct doca_flow_port_cfg *cfg,
                                  struct doca_flow_port **port)
{
    if (port)
        *port = NULL;
    struct flow_port_cfg *c = port ? dpk_object_pin(cfg, &port_cfg_kind) : NULL;
    const doca_error_t result = c ? port_start(c, port) : DOCA_ERROR_INVALID_VALUE;
    dpk_object_drop(c);
    return result;
}

doca_error_t doca_flow_port_stop(struct doca_flow_port *port)
{
    return dpk_object_destroy(port, &flow_port_kind);
}

doca_error_t doca_flow_entries_process(struct doca_flow_port *port, uint16_t pipe_queue,
                                       uint64_t timeout, uint32_t max_processed_entries)
{
    (void)pipe_queue;
    (void)timeout;
    (void)max_processed_entries;
    return accept(port, &flow_port_kind, DOCA_SUCCESS);
}
