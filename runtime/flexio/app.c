/* Programs and their functions, as the constructors that dpacc generates register them. */
#include <string.h>

#include "fat/fat.h"
#include "private.h"

/* All programs, in the order of their creation: constructors run before there is any object that
 * could hold the list. */
static struct {
    pthread_mutex_t lock;
    struct flexio_app *first;
} registry = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool name_is_good(const char *name)
{
    return name && name[0] && strnlen(name, FLEXIO_MAX_NAME_LEN) < FLEXIO_MAX_NAME_LEN;
}

flexio_status flexio_app_create(struct flexio_app_attr *attr, struct flexio_app **app)
{
    if (!app)
        return failed_because("flexio_app_create: nowhere to put the program");
    *app = NULL;
    if (!attr || !name_is_good(attr->app_name))
        return failed_because("flexio_app_create: no program name, or one of %d characters or more",
                              FLEXIO_MAX_NAME_LEN);
    if (!attr->app_ptr || attr->app_bsize == 0)
        return failed_because("flexio_app_create: program %s has no executable", attr->app_name);
    struct flexio_app *a = calloc(1, sizeof *a);
    char *name = strdup(attr->app_name);
    if (!a || !name) {
        free(name);
        free(a);
        return failed_because("flexio_app_create: out of memory");
    }
    *a = (struct flexio_app){.name = name, .elf = attr->app_ptr, .elf_size = attr->app_bsize};
    if (attr->app_sig_ptr) {
        a->sig = attr->app_sig_ptr;
        a->sig_size = attr->app_sig_bsize;
    }
    if (attr->app_attr_ptr) {
        a->attributes = attr->app_attr_ptr;
        a->attributes_size = attr->app_attr_bsize;
    }
    pthread_mutex_lock(&registry.lock);
    struct flexio_app **last = &registry.first;
    while (*last)
        last = &(*last)->next;
    *last = a;
    pthread_mutex_unlock(&registry.lock);
    *app = a;
    return FLEXIO_STATUS_SUCCESS;
}

static void function_free(struct app_function *f)
{
    free(f->unpack);
    free(f->name);
    free(f);
}

flexio_status flexio_app_destroy(struct flexio_app *app)
{
    if (!app)
        return FLEXIO_STATUS_SUCCESS;
    pthread_mutex_lock(&registry.lock);
    struct flexio_app **at = &registry.first;
    while (*at && *at != app)
        at = &(*at)->next;
    bool known = *at != NULL;
    if (known)
        *at = app->next;
    pthread_mutex_unlock(&registry.lock);
    if (!known)
        return failed_because("flexio_app_destroy: not a program, or destroyed before");
    while (app->functions) {
        struct app_function *f = app->functions;
        app->functions = f->next;
        function_free(f);
    }
    free(app->name);
    free(app);
    return FLEXIO_STATUS_SUCCESS;
}

flexio_status flexio_app_get_list(struct flexio_app ***app_list, uint32_t *num_apps)
{
    if (app_list)
        *app_list = NULL;
    if (!app_list || !num_apps)
        return failed_because("flexio_app_get_list: nowhere to put the list");
    *num_apps = 0;
    flexio_status status = FLEXIO_STATUS_SUCCESS;
    pthread_mutex_lock(&registry.lock);
    uint32_t count = 0;
    for (const struct flexio_app *a = registry.first; a; a = a->next)
        count++;
    if (count > 0) {
        struct flexio_app **list = calloc(count, sizeof(struct flexio_app *));
        if (list) {
            for (struct flexio_app *a = registry.first; a; a = a->next)
                list[(*num_apps)++] = a;
            *app_list = list;
        } else {
            status = failed_because("flexio_app_get_list: out of memory");
        }
    }
    pthread_mutex_unlock(&registry.lock);
    return status;
}

flexio_status flexio_app_list_free(struct flexio_app **app_list)
{
    free(app_list);
    return FLEXIO_STATUS_SUCCESS;
}

const char *flexio_app_get_name(struct flexio_app *app)
{
    return app ? app->name : NULL;
}

size_t flexio_app_get_elf_size(struct flexio_app *app)
{
    return app ? app->elf_size : 0;
}

flexio_status flexio_app_get_elf(struct flexio_app *app, uint64_t *bin_buff, size_t bin_size)
{
    if (!app || !bin_buff || bin_size < app->elf_size)
        return failed_because("flexio_app_get_elf: no program, or a buffer of less than its %zu "
                              "bytes",
                              flexio_app_get_elf_size(app));
    memcpy(bin_buff, app->elf, app->elf_size);
    return FLEXIO_STATUS_SUCCESS;
}

/* Appends `f`, which it takes, unless one is there with its stub (or, by name alone, its name);
 * returns the one that is in the list. */
static struct app_function *function_add(struct flexio_app *app, struct app_function *f)
{
    pthread_mutex_lock(&registry.lock);
    struct app_function **at = &app->functions;
    while (*at && !(f->unpack ? (*at)->stub == f->stub
                              : !(*at)->unpack && strcmp((*at)->name, f->name) == 0))
        at = &(*at)->next;
    struct app_function *there = *at;
    if (!there)
        *at = there = f;
    pthread_mutex_unlock(&registry.lock);
    if (there != f)
        function_free(f);
    return there;
}

