/* Ports. */
#include "api/verbs/verbs.h"
#include "flow.h"

struct flow_port_cfg {
    struct dpk_object object;
    struct doca_dev *dev;
    uint16_t id, priv_size;
    uint16_t dpdk_port; /* of devargs, if they are a number */
    bool has_devargs;
};

static void cfg_release(void *object)
{
    free(object);
}
static const struct dpk_kind cfg_kind = {.release = cfg_release};

/* ---- Settings ---- */

doca_error_t doca_flow_port_cfg_create(struct doca_flow_port_cfg **cfg)
{
    if (!cfg)
        return dpk_doca_end(NULL, __func__, DOCA_ERROR_INVALID_VALUE);
    struct flow_port_cfg *c = calloc(1, sizeof *c);
    *cfg = c ? dpk_object_enter(c, &cfg_kind) : NULL;
    return dpk_doca_end(NULL, __func__, *cfg ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY);
}

doca_error_t doca_flow_port_cfg_destroy(struct doca_flow_port_cfg *cfg)
{
    return dpk_doca_destroy(cfg, &cfg_kind, __func__);
}

doca_error_t doca_flow_port_cfg_set_port_id(struct doca_flow_port_cfg *cfg, uint16_t port_id)
{
    struct flow_port_cfg *c = dpk_object_lock(cfg, &cfg_kind);
    if (c)
        c->id = port_id;
    return dpk_doca_end(cfg, __func__, dpk_object_unlock(c, DOCA_SUCCESS));
}

doca_error_t doca_flow_port_cfg_set_dev(struct doca_flow_port_cfg *cfg, struct doca_dev *dev)
{
    struct dpk_dev *d = dpk_object_pin(dev, &dpk_dev_kind);
    struct flow_port_cfg *c = d ? dpk_object_lock(cfg, &cfg_kind) : NULL;
    if (c)
        c->dev = dev;
    dpk_object_drop(d);
    return dpk_doca_end(cfg, __func__, dpk_object_unlock(c, DOCA_SUCCESS));
}

doca_error_t doca_flow_port_cfg_set_devargs(struct doca_flow_port_cfg *cfg, const char *devargs)
{
    struct flow_port_cfg *c = devargs ? dpk_object_lock(cfg, &cfg_kind) : NULL;
    uint64_t port;
    if (c && (c->has_devargs = dpk_number(devargs, 0, UINT16_MAX, &port)))
        c->dpdk_port = (uint16_t)port;
    return dpk_doca_end(cfg, __func__, dpk_object_unlock(c, DOCA_SUCCESS));
}

doca_error_t doca_flow_port_cfg_set_priv_data_size(struct doca_flow_port_cfg *cfg,
                                                   uint16_t priv_data_size)
{
    struct flow_port_cfg *c = dpk_object_lock(cfg, &cfg_kind);
    if (c)
        c->priv_size = priv_data_size;
    return dpk_doca_end(cfg, __func__, dpk_object_unlock(c, DOCA_SUCCESS));
}

doca_error_t doca_flow_port_cfg_set_actions_mem_size(struct doca_flow_port_cfg *cfg, uint32_t size)
{
    (void)size;
    return dpk_doca_end(cfg, __func__,
                        dpk_object_unlock(dpk_object_lock(cfg, &cfg_kind), DOCA_SUCCESS));
}

/* ---- Ports ---- */

static void port_left(void *object)
{
    struct flow_port *p = object;
    flow_ops_end(p);
    dpk_object_end_use(p->dev);
}

static void port_release(void *object)
{
    struct flow_port *p = object;
    dpk_object_drop(p->dev);
    flow_counters_drop(p->settings.shared);
    free(p->priv);
    free(p);
}
const struct dpk_kind flow_port_kind = {.left = port_left, .release = port_release};

