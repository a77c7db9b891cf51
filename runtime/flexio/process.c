/* DPA processes and calls into them. */
#include <string.h>

#include "verbs/verbs.h"
#include "private.h"

/* ---- Creation -------------------------------------------------------------------------------- */

/* What the loader is to take for the program's crypto data. The section is a length and that many
 * bytes; a length that the section does not hold must not pass for "unsigned", so the loader gets
 * the 8 bytes themselves then: too few for any crypto data. */
static void find_crypto(const struct flexio_app *app, struct dpk_load_request *ask)
{
    struct dpk_reader r = dpk_reader(app->sig, app->sig_size);
    if (!app->sig || app->sig_size == 0)
        return;
    uint64_t size = dpk_read_le64(&r);
    if (!r.failed && size == 0)
        return;
    if (r.failed || size > dpk_reader_left(&r)) {
        ask->crypto = app->sig;
        ask->crypto_size = app->sig_size < sizeof size ? app->sig_size : sizeof size;
        return;
    }
    ask->crypto_size = (size_t)size;
    ask->crypto = dpk_read_bytes(&r, ask->crypto_size);
}

static void warn_of_signature(const struct dpk_load_result *result, const char *app)
{
    if (result->verdict == DPK_VERDICT_OK || result->verdict == DPK_VERDICT_UNSIGNED)
        return;
    dpk_host_log(FLEXIO_LOG_LVL_WARN,
                 "program %s runs although its signature is bad (%s): DPA authentication is off",
                 app, dpk_verdict_name(result->verdict));
}

struct resolver {
    struct flexio_process *process;
    const struct dpk_image *image;
    size_t capacity;
    struct dpk_error *err;
    enum dpk_status status;
};

static void pack_u64(void *argbuf, va_list ap)
{
    uint64_t value = va_arg(ap, uint64_t);
    memcpy(argbuf, &value, sizeof value);
}

/* Finds one registered function in the image. One that is not there is no error until it is called:
 * a program may have been linked without it. */
static bool resolve(const struct resolver *r, const struct app_function *f,
                    struct process_function *out)
{
    *out = (struct process_function){.stub = f->stub, .pack = f->pack};
    if (f->unpack) {
        out->call.argument_size = f->args_size;
        return dpk_image_symbol(r->image, f->name, &out->call.function, NULL) &&
               dpk_image_symbol(r->image, f->unpack, &out->call.unpack, NULL);
    }
    if (dpk_process_function(r->process->dpa, f->name, &out->call, NULL) != DPK_OK)
        return false;
    if (out->call.argument_size == sizeof(uint64_t))
        out->pack = pack_u64;
    return out->call.argument_size <= sizeof(uint64_t);
}

static bool resolve_next(void *context, const struct app_function *f)
{
    struct resolver *r = context;
    struct flexio_process *p = r->process;
    if (p->function_count == r->capacity) {
        size_t capacity = r->capacity ? 2 * r->capacity : 16;
        struct process_function *more = reallocarray(p->functions, capacity, sizeof *more);
        if (!more) {
            r->status = dpk_fail_nomem(r->err);
            return false;
        }
        p->functions = more;
        r->capacity = capacity;
    }
    if (resolve(r, f, &p->functions[p->function_count]))
        p->function_count++;
    else
        dpk_host_log(FLEXIO_LOG_LVL_INFO, "program has no function %s that can be called", f->name);
    return true;
}

/* `directory`: the device's. */
static enum dpk_status load(const char *device_name, const struct flexio_app *app,
                            struct dpk_image **image, char directory[PATH_MAX],
                            struct dpk_error *err)
{
    struct dpk_device *device = NULL;
    enum dpk_status status = dpk_device_open(device_name, &device, err);
    if (status != DPK_OK)
        return status;
    struct dpk_load_request ask = {.device = device,
                                   .app = app->name,
                                   .elf = app->elf,
                                   .elf_size = app->elf_size,
                                   .manifest = app->attributes,
                                   .manifest_size = app->attributes_size};
    struct dpk_load_result result = {0};
    find_crypto(app, &ask);
    status = dpk_device_directory(device, directory, err);
    if (status == DPK_OK)
        status = dpk_load(&ask, image, &result, err);
    if (status == DPK_OK) {
        warn_of_signature(&result, app->name);
        dpk_host_log(FLEXIO_LOG_LVL_INFO, "program %s loaded on %s", app->name, device_name);
    }
    dpk_device_close(device);
    return status;
}

static void warn_of_wait(const char *text)
{
    dpk_host_log(FLEXIO_LOG_LVL_WARN, "%s", text);
}

enum dpk_status dpk_host_process_create(const char *device, struct flexio_app *app,
                                        struct flexio_process **out, struct dpk_error *err)
{
    *out = NULL;
    struct dpk_image *image = NULL;
    struct flexio_process *p = calloc(1, sizeof *p);
    if (!p)
        return dpk_fail_nomem(err);
    pthread_mutex_init(&p->streams_lock, NULL);
    pthread_mutex_init(&p->objects_lock, NULL);
    struct resolver r = {.process = p, .err = err, .status = DPK_OK};

    char directory[PATH_MAX];
    enum dpk_status status = load(device, app, &image, directory, err);
    if (status != DPK_OK)
        goto out;
    const struct dpk_process_options options = {
        .device = device, .directory = directory, .warn = warn_of_wait};
    if ((status = dpk_process_create(image, &options, &p->dpa, err)) != DPK_OK)
        goto out;
    dpk_process_set_sink(p->dpa, process_message, p);
    if (!windows_attach(p)) {
        status = dpk_fail_nomem(err);
        goto out;
    }
    r.image = image;
    app_each_function(app, resolve_next, &r);
    if ((status = r.status) != DPK_OK)
        goto out;
    *out = p;
    p = NULL;
out:
    flexio_process_destroy(p);
    dpk_image_free(image);
    return status;
}

