/* Counters that entries share. */
#include "flow.h"

/* Returns the shared counters with a reference, or NULL and the error. */
static struct flow_counters *shared_of(enum doca_flow_shared_resource_type type,
                                       const uint32_t *ids, uint32_t count, doca_error_t *result)
{
    struct flow_settings settings;
    *result = DOCA_ERROR_INVALID_VALUE;
    if (!ids || count == 0)
        return NULL;
    if (type != DOCA_FLOW_SHARED_RESOURCE_COUNTER) {
        *result = flow_cannot("a shared resource that is not a counter");
        return NULL;
    }
    if (!flow_settings_get(&settings)) {
        *result = DOCA_ERROR_BAD_STATE;
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++)
        if (!settings.shared || ids[i] >= settings.shared->count) {
            *result = dpk_doca_because(
                DOCA_ERROR_INVALID_VALUE,
                "there is no shared counter %u (doca_flow_cfg_set_nr_shared_resource)", ids[i]);
            flow_counters_drop(settings.shared);
            return NULL;
        }
    *result = DOCA_SUCCESS;
    return settings.shared;
}

doca_error_t doca_flow_shared_resources_bind(enum doca_flow_shared_resource_type type,
                                             uint32_t *res_array, uint32_t res_array_len,
                                             void *bindable_obj)
{
    doca_error_t result;
    void *port = dpk_object_pin(bindable_obj, &flow_port_kind);
    void *pipe = port ? NULL : dpk_object_pin(bindable_obj, &flow_pipe_kind);
    const bool good = port || pipe;
    dpk_object_drop(port);
    dpk_object_drop(pipe);
    if (!good)
        return dpk_doca_end(bindable_obj, __func__, DOCA_ERROR_INVALID_VALUE);
    flow_counters_drop(shared_of(type, res_array, res_array_len, &result));
    return dpk_doca_end(bindable_obj, __func__, result);
}

doca_error_t doca_flow_shared_resources_query(enum doca_flow_shared_resource_type type,
                                              uint32_t *res_array,
                                              struct doca_flow_resource_query *query_results_array,
                                              uint32_t array_len)
{
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    struct flow_counters *shared =
        query_results_array ? shared_of(type, res_array, array_len, &result) : NULL;
    for (uint32_t i = 0; shared && i < array_len; i++)
        flow_counter_read(&shared->counters[res_array[i]], &query_results_array[i]);
    flow_counters_drop(shared);
    return dpk_doca_end(NULL, __func__, result);
}
