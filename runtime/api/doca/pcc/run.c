/* DOCA PCC: running contexts. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "api/doca/pcc/private.h"

#define LOOK_AGAIN_MS 50 /* interval in which a standby context tries to become active */

/* ---- One active process for each device and role ---- */

static int open_place(const struct context *c)
{
    char path[PATH_MAX + 16];
    snprintf(path, sizeof path, "%s/pcc-%s.lock", c->directory,
             c->role == DPK_PCC_RP ? "rp" : "np");
    return open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
}

static bool is_active(struct context *c)
{
    if (!c->active && flock(c->place, LOCK_EX | LOCK_NB) == 0) {
        c->active = true;
        pcc_context_serve(c);
    }
    return c->active;
}

/* ---- Output of the program ---- */

static void print(void *context, unsigned thread, const char *text, size_t size)
{
    (void)context;
    (void)thread;
    fwrite(text, 1, size, stdout);
    fflush(stdout);
}

static void traced(void *context, unsigned thread, int format, const uint64_t values[TRACE_VALUES])
{
    pcc_trace_write(&((struct context *)context)->trace, thread, format, values);
}

static void flush(void *context)
{
    pcc_trace_flush(&((struct context *)context)->trace);
}

/* ---- Starting and stopping ---- */

static doca_error_t load(struct context *c, struct dpk_error *err)
{
    struct dpk_image *image = NULL;
    enum dpk_status status = dpk_host_app_load(NAME_OF(c), c->app, &image, c->directory, err);
    if (status != DPK_OK)
        return dpk_doca_error(status);
    c->run_threads = c->threads > 1 ? c->threads - 1 : 1; /* the last thread serves the host */
    const struct dpk_pcc_options options = {
        .role = c->role,
        .threads = c->run_threads,
        .ports = 1,
        .speed_gbps = 100, /* speed of emulated ports */
        .print = print,
        .trace = traced,
        .flush = flush,
        .context = c,
        .device = NAME_OF(c),
        .directory = c->directory,
    };
    status = dpk_pcc_open(image, &options, &c->run, err);
    dpk_image_free(image);
    if (status == DPK_OK && (c->place = open_place(c)) < 0)
        status = dpk_fail_errno(err, "%s: its lock of congestion control", c->directory);
    if (status == DPK_ERR_FAULT || status == DPK_ERR_TIMEOUT)
        return DOCA_ERROR_DRIVER;
    return status == DPK_OK ? DOCA_SUCCESS : dpk_doca_error(status);
}

static void unload(struct context *c)
{
    pcc_context_rest(c);
    dpk_pcc_close(c->run);
    c->run = NULL;
    if (c->place >= 0)
        close(c->place); /* releases the lock */
    c->place = -1;
    c->active = c->core_written = false;
    pcc_trace_close(&c->trace);
}

static doca_error_t start(struct context *c)
{
    struct dpk_error err = {0};
    if (c->started)
        return dpk_doca_because(DOCA_ERROR_BAD_STATE, "the context is started already");
    if (!c->app)
        return dpk_doca_because(DOCA_ERROR_BAD_CONFIG, "no program; doca_pcc_set_app names it");
    if (c->threads == 0)
        return dpk_doca_because(DOCA_ERROR_BAD_CONFIG,
                                "no threads; doca_pcc_set_thread_affinity gives them");
    doca_error_t result = pcc_trace_open(&c->trace);
    if (result != DOCA_SUCCESS)
        return result;
    result = load(c, &err);
    if (result != DOCA_SUCCESS) {
        unload(c);
        return dpk_doca_because(result, "%s", err.message);
    }
    c->started = true;
    c->seen = is_active(c) ? DOCA_PCC_PS_ACTIVE : DOCA_PCC_PS_STANDBY;
    return DOCA_SUCCESS;
}

