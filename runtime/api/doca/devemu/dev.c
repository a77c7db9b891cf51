/* Contexts of emulated functions: hot plug, resets, and registers that the host writes. */
#include <stdlib.h>
#include <string.h>

#include "virtio.h"

/* ---- Start and stop, with the lock ---- */

/* Call this with the lock of registers. */
static doca_error_t remember_registers(struct pci_dev *d)
{
    const struct dpk_pci_config *c = dpk_pci_config_of(d->f);
    for (unsigned i = 0; i < c->region_count; i++) {
        const struct dpk_pci_region *r = &c->regions[i];
        uint64_t size;
        if (r->use != DPK_PCI_STATEFUL || !d->stateful[i].handler)
            continue;
        if (!d->stateful[i].seen && !(d->stateful[i].seen = malloc(r->size)))
            return DOCA_ERROR_NO_MEMORY;
        memcpy(d->stateful[i].seen, dpk_pci_bar(d->f, r->bar, &size) + r->start, r->size);
    }
    return DOCA_SUCCESS;
}

/* Records the registers, so that later changes are reported. */
static doca_error_t look_at_registers(struct pci_dev *d)
{
    pthread_mutex_lock(&d->registers);
    const doca_error_t result = remember_registers(d);
    pthread_mutex_unlock(&d->registers);
    return result;
}

static doca_error_t open_function(struct pci_dev *d)
{
    struct dpk_error err = {0};
    if (d->f)
        return DOCA_SUCCESS;
    if (dpk_pci_open(d->type->card.path, d->number, &d->f, &err) != DPK_OK)
        return devemu_failed(&err);
    if (dpk_pci_equal(dpk_pci_config_of(d->f), &d->type->config))
        return DOCA_SUCCESS;
    dpk_pci_close(d->f);
    d->f = NULL;
    return dpk_doca_because(DOCA_ERROR_BAD_CONFIG, "the emulated function is of another type");
}

static doca_error_t dev_start(struct dpk_ctx *ctx)
{
    struct pci_dev *d = (struct pci_dev *)ctx;
    doca_error_t result = open_function(d);
    if (result != DOCA_SUCCESS)
        return result;
    if (!dpk_pci_claim(d->f, DPK_PCI_DPU))
        return dpk_doca_because(DOCA_ERROR_IN_USE,
                                "another context of the emulated function %u runs", d->number);
    result = dpk_pci_is_removed(d->f)
                 ? dpk_doca_because(DOCA_ERROR_NOT_FOUND, "the emulated function %u was removed",
                                    d->number)
                 : look_at_registers(d);
    if (result != DOCA_SUCCESS) {
        dpk_pci_unclaim(d->f, DPK_PCI_DPU);
        return result;
    }
    d->claimed = true;
    atomic_store(&d->state, dpk_pci_state_of(d->f));
    atomic_store(&d->resets, d->resets_before = dpk_pci_resets(d->f));
    dpk_pci_set_vectors(d->f, d->vectors);
    dpk_pci_set_identity(d->f, &d->identity);
    result = d->virtio ? devemu_virtio_start(d) : DOCA_SUCCESS;
    if (result != DOCA_SUCCESS && result != DOCA_ERROR_IN_PROGRESS) {
        dpk_pci_unclaim(d->f, DPK_PCI_DPU);
        d->claimed = false;
    }
    return result;
}

static doca_error_t dev_stop(struct dpk_ctx *ctx)
{
    struct pci_dev *d = (struct pci_dev *)ctx;
    if (atomic_load(&ctx->object.users) > 0)
        return DOCA_ERROR_IN_PROGRESS;
    devemu_listener_stop(d);
    if (d->virtio)
        devemu_virtio_stop(d);
    dpk_pci_unclaim(d->f, DPK_PCI_DPU);
    d->claimed = false;
    return DOCA_SUCCESS;
}

/* ---- Events ---- */

/* Writes the default values of registers. */
static void restore_registers(struct pci_dev *d)
{
    const struct dpk_pci_config *c = dpk_pci_config_of(d->f);
    pthread_mutex_lock(&d->registers);
    for (unsigned i = 0; i < c->region_count; i++) {
        const struct dpk_pci_region *r = &c->regions[i];
        const struct stateful *s = &d->stateful[i];
        uint64_t size;
        if (!s->defaults)
            continue;
        memcpy(dpk_pci_bar(d->f, r->bar, &size) + r->start, s->defaults, r->size);
        if (s->seen)
            memcpy(s->seen, s->defaults, r->size);
    }
    pthread_mutex_unlock(&d->registers);
}

