/* Opens the device, and loads the definitions, whose state the registers give access to. */
#include <stdlib.h>
#include <string.h>

#include "private.h"

/* Returns false if there is no memory. */
static bool copy_text(char **out, const char *text)
{
    *out = text ? strdup(text) : NULL;
    return *out || !text;
}

enum dpk_status dpk_registers_open(const struct dpk_registers_source *source,
                                   struct dpk_registers **out, struct dpk_error *err)
{
    struct dpk_registers *r = calloc(1, sizeof *r);
    if (!r || !copy_text(&r->name, source->device) ||
        !copy_text(&r->definitions, source->definitions) ||
        !copy_text(&r->database, source->database)) {
        dpk_registers_close(r);
        return dpk_fail_nomem(err);
    }
    *out = r;
    return DPK_OK;
}

void dpk_registers_close(struct dpk_registers *r)
{
    if (!r)
        return;
    registers_end_update(&r->update);
    dpk_port_close(r->port);
    dpk_port_close(r->no_port);
    dpk_nv_list_free(&r->walked);
    dpk_nv_defs_free(r->defs);
    dpk_device_close(r->device);
    free(r->name);
    free(r->definitions);
    free(r->database);
    free(r);
}

enum dpk_status registers_need_device(struct dpk_registers *r, struct dpk_device **out,
                                      struct dpk_error *err)
{
    enum dpk_status status = r->device ? DPK_OK : dpk_device_open(r->name, &r->device, err);
    *out = r->device;
    return status;
}

struct dpk_device *dpk_registers_device(struct dpk_registers *r)
{
    struct dpk_device *device;
    r->reason = (struct dpk_error){0};
    return registers_need_device(r, &device, &r->reason) == DPK_OK ? device : NULL;
}

/* Adds the built-in definitions that the database does not have. */
static enum dpk_status add_builtin(struct dpk_nv_defs *defs, const char *directory,
                                   struct dpk_error *err)
{
    struct dpk_nv_defs *builtin = NULL;
    enum dpk_status status = dpk_nv_defs_load(directory, &builtin, err);
    for (size_t i = 0; status == DPK_OK && i < dpk_nv_defs_count(builtin); i++) {
        const struct dpk_nv_def *def = dpk_nv_defs_at(builtin, i);
        if (!dpk_nv_defs_find_key(defs, def->class_id, def->index) &&
            !dpk_nv_defs_find(defs, def->name))
            status = dpk_nv_defs_add(defs, def, err);
    }
    dpk_nv_defs_free(builtin);
    return status;
}

enum dpk_status registers_need_defs(struct dpk_registers *r, const struct dpk_nv_defs **out,
                                    struct dpk_error *err)
{
    struct dpk_nv_defs *defs = NULL;
    enum dpk_status status = DPK_OK;
    if (!r->defs) {
        status = r->database ? dpk_nv_defs_load_db(r->database, &defs, err)
                             : dpk_nv_defs_new(&defs, err);
        if (status == DPK_OK)
            status = add_builtin(defs, r->definitions, err);
        if (status == DPK_OK)
            r->defs = defs;
        else
            dpk_nv_defs_free(defs);
    }
    *out = r->defs;
    return status;
}

enum dpk_register_status registers_status(enum dpk_status status)
{
    switch (status) {
    case DPK_OK:
        return DPK_REGISTER_OK;
    case DPK_ERR_REFUSED:
        return DPK_REGISTER_BAD_CONFIG;
    case DPK_ERR_RANGE:
    case DPK_ERR_USAGE:
        return DPK_REGISTER_BAD_PARAMETER;
    case DPK_ERR_NOT_FOUND:
        return DPK_REGISTER_NOT_AVAILABLE;
    case DPK_ERR_TIMEOUT:
        return DPK_REGISTER_BUSY;
    default:
        return DPK_REGISTER_INTERNAL_ERROR;
    }
}

const char *dpk_registers_reason(const struct dpk_registers *r)
{
    return r->reason.message;
}
