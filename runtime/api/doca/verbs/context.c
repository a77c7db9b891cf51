/* Contexts, protection domains, and capabilities of devices. */
#include <errno.h>
#include <string.h>

#include "verbs.h"

/* ---- Common functions of objects ---- */

doca_error_t verbs_attr_new(size_t size, const struct dpk_kind *kind, void **out)
{
    if (!out)
        return DOCA_ERROR_INVALID_VALUE;
    void *object = calloc(1, size);
    *out = object ? dpk_object_enter(object, kind) : NULL;
    return *out ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

bool verbs_is_a(const void *handle, const struct dpk_kind *kind)
{
    void *object = handle ? dpk_object_pin(handle, kind) : NULL;
    dpk_object_drop(object);
    return !handle || object;
}

doca_error_t verbs_error_of(int why)
{
    switch (why) {
    case 0:
        return DOCA_SUCCESS;
    case EINVAL:
        return DOCA_ERROR_INVALID_VALUE;
    case EOPNOTSUPP:
        return DOCA_ERROR_NOT_SUPPORTED;
    case ENOMEM:
        return DOCA_ERROR_NO_MEMORY;
    case EBUSY:
        return DOCA_ERROR_IN_USE;
    default:
        return dpk_doca_because(DOCA_ERROR_DRIVER, "%s", strerror(why));
    }
}

void *verbs_use(const void *handle, const struct dpk_kind *kind)
{
    void *object = dpk_object_pin(handle, kind);
    if (object) {
        dpk_object_use(object);
        dpk_object_drop(object);
    }
    return object;
}

void verbs_unuse(void *object)
{
    if (object)
        dpk_object_unuse(object);
}

/* ---- Contexts ---- */

static void context_release(void *object)
{
    struct context *c = object;
    if (c->ib && !c->borrowed)
        dpk_emulated_11.close_device(c->ib);
    free(c);
}
const struct dpk_kind verbs_context_kind = {.release = context_release};

static doca_error_t context_new(struct ibv_context *ib, bool borrowed,
                                struct doca_verbs_context **out)
{
    struct context *c = calloc(1, sizeof *c);
    if (!c) {
        if (!borrowed)
            dpk_emulated_11.close_device(ib);
        return DOCA_ERROR_NO_MEMORY;
    }
    c->ib = ib;
    c->borrowed = borrowed;
    *out = dpk_object_enter(c, &verbs_context_kind);
    return *out ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

static doca_error_t check_flags(const void *out, uint32_t flags)
{
    return !out ? DOCA_ERROR_INVALID_VALUE
           : flags == DOCA_VERBS_CONTEXT_CREATE_FLAGS_NONE
               ? DOCA_SUCCESS
               : dpk_doca_because(DOCA_ERROR_INVALID_VALUE, "0x%x is not a flag of contexts",
                                  flags);
}

static doca_error_t not_emulated(const char *what)
{
    return dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                            "the %s is NULL, or does not belong to an emulated device", what);
}

doca_error_t doca_verbs_context_create(struct doca_devinfo *devinfo, uint32_t flags,
                                       struct doca_verbs_context **context)
{
    struct ibv_context *ib = NULL;
    if (context)
        *context = NULL;
    doca_error_t result = check_flags(context, flags);
    if (result == DOCA_SUCCESS)
        result = dpk_dev_open_context(devinfo, &ib);
    if (result == DOCA_SUCCESS)
        result = context_new(ib, false, context);
    return dpk_doca_end(devinfo, __func__, result);
}

doca_error_t doca_verbs_context_destroy(struct doca_verbs_context *context)
{
    return dpk_doca_destroy(context, &verbs_context_kind, __func__);
}

doca_error_t doca_verbs_bridge_verbs_context_import(struct ibv_context *ibv_context, uint32_t flags,
                                                    struct doca_verbs_context **context)
{
    if (context)
        *context = NULL;
    doca_error_t result = check_flags(context, flags);
    if (result == DOCA_SUCCESS)
        result = dpk_context_is_emulated(ibv_context) ? context_new(ibv_context, true, context)
                                                      : not_emulated("context");
    return dpk_doca_end(NULL, __func__, result);
}

doca_error_t doca_verbs_bridge_verbs_context_create(struct ibv_device *ibv_device, uint32_t flags,
                                                    struct doca_verbs_context **context)
{
    if (context)
        *context = NULL;
    doca_error_t result = check_flags(context, flags);
    if (result == DOCA_SUCCESS && !dpk_device_is_emulated(ibv_device))
        result = not_emulated("device");
    if (result == DOCA_SUCCESS) {
        struct ibv_context *ib = dpk_emulated_11.open_device(ibv_device);
        result = ib ? context_new(ib, false, context)
                    : dpk_doca_because(DOCA_ERROR_NOT_CONNECTED, "the device cannot be opened");
    }
    return dpk_doca_end(NULL, __func__, result);
}

struct ibv_context *doca_verbs_bridge_get_ibv_ctx(struct doca_verbs_context *context)
{
    struct context *c = dpk_object_pin(context, &verbs_context_kind);
    struct ibv_context *ib = c ? c->ib : NULL;
    dpk_object_drop(c);
    return ib;
}

/* ---- Handles for other processes, which emulated devices do not have ---- */

static doca_error_t no_handles(void)
{
    return dpk_doca_because(DOCA_ERROR_NOT_SUPPORTED,
                            "emulated devices have no handles for other processes");
}

int doca_verbs_context_export_handle(const struct doca_verbs_context *context)
{
    (void)context;
    return -1;
}

int doca_verbs_pd_export_handle(const struct doca_verbs_pd *pd)
{
    (void)pd;
    return -1;
}

doca_error_t doca_verbs_context_import_from_handle(int handle, uint32_t flags,
                                                   struct doca_verbs_context **context)
{
    (void)handle;
    if (context)
        *context = NULL;
    const doca_error_t result = check_flags(context, flags);
    return dpk_doca_end(NULL, __func__, result == DOCA_SUCCESS ? no_handles() : result);
}

doca_error_t doca_verbs_pd_import_from_handle(struct doca_verbs_context *context, int handle,
                                              struct doca_verbs_pd **pd)
{
    (void)handle;
    if (pd)
        *pd = NULL;
    return dpk_doca_end(context, __func__,
                        pd && context && verbs_is_a(context, &verbs_context_kind)
                            ? no_handles()
                            : DOCA_ERROR_INVALID_VALUE);
}

/* ---- Protection domains ---- */

static void pd_left(void *object)
{
    verbs_unuse(((struct pd *)object)->context);
}

static void pd_release(void *object)
{
    free(object);
}
const struct dpk_kind verbs_pd_kind = {.left = pd_left, .release = pd_release};

static doca_error_t pd_new(struct ibv_pd *ib, struct context *c, struct doca_verbs_pd **out)
{
    struct pd *p = calloc(1, sizeof *p);
    if (!p)
        return DOCA_ERROR_NO_MEMORY;
    p->ib = ib;
    if ((p->context = c))
        dpk_object_use(c);
    *out = dpk_object_enter(p, &verbs_pd_kind);
    return *out ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

doca_error_t doca_verbs_pd_create(struct doca_verbs_context *context, struct doca_verbs_pd **pd)
{
    if (pd)
        *pd = NULL;
    struct context *c = pd ? dpk_object_pin(context, &verbs_context_kind) : NULL;
    if (!c)
        return dpk_doca_no_object(__func__);
    struct ibv_pd *ib = dpk_dev_alloc_pd(c->ib);
    const doca_error_t result = ib ? pd_new(ib, c, pd) : DOCA_ERROR_NO_MEMORY;
    if (ib && result != DOCA_SUCCESS)
        dpk_emulated_11.dealloc_pd(ib);
    dpk_object_drop(c);
    return dpk_doca_end(context, __func__, result);
}

doca_error_t doca_verbs_pd_destroy(struct doca_verbs_pd *pd)
{
    struct pd *p = dpk_object_lock(pd, &verbs_pd_kind);
    if (!p)
        return dpk_doca_no_object(__func__);
    int why = atomic_load(&p->object.users) > 0 ? EBUSY : 0;
    if (!why && p->context && p->ib)
        why = dpk_emulated_11.dealloc_pd(p->ib);
    if (!why)
        p->ib = NULL;
    const doca_error_t result = dpk_object_unlock(p, verbs_error_of(why));
    return dpk_doca_end(pd, __func__,
                        result == DOCA_SUCCESS ? dpk_object_destroy(pd, &verbs_pd_kind) : result);
}

doca_error_t doca_verbs_pd_as_doca_dev(struct doca_verbs_pd *pd, struct doca_dev **dev)
{
    if (dev)
        *dev = NULL;
    struct pd *p = dev ? dpk_object_lock(pd, &verbs_pd_kind) : NULL;
    return dpk_doca_end(pd, __func__,
                        dpk_object_unlock(p, p && p->ib ? dpk_dev_borrow(p->ib, p, dev)
                                                        : DOCA_ERROR_INVALID_VALUE));
}

doca_error_t doca_verbs_bridge_verbs_pd_import(struct ibv_pd *ibv_pd, struct doca_verbs_pd **pd)
{
    if (pd)
        *pd = NULL;
    return dpk_doca_end(NULL, __func__,
                        !pd || !ibv_pd ? DOCA_ERROR_INVALID_VALUE
                        : dpk_context_is_emulated(ibv_pd->context)
                            ? pd_new(ibv_pd, NULL, pd)
                            : not_emulated("protection domain"));
}

struct ibv_pd *doca_verbs_bridge_verbs_pd_get_ibv_pd(const struct doca_verbs_pd *pd)
{
    struct pd *p = dpk_object_pin(pd, &verbs_pd_kind);
    struct ibv_pd *ib = p ? p->ib : NULL;
    dpk_object_drop(p);
    return ib;
}

/* ---- Capabilities of devices ---- */

struct device_attr {
    struct dpk_object object;
    struct ibv_device_attr ib;
};

static void device_attr_release(void *object)
{
    free(object);
}
static const struct dpk_kind device_attr_kind = {.release = device_attr_release};

static doca_error_t device_attr_new(struct ibv_context *ib, struct doca_verbs_device_attr **out)
{
    struct device_attr *a = calloc(1, sizeof *a);
    if (!a)
        return DOCA_ERROR_NO_MEMORY;
    const doca_error_t result = verbs_error_of(dpk_emulated_11.query_device(ib, &a->ib));
    *out = dpk_object_enter(a, &device_attr_kind);
    return *out ? result : DOCA_ERROR_NO_MEMORY;
}

doca_error_t doca_verbs_query_device(struct doca_verbs_context *context,
                                     struct doca_verbs_device_attr **device_attr)
{
    if (device_attr)
        *device_attr = NULL;
    struct context *c = device_attr ? dpk_object_pin(context, &verbs_context_kind) : NULL;
    const doca_error_t result = c ? device_attr_new(c->ib, device_attr) : DOCA_ERROR_INVALID_VALUE;
    dpk_object_drop(c);
    return dpk_doca_end(context, __func__, result);
}

doca_error_t doca_verbs_bridge_verbs_query_device(struct ibv_context *ibv_context,
                                                  struct doca_verbs_device_attr **device_attr)
{
    if (device_attr)
        *device_attr = NULL;
    return dpk_doca_end(NULL, __func__,
                        !device_attr ? DOCA_ERROR_INVALID_VALUE
                        : dpk_context_is_emulated(ibv_context)
                            ? device_attr_new(ibv_context, device_attr)
                            : not_emulated("context"));
}

doca_error_t doca_verbs_device_attr_free(struct doca_verbs_device_attr *device_attr)
{
    return dpk_doca_destroy(device_attr, &device_attr_kind, __func__);
}

#define LIMIT(getter, type, name)                                                                  \
    type getter(const struct doca_verbs_device_attr *device_attr)                                  \
    {                                                                                              \
        struct device_attr *a = dpk_object_pin(device_attr, &device_attr_kind);                    \
        const type result = a ? (type)a->ib.name : 0;                                              \
        dpk_object_drop(a);                                                                        \
        return result;                                                                             \
    }
LIMIT(doca_verbs_device_attr_get_max_qp, uint32_t, max_qp)
LIMIT(doca_verbs_device_attr_get_max_qp_wr, uint32_t, max_qp_wr)
LIMIT(doca_verbs_device_attr_get_max_sge, uint32_t, max_sge)
LIMIT(doca_verbs_device_attr_get_max_cq, uint32_t, max_cq)
LIMIT(doca_verbs_device_attr_get_max_cqe, uint32_t, max_cqe)
LIMIT(doca_verbs_device_attr_get_max_mr, uint32_t, max_mr)
LIMIT(doca_verbs_device_attr_get_max_pd, uint32_t, max_pd)
LIMIT(doca_verbs_device_attr_get_max_ah, uint32_t, max_ah)
LIMIT(doca_verbs_device_attr_get_max_srq, uint32_t, max_srq)
LIMIT(doca_verbs_device_attr_get_max_srq_wr, uint32_t, max_srq_wr)
LIMIT(doca_verbs_device_attr_get_max_srq_sge, uint32_t, max_srq_sge)
LIMIT(doca_verbs_device_attr_get_max_pkeys, uint16_t, max_pkeys)
LIMIT(doca_verbs_device_attr_get_max_qp_rd_atom, uint8_t, max_qp_rd_atom)
LIMIT(doca_verbs_device_attr_get_max_qp_init_rd_atom, uint8_t, max_qp_init_rd_atom)

enum doca_verbs_atomic_cap
doca_verbs_device_attr_get_atomic_cap(const struct doca_verbs_device_attr *device_attr)
{
    struct device_attr *a = dpk_object_pin(device_attr, &device_attr_kind);
    const enum ibv_atomic_cap has = a ? a->ib.atomic_cap : IBV_ATOMIC_NONE;
    dpk_object_drop(a);
    return has == IBV_ATOMIC_GLOB  ? DOCA_VERBS_ATOMIC_CAP_GLOB
           : has == IBV_ATOMIC_HCA ? DOCA_VERBS_ATOMIC_CAP_HCA
                                   : DOCA_VERBS_ATOMIC_CAP_NONE;
}

static doca_error_t answer(const struct doca_verbs_device_attr *device_attr, bool yes)
{
    struct device_attr *a = dpk_object_pin(device_attr, &device_attr_kind);
    dpk_object_drop(a);
    return !a ? DOCA_ERROR_INVALID_VALUE : yes ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t
doca_verbs_device_attr_get_is_qp_type_supported(const struct doca_verbs_device_attr *device_attr,
                                                uint32_t qp_type)
{
    return dpk_doca_end(
        device_attr, __func__,
        answer(device_attr, qp_type == DOCA_VERBS_QP_TYPE_RC || qp_type == DOCA_VERBS_QP_TYPE_UC));
}

doca_error_t doca_verbs_device_attr_get_is_send_dbr_mode_supported(
    const struct doca_verbs_device_attr *device_attr, enum doca_verbs_qp_send_dbr_mode mode)
{
    return dpk_doca_end(device_attr, __func__,
                        answer(device_attr, mode == DOCA_VERBS_QP_SEND_DBR_MODE_DBR_VALID));
}

doca_error_t doca_verbs_device_attr_get_is_dpa_external_datapath_supported(
    const struct doca_verbs_device_attr *device_attr)
{
    return dpk_doca_end(device_attr, __func__, answer(device_attr, true));
}

doca_error_t doca_verbs_device_attr_get_is_gpu_external_datapath_supported(
    const struct doca_verbs_device_attr *device_attr)
{
    return dpk_doca_end(device_attr, __func__, answer(device_attr, true));
}

/* Completions have times of one clock, in nanoseconds (dpk_now_ns). */
bool verbs_eth_has_clock(uint8_t ts_source_type)
{
    return ts_source_type == DOCA_VERBS_TS_SOURCE_DEFAULT ||
           ts_source_type == DOCA_VERBS_TS_SOURCE_FREE_RUNNING;
}

doca_error_t doca_verbs_device_attr_get_is_eth_sq_ts_source_type_supported(
    const struct doca_verbs_device_attr *device_attr, uint8_t ts_source_type)
{
    return dpk_doca_end(device_attr, __func__,
                        answer(device_attr, verbs_eth_has_clock(ts_source_type)));
}

doca_error_t doca_verbs_device_attr_get_is_eth_rq_ts_source_type_supported(
    const struct doca_verbs_device_attr *device_attr, uint8_t ts_source_type)
{
    return dpk_doca_end(device_attr, __func__,
                        answer(device_attr, verbs_eth_has_clock(ts_source_type)));
}

uint32_t doca_verbs_device_attr_get_ts_free_running_clock_frequency(
    const struct doca_verbs_device_attr *device_attr)
{
    return answer(device_attr, true) == DOCA_SUCCESS ? NANOSECONDS_KHZ : 0;
}

uint32_t
doca_verbs_device_attr_get_max_eth_sq_wr_num(const struct doca_verbs_device_attr *device_attr)
{
    return answer(device_attr, true) == DOCA_SUCCESS ? ETH_ENTRIES_MAX : 0;
}

uint32_t
doca_verbs_device_attr_get_max_eth_rq_wr_num(const struct doca_verbs_device_attr *device_attr)
{
    return answer(device_attr, true) == DOCA_SUCCESS ? ETH_ENTRIES_MAX : 0;
}

/* Capabilities that no device has. */
#define NONE(getter)                                                                               \
    doca_error_t getter(const struct doca_verbs_device_attr *device_attr)                          \
    {                                                                                              \
        return dpk_doca_end(device_attr, __func__, answer(device_attr, false));                    \
    }
#define NO_NUMBER(getter, type)                                                                    \
    type getter(const struct doca_verbs_device_attr *device_attr)                                  \
    {                                                                                              \
        (void)device_attr;                                                                         \
        return 0;                                                                                  \
    }
NONE(doca_verbs_device_attr_get_is_ece_supported)
NONE(doca_verbs_device_attr_get_is_cc_group_supported)
NONE(doca_verbs_device_attr_get_is_cqe_inline_supported)
NONE(doca_verbs_device_attr_get_is_allow_multi_pkt_send_wqe_supported)
NONE(doca_verbs_device_attr_get_is_plane_index_supported)
NONE(doca_verbs_device_attr_get_is_eth_rq_srq_supported)
NO_NUMBER(doca_verbs_device_attr_get_max_cc_group, uint32_t)
NO_NUMBER(doca_verbs_device_attr_get_max_cc_group_hint_max_size, size_t)
