/* Stresses every execution unit that is free: finds out which ones are by starting a thread on
 * each, then runs one on each, woken by an RPC, until the time is over. */
#include <doca_argp.h>
#include <doca_log.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "dpa_common.h"
#include "nvqual_defs.h"

DOCA_LOG_REGISTER(DPA_NVQUAL::MAIN);

#define MAX_EUS     256
#define MEMORY_SIZE ((size_t)256 << 20)

extern struct doca_dpa_app *dpa_sample_app;
extern doca_dpa_func_t dpa_nvqual_memory_stress_kernel;
extern doca_dpa_func_t dpa_nvqual_entry_point;

struct nvqual_config {
    char device[DOCA_DEVINFO_IBDEV_NAME_SIZE];
    int seconds;
    char excluded[256];
};

struct unit {
    unsigned int eu;
    struct doca_dpa_thread *thread;
    struct doca_dpa_notification_completion *notify_comp;
    doca_dpa_dev_uintptr_t tls;
};

struct nvqual {
    struct dpa_resources res;
    struct unit units[MAX_EUS];
    unsigned int num;
    doca_dpa_dev_uintptr_t data, notifications;
    struct doca_sync_event *event;
    doca_dpa_dev_sync_event_t event_handle;
};

static doca_error_t device_callback(void *param, void *config)
{
    snprintf(((struct nvqual_config *)config)->device, DOCA_DEVINFO_IBDEV_NAME_SIZE, "%s",
             (char *)param);
    return DOCA_SUCCESS;
}

static doca_error_t duration_callback(void *param, void *config)
{
    ((struct nvqual_config *)config)->seconds = atoi((char *)param);
    return DOCA_SUCCESS;
}

static doca_error_t excluded_callback(void *param, void *config)
{
    snprintf(((struct nvqual_config *)config)->excluded, 256, "%s", (char *)param);
    return DOCA_SUCCESS;
}

static doca_error_t add_param(const char *short_name, const char *long_name, bool mandatory,
                              doca_argp_param_cb_t callback)
{
    struct doca_argp_param *param;
    doca_error_t result = doca_argp_param_create(&param);
    if (result != DOCA_SUCCESS)
        return result;
    doca_argp_param_set_short_name(param, short_name);
    doca_argp_param_set_long_name(param, long_name);
    doca_argp_param_set_arguments(param, "<value>");
    doca_argp_param_set_description(param, "See the guide");
    doca_argp_param_set_callback(param, callback);
    doca_argp_param_set_type(param, DOCA_ARGP_TYPE_STRING);
    if (mandatory)
        doca_argp_param_set_mandatory(param);
    return doca_argp_register_param(param);
}

static bool excluded(const char *list, unsigned int eu)
{
    char copy[256];
    snprintf(copy, sizeof(copy), "%s", list);
    for (char *word = strtok(copy, ","); word; word = strtok(NULL, ","))
        if (strtoul(word, NULL, 10) == eu)
            return true;
    return false;
}

static doca_error_t thread_on(struct nvqual *q, unsigned int eu, doca_dpa_dev_uintptr_t tls,
                              struct doca_dpa_thread **thread)
{
    struct doca_dpa_eu_affinity *affinity = NULL;
    doca_error_t result = doca_dpa_eu_affinity_create(q->res.pf_doca_dpa, &affinity);
    DOCA_ERROR_PROPAGATE(result, doca_dpa_eu_affinity_set(affinity, eu));
    DOCA_ERROR_PROPAGATE(result, doca_dpa_thread_create(q->res.pf_doca_dpa, thread));
    DOCA_ERROR_PROPAGATE(result,
                         doca_dpa_thread_set_func_arg(*thread, dpa_nvqual_memory_stress_kernel, 0));
    DOCA_ERROR_PROPAGATE(result, doca_dpa_thread_set_affinity(*thread, affinity));
    if (tls != 0)
        DOCA_ERROR_PROPAGATE(result, doca_dpa_thread_set_local_storage(*thread, tls));
    DOCA_ERROR_PROPAGATE(result, doca_dpa_eu_affinity_destroy(affinity));
    DOCA_ERROR_PROPAGATE(result, doca_dpa_thread_start(*thread));
    return result;
}