flexio_status flexio_process_create(struct ibv_context *ibv_ctx, struct flexio_app *app,
                                    const struct flexio_process_attr *process_attr,
                                    struct flexio_process **process_ptr)
{
    struct dpk_error err = {0};
    if (!process_ptr)
        return failed_because("flexio_process_create: nowhere to put the process");
    *process_ptr = NULL;
    if (!ibv_ctx || !ibv_ctx->device)
        return failed_because("flexio_process_create: no device");
    if (!dpk_context_is_emulated(ibv_ctx))
        return failed_because("flexio_process_create: the device is no emulated device");
    if (!app)
        return failed_because("flexio_process_create: no program");
    if (process_attr && process_attr->en_pcc)
        return failed_because("flexio_process_create: congestion control is not supported");
    if (process_attr && process_attr->pd && process_attr->pd->context != ibv_ctx)
        return failed_because("flexio_process_create: the protection domain is of another device");
    if (dpk_host_process_create(ibv_ctx->device->name, app, process_ptr, &err) != DPK_OK) {
        dpk_host_log(FLEXIO_LOG_LVL_ERR, "%s", err.message);
        return FLEXIO_STATUS_FAILED;
    }
    struct flexio_process *p = *process_ptr;
    p->context = ibv_ctx;
    p->pd = process_attr ? process_attr->pd : NULL;
    if (!p->pd) {
        p->pd = dpk_verbs_alloc_pd(ibv_ctx);
        p->owns_pd = p->pd != NULL;
    }
    if (p->pd)
        return FLEXIO_STATUS_SUCCESS;
    flexio_process_destroy(p);
    *process_ptr = NULL;
    return failed_because("flexio_process_create: no protection domain");
}

flexio_status flexio_process_destroy(struct flexio_process *process)
{
    if (!process)
        return FLEXIO_STATUS_SUCCESS;
    queues_free(process);
    dpk_memory_remove_process(process->dpa); /* queues of others may be in its memory */
    allocations_forget(process);
    dpk_process_destroy(process->dpa); /* its threads may wait for streams: first them */
    for (size_t i = 0; i < FLEXIO_MSG_DEV_MAX_STREAMS_AMOUNT; i++)
        flexio_msg_stream_destroy(process->streams[i]);
    if (process->owns_pd && dpk_verbs_dealloc_pd(process->pd) != 0)
        dpk_host_log(FLEXIO_LOG_LVL_WARN,
                     "memory is still registered with the protection domain of "
                     "a process that is destroyed");
    windows_free(process);
    pthread_mutex_destroy(&process->objects_lock);
    pthread_mutex_destroy(&process->streams_lock);
    free(process->functions);
    free(process);
    return FLEXIO_STATUS_SUCCESS;
}

struct ibv_pd *flexio_process_get_pd(struct flexio_process *process)
{
    return process ? process->pd : NULL;
}

struct dpk_process *dpk_host_process(struct flexio_process *process)
{
    return process->dpa;
}

/* ---- Calls ----------------------------------------------------------------------------------- */

/* NULL: not a function of the process's program. */
static const struct process_function *find(const struct flexio_process *process,
                                           flexio_func_t *stub, struct dpk_error *err)
{
    for (size_t i = 0; i < process->function_count; i++)
        if (process->functions[i].stub == stub)
            return &process->functions[i];
    dpk_fail(err, DPK_ERR_NOT_FOUND, "not a function of the process's program");
    return NULL;
}

enum dpk_status dpk_host_function(const struct flexio_process *process, flexio_func_t *stub,
                                  struct dpk_call *call, struct dpk_error *err)
{
    const struct process_function *f = find(process, stub, err);
    if (!f)
        return DPK_ERR_NOT_FOUND;
    *call = f->call;
    return DPK_OK;
}

enum dpk_status dpk_host_pack(const struct flexio_process *process, flexio_func_t *stub, va_list ap,
                              struct dpk_call *call, void **args, struct dpk_error *err)
{
    const struct process_function *f = find(process, stub, err);
    if (!f)
        return DPK_ERR_NOT_FOUND;
    *args = calloc(1, f->call.argument_size ? f->call.argument_size : 1);
    if (!*args)
        return dpk_fail_nomem(err);
    if (f->pack)
        f->pack(*args, ap);
    *call = f->call;
    return DPK_OK;
}

flexio_status flexio_process_call(struct flexio_process *process, flexio_func_t *host_func,
                                  uint64_t *func_ret, ...)
{
    struct dpk_error err = {0};
    struct dpk_call call = {0};
    void *args = NULL;
    uint64_t result = 0;
    if (!process || !host_func || !func_ret)
        return failed_because("flexio_process_call: no process, function or place for the result");
    va_list ap;
    va_start(ap, func_ret);
    enum dpk_status status = dpk_host_pack(process, host_func, ap, &call, &args, &err);
    va_end(ap);
    if (status == DPK_OK)
        status =
            dpk_process_call(process->dpa, &call, args, (size_t)call.argument_size, &result, &err);
    free(args);
    if (status != DPK_OK)
        return failed("flexio_process_call", &err);
    *func_ret = result;
    return FLEXIO_STATUS_SUCCESS;
}
