/* Selects the parameters of a device to show. */
#include "admin.h"

#include <stdlib.h>

void dpk_shown_free(struct dpk_shown *shown)
{
    free(shown->names);
}

static enum dpk_status add(struct dpk_shown *s, const struct dpk_nv_name *name,
                           struct dpk_error *err)
{
    if (s->count == s->capacity) {
        size_t capacity = s->capacity ? 2 * s->capacity : 64;
        struct dpk_nv_name *names = reallocarray(s->names, capacity, sizeof *names);
        if (!names)
            return dpk_fail_nomem(err);
        s->names = names;
        s->capacity = capacity;
    }
    s->names[s->count++] = *name;
    return DPK_OK;
}

static enum dpk_status add_name(struct dpk_shown *s, const struct dpk_nv_name *name, bool elements,
                                struct dpk_error *err)
{
    if (!name->indexed && !elements)
        return add(s, name, err);
    enum dpk_status status = DPK_OK;
    for (size_t i = name->first; i <= name->last && status == DPK_OK; i++) {
        struct dpk_nv_name one = dpk_nv_name_element(name, i);
        status = add(s, &one, err);
    }
    return status;
}

/* Adds a parameter for each port or module of the device. */
static enum dpk_status add_param(struct dpk_shown *s, const struct dpk_nv_def *def,
                                 const struct dpk_nv_param *param, bool elements,
                                 struct dpk_error *err)
{
    bool port = def->class_id == DPK_NV_PORT, module = def->class_id == DPK_NV_MODULE;
    int count = port ? DPK_SHOWN_PORTS : module ? DPK_SHOWN_MODULES : 1;
    enum dpk_status status = DPK_OK;
    for (int i = 0; i < count && status == DPK_OK; i++) {
        struct dpk_nv_target target = {.port = port ? i + 1 : 0, .module = module ? i : 0};
        struct dpk_nv_name name;
        dpk_nv_name_of(def, param, &target, &name);
        status = add_name(s, &name, elements, err);
    }
    return status;
}

enum dpk_status dpk_shown_choose(const struct dpk_nv_defs *defs, const char *const *words,
                                 size_t word_count, bool elements, struct dpk_shown *out,
                                 struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    for (size_t i = 0; i < word_count && status == DPK_OK; i++) {
        struct dpk_nv_name name;
        status = dpk_nv_name_parse(defs, words[i], &name, err);
        if (status == DPK_OK)
            status = add_name(out, &name, elements, err);
    }
    for (size_t i = 0; word_count == 0 && i < dpk_nv_defs_count(defs); i++) {
        const struct dpk_nv_def *def = dpk_nv_defs_at(defs, i);
        for (size_t j = 0; j < def->param_count && status == DPK_OK; j++)
            if (def->params[j].config_name)
                status = add_param(out, def, &def->params[j], elements, err);
    }
    return status;
}