/* Which units there are: a start that fails, with stderr silenced, means no. */
static void find_units(struct nvqual *q, const struct nvqual_config *cfg)
{
    int kept = dup(STDERR_FILENO), null = open("/dev/null", O_WRONLY);
    for (unsigned int eu = 0; eu < MAX_EUS; eu++) {
        struct doca_dpa_thread *thread = NULL;
        fflush(stderr);
        dup2(null, STDERR_FILENO);
        doca_error_t result = thread_on(q, eu, 0, &thread);
        fflush(stderr);
        dup2(kept, STDERR_FILENO);
        if (result == DOCA_SUCCESS) {
            doca_dpa_thread_stop(thread);
            if (!excluded(cfg->excluded, eu))
                q->units[q->num++].eu = eu;
        }
        doca_dpa_thread_destroy(thread);
    }
    close(null);
    close(kept);
}

static doca_error_t setup_unit(struct nvqual *q, unsigned int i,
                               doca_dpa_dev_notification_completion_t *handle)
{
    struct unit *u = &q->units[i];
    struct doca_dpa *dpa = q->res.pf_doca_dpa;
    struct dpa_nvqual_tls tls = {.eu = u->eu,
                                 .data_ptr = q->data + i * (MEMORY_SIZE / MAX_EUS),
                                 .data_size = MEMORY_SIZE / MAX_EUS,
                                 .num_ops = 10000,
                                 .completion_event = q->event_handle};
    doca_error_t result = doca_dpa_mem_alloc(dpa, sizeof(tls), &u->tls);
    DOCA_ERROR_PROPAGATE(result, doca_dpa_h2d_memcpy(dpa, u->tls, &tls, sizeof(tls)));
    DOCA_ERROR_PROPAGATE(result, thread_on(q, u->eu, u->tls, &u->thread));
    DOCA_ERROR_PROPAGATE(result,
                         doca_dpa_notification_completion_create(dpa, u->thread, &u->notify_comp));
    DOCA_ERROR_PROPAGATE(result, doca_dpa_notification_completion_start(u->notify_comp));
    DOCA_ERROR_PROPAGATE(result,
                         doca_dpa_notification_completion_get_dpa_handle(u->notify_comp, handle));
    DOCA_ERROR_PROPAGATE(result, doca_dpa_thread_run(u->thread));
    return result;
}

static doca_error_t setup(struct nvqual *q)
{
    doca_dpa_dev_notification_completion_t handles[MAX_EUS];
    struct doca_dpa *dpa = q->res.pf_doca_dpa;
    doca_error_t result = doca_dpa_mem_alloc(dpa, MEMORY_SIZE, &q->data);
    DOCA_ERROR_PROPAGATE(result, doca_dpa_mem_alloc(dpa, sizeof(handles), &q->notifications));
    /* The device adds and the host waits and sets, whatever the locations say. */
    DOCA_ERROR_PROPAGATE(result,
                         create_doca_dpa_wait_sync_event(dpa, q->res.pf_doca_device, &q->event));
    DOCA_ERROR_PROPAGATE(result, doca_sync_event_get_dpa_handle(q->event, dpa, &q->event_handle));
    for (unsigned int i = 0; i < q->num && result == DOCA_SUCCESS; i++)
        result = setup_unit(q, i, &handles[i]);
    DOCA_ERROR_PROPAGATE(
        result, doca_dpa_h2d_memcpy(dpa, q->notifications, handles, q->num * sizeof(handles[0])));
    return result;
}