doca_error_t doca_pcc_start(struct doca_pcc *pcc)
{
    struct context *c = dpk_object_lock(pcc, &pcc_context_kind);
    return dpk_doca_end(pcc, __func__, dpk_object_unlock(c, c ? start(c) : DOCA_SUCCESS));
}

static doca_error_t not_started(void)
{
    return dpk_doca_because(DOCA_ERROR_BAD_STATE, "the context is not started");
}

doca_error_t pcc_context_stop(struct context *c)
{
    if (!c->started)
        return not_started();
    unload(c);
    c->started = false;
    return DOCA_SUCCESS;
}

doca_error_t doca_pcc_stop(struct doca_pcc *pcc)
{
    struct context *c = dpk_object_lock(pcc, &pcc_context_kind);
    return dpk_doca_end(pcc, __func__,
                        dpk_object_unlock(c, c ? pcc_context_stop(c) : DOCA_SUCCESS));
}

/* ---- State ---- */

/* Reports a failed program and writes its core file, once. */
static void write_core(struct context *c, const char *reason)
{
    struct dpk_error err = {0};
    struct dpk_buf report = {0};
    char *path = NULL;
    if (c->core_written)
        return;
    c->core_written = true;
    dpk_doca_log(DOCA_LOG_LEVEL_ERROR, "program %s failed: %s", c->app->name, reason);
    if (!c->core_path)
        return;
    struct dpk_process *p = dpk_pcc_process(c->run);
    dpk_process_report(p, &report);
    if (dpk_process_core(p, c->core_path, &err) != DPK_OK ||
        asprintf(&path, "%s.txt", c->core_path) < 0 ||
        dpk_file_replace(path, report.data, report.size, 0600, &err) != DPK_OK)
        dpk_doca_log(DOCA_LOG_LEVEL_ERROR, "no core file: %s", err.message);
    else
        dpk_doca_log(DOCA_LOG_LEVEL_ERROR, "core file: %s, and %s", c->core_path, path);
    dpk_buf_free(&report);
    free(path);
}

static doca_pcc_process_state_t state_of(struct context *c)
{
    struct dpk_error err = {0};
    if (!c->started)
        return DOCA_PCC_PS_DEACTIVATED;
    if (dpk_process_state(dpk_pcc_process(c->run), &err) != DPK_OK) {
        pcc_context_rest(c);
        write_core(c, err.message);
        return DOCA_PCC_PS_ERROR;
    }
    return is_active(c) ? DOCA_PCC_PS_ACTIVE : DOCA_PCC_PS_STANDBY;
}

doca_error_t doca_pcc_get_process_state(const struct doca_pcc *pcc,
                                        doca_pcc_process_state_t *process_state)
{
    struct context *c = process_state ? dpk_object_lock(pcc, &pcc_context_kind) : NULL;
    if (!c)
        return dpk_doca_no_object(__func__);
    *process_state = c->seen = state_of(c);
    return dpk_doca_end(pcc, __func__, dpk_object_unlock(c, DOCA_SUCCESS));
}

/* Gets the state, and the state that the program was told before. */
static doca_error_t look(struct doca_pcc *pcc, doca_pcc_process_state_t *before,
                         doca_pcc_process_state_t *now)
{
    struct context *c = dpk_object_lock(pcc, &pcc_context_kind);
    if (!c)
        return DOCA_ERROR_INVALID_VALUE;
    *before = c->seen;
    *now = c->seen = state_of(c);
    return dpk_object_unlock(c, *now == DOCA_PCC_PS_DEACTIVATED ? not_started() : DOCA_SUCCESS);
}