/* Does the host's part of hot plug: completes a plug at once, and an unplug when no program has the
 * function. */
static void go_on(struct pci_dev *d)
{
    const enum dpk_pci_state state = dpk_pci_state_of(d->f);
    if (state == DPK_PCI_PLUGGING) {
        restore_registers(d);
        if (d->virtio)
            devemu_virtio_plugged(d);
        dpk_pci_set_state(d->f, DPK_PCI_PLUGGING, DPK_PCI_ON);
    } else if (state == DPK_PCI_UNPLUGGING && !dpk_pci_is_claimed(d->f, DPK_PCI_HOST))
        dpk_pci_set_state(d->f, DPK_PCI_UNPLUGGING, DPK_PCI_OFF);
}

/* Returns a region with changes that its handler was not told, or -1. Call this with the lock of
 * registers. */
static int find_written(const struct pci_dev *d)
{
    const struct dpk_pci_config *c = dpk_pci_config_of(d->f);
    for (unsigned i = 0; i < c->region_count; i++) {
        const struct dpk_pci_region *r = &c->regions[i];
        uint64_t size;
        if (d->stateful[i].handler && d->stateful[i].seen &&
            memcmp(d->stateful[i].seen, dpk_pci_bar(d->f, r->bar, &size) + r->start, r->size) != 0)
            return (int)i;
    }
    return -1;
}

/* Gets the handler of a region that the host wrote, and records the new values. */
static bool take_written(struct pci_dev *d, struct stateful *who)
{
    pthread_mutex_lock(&d->registers);
    const int i = find_written(d);
    if (i >= 0) {
        uint64_t size;
        const struct dpk_pci_region *r = &dpk_pci_config_of(d->f)->regions[i];
        memcpy(d->stateful[i].seen, dpk_pci_bar(d->f, r->bar, &size) + r->start, r->size);
        *who = d->stateful[i];
        atomic_store(&d->told, (unsigned)i);
    }
    pthread_mutex_unlock(&d->registers);
    return i >= 0;
}

static void tell_damage(struct pci_dev *d)
{
    if (dpk_pci_is_damaged(d->f) && !atomic_exchange(&d->damaged, true))
        dpk_doca_log(
            DOCA_LOG_LEVEL_ERROR,
            "devemu: somebody changed the size of the file of the emulated function %u: it "
            "is off for good",
            d->number);
}

static bool dev_progress(struct dpk_ctx *ctx)
{
    struct pci_dev *d = (struct pci_dev *)ctx;
    if (devemu_virtio_may_run(d))
        return dpk_ctx_begin_run(ctx);
    if (!dpk_ctx_is_running(ctx))
        return false;
    go_on(d);
    const unsigned state = dpk_pci_state_of(d->f), resets = dpk_pci_resets(d->f);
    if (atomic_exchange(&d->state, state) != state) {
        tell_damage(d);
        if (d->on_plug)
            d->on_plug(ctx->object.handle, d->plug_data);
        return true;
    }
    if (atomic_exchange(&d->resets, resets) != resets) {
        restore_registers(d);
        if (d->on_reset)
            d->on_reset(ctx->object.handle, d->reset_data);
        return true;
    }
    if (d->virtio && devemu_virtio_progress(d))
        return true;
    struct stateful who;
    const bool written = take_written(d, &who);
    if (written)
        who.handler(ctx->object.handle, who.data);
    return written;
}

static bool dev_is_ready(const struct dpk_ctx *ctx)
{
    struct pci_dev *d = (struct pci_dev *)(uintptr_t)ctx;
    if (!dpk_ctx_is_running(ctx))
        return devemu_virtio_may_run(d);
    pthread_mutex_lock(&d->registers);
    const bool written = find_written(d) >= 0;
    pthread_mutex_unlock(&d->registers);
    const enum dpk_pci_state state = dpk_pci_state_of(d->f);
    return state == DPK_PCI_PLUGGING ||
           (state == DPK_PCI_UNPLUGGING && !dpk_pci_is_claimed(d->f, DPK_PCI_HOST)) ||
           atomic_load(&d->state) != state || atomic_load(&d->resets) != dpk_pci_resets(d->f) ||
           written || (d->virtio && devemu_virtio_is_ready(d));
}

