/* Sets of TLV definitions. */
#include <ctype.h>
#include <stddef.h>
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

/* Offsets of the texts of parameters and definitions, which are copied and freed in the same
 * way. */
static const size_t param_texts[] = {
    offsetof(struct dpk_nv_param, name),        offsetof(struct dpk_nv_param, config_name),
    offsetof(struct dpk_nv_param, description), offsetof(struct dpk_nv_param, dependency),
    offsetof(struct dpk_nv_param, valid_bit),   offsetof(struct dpk_nv_param, temp_vars),
    offsetof(struct dpk_nv_param, min_rule),    offsetof(struct dpk_nv_param, max_rule),
    offsetof(struct dpk_nv_param, rule),
};
static const size_t def_texts[] = {
    offsetof(struct dpk_nv_def, name),
    offsetof(struct dpk_nv_def, title),
    offsetof(struct dpk_nv_def, description),
};
#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static char **text_at(const void *of, size_t offset)
{
    return (char **)((char *)of + offset);
}

/* Replaces borrowed texts by copies. A text that cannot be copied becomes NULL. */
static bool copy_texts(void *of, const size_t *offsets, size_t count)
{
    bool ok = true;
    for (size_t i = 0; i < count; i++) {
        char **text = text_at(of, offsets[i]);
        if (!*text)
            continue;
        *text = strdup(*text);
        ok = ok && *text;
    }
    return ok;
}

static void free_texts(const void *of, const size_t *offsets, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(*text_at(of, offsets[i]));
}

static void free_def(struct dpk_nv_def *def)
{
    for (size_t i = 0; i < def->param_count; i++) {
        const struct dpk_nv_param *p = &def->params[i];
        for (size_t j = 0; j < p->choice_count; j++)
            free((char *)p->choices[j].name);
        free((struct dpk_nv_choice *)p->choices);
        free_texts(p, param_texts, COUNT_OF(param_texts));
    }
    free((struct dpk_nv_param *)def->params);
    free_texts(def, def_texts, COUNT_OF(def_texts));
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
    *to = *from;
    to->choices = NULL;
    to->choice_count = 0;
    bool ok = copy_texts(to, param_texts, COUNT_OF(param_texts));
    if (!from->choice_count)
        return ok;
    struct dpk_nv_choice *choices = calloc(from->choice_count, sizeof *choices);
    if (!choices)
        return false;
    to->choices = choices;
    to->choice_count = from->choice_count;
    for (size_t i = 0; i < to->choice_count; i++) {
        choices[i].value = from->choices[i].value;
        choices[i].name = strdup(from->choices[i].name);
        ok = ok && choices[i].name;
    }
    return ok;
}

bool dpk_nv_is_number(const struct dpk_nv_param *param)
{
    return param->type != DPK_NV_STRING && param->type != DPK_NV_BYTES;
}

struct dpk_nv_param dpk_nv_param_element(const struct dpk_nv_param *param, size_t i)
{
    struct dpk_nv_param one = *param;
    if (param->count == 0 || i >= param->count)
        return one;
    size_t first = (32 - param->low_bit - param->bits) / 8;
    size_t byte = param->offset + first + i * (param->bits / 8);
    one.offset = byte / 4 * 4;
    one.low_bit = 32 - param->bits - 8 * (unsigned)(byte % 4);
    one.count = 0;
    return one;
}

/* Marks the bits of a parameter in a map of the TLV's bits. Returns false if a bit was marked. */
static bool take_bits(uint8_t *map, const struct dpk_nv_param *p)
{
    size_t first = p->offset * 8, count = p->bytes * 8;
    if (dpk_nv_is_number(p)) {
        first += 32 - p->low_bit - p->bits;
        count = p->bits * (p->count ? p->count : 1);
    }
    for (size_t i = first; i < first + count; i++) {
        if (map[i / 8] >> (i % 8) & 1)
            return false;
        map[i / 8] = (uint8_t)(map[i / 8] | 1u << (i % 8));
    }
    return true;
}