static doca_error_t run_rounds(struct nvqual *q, int rounds)
{
    doca_error_t result = DOCA_SUCCESS;
    for (int i = 0; i < rounds && result == DOCA_SUCCESS; i++) {
        uint64_t retval = 1;
        result = doca_dpa_rpc(q->res.pf_doca_dpa, dpa_nvqual_entry_point, &retval, q->notifications,
                              (uint64_t)q->num);
        DOCA_ERROR_PROPAGATE(result, doca_sync_event_wait_gt(q->event, q->num - 1, UINT64_MAX));
        DOCA_ERROR_PROPAGATE(result, doca_sync_event_update_set(q->event, 0));
        for (unsigned int u = 0; u < q->num; u++) {
            struct dpa_nvqual_tls tls;
            DOCA_ERROR_PROPAGATE(result, doca_dpa_d2h_memcpy(q->res.pf_doca_dpa, &tls,
                                                             q->units[u].tls, sizeof(tls)));
            if (result == DOCA_SUCCESS && tls.cycles == 0)
                result = DOCA_ERROR_UNEXPECTED;
        }
    }
    return result;
}

static doca_error_t destroy(struct nvqual *q)
{
    doca_error_t result = DOCA_SUCCESS;
    struct doca_dpa *dpa = q->res.pf_doca_dpa;
    for (unsigned int i = 0; i < q->num; i++) {
        struct unit *u = &q->units[i];
        DOCA_ERROR_PROPAGATE(result, doca_dpa_notification_completion_stop(u->notify_comp));
        DOCA_ERROR_PROPAGATE(result, doca_dpa_notification_completion_destroy(u->notify_comp));
        DOCA_ERROR_PROPAGATE(result, doca_dpa_thread_stop(u->thread));
        DOCA_ERROR_PROPAGATE(result, doca_dpa_thread_destroy(u->thread));
        DOCA_ERROR_PROPAGATE(result, doca_dpa_mem_free(dpa, u->tls));
    }
    DOCA_ERROR_PROPAGATE(result, doca_sync_event_stop(q->event));
    DOCA_ERROR_PROPAGATE(result, doca_sync_event_destroy(q->event));
    DOCA_ERROR_PROPAGATE(result, doca_dpa_mem_free(dpa, q->notifications));
    DOCA_ERROR_PROPAGATE(result, doca_dpa_mem_free(dpa, q->data));
    DOCA_ERROR_PROPAGATE(result, doca_dpa_stop(dpa));
    DOCA_ERROR_PROPAGATE(result, destroy_dpa_resources(&q->res));
    return result;
}

int main(int argc, char **argv)
{
    static struct nvqual q;
    struct nvqual_config cfg = {.seconds = 1};
    struct dpa_config common = {.pf_device_name = DEVICE_DEFAULT_NAME,
                                .rdma_device_name = DEVICE_DEFAULT_NAME};
    unsigned int eus = 0;
    doca_error_t result = doca_log_backend_create_standard();
    DOCA_ERROR_PROPAGATE(result, doca_argp_init("dpa_nvqual", &cfg));
    DOCA_ERROR_PROPAGATE(result, add_param("pf_dev", "pf-device", true, device_callback));
    DOCA_ERROR_PROPAGATE(result,
                         add_param("test_dur", "test-duration-sec", true, duration_callback));
    DOCA_ERROR_PROPAGATE(result, add_param("ex_eu", "excluded-eus", false, excluded_callback));
    DOCA_ERROR_PROPAGATE(result, doca_argp_start(argc, argv));
    if (result != DOCA_SUCCESS)
        goto out;
    snprintf(common.pf_device_name, sizeof(common.pf_device_name), "%s", cfg.device);
    result = allocate_dpa_resources(dpa_sample_app, &common, &q.res);
    if (result != DOCA_SUCCESS)
        goto out;
    DOCA_ERROR_PROPAGATE(result, doca_dpa_get_total_num_eus_available(q.res.pf_doca_dpa, &eus));
    find_units(&q, &cfg);
    DOCA_ERROR_PROPAGATE(result, setup(&q));
    DOCA_ERROR_PROPAGATE(result, run_rounds(&q, 3));
    if (result == DOCA_SUCCESS) {
        printf("%u threads, units", q.num);
        for (unsigned int i = 0; i < q.num; i++)
            printf(" %u", q.units[i].eu);
        printf(", 3 rounds\n");
    }
    DOCA_ERROR_PROPAGATE(result, destroy(&q));
out:
    doca_argp_destroy();
    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("nvqual: %s (%s)", doca_error_get_name(result), doca_error_get_descr(result));
    return result == DOCA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
