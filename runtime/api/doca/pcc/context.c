/* DOCA PCC: contexts, and their settings before the start. */
#include <string.h>

#include "api/doca/pcc/private.h"
#include "device/state/state.h"

#define MAILBOX_MAX (1u << 20)

/* ---- Capabilities of devices ---- */

/* Checks that NV configuration lets the device run congestion control programs. Programs ask this
 * first, and most print only "not supported", so a log line says what to do. */
static doca_error_t is_enabled(const char *device)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    struct dpk_device_info info;
    struct dpk_error err = {0};
    enum dpk_status status = dpk_device_info_by_name(device, &info, &err);
    if (status != DPK_OK)
        return dpk_doca_error_of(&err);
    if (!info.programmable_cc && !atomic_flag_test_and_set(&told))
        dpk_doca_log(DOCA_LOG_LEVEL_ERROR,
                     "device %s does not run programs of congestion control: mlxconfig-lite -d %s "
                     "set USER_PROGRAMMABLE_CC=1, then dpadev reset %s",
                     device, device, device);
    return info.programmable_cc ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_devinfo_get_is_pcc_supported(const struct doca_devinfo *devinfo)
{
    struct dpk_devinfo *info = dpk_object_pin(devinfo, &dpk_devinfo_kind);
    if (!info)
        return dpk_doca_no_object(__func__);
    doca_error_t result = is_enabled(info->name);
    dpk_object_drop(info);
    return dpk_doca_end(devinfo, __func__, result);
}

doca_error_t doca_pcc_np_cap_is_supported(const struct doca_devinfo *devinfo)
{
    return dpk_doca_end(devinfo, __func__, dpk_devinfo_answer(devinfo, DOCA_SUCCESS));
}

doca_error_t doca_pcc_cap_is_ccmad_custom_header_supported(const struct doca_devinfo *devinfo)
{
    return dpk_doca_end(devinfo, __func__, dpk_devinfo_answer(devinfo, DOCA_ERROR_NOT_SUPPORTED));
}

doca_error_t doca_pcc_cap_is_probe_priority_change_supported(const struct doca_devinfo *devinfo)
{
    return dpk_doca_end(devinfo, __func__, dpk_devinfo_answer(devinfo, DOCA_ERROR_NOT_SUPPORTED));
}

/* ---- Contexts ---- */

static void left(void *object)
{
    struct context *c = object;
    pthread_mutex_lock(&c->object.lock);
    if (c->started)
        pcc_context_stop(c);
    pthread_mutex_unlock(&c->object.lock);
    dpk_object_end_use(c->dev);
}

static void release(void *object)
{
    struct context *c = object;
    pcc_trace_free(&c->trace);
    dpk_object_drop(c->dev);
    free(c->core_path);
    free(c->request);
    free(c->response);
    free(c);
}
const struct dpk_kind pcc_context_kind = {.left = left, .release = release};

static doca_error_t create(struct doca_dev *doca_dev, enum dpk_pcc_role role, struct doca_pcc **pcc)
{
    if (!pcc)
        return DOCA_ERROR_INVALID_VALUE;
    struct dpk_dev *dev = dpk_object_pin(doca_dev, &dpk_dev_kind);
    if (!dev)
        return DOCA_ERROR_INVALID_VALUE;
    doca_error_t result = role == DPK_PCC_RP ? is_enabled(dev->info->name) : DOCA_SUCCESS;
    struct context *c = result == DOCA_SUCCESS ? calloc(1, sizeof *c) : NULL;
    if (!c) {
        dpk_object_drop(dev);
        return result == DOCA_SUCCESS ? DOCA_ERROR_NO_MEMORY : result;
    }
    dpk_object_use(dev);
    dpk_object_drop(dev);
    c->dev = dev;
    c->role = role;
    c->place = -1;
    pcc_trace_init(&c->trace);
    void *handle = dpk_object_enter(c, &pcc_context_kind);
    if (!handle)
        return DOCA_ERROR_NO_MEMORY;
    *pcc = handle;
    return DOCA_SUCCESS;
}

doca_error_t doca_pcc_create(struct doca_dev *doca_dev, struct doca_pcc **pcc)
{
    return dpk_doca_end(doca_dev, __func__, create(doca_dev, DPK_PCC_RP, pcc));
}