static bool is_inside(const struct dpk_nv_def *def, const struct dpk_nv_param *p)
{
    if (!dpk_nv_is_number(p))
        return p->bytes > 0 && p->offset <= def->size && p->bytes <= def->size - p->offset;
    if (p->offset % 4 != 0 || p->offset >= def->size || def->size - p->offset < 4 || p->bits < 1 ||
        p->bits > 32 || p->low_bit > 32 - p->bits)
        return false;
    size_t first = p->offset + (32 - p->low_bit - p->bits) / 8;
    return p->count == 0 || p->count <= (def->size - first) / (p->bits / 8 ? p->bits / 8 : 1);
}

/* Returns true for a valid name of an XML element. */
static bool is_name(const char *name)
{
    if (!isalpha((unsigned char)*name) && *name != '_')
        return false;
    for (; *name; name++)
        if (!isascii((unsigned char)*name) ||
            (!isalnum((unsigned char)*name) && !strchr("_-.", *name)))
            return false;
    return true;
}

/* Choices appear in XML comments, and before "(1)" in a table. */
static bool is_choice_name(const char *name)
{
    for (const char *c = name; *c; c++)
        if (!isascii((unsigned char)*c) || !isprint((unsigned char)*c) || strchr("<>&", *c))
            return false;
    return *name && !strstr(name, "--");
}

static enum dpk_status check_choices(const struct dpk_nv_def *def, const struct dpk_nv_param *p,
                                     struct dpk_error *err)
{
    if ((p->type == DPK_NV_ENUM) != (p->choice_count > 0))
        return dpk_fail(err, DPK_ERR_FORMAT, "%s: %s: an enum has values, other types have none",
                        def->name, p->name);
    for (size_t i = 0; i < p->choice_count; i++) {
        if (!is_choice_name(p->choices[i].name))
            return dpk_fail(err, DPK_ERR_FORMAT, "%s: %s: value %zu has no proper name", def->name,
                            p->name, i);
        if (p->bits < 32 && p->choices[i].value >> p->bits)
            return dpk_fail(err, DPK_ERR_RANGE, "%s: %s: value %s does not fit in %u bits",
                            def->name, p->name, p->choices[i].name, p->bits);
    }
    return DPK_OK;
}

static enum dpk_status check_param(const struct dpk_nv_def *def, const struct dpk_nv_param *p,
                                   struct dpk_error *err)
{
    if (!is_name(p->name))
        return dpk_fail(err, DPK_ERR_FORMAT, "%s: '%.40s' is not a valid name of an XML element",
                        def->name, p->name);
    if (!is_inside(def, p))
        return dpk_fail(err, DPK_ERR_RANGE, "%s: %s lies outside its TLV", def->name, p->name);
    if (p->type == DPK_NV_BOOL && (p->bits != 1 || p->count))
        return dpk_fail(err, DPK_ERR_RANGE, "%s: %s is a bool of %u bits", def->name, p->name,
                        p->bits);
    if (p->count && (!dpk_nv_is_number(p) || (p->bits != 8 && p->bits != 16 && p->bits != 32) ||
                     p->low_bit % p->bits != 0))
        return dpk_fail(err, DPK_ERR_UNSUPPORTED,
                        "%s: %s: an array has numbers of 8, 16 or 32 bits", def->name, p->name);
    if (p->has_min && p->has_max && p->min > p->max)
        return dpk_fail(err, DPK_ERR_RANGE, "%s: %s: the smallest value is above the largest",
                        def->name, p->name);
    return check_choices(def, p, err);
}

static enum dpk_status check_head(const struct dpk_nv_defs *defs, const struct dpk_nv_def *def,
                                  struct dpk_error *err)
{
    bool big = def->class_id == DPK_NV_FILE && def->index == DPK_NV_INDEX_BIG_KEY;
    size_t most = big ? DPK_NV_DATA_MAX : DPK_NV_FIELD_DATA_MAX;
    struct dpk_nv_target none = {0};
    struct dpk_nv_def bound = dpk_nv_def_bind(def, &none);
    if (!is_name(def->name))
        return dpk_fail(err, DPK_ERR_FORMAT, "'%.40s' is not a valid name of an XML element",
                        def->name);
    if (def->size == 0 || def->size > most || def->size % 4 != 0)
        return dpk_fail(err, DPK_ERR_RANGE, "%s: size %zu is not a multiple of 4 up to %zu",
                        def->name, def->size, most);
    if (!dpk_nv_class_name(def->class_id) || (bound.index & 0xffffff) != def->index)
        return dpk_fail(err, DPK_ERR_RANGE, "%s: class or index out of range", def->name);
    if (dpk_nv_defs_find(defs, def->name) || dpk_nv_defs_find_key(defs, def->class_id, def->index))
        return dpk_fail(err, DPK_ERR_EXISTS, "%s: defined twice", def->name);
    return DPK_OK;
}

