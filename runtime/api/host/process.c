/* DPA processes and calls into them. */
#include <string.h>

#include "device/state/state.h"
#include "engine/loader/loader.h"
#include "host.h"
#include "private.h"
#include "rdma/registered/registered.h"

/* ---- Creation ---- */

static void warn_of_signature(const struct dpk_load_result *result, const char *app)
{
    if (result->verdict == DPK_VERDICT_OK || result->verdict == DPK_VERDICT_UNSIGNED)
        return;
    dpk_host_log(DPK_HOST_LOG_WARNING,
                 "program %s runs although its signature is bad (%s): DPA authentication is off",
                 app, dpk_verdict_name(result->verdict));
}

struct resolver {
    struct dpk_host_process *process;
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

/* Finds a registered function in the image. A missing function is an error only when it is called,
 * because a program may be linked without it. */
static bool resolve(const struct resolver *r, const struct dpk_host_function *f,
                    struct dpk_host_call *out)
{
    *out = (struct dpk_host_call){.stub = f->stub, .pack = f->pack};
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

static bool resolve_next(void *context, const struct dpk_host_function *f)
{
    struct resolver *r = context;
    struct dpk_host_process *p = r->process;
    if (p->function_count == r->capacity) {
        size_t capacity = r->capacity ? 2 * r->capacity : 16;
        struct dpk_host_call *more = reallocarray(p->functions, capacity, sizeof *more);
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
        dpk_host_log(DPK_HOST_LOG_INFO, "program has no function %s that can be called", f->name);
    return true;
}

enum dpk_status dpk_host_app_load(const char *device_name, const struct dpk_host_app *app,
                                  struct dpk_image **image, char directory[PATH_MAX],
                                  struct dpk_error *err)
{
    struct dpk_device *device = NULL;
    enum dpk_status status = dpk_device_open(device_name, &device, err);
    if (status != DPK_OK)
        return status;
    const struct dpk_load_request ask = {.device = device,
                                         .app = app->name,
                                         .sections = {.name = app->name,
                                                      .elf = app->elf,
                                                      .elf_size = app->elf_size,
                                                      .room = app->sig,
                                                      .room_size = app->sig_size,
                                                      .attributes = app->attributes,
                                                      .attributes_size = app->attributes_size}};
    struct dpk_load_result result = {0};
    status = dpk_device_directory(device, directory, err);
    if (status == DPK_OK)
        status = dpk_load(&ask, image, &result, err);
    if (status == DPK_OK) {
        warn_of_signature(&result, app->name);
        dpk_host_log(DPK_HOST_LOG_INFO, "program %s loaded on %s", app->name, device_name);
    }
    dpk_device_close(device);
    return status;
}

static void warn_of_wait(const char *text)
{
    dpk_host_log(DPK_HOST_LOG_WARNING, "%s", text);
}

static void tell_failure(const char *text)
{
    dpk_host_log(DPK_HOST_LOG_ERROR, "%s", text);
}

enum dpk_status dpk_host_process_create(const char *device, const struct dpk_host_app *app,
                                        struct dpk_host_process **out, struct dpk_error *err)
{
    char directory[PATH_MAX];
    struct dpk_image *image = NULL;
    *out = NULL;
    struct dpk_host_process *p = calloc(1, sizeof *p);
    if (!p)
        return dpk_fail_nomem(err);
    pthread_mutex_init(&p->streams_lock, NULL);
    enum dpk_status status = dpk_host_app_load(device, app, &image, directory, err);
    if (status != DPK_OK)
        goto out;
    const struct dpk_process_options options = {
        .device = device, .directory = directory, .warn = warn_of_wait, .failed = tell_failure};
    if ((status = dpk_process_create(image, &options, &p->dpa, err)) != DPK_OK)
        goto out;
    dpk_process_set_sink(p->dpa, host_streams_message, p);
    struct resolver r = {.process = p, .image = image, .err = err, .status = DPK_OK};
    host_app_each_function(app, resolve_next, &r);
    if ((status = r.status) != DPK_OK)
        goto out;
    *out = p;
    p = NULL;
out:
    dpk_host_process_destroy(p);
    dpk_image_free(image);
    return status;
}

void dpk_host_process_destroy(struct dpk_host_process *p)
{
    if (!p)
        return;
    dpk_memory_remove_process(p->dpa); /* its memory may have queues of other objects */
    dpk_process_destroy(p->dpa);       /* before streams, because its threads may wait for them */
    for (size_t i = 0; i < DPK_HOST_STREAMS_MAX; i++)
        dpk_host_stream_destroy(p->streams[i]);
    pthread_mutex_destroy(&p->streams_lock);
    free(p->functions);
    free(p);
}

/* ---- Calls ---- */

/* NULL: not a function of the process's program. */
static const struct dpk_host_call *find_call(const struct dpk_host_process *process,
                                             dpk_host_stub *stub, struct dpk_error *err)
{
    for (size_t i = 0; i < process->function_count; i++)
        if (process->functions[i].stub == stub)
            return &process->functions[i];
    dpk_fail(err, DPK_ERR_NOT_FOUND, "not a function of the process's program");
    return NULL;
}

enum dpk_status dpk_host_process_function(const struct dpk_host_process *process,
                                          dpk_host_stub *stub, struct dpk_call *call,
                                          struct dpk_error *err)
{
    const struct dpk_host_call *f = find_call(process, stub, err);
    if (!f)
        return DPK_ERR_NOT_FOUND;
    *call = f->call;
    return DPK_OK;
}

enum dpk_status dpk_host_process_pack(const struct dpk_host_process *process, dpk_host_stub *stub,
                                      va_list ap, struct dpk_call *call, void **args,
                                      struct dpk_error *err)
{
    const struct dpk_host_call *f = find_call(process, stub, err);
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