doca_error_t doca_pcc_np_create(struct doca_dev *doca_dev, struct doca_pcc **pcc)
{
    return dpk_doca_end(doca_dev, __func__, create(doca_dev, DPK_PCC_NP, pcc));
}

doca_error_t doca_pcc_destroy(struct doca_pcc *pcc)
{
    return dpk_doca_destroy(pcc, &pcc_context_kind, __func__);
}

/* ---- Settings ---- */

struct context *pcc_context_begin_set(struct doca_pcc *pcc, doca_error_t *result)
{
    struct context *c = dpk_object_lock(pcc, &pcc_context_kind);
    *result = DOCA_SUCCESS;
    if (c && !c->started)
        return c;
    *result = dpk_object_unlock(
        c, dpk_doca_because(DOCA_ERROR_BAD_STATE, "the context is started, and must not be"));
    return NULL;
}

doca_error_t doca_pcc_set_app(struct doca_pcc *pcc, struct doca_pcc_app *app)
{
    doca_error_t result;
    struct dpk_host_app *found = dpk_host_app_find(app);
    struct context *c = found ? pcc_context_begin_set(pcc, &result) : NULL;
    if (!found)
        return dpk_doca_no_object(__func__);
    if (!c)
        return dpk_doca_end(pcc, __func__, result);
    c->app = found;
    return dpk_doca_end(pcc, __func__, dpk_object_unlock(c, DOCA_SUCCESS));
}

static doca_error_t number(struct doca_pcc *pcc, uint32_t *out, uint32_t value)
{
    struct context *c = out ? dpk_object_pin(pcc, &pcc_context_kind) : NULL;
    if (!c)
        return DOCA_ERROR_INVALID_VALUE;
    *out = value;
    dpk_object_drop(c);
    return DOCA_SUCCESS;
}

doca_error_t doca_pcc_get_min_num_threads(struct doca_pcc *pcc, uint32_t *min_num_threads)
{
    return dpk_doca_end(pcc, __func__, number(pcc, min_num_threads, 1));
}

doca_error_t doca_pcc_get_max_num_threads(struct doca_pcc *pcc, uint32_t *max_num_threads)
{
    return dpk_doca_end(pcc, __func__, number(pcc, max_num_threads, DPK_PCC_THREADS_MAX));
}

doca_error_t doca_pcc_cap_get_num_probe_format_slots(struct doca_pcc *pcc,
                                                     uint32_t *num_probe_format_slots)
{
    return dpk_doca_end(pcc, __func__, number(pcc, num_probe_format_slots, PROBE_SLOTS));
}

doca_error_t doca_pcc_set_thread_affinity(struct doca_pcc *pcc, uint32_t num_threads,
                                          uint32_t *affinity_configs)
{
    doca_error_t result;
    if (!affinity_configs)
        return dpk_doca_no_object(__func__);
    if (num_threads == 0 || num_threads > DPK_PCC_THREADS_MAX)
        return dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, __func__,
                                    "%u threads are not within 1 to %u", num_threads,
                                    (unsigned)DPK_PCC_THREADS_MAX);
    struct context *c = pcc_context_begin_set(pcc, &result);
    if (!c)
        return dpk_doca_end(pcc, __func__, result);
    for (uint32_t i = 0; i < num_threads; i++)
        if (affinity_configs[i] >= DPK_EUS_MAX)
            return dpk_doca_unlock(c, __func__, DOCA_ERROR_INVALID_VALUE,
                                   "execution unit %u; there are 0 to %u", affinity_configs[i],
                                   DPK_EUS_MAX - 1);
    c->threads = num_threads;
    return dpk_doca_end(pcc, __func__, dpk_object_unlock(c, DOCA_SUCCESS));
}

/* ---- Probes ---- */

enum { ANY_ROLE = -1 };

static doca_error_t set_probe(struct doca_pcc *pcc, uint32_t slot, int role)
{
    doca_error_t result;
    if (slot >= PROBE_SLOTS)
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE, "slot %u; there are 0 to %u", slot,
                                (unsigned)PROBE_SLOTS - 1);
    struct context *c = pcc_context_begin_set(pcc, &result);
    if (!c)
        return result;
    const bool fits = role == ANY_ROLE || c->role == (enum dpk_pcc_role)role;
    return dpk_object_unlock(
        c, fits
               ? DOCA_SUCCESS
               : dpk_doca_because(DOCA_ERROR_NOT_SUPPORTED, "the context is of a %s",
                                  c->role == DPK_PCC_RP ? "reaction point" : "notification point"));
}

