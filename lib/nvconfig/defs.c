/* Sets of TLV definitions. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tlv.h"

struct dpk_nv_defs {
    struct dpk_nv_def *items;
    size_t count, capacity;
};

enum dpk_status dpk_nv_defs_new(struct dpk_nv_defs **out, struct dpk_error *err)
{
    *out = calloc(1, sizeof **out);
    return *out ? DPK_OK : dpk_fail_nomem(err);
}

static void free_choices(struct dpk_nv_choice *choices, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free((char *)choices[i].name);
    free(choices);
}

static void free_def(struct dpk_nv_def *def)
{
    for (size_t i = 0; i < def->param_count; i++) {
        const struct dpk_nv_param *p = &def->params[i];
        free((char *)p->name);
        free((char *)p->config_name);
        free_choices((struct dpk_nv_choice *)p->choices, p->choice_count);
    }
    free((struct dpk_nv_param *)def->params);
    free((char *)def->name);
}

void dpk_nv_defs_free(struct dpk_nv_defs *defs)
{
    if (!defs)
        return;
    for (size_t i = 0; i < defs->count; i++)
        free_def(&defs->items[i]);
    free(defs->items);
    free(defs);
}

static bool copy_param(const struct dpk_nv_param *from, struct dpk_nv_param *to)
{
    struct dpk_nv_choice *choices = NULL;
    *to = *from;
    to->name = strdup(from->name);
    to->config_name = from->config_name ? strdup(from->config_name) : NULL;
    to->choices = NULL;
    to->choice_count = 0;
    if (from->choice_count) {
        choices = calloc(from->choice_count, sizeof *choices);
        to->choices = choices;
        to->choice_count = choices ? from->choice_count : 0;
    }
    bool ok = to->name && (!from->config_name || to->config_name) &&
              to->choice_count == from->choice_count;
    for (size_t i = 0; i < to->choice_count; i++) {
        choices[i].value = from->choices[i].value;
        choices[i].name = strdup(from->choices[i].name);
        ok = ok && choices[i].name;
    }
    return ok;
}

static bool is_number(enum dpk_nv_type type)
{
    return type != DPK_NV_STRING && type != DPK_NV_BYTES;
}

/* Marks the bits of a parameter in a map of the TLV's bits; false if one was taken. */
static bool take_bits(uint8_t *map, const struct dpk_nv_param *p)
{
    size_t first = is_number(p->type) ? p->offset * 8 + 32 - p->low_bit - p->bits : p->offset * 8;
    size_t count = is_number(p->type) ? p->bits : p->bytes * 8;
    for (size_t i = first; i < first + count; i++) {
        if (map[i / 8] >> (i % 8) & 1)
            return false;
        map[i / 8] = (uint8_t)(map[i / 8] | 1u << (i % 8));
    }
    return true;
}

static enum dpk_status check_param(const struct dpk_nv_def *def, const struct dpk_nv_param *p,
                                   struct dpk_error *err)
{
    bool inside;
    if (is_number(p->type))
        inside = p->offset % 4 == 0 && p->offset < def->size && def->size - p->offset >= 4 &&
                 p->bits >= 1 && p->bits <= 32 && p->low_bit <= 32 - p->bits;
    else
        inside = p->bytes > 0 && p->offset <= def->size && p->bytes <= def->size - p->offset;
    if (!inside)
        return dpk_fail(err, DPK_ERR_RANGE, "%s: %s lies outside its TLV", def->name, p->name);
    if (p->type == DPK_NV_BOOL && p->bits != 1)
        return dpk_fail(err, DPK_ERR_RANGE, "%s: %s is a bool of %u bits", def->name, p->name,
                        p->bits);
    if ((p->type == DPK_NV_ENUM) != (p->choice_count > 0))
        return dpk_fail(err, DPK_ERR_FORMAT, "%s: %s: an enum has values, other types have none",
                        def->name, p->name);
    for (size_t i = 0; i < p->choice_count; i++)
        if (p->bits < 32 && p->choices[i].value >> p->bits)
            return dpk_fail(err, DPK_ERR_RANGE, "%s: %s: value %s does not fit in %u bits",
                            def->name, p->name, p->choices[i].name, p->bits);
    return DPK_OK;
}