static struct app_function *function_new(const char *name, const char *unpack)
{
    struct app_function *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->name = strdup(name);
    f->unpack = unpack ? strdup(unpack) : NULL;
    if (f->name && (!unpack || f->unpack))
        return f;
    function_free(f);
    return NULL;
}

flexio_status flexio_func_pup_register(struct flexio_app *app, const char *dev_func_name,
                                       const char *dev_unpack_func_name,
                                       flexio_func_t *host_stub_func_addr, size_t argbuf_size,
                                       flexio_func_arg_pack_fn_t *host_pack_func)
{
    if (!app || !name_is_good(dev_func_name) || !name_is_good(dev_unpack_func_name) ||
        !host_stub_func_addr || !host_pack_func)
        return failed_because("flexio_func_pup_register: a missing argument, or a bad name");
    struct app_function *f = function_new(dev_func_name, dev_unpack_func_name);
    if (!f)
        return failed_because("flexio_func_pup_register: out of memory");
    f->stub = host_stub_func_addr;
    f->args_size = argbuf_size;
    f->pack = host_pack_func;
    if (function_add(app, f) != f)
        return failed_because("flexio_func_pup_register: %s: its stub is registered already",
                              dev_func_name);
    return FLEXIO_STATUS_SUCCESS;
}

flexio_status flexio_func_register(struct flexio_app *app, const char *dev_func_name,
                                   flexio_func_t **out_func)
{
    if (out_func)
        *out_func = NULL;
    if (!app || !name_is_good(dev_func_name) || !out_func)
        return failed_because("flexio_func_register: a missing argument, or a bad name");
    struct app_function *f = function_new(dev_func_name, NULL);
    if (!f)
        return failed_because("flexio_func_register: out of memory");
    /* A name for the function that no other function of the program can have. */
    f->stub = (flexio_func_t *)(void *)f;
    *out_func = function_add(app, f)->stub;
    return FLEXIO_STATUS_SUCCESS;
}

/* ---- What is known of a function ------------------------------------------------------------- */

static bool copy_name(char *to, const char *name, size_t size)
{
    if (!to)
        return true;
    if (!name)
        name = "";
    size_t length = strlen(name) + 1;
    if (length > size)
        return false;
    memcpy(to, name, length);
    return true;
}

/* A device of this machine; of a fat program its member is looked at. NULL: there is none. */
static struct dpk_device *any_device(void)
{
    struct dpk_names names = {0};
    struct dpk_device *device = NULL;
    if (dpk_device_list(&names, NULL) == DPK_OK)
        for (size_t i = 0; i < names.count && !device; i++)
            dpk_device_open(names.names[i], &device, NULL);
    dpk_names_free(&names);
    return device;
}

/* Addresses of two symbols of the program's executable, 0 where it has none. */
static void addresses(const struct flexio_app *app, const struct app_function *f,
                      flexio_uintptr_t *function, flexio_uintptr_t *unpack)
{
    struct dpk_image *image = NULL;
    uint64_t address;
    if (function)
        *function = 0;
    if (unpack)
        *unpack = 0;
    struct dpk_device *device = dpk_fat_is(app->elf, app->elf_size) ? any_device() : NULL;
    enum dpk_status status =
        dpk_image_examine(app->name, device, app->elf, app->elf_size, &image, NULL);
    dpk_device_close(device);
    if (status != DPK_OK)
        return;
    if (function && dpk_image_symbol(image, f->name, &address, NULL))
        *function = address;
    if (unpack && f->unpack && dpk_image_symbol(image, f->unpack, &address, NULL))
        *unpack = address;
    dpk_image_free(image);
}

flexio_status flexio_func_get_register_info(struct flexio_app *app,
                                            flexio_func_t *host_stub_func_addr, uint32_t *pup,
                                            char *dev_func_name, char *dev_unpack_func_name,
                                            size_t func_name_size, size_t *argbuf_size,
                                            flexio_func_arg_pack_fn_t **host_pack_func,
                                            flexio_uintptr_t *dev_func_addr,
                                            flexio_uintptr_t *dev_unpack_func_addr)
{
    if (!app || !host_stub_func_addr)
        return failed_because("flexio_func_get_register_info: no program or function");
    pthread_mutex_lock(&registry.lock);
    const struct app_function *f = app->functions;
    while (f && f->stub != host_stub_func_addr)
        f = f->next;
    pthread_mutex_unlock(&registry.lock); /* functions stay as long as their program */
    if (!f)
        return failed_because("flexio_func_get_register_info: not a function of program %s",
                              app->name);
    if (!copy_name(dev_func_name, f->name, func_name_size) ||
        !copy_name(dev_unpack_func_name, f->unpack, func_name_size))
        return failed_because("flexio_func_get_register_info: %s: the name does not fit into %zu "
                              "bytes",
                              f->name, func_name_size);
    if (pup)
        *pup = f->unpack != NULL;
    if (argbuf_size)
        *argbuf_size = f->args_size;
    if (host_pack_func)
        *host_pack_func = f->pack;
    if (dev_func_addr || dev_unpack_func_addr)
        addresses(app, f, dev_func_addr, dev_unpack_func_addr);
    return FLEXIO_STATUS_SUCCESS;
}

void app_each_function(const struct flexio_app *app,
                       bool (*visit)(void *context, const struct app_function *function),
                       void *context)
{
    pthread_mutex_lock(&registry.lock);
    for (const struct app_function *f = app->functions; f; f = f->next)
        if (!visit(context, f))
            break;
    pthread_mutex_unlock(&registry.lock);
}