doca_error_t doca_pcc_set_ccmad_probe_packet_format(struct doca_pcc *pcc,
                                                    uint32_t probe_format_slot)
{
    return dpk_doca_end(pcc, __func__, set_probe(pcc, probe_format_slot, ANY_ROLE));
}

/* Warns that emulated ports have no switch that writes telemetry into probes, so that a program
 * does not wait for it in vain. */
static doca_error_t set_ifa(struct doca_pcc *pcc, uint32_t slot, unsigned version)
{
    doca_error_t result = set_probe(pcc, slot, ANY_ROLE);
    if (result == DOCA_SUCCESS)
        dpk_doca_log(DOCA_LOG_LEVEL_WARNING,
                     "probes of IFA %u: no switch is between emulated ports, so no probe brings "
                     "telemetry (dpa-pcc(7))",
                     version);
    return result;
}

doca_error_t doca_pcc_set_ifa1_probe_packet_format(struct doca_pcc *pcc, uint32_t probe_format_slot)
{
    return dpk_doca_end(pcc, __func__, set_ifa(pcc, probe_format_slot, 1));
}

doca_error_t doca_pcc_set_ifa2_probe_packet_format(struct doca_pcc *pcc, uint32_t probe_format_slot)
{
    return dpk_doca_end(pcc, __func__, set_ifa(pcc, probe_format_slot, 2));
}

doca_error_t doca_pcc_rp_set_ccmad_remote_sw_handler(struct doca_pcc *pcc,
                                                     uint32_t probe_format_slot, bool sw_handler)
{
    doca_error_t result = set_probe(pcc, probe_format_slot, DPK_PCC_RP);
    if (result == DOCA_SUCCESS && sw_handler)
        result = dpk_doca_because(DOCA_ERROR_NOT_SUPPORTED,
                                  "no software of an emulated peer handles probes");
    return dpk_doca_end(pcc, __func__, result);
}

doca_error_t doca_pcc_rp_set_ccmad_probe_priority_change_en(struct doca_pcc *pcc,
                                                            uint32_t probe_format_slot, bool enable)
{
    doca_error_t result = set_probe(pcc, probe_format_slot, DPK_PCC_RP);
    if (result == DOCA_SUCCESS && enable)
        result = dpk_doca_because(DOCA_ERROR_NOT_SUPPORTED,
                                  "probes of the emulated network keep their priority");
    return dpk_doca_end(pcc, __func__, result);
}

doca_error_t doca_pcc_set_ifa1_probe_marker(struct doca_pcc *pcc, uint32_t probe_format_slot,
                                            uint64_t probe_marker)
{
    (void)probe_marker;
    return dpk_doca_end(pcc, __func__, set_probe(pcc, probe_format_slot, ANY_ROLE));
}

doca_error_t doca_pcc_rp_set_ifa2_gns(struct doca_pcc *pcc, uint32_t probe_format_slot, uint8_t gns)
{
    (void)gns;
    return dpk_doca_end(pcc, __func__, set_probe(pcc, probe_format_slot, DPK_PCC_RP));
}

doca_error_t doca_pcc_rp_set_ifa2_hop_limit(struct doca_pcc *pcc, uint32_t probe_format_slot,
                                            uint8_t hop_limit)
{
    (void)hop_limit;
    return dpk_doca_end(pcc, __func__, set_probe(pcc, probe_format_slot, DPK_PCC_RP));
}

doca_error_t doca_pcc_np_set_ifa2_gns_ignore(struct doca_pcc *pcc, uint32_t probe_format_slot,
                                             uint8_t ignore_mask, uint8_t ignore_value)
{
    (void)ignore_mask;
    (void)ignore_value;
    return dpk_doca_end(pcc, __func__, set_probe(pcc, probe_format_slot, DPK_PCC_NP));
}

static doca_error_t not_supported(struct doca_pcc *pcc, uint32_t slot)
{
    doca_error_t result = set_probe(pcc, slot, ANY_ROLE);
    return result == DOCA_SUCCESS ? DOCA_ERROR_NOT_SUPPORTED : result;
}

doca_error_t doca_pcc_rp_set_ccmad_custom_header_size(struct doca_pcc *pcc,
                                                      uint32_t probe_format_slot,
                                                      uint8_t header_size)
{
    (void)header_size;
    return dpk_doca_end(pcc, __func__, not_supported(pcc, probe_format_slot));
}