static enum dpk_status check_def(const struct dpk_nv_defs *defs, const struct dpk_nv_def *def,
                                 struct dpk_error *err)
{
    uint8_t map[DPK_NV_DATA_MAX] = {0};
    if (def->size == 0 || def->size > DPK_NV_DATA_MAX || def->size % 4 != 0)
        return dpk_fail(err, DPK_ERR_RANGE, "%s: size %zu is not a multiple of 4 up to %d",
                        def->name, def->size, DPK_NV_DATA_MAX);
    if (def->class_id > 0xff || def->index > 0xffffff)
        return dpk_fail(err, DPK_ERR_RANGE, "%s: class or index out of range", def->name);
    if (dpk_nv_defs_find(defs, def->name) || dpk_nv_defs_find_key(defs, def->class_id, def->index))
        return dpk_fail(err, DPK_ERR_EXISTS, "%s: defined twice", def->name);
    for (size_t i = 0; i < def->param_count; i++) {
        const struct dpk_nv_param *p = &def->params[i];
        enum dpk_status status = check_param(def, p, err);
        if (status != DPK_OK)
            return status;
        if (!take_bits(map, p))
            return dpk_fail(err, DPK_ERR_FORMAT, "%s: %s overlaps another parameter", def->name,
                            p->name);
        for (size_t j = 0; j < i; j++)
            if (strcmp(def->params[j].name, p->name) == 0)
                return dpk_fail(err, DPK_ERR_EXISTS, "%s: %s is defined twice", def->name, p->name);
        const struct dpk_nv_def *other;
        const struct dpk_nv_param *same;
        if (p->config_name &&
            dpk_nv_defs_find_config(defs, p->config_name, &other, &same, NULL) == DPK_OK)
            return dpk_fail(err, DPK_ERR_EXISTS, "%s: %s is defined twice", def->name,
                            p->config_name);
    }
    return DPK_OK;
}

enum dpk_status dpk_nv_defs_add(struct dpk_nv_defs *defs, const struct dpk_nv_def *def,
                                struct dpk_error *err)
{
    enum dpk_status status = check_def(defs, def, err);
    if (status != DPK_OK)
        return status;
    if (defs->count == defs->capacity) {
        size_t capacity = defs->capacity ? 2 * defs->capacity : 32;
        struct dpk_nv_def *items = reallocarray(defs->items, capacity, sizeof *items);
        if (!items)
            return dpk_fail_nomem(err);
        defs->items = items;
        defs->capacity = capacity;
    }
    struct dpk_nv_def copy = *def;
    struct dpk_nv_param *params = calloc(def->param_count + 1, sizeof *params);
    copy.name = strdup(def->name);
    copy.params = params;
    copy.param_count = 0;
    bool ok = params && copy.name;
    for (size_t i = 0; ok && i < def->param_count; i++, copy.param_count++)
        ok = copy_param(&def->params[i], &params[i]);
    if (!ok) {
        free_def(&copy);
        return dpk_fail_nomem(err);
    }
    defs->items[defs->count++] = copy;
    return DPK_OK;
}

size_t dpk_nv_defs_count(const struct dpk_nv_defs *defs)
{
    return defs->count;
}

const struct dpk_nv_def *dpk_nv_defs_at(const struct dpk_nv_defs *defs, size_t i)
{
    return i < defs->count ? &defs->items[i] : NULL;
}

const struct dpk_nv_def *dpk_nv_defs_find(const struct dpk_nv_defs *defs, const char *name)
{
    for (size_t i = 0; i < defs->count; i++)
        if (strcmp(defs->items[i].name, name) == 0)
            return &defs->items[i];
    return NULL;
}

const struct dpk_nv_def *dpk_nv_defs_find_key(const struct dpk_nv_defs *defs, unsigned class_id,
                                              uint32_t index)
{
    for (size_t i = 0; i < defs->count; i++)
        if (defs->items[i].class_id == class_id && defs->items[i].index == index)
            return &defs->items[i];
    return NULL;
}

#define NAMES_FOR_CLOSEST 512

enum dpk_status dpk_nv_defs_find_config(const struct dpk_nv_defs *defs, const char *config_name,
                                        const struct dpk_nv_def **def,
                                        const struct dpk_nv_param **param, struct dpk_error *err)
{
    const char *names[NAMES_FOR_CLOSEST + 1];
    size_t count = 0;
    for (size_t i = 0; i < defs->count; i++) {
        for (size_t j = 0; j < defs->items[i].param_count; j++) {
            const struct dpk_nv_param *p = &defs->items[i].params[j];
            if (!p->config_name)
                continue;
            if (strcasecmp(p->config_name, config_name) == 0) {
                *def = &defs->items[i];
                *param = p;
                return DPK_OK;
            }
            if (count < NAMES_FOR_CLOSEST)
                names[count++] = p->config_name;
        }
    }
    names[count] = NULL;
    const char *near = err ? dpk_closest(config_name, names) : NULL;
    return dpk_fail(err, DPK_ERR_NOT_FOUND, "unknown parameter %s%s%s%s", config_name,
                    near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}