static enum dpk_status check_def(const struct dpk_nv_defs *defs, const struct dpk_nv_def *def,
                                 struct dpk_error *err)
{
    uint8_t map[DPK_NV_DATA_MAX] = {0};
    enum dpk_status status = check_head(defs, def, err);
    for (size_t i = 0; status == DPK_OK && i < def->param_count; i++) {
        const struct dpk_nv_param *p = &def->params[i];
        const struct dpk_nv_def *other;
        const struct dpk_nv_param *same;
        status = check_param(def, p, err);
        if (status == DPK_OK && !take_bits(map, p))
            status = dpk_fail(err, DPK_ERR_FORMAT, "%s: %s overlaps another parameter", def->name,
                              p->name);
        for (size_t j = 0; status == DPK_OK && j < i; j++) {
            const struct dpk_nv_param *q = &def->params[j];
            if (strcmp(q->name, p->name) == 0)
                status =
                    dpk_fail(err, DPK_ERR_EXISTS, "%s: %s is defined twice", def->name, p->name);
            else if (q->config_name && p->config_name &&
                     strcasecmp(q->config_name, p->config_name) == 0)
                status = dpk_fail(err, DPK_ERR_EXISTS, "%s: %s is defined twice", def->name,
                                  p->config_name);
        }
        if (status == DPK_OK && p->config_name &&
            dpk_nv_defs_find_config(defs, p->config_name, &other, &same, NULL) == DPK_OK)
            status =
                dpk_fail(err, DPK_ERR_EXISTS, "%s: %s is defined twice", def->name, p->config_name);
    }
    return status;
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
    copy.params = params;
    copy.param_count = 0;
    bool ok = copy_texts(&copy, def_texts, COUNT_OF(def_texts)) && params;
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
    struct dpk_nv_target target = dpk_nv_target_of(class_id, index);
    for (size_t i = 0; i < defs->count; i++) {
        struct dpk_nv_def bound = dpk_nv_def_bind(&defs->items[i], &target);
        if (bound.class_id == class_id && bound.index == index)
            return &defs->items[i];
    }
    return NULL;
}

/* Returns the closest of all names, for "did you mean"; NULL if there is none, or no memory. */
static const char *closest_config(const struct dpk_nv_defs *defs, const char *config_name)
{
    size_t count = 0;
    for (size_t i = 0; i < defs->count; i++)
        count += defs->items[i].param_count;
    const char **names = calloc(count + 1, sizeof *names);
    if (!names)
        return NULL;
    count = 0;
    for (size_t i = 0; i < defs->count; i++)
        for (size_t j = 0; j < defs->items[i].param_count; j++)
            if (defs->items[i].params[j].config_name)
                names[count++] = defs->items[i].params[j].config_name;
    const char *near = dpk_closest(config_name, names);
    free(names);
    return near;
}

enum dpk_status dpk_nv_defs_find_config(const struct dpk_nv_defs *defs, const char *config_name,
                                        const struct dpk_nv_def **def,
                                        const struct dpk_nv_param **param, struct dpk_error *err)
{
    for (size_t i = 0; i < defs->count; i++) {
        for (size_t j = 0; j < defs->items[i].param_count; j++) {
            const struct dpk_nv_param *p = &defs->items[i].params[j];
            if (p->config_name && strcasecmp(p->config_name, config_name) == 0) {
                *def = &defs->items[i];
                *param = p;
                return DPK_OK;
            }
        }
    }
    const char *near = err ? closest_config(defs, config_name) : NULL;
    return near ? dpk_fail(err, DPK_ERR_NOT_FOUND, "unknown parameter %.80s; did you mean %s?",
                           config_name, near)
                : dpk_fail(err, DPK_ERR_NOT_FOUND,
                           "unknown parameter %.80s; mlxconfig-lite show_confs lists those there "
                           "are, with -b those of NVIDIA's database",
                           config_name);
}