doca_error_t
doca_pcc_rp_set_ccmad_custom_header_location(struct doca_pcc *pcc, uint32_t probe_format_slot,
                                             doca_pcc_ccmad_custom_header_loc_t header_loc)
{
    (void)header_loc;
    return dpk_doca_end(pcc, __func__, not_supported(pcc, probe_format_slot));
}

/* ---- Files and buffers ---- */

doca_error_t doca_pcc_set_print_buffer_size(struct doca_pcc *pcc, size_t buffer_size)
{
    doca_error_t result;
    struct context *c = buffer_size ? pcc_context_begin_set(pcc, &result) : NULL;
    if (!buffer_size)
        return dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, __func__,
                                    "the buffer has 0 bytes");
    return dpk_doca_end(pcc, __func__, c ? dpk_object_unlock(c, DOCA_SUCCESS) : result);
}

doca_error_t doca_pcc_set_dev_coredump_file(struct doca_pcc *pcc, const char *file_name)
{
    doca_error_t result;
    if (!file_name || !*file_name)
        return dpk_doca_no_object(__func__);
    struct context *c = pcc_context_begin_set(pcc, &result);
    if (!c)
        return dpk_doca_end(pcc, __func__, result);
    char *copy = strdup(file_name);
    if (!copy)
        return dpk_doca_end(pcc, __func__, dpk_object_unlock(c, DOCA_ERROR_NO_MEMORY));
    free(c->core_path);
    c->core_path = copy;
    return dpk_doca_end(pcc, __func__, dpk_object_unlock(c, DOCA_SUCCESS));
}

doca_error_t doca_pcc_set_mailbox(struct doca_pcc *pcc, uint32_t max_request_size,
                                  uint32_t max_response_size)
{
    doca_error_t result;
    if (max_request_size == 0 || max_request_size > MAILBOX_MAX || max_response_size > MAILBOX_MAX)
        return dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, __func__,
                                    "requests have 1 to %u bytes, responses 0 to %u", MAILBOX_MAX,
                                    MAILBOX_MAX);
    struct context *c = pcc_context_begin_set(pcc, &result);
    if (!c)
        return dpk_doca_end(pcc, __func__, result);
    uint8_t *request = calloc(1, max_request_size), *response = calloc(1, max_response_size + 1);
    if (!request || !response) {
        free(request);
        free(response);
        return dpk_doca_end(pcc, __func__, dpk_object_unlock(c, DOCA_ERROR_NO_MEMORY));
    }
    free(c->request);
    free(c->response);
    c->request = request;
    c->response = response;
    c->request_max = max_request_size;
    c->response_max = max_response_size;
    return dpk_doca_end(pcc, __func__, dpk_object_unlock(c, DOCA_SUCCESS));
}

doca_error_t pcc_no_mailbox(void)
{
    return dpk_doca_because(DOCA_ERROR_NOT_PERMITTED,
                            "the context has no mailbox, as by doca_pcc_set_mailbox");
}

static doca_error_t get_buffer(struct doca_pcc *pcc, bool request, void **out)
{
    struct context *c = out ? dpk_object_lock(pcc, &pcc_context_kind) : NULL;
    if (!c)
        return DOCA_ERROR_INVALID_VALUE;
    if (!c->request)
        return dpk_object_unlock(c, pcc_no_mailbox());
    *out = request ? c->request : c->response;
    return dpk_object_unlock(c, DOCA_SUCCESS);
}

doca_error_t doca_pcc_mailbox_get_request_buffer(struct doca_pcc *pcc, void **request_buffer)
{
    return dpk_doca_end(pcc, __func__, get_buffer(pcc, true, request_buffer));
}

doca_error_t doca_pcc_mailbox_get_response_buffer(struct doca_pcc *pcc, void **response_buffer)
{
    return dpk_doca_end(pcc, __func__, get_buffer(pcc, false, response_buffer));
}

doca_error_t doca_pcc_enable_debug(const struct doca_pcc *pcc, bool enable)
{
    struct context *c = dpk_object_pin(pcc, &pcc_context_kind);
    if (!c)
        return dpk_doca_no_object(__func__);
    atomic_store(&c->debug, enable);
    dpk_object_drop(c);
    return DOCA_SUCCESS;
}