static const struct dpk_ctx_ops ops = {.start = dev_start,
                                       .stop = dev_stop,
                                       .progress = dev_progress,
                                       .is_ready = dev_is_ready,
                                       .has_datapath = true};

/* ---- Life ---- */

static void dev_left(void *object)
{
    struct pci_dev *d = object;
    dpk_dev_ctx_left(object);
    dpk_object_unuse(d->type);
}

static void dev_release(void *object)
{
    struct pci_dev *d = object;
    for (unsigned i = 0; i < DPK_PCI_REGIONS; i++) {
        free(d->stateful[i].seen);
        free(d->stateful[i].defaults);
    }
    dpk_pci_close(d->f);
    devemu_virtio_free(d->virtio);
    pthread_mutex_destroy(&d->registers);
    pthread_mutex_destroy(&d->listener.lock);
    dpk_dev_ctx_release(object);
}
const struct dpk_kind devemu_pci_dev_kind = {
    .left = dev_left, .release = dev_release, .is_ctx = true};

/* Gives a new context the default values of its type's registers. */
static doca_error_t copy_defaults(struct pci_dev *d, const struct pci_type *t)
{
    for (unsigned i = 0; i < t->config.region_count; i++) {
        if (!t->defaults[i])
            continue;
        if (!(d->stateful[i].defaults = malloc(t->config.regions[i].size)))
            return DOCA_ERROR_NO_MEMORY;
        memcpy(d->stateful[i].defaults, t->defaults[i], t->config.regions[i].size);
    }
    return DOCA_SUCCESS;
}

/* Makes a context of a pinned type. */
static doca_error_t create(struct pci_type *t, unsigned number, struct doca_pe *pe,
                           struct doca_devemu_pci_dev **pci_dev)
{
    doca_error_t result;
    *pci_dev = dpk_dev_ctx_new(t->is_vfs ? t->opened : t->dev->object.handle, &devemu_pci_dev_kind,
                               &ops, sizeof(struct pci_dev), &result);
    struct pci_dev *d = *pci_dev ? dpk_object_pin(*pci_dev, &devemu_pci_dev_kind) : NULL;
    if (!d)
        return result;
    d->number = number;
    d->vectors = t->config.vectors;
    d->identity = dpk_pci_identity_of(&t->config);
    d->bells = t->bells_set ? t->bells : DPK_PCI_DOORBELLS;
    d->bells_set = t->bells_set;
    dpk_object_use(d->type = t);
    pthread_mutex_init(&d->registers, NULL);
    pthread_mutex_init(&d->listener.lock, NULL);
    result = copy_defaults(d, t);
    if (t->is_vfs && !(d->virtio = devemu_virtio_new()))
        result = DOCA_ERROR_NO_MEMORY;
    dpk_object_drop(d);
    if (result == DOCA_SUCCESS)
        result = dpk_doca_inner(doca_pe_connect_ctx(pe, doca_devemu_pci_dev_as_ctx(*pci_dev)));
    if (result != DOCA_SUCCESS) {
        dpk_object_destroy(*pci_dev, &devemu_pci_dev_kind);
        *pci_dev = NULL;
    }
    return result;
}

doca_error_t devemu_pci_dev_new(const char *call, const struct doca_devemu_pci_type *pci_type,
                                bool is_vfs, const struct doca_dev_rep *dev_rep, struct doca_pe *pe,
                                struct doca_devemu_pci_dev **pci_dev)
{
    unsigned number;
    struct dpk_device_info card;
    if (pci_dev)
        *pci_dev = NULL;
    if (!pci_dev)
        return dpk_doca_no_object(call);
    const doca_error_t asked = dpk_emulated_rep_ask(dev_rep, &card, &number);
    if (asked != DOCA_SUCCESS)
        return devemu_no_rep(call, asked);
    struct pci_type *t = dpk_object_lock(pci_type, &devemu_pci_type_kind);
    if (!t || !t->started)
        return dpk_doca_unlock(t, call, DOCA_ERROR_BAD_STATE, "the type is not started");
    if (t->is_vfs != is_vfs)
        return dpk_doca_unlock(t, call, DOCA_ERROR_INVALID_VALUE,
                               "the type is %s virtio-fs devices", is_vfs ? "not of" : "of");
    if (strcmp(t->card.path, card.path) != 0)
        return dpk_doca_unlock(t, call, DOCA_ERROR_INVALID_VALUE,
                               "the representor is of another device than the type");
    return dpk_doca_unlock(t, call, create(t, number, pe, pci_dev),
                           "the progress engine is NULL or was destroyed, or memory is exhausted");
}

