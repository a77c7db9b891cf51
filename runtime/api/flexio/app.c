/* Programs and their functions: FlexIO's names for those of the room host. */
#include <string.h>

#include "private.h"

static bool name_is_good(const char *name)
{
    return name && name[0] && strnlen(name, FLEXIO_MAX_NAME_LEN) < FLEXIO_MAX_NAME_LEN;
}

flexio_status flexio_app_create(struct flexio_app_attr *attr, struct flexio_app **app)
{
    if (!app)
        return libflexio_failed_because("flexio_app_create: nowhere to put the program");
    *app = NULL;
    if (!attr || !name_is_good(attr->app_name))
        return libflexio_failed_because(
            "flexio_app_create: no program name, or one of %d characters or more",
            FLEXIO_MAX_NAME_LEN);
    if (!attr->app_ptr || attr->app_bsize == 0)
        return libflexio_failed_because("flexio_app_create: program %s has no executable",
                                        attr->app_name);
    struct dpk_host_app what = {
        .name = (char *)attr->app_name, .elf = attr->app_ptr, .elf_size = attr->app_bsize};
    if (attr->app_sig_ptr) {
        what.sig = attr->app_sig_ptr;
        what.sig_size = attr->app_sig_bsize;
    }
    if (attr->app_attr_ptr) {
        what.attributes = attr->app_attr_ptr;
        what.attributes_size = attr->app_attr_bsize;
    }
    *app = (struct flexio_app *)(void *)dpk_host_app_create(&what);
    return *app ? FLEXIO_STATUS_SUCCESS
                : libflexio_failed_because("flexio_app_create: out of memory");
}

flexio_status flexio_app_destroy(struct flexio_app *app)
{
    if (app && !dpk_host_app_destroy(app_of(app)))
        return libflexio_failed_because("flexio_app_destroy: not a program, or destroyed before");
    return FLEXIO_STATUS_SUCCESS;
}

flexio_status flexio_app_get_list(struct flexio_app ***app_list, uint32_t *num_apps)
{
    struct dpk_error err = {0};
    struct dpk_host_app **list;
    if (app_list)
        *app_list = NULL;
    if (!app_list || !num_apps)
        return libflexio_failed_because("flexio_app_get_list: nowhere to put the list");
    if (dpk_host_app_list(&list, num_apps, &err) != DPK_OK)
        return libflexio_failed("flexio_app_get_list", &err);
    *app_list = (struct flexio_app **)(void *)list;
    return FLEXIO_STATUS_SUCCESS;
}

flexio_status flexio_app_list_free(struct flexio_app **app_list)
{
    free(app_list);
    return FLEXIO_STATUS_SUCCESS;
}

flexio_status flexio_app_get(struct flexio_app_select_attr *select_attr, struct flexio_app **app)
{
    struct dpk_error err = {0};
    struct dpk_host_app **list;
    uint32_t count;
    if (app)
        *app = NULL;
    if (!select_attr || !select_attr->app_name || !select_attr->ibv_ctx || !app)
        return libflexio_failed_because(
            "flexio_app_get: no program name or device, or nowhere to put the "
            "program");
    if (select_attr->hw_model_id != FLEXIO_HW_MODEL_DEF)
        return libflexio_failed_because(
            "flexio_app_get: hardware model %d: there is FLEXIO_HW_MODEL_DEF, "
            "the device's, alone",
            (int)select_attr->hw_model_id);
    if (dpk_host_app_list(&list, &count, &err) != DPK_OK)
        return libflexio_failed("flexio_app_get", &err);
    for (uint32_t i = 0; i < count && !*app; i++)
        if (strcmp(list[i]->name, select_attr->app_name) == 0)
            *app = (struct flexio_app *)(void *)list[i];
    free(list);
    return *app ? FLEXIO_STATUS_SUCCESS
                : libflexio_failed_because(
                      "flexio_app_get: the host program has no program %.*s: link what "
                      "dpacc --app-name made",
                      FLEXIO_MAX_NAME_LEN, select_attr->app_name);
}

const char *flexio_app_get_name(struct flexio_app *app)
{
    return app ? app_of(app)->name : NULL;
}

