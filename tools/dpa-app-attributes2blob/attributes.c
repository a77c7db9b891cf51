#include "attributes.h"

#include <stdlib.h>
#include <string.h>

#include "yaml/yaml.h"

#define VERSION 1

static bool is_text(const yaml_node_t *node, const char *text)
{
    const char *mine = dpk_yaml_text(node);
    return mine && strcmp(mine, text) == 0;
}

static bool is_nothing(const yaml_node_t *node)
{
    static const char *const words[] = {"", "~", "null", "Null", "NULL"};
    if (node->type != YAML_SCALAR_NODE || node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_text(node, words[i]))
            return true;
    return false;
}

/* Reads a boolean of YAML 1.1. */
static bool read_boolean(const yaml_node_t *node, bool *value)
{
    static const char *const yes[] = {"true", "True", "TRUE", "yes", "Yes",
                                      "YES",  "on",   "On",   "ON"};
    static const char *const no[] = {"false", "False", "FALSE", "no", "No",
                                     "NO",    "off",   "Off",   "OFF"};
    if (node->type != YAML_SCALAR_NODE || node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
        return false;
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        *value = is_text(node, yes[i]);
        if (*value || is_text(node, no[i]))
            return true;
    }
    return false;
}

static bool is_name(const yaml_node_t *node)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    if (node->type != YAML_SCALAR_NODE)
        return false;
    const char *text = (const char *)node->data.scalar.value;
    size_t length = node->data.scalar.length;
    return length && length <= ATTRIBUTES_NAME_MAX && strspn(text, letters) == length;
}

static int compare(const void *a, const void *b)
{
    const struct attribute *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static enum dpk_status add_feature(const yaml_node_t *key, const yaml_node_t *value,
                                   struct attributes *a, struct dpk_error *err)
{
    bool on = false;
    if (!is_name(key))
        return dpk_fail(err, DPK_ERR_FORMAT, "a feature's name has 1 to %d letters, digits and _",
                        ATTRIBUTES_NAME_MAX);
    const char *name = (const char *)key->data.scalar.value;
    if (!read_boolean(value, &on))
        return dpk_fail(err, DPK_ERR_FORMAT, "%s: neither true nor false", name);
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->at[i].name, name) == 0)
            return dpk_fail(err, DPK_ERR_FORMAT, "%s: given twice", name);
    if (a->count == ATTRIBUTES_MAX)
        return dpk_fail(err, DPK_ERR_RANGE, "more than %d features", ATTRIBUTES_MAX);
    struct attribute *at = reallocarray(a->at, a->count + 1, sizeof *at);
    if (!at)
        return dpk_fail_nomem(err);
    a->at = at;
    char *copy = strdup(name);
    if (!copy)
        return dpk_fail_nomem(err);
    at[a->count++] = (struct attribute){.name = copy, .value = on};
    return DPK_OK;
}

static enum dpk_status read_features(yaml_document_t *document, const yaml_node_t *list,
                                     struct attributes *out, struct dpk_error *err)
{
    if (is_nothing(list))
        return DPK_OK;
    if (list->type != YAML_MAPPING_NODE)
        return dpk_yaml_at(
            list, dpk_fail(err, DPK_ERR_FORMAT, "Feature_list is not a list of 'name: true' lines"),
            err);
    for (const yaml_node_pair_t *p = list->data.mapping.pairs.start;
         p < list->data.mapping.pairs.top; p++) {
        const yaml_node_t *key = yaml_document_get_node(document, p->key);
        enum dpk_status status =
            add_feature(key, yaml_document_get_node(document, p->value), out, err);
        if (status != DPK_OK)
            return dpk_yaml_at(key, status, err);
    }
    if (out->count)
        qsort(out->at, out->count, sizeof *out->at, compare);
    return DPK_OK;
}

static enum dpk_status read_document(yaml_document_t *document, struct attributes *out,
                                     struct dpk_error *err)
{
    static const char *const keys[] = {"Feature_list", NULL};
    const yaml_node_t *list = NULL;
    enum dpk_status status =
        dpk_yaml_mapping(document, yaml_document_get_root_node(document), keys, &list, err);
    if (status != DPK_OK)
        return status;
    return list ? read_features(document, list, out, err)
                : dpk_fail(err, DPK_ERR_FORMAT, "no Feature_list");
}

enum dpk_status attributes2blob_parse(const char *name, const uint8_t *text, size_t size,
                                      struct attributes *out, struct dpk_error *err)
{
    yaml_document_t document;
    enum dpk_status status = dpk_yaml_read(text, size, &document, err);
    if (status == DPK_OK) {
        status = read_document(&document, out, err);
        yaml_document_delete(&document);
    }
    if (status != DPK_OK) {
        dpk_error_prefix(err, "%s", name);
        attributes2blob_free(out);
    }
    return status;
}

void attributes2blob_free(struct attributes *a)
{
    for (size_t i = 0; i < a->count; i++)
        free(a->at[i].name);
    free(a->at);
    *a = (struct attributes){0};
}

void attributes2blob_encode(const struct attributes *a, struct dpk_buf *out)
{
    dpk_put(out, "DPKATTR1", 8);
    dpk_put_le32(out, VERSION);
    dpk_put_le32(out, (uint32_t)a->count);
    for (size_t i = 0; i < a->count; i++) {
        size_t length = strlen(a->at[i].name);
        dpk_put_u8(out, a->at[i].value);
        dpk_put_u8(out, (uint8_t)length);
        dpk_put(out, a->at[i].name, length);
    }
}