static doca_error_t port_make(const struct flow_port_cfg *cfg, struct dpk_dev *dev,
                              const struct flow_settings *settings, struct doca_flow_port **port)
{
    struct flow_port *p = calloc(1, sizeof *p);
    if (p && cfg->priv_size > 0 && !(p->priv = calloc(1, cfg->priv_size))) {
        free(p);
        p = NULL;
    }
    if (!p) {
        flow_counters_drop(settings->shared);
        return DOCA_ERROR_NO_MEMORY;
    }
    dpk_object_use(p->dev = dev);
    p->steering = dpk_verbs_device(dev->context)->steering;
    p->settings = *settings;
    p->id = cfg->id;
    LIST_INIT(&p->pipes);
    TAILQ_INIT(&p->ops);
    *port = dpk_object_enter(p, &flow_port_kind);
    return *port ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

static doca_error_t port_start(const struct flow_port_cfg *cfg, struct doca_flow_port **port)
{
    struct flow_settings settings;
    const uint16_t dpdk_port = cfg->has_devargs ? cfg->dpdk_port : cfg->id;
    struct doca_dev *const device = cfg->dev ? cfg->dev : dpk_dpdk_port_device(dpdk_port);
    if (!device)
        return dpk_doca_because(
            DOCA_ERROR_BAD_CONFIG,
            "no device was set (doca_flow_port_cfg_set_dev), and port %u of DPDK "
            "is not an opened device (doca_dpdk_port_probe)",
            dpdk_port);
    struct dpk_dev *dev = dpk_object_pin(device, &dpk_dev_kind);
    if (!dev)
        return DOCA_ERROR_INVALID_VALUE;
    const doca_error_t result =
        flow_settings_get(&settings)
            ? port_make(cfg, dev, &settings, port)
            : dpk_doca_because(DOCA_ERROR_BAD_STATE,
                               "the library was not started (doca_flow_init)");
    dpk_object_drop(dev);
    return result;
}

doca_error_t doca_flow_port_start(const struct doca_flow_port_cfg *cfg,
                                  struct doca_flow_port **port)
{
    if (port)
        *port = NULL;
    struct flow_port_cfg *c = port ? dpk_object_pin(cfg, &cfg_kind) : NULL;
    const doca_error_t result = c ? port_start(c, port) : DOCA_ERROR_INVALID_VALUE;
    dpk_object_drop(c);
    return dpk_doca_end(cfg, __func__, result);
}

uint8_t *doca_flow_port_priv_data(struct doca_flow_port *port)
{
    struct flow_port *p = dpk_object_pin(port, &flow_port_kind);
    uint8_t *priv = p ? p->priv : NULL;
    dpk_object_drop(p);
    return priv;
}

struct doca_flow_port *doca_flow_port_switch_get(const struct doca_flow_port *port)
{
    (void)port;
    flow_cannot("the mode \"switch\"");
    return NULL;
}

doca_error_t doca_flow_port_pair(struct doca_flow_port *port, struct doca_flow_port *pair_port)
{
    void *one = dpk_object_pin(port, &flow_port_kind);
    void *other = dpk_object_pin(pair_port, &flow_port_kind);
    const bool good = one && other;
    dpk_object_drop(one);
    dpk_object_drop(other);
    return dpk_doca_end(port, __func__,
                        good ? flow_cannot("forwarding to another port")
                             : DOCA_ERROR_INVALID_VALUE);
}

struct doca_flow_pipe **flow_port_pipes(struct flow_port *port, size_t *count)
{
    struct doca_flow_pipe **handles = NULL;
    struct flow_pipe *pipe;
    *count = 0;
    pthread_mutex_lock(&port->object.lock);
    LIST_FOREACH(pipe, &port->pipes, in_port)
    ++*count;
    if (*count > 0)
        handles = calloc(*count, sizeof *handles);
    *count = 0;
    if (handles)
        LIST_FOREACH(pipe, &port->pipes, in_port)
    handles[(*count)++] = pipe->object.handle;
    pthread_mutex_unlock(&port->object.lock);
    return handles;
}