size_t flexio_app_get_elf_size(struct flexio_app *app)
{
    return app ? app_of(app)->elf_size : 0;
}

flexio_status flexio_app_get_elf(struct flexio_app *app, uint64_t *bin_buff, size_t bin_size)
{
    if (!app || !bin_buff || bin_size < app_of(app)->elf_size)
        return libflexio_failed_because(
            "flexio_app_get_elf: no program, or a buffer of less than its %zu "
            "bytes",
            flexio_app_get_elf_size(app));
    memcpy(bin_buff, app_of(app)->elf, app_of(app)->elf_size);
    return FLEXIO_STATUS_SUCCESS;
}

flexio_status flexio_func_pup_register(struct flexio_app *app, const char *dev_func_name,
                                       const char *dev_unpack_func_name,
                                       flexio_func_t *host_stub_func_addr, size_t argbuf_size,
                                       flexio_func_arg_pack_fn_t *host_pack_func)
{
    if (!app || !name_is_good(dev_func_name) || !name_is_good(dev_unpack_func_name) ||
        !host_stub_func_addr || !host_pack_func)
        return libflexio_failed_because(
            "flexio_func_pup_register: a missing argument, or a bad name");
    bool added;
    const struct dpk_host_function what = {.name = (char *)dev_func_name,
                                           .unpack = (char *)dev_unpack_func_name,
                                           .stub = host_stub_func_addr,
                                           .args_size = argbuf_size,
                                           .pack = host_pack_func};
    if (!dpk_host_app_add_function(app_of(app), &what, &added))
        return libflexio_failed_because("flexio_func_pup_register: out of memory");
    if (!added)
        return libflexio_failed_because(
            "flexio_func_pup_register: %s: its stub is registered already", dev_func_name);
    return FLEXIO_STATUS_SUCCESS;
}

flexio_status flexio_func_register(struct flexio_app *app, const char *dev_func_name,
                                   flexio_func_t **out_func)
{
    if (out_func)
        *out_func = NULL;
    if (!app || !name_is_good(dev_func_name) || !out_func)
        return libflexio_failed_because("flexio_func_register: a missing argument, or a bad name");
    bool added;
    const struct dpk_host_function what = {.name = (char *)dev_func_name};
    const struct dpk_host_function *f = dpk_host_app_add_function(app_of(app), &what, &added);
    if (!f)
        return libflexio_failed_because("flexio_func_register: out of memory");
    *out_func = f->stub;
    return FLEXIO_STATUS_SUCCESS;
}

/* ---- Properties of functions ---- */

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

flexio_status flexio_func_get_register_info(struct flexio_app *app,
                                            flexio_func_t *host_stub_func_addr, uint32_t *pup,
                                            char *dev_func_name, char *dev_unpack_func_name,
                                            size_t func_name_size, size_t *argbuf_size,
                                            flexio_func_arg_pack_fn_t **host_pack_func,
                                            flexio_uintptr_t *dev_func_addr,
                                            flexio_uintptr_t *dev_unpack_func_addr)
{
    if (!app || !host_stub_func_addr)
        return libflexio_failed_because("flexio_func_get_register_info: no program or function");
    struct dpk_host_function_addresses at = {0};
    const struct dpk_host_function *f = dpk_host_app_find_function(
        app_of(app), host_stub_func_addr, dev_func_addr || dev_unpack_func_addr ? &at : NULL);
    if (!f)
        return libflexio_failed_because(
            "flexio_func_get_register_info: not a function of program %s", app_of(app)->name);
    if (!copy_name(dev_func_name, f->name, func_name_size) ||
        !copy_name(dev_unpack_func_name, f->unpack, func_name_size))
        return libflexio_failed_because(
            "flexio_func_get_register_info: %s: the name does not fit into %zu "
            "bytes",
            f->name, func_name_size);
    if (pup)
        *pup = f->unpack != NULL;
    if (argbuf_size)
        *argbuf_size = f->args_size;
    if (host_pack_func)
        *host_pack_func = f->pack;
    if (dev_func_addr)
        *dev_func_addr = at.function;
    if (dev_unpack_func_addr)
        *dev_unpack_func_addr = at.unpack;
    return FLEXIO_STATUS_SUCCESS;
}