doca_error_t doca_devemu_pci_dev_create(struct doca_devemu_pci_type *pci_type,
                                        struct doca_dev_rep *dev_rep,
                                        struct doca_pe *progress_engine,
                                        struct doca_devemu_pci_dev **pci_dev)
{
    return devemu_pci_dev_new(__func__, pci_type, false, dev_rep, progress_engine, pci_dev);
}

doca_error_t doca_devemu_pci_dev_destroy(struct doca_devemu_pci_dev *pci_dev)
{
    struct pci_dev *d = dpk_object_lock(pci_dev, &devemu_pci_dev_kind);
    const bool idle = d && atomic_load(&d->base.ctx.state) == DOCA_CTX_STATE_IDLE;
    if (d && d->virtio && atomic_load(&d->virtio->contexts) > 0)
        return dpk_doca_unlock(d, __func__, DOCA_ERROR_IN_USE, "the device has %u IO contexts",
                               atomic_load(&d->virtio->contexts));
    const doca_error_t result = dpk_doca_unlock(
        d, __func__, idle ? DOCA_SUCCESS : DOCA_ERROR_IN_USE, "the context is %s, and must be idle",
        d ? dpk_ctx_state_name(&d->base.ctx) : "");
    return result == DOCA_SUCCESS ? dpk_doca_destroy(pci_dev, &devemu_pci_dev_kind, __func__)
                                  : result;
}

struct doca_ctx *doca_devemu_pci_dev_as_ctx(struct doca_devemu_pci_dev *pci_dev)
{
    return dpk_ctx_of(pci_dev, &devemu_pci_dev_kind);
}

struct pci_dev *devemu_pci_dev_lock_running(const char *call, const void *handle,
                                            struct dpk_dpa **dpa, doca_error_t *result)
{
    struct pci_dev *d = dpk_object_lock(handle, &devemu_pci_dev_kind);
    *result = DOCA_SUCCESS;
    const bool runs = d && dpk_ctx_is_running(&d->base.ctx);
    if (runs && (!dpa || d->base.ctx.datapath)) {
        if (dpa)
            *dpa = d->base.ctx.datapath;
        return d;
    }
    if (runs)
        *result = dpk_doca_unlock(d, call, DOCA_ERROR_BAD_STATE,
                                  "the data path of the function is not on a DPA "
                                  "(doca_ctx_set_datapath_on_dpa)");
    else
        *result =
            dpk_doca_unlock(d, call, DOCA_ERROR_BAD_STATE, "the context is %s, and must be running",
                            d ? dpk_ctx_state_name(&d->base.ctx) : "");
    return NULL;
}

/* ---- Hot plug ---- */

doca_error_t doca_devemu_pci_dev_get_hotplug_state(struct doca_devemu_pci_dev *pci_dev,
                                                   enum doca_devemu_pci_hotplug_state *state)
{
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    struct pci_dev *d =
        devemu_pci_dev_lock_running(__func__, state ? pci_dev : NULL, NULL, &result);
    if (!d)
        return result;
    *state = (enum doca_devemu_pci_hotplug_state)dpk_pci_state_of(d->f);
    return dpk_object_unlock(d, DOCA_SUCCESS);
}

static const char *plug_name(enum dpk_pci_state state)
{
    switch (state) {
    case DPK_PCI_OFF:
        return "not plugged in";
    case DPK_PCI_PLUGGING:
        return "being plugged in";
    case DPK_PCI_ON:
        return "plugged in";
    default:
        return "being unplugged";
    }
}

static doca_error_t change(const char *call, struct doca_devemu_pci_dev *pci_dev,
                           enum dpk_pci_state from, enum dpk_pci_state to)
{
    doca_error_t result;
    struct pci_dev *d = devemu_pci_dev_lock_running(call, pci_dev, NULL, &result);
    if (!d)
        return result;
    result = dpk_pci_set_state(d->f, from, to) ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE;
    if (result == DOCA_SUCCESS)
        dpk_ctx_notify(&d->base.ctx);
    return dpk_doca_unlock(d, call, result, "the emulated function %u is %s, and must be %s",
                           d->number, plug_name(dpk_pci_state_of(d->f)), plug_name(from));
}