doca_error_t doca_pcc_wait(struct doca_pcc *pcc, int wait_time)
{
    doca_pcc_process_state_t before, now;
    const uint64_t end = wait_time < 0 ? UINT64_MAX : dpk_now_ms() + (uint64_t)wait_time * 1000;
    doca_error_t result = look(pcc, &before, &now);
    while (result == DOCA_SUCCESS && now == before && now != DOCA_PCC_PS_ERROR) {
        const uint64_t at = dpk_now_ms(), left = at < end ? end - at : 0;
        if (left == 0 ||
            (poll(NULL, 0, left < LOOK_AGAIN_MS ? (int)left : LOOK_AGAIN_MS) < 0 && errno == EINTR))
            break;
        result = look(pcc, &before, &now);
    }
    return dpk_doca_end(pcc, __func__, result);
}

/* ---- The mailbox ---- */

static doca_error_t send(struct context *c, uint32_t request_size, uint32_t *response_size,
                         uint32_t *returned)
{
    struct dpk_error err = {0};
    size_t size = c->response_max;
    if (!c->started)
        return not_started();
    if (!c->request)
        return pcc_no_mailbox();
    if (request_size > c->request_max)
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                "the mailbox takes %u bytes, and not %u (doca_pcc_set_mailbox)",
                                c->request_max, request_size);
    enum dpk_status status =
        dpk_pcc_mailbox(c->run, c->request, request_size, c->response, &size, returned, &err);
    if (status != DPK_OK)
        return dpk_doca_because(status == DPK_ERR_UNSUPPORTED ? DOCA_ERROR_NOT_SUPPORTED
                                                              : DOCA_ERROR_DRIVER,
                                "%s", err.message);
    *response_size = (uint32_t)size;
    return DOCA_SUCCESS;
}

doca_error_t doca_pcc_mailbox_send(struct doca_pcc *pcc, uint32_t request_size,
                                   uint32_t *response_size, uint32_t *cb_ret_val)
{
    struct context *c =
        response_size && cb_ret_val ? dpk_object_lock(pcc, &pcc_context_kind) : NULL;
    return dpk_doca_end(
        pcc, __func__,
        dpk_object_unlock(c, c ? send(c, request_size, response_size, cb_ret_val) : DOCA_SUCCESS));
}

/* ---- Debugging ---- */

static void dump_slot(struct context *c, unsigned slot)
{
    struct dpk_pcc_algorithm a;
    struct dpk_pcc_value v;
    if (!dpk_pcc_algorithm(c->run, 0, slot, &a))
        return;
    printf("slot %u: algorithm %u \"%s\", id 0x%" PRIx32 ", version %" PRIu32 ".%" PRIu32 ", %s\n",
           slot, a.index, a.name, a.id, a.major, a.minor, a.enabled ? "enabled" : "disabled");
    for (unsigned i = 0; dpk_pcc_parameter(c->run, 0, slot, i, &v); i++)
        printf("  parameter %s = %" PRIu32 "\n", v.name, v.value);
    for (unsigned i = 0; dpk_pcc_counter(c->run, 0, slot, i, &v); i++)
        printf("  counter %s = %" PRIu32 "\n", v.name, v.value);
}

doca_error_t doca_pcc_dump_debug(const struct doca_pcc *pcc)
{
    struct dpk_pcc_stats s;
    struct context *c = dpk_object_lock(pcc, &pcc_context_kind);
    if (!c || !c->started || !atomic_load(&c->debug))
        return dpk_doca_unlock(c, __func__, DOCA_ERROR_BAD_STATE,
                               "the context is not started, or doca_pcc_enable_debug did not "
                               "enable this");
    dpk_rates_pause(c->server);
    dpk_pcc_stats(c->run, &s);
    printf("events: %" PRIu64 ", masked out: %" PRIu64 ", instructions: %" PRIu64
           ", of the longest event: %" PRIu64 "\n",
           s.events, s.masked, s.instructions, s.longest);
    for (unsigned slot = 0; c->role == DPK_PCC_RP && slot < DPK_PCC_SLOTS; slot++)
        dump_slot(c, slot);
    dpk_rates_resume(c->server);
    fflush(stdout);
    return dpk_doca_end(pcc, __func__, dpk_object_unlock(c, DOCA_SUCCESS));
}