doca_error_t doca_devemu_pci_dev_hotplug(struct doca_devemu_pci_dev *pci_dev)
{
    return change(__func__, pci_dev, DPK_PCI_OFF, DPK_PCI_PLUGGING);
}

doca_error_t doca_devemu_pci_dev_hotunplug(struct doca_devemu_pci_dev *pci_dev)
{
    return change(__func__, pci_dev, DPK_PCI_ON, DPK_PCI_UNPLUGGING);
}

/* ---- Callbacks ---- */

struct pci_dev *devemu_pci_dev_lock_idle(const char *call, const void *handle, doca_error_t *result)
{
    struct pci_dev *d = dpk_object_lock(handle, &devemu_pci_dev_kind);
    *result = DOCA_SUCCESS;
    if (d && atomic_load(&d->base.ctx.state) == DOCA_CTX_STATE_IDLE)
        return d;
    *result = dpk_doca_unlock(d, call, DOCA_ERROR_BAD_STATE, "the context is %s, and must be idle",
                              d ? dpk_ctx_state_name(&d->base.ctx) : "");
    return NULL;
}

/* NVIDIA's sample registers this handler of a virtio-fs device after its start. */
static struct pci_dev *lock_for_plug(const char *call, const void *handle, doca_error_t *result)
{
    struct pci_dev *d = dpk_object_lock(handle, &devemu_pci_dev_kind);
    if (d && d->virtio)
        return d;
    dpk_object_unlock(d, DOCA_SUCCESS);
    return devemu_pci_dev_lock_idle(call, handle, result);
}

doca_error_t doca_devemu_pci_dev_event_hotplug_state_change_register(
    struct doca_devemu_pci_dev *pci_dev,
    doca_devemu_pci_dev_event_hotplug_state_change_handler_cb_t handler, union doca_data user_data)
{
    doca_error_t result;
    struct pci_dev *d = lock_for_plug(__func__, handler ? pci_dev : NULL, &result);
    if (!d)
        return result;
    d->on_plug = handler;
    d->plug_data = user_data;
    return dpk_object_unlock(d, DOCA_SUCCESS);
}

doca_error_t
doca_devemu_pci_dev_event_flr_register(struct doca_devemu_pci_dev *pci_dev,
                                       doca_devemu_pci_dev_event_flr_handler_cb_t handler,
                                       union doca_data user_data)
{
    doca_error_t result;
    struct pci_dev *d = devemu_pci_dev_lock_idle(__func__, handler ? pci_dev : NULL, &result);
    if (!d)
        return result;
    d->on_reset = handler;
    d->reset_data = user_data;
    return dpk_object_unlock(d, DOCA_SUCCESS);
}

doca_error_t doca_devemu_pci_dev_is_flr(const struct doca_devemu_pci_dev *pci_dev, uint8_t *flr)
{
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    struct pci_dev *d = devemu_pci_dev_lock_running(__func__, flr ? pci_dev : NULL, NULL, &result);
    if (!d)
        return result;
    *flr = dpk_pci_resets(d->f) != d->resets_before;
    return dpk_object_unlock(d, DOCA_SUCCESS);
}

doca_error_t doca_devemu_pci_dev_event_bar_stateful_region_driver_write_register(
    struct doca_devemu_pci_dev *pci_dev,
    doca_devemu_pci_dev_event_bar_stateful_region_driver_write_handler_cb_t handler, uint8_t id,
    uint64_t start_addr, union doca_data user_data)
{
    doca_error_t result;
    struct pci_dev *d = devemu_pci_dev_lock_idle(__func__, handler ? pci_dev : NULL, &result);
    if (!d)
        return result;
    const int region = dpk_pci_find(&d->type->config, DPK_PCI_STATEFUL, id, start_addr);
    if (region >= 0) {
        d->stateful[region].handler = handler;
        d->stateful[region].data = user_data;
    }
    return dpk_doca_unlock(d, __func__, region >= 0 ? DOCA_SUCCESS : DOCA_ERROR_NOT_FOUND,
                           "no stateful region of BAR %u begins at 0x%llx", id,
                           (unsigned long long)start_addr);
}
