#include "attributes.h"

#include <stdlib.h>
#include <string.h>

#include <yaml.h>

#define VERSION 1

/* Where a node begins, counted from 1. */
static size_t line_of(const yaml_node_t *node)
{
    return node->start_mark.line + 1;
}

static bool is_text(const yaml_node_t *node, const char *text)
{
    return node->type == YAML_SCALAR_NODE && node->data.scalar.length == strlen(text) &&
           memcmp(node->data.scalar.value, text, node->data.scalar.length) == 0;
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

/* The booleans of YAML 1.1. */
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

static enum dpk_status add_feature(const char *file, const yaml_node_t *key,
                                   const yaml_node_t *value, struct attributes *a,
                                   struct dpk_error *err)
{
    bool on = false;
    if (!is_name(key))
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "%s: line %zu: a feature's name has 1 to %d letters, digits and _", file,
                        line_of(key), ATTRIBUTES_NAME_MAX);
    const char *name = (const char *)key->data.scalar.value;
    if (!read_boolean(value, &on))
        return dpk_fail(err, DPK_ERR_FORMAT, "%s: line %zu: %s: neither true nor false", file,
                        line_of(key), name);
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->at[i].name, name) == 0)
            return dpk_fail(err, DPK_ERR_FORMAT, "%s: line %zu: %s: given twice", file,
                            line_of(key), name);
    if (a->count == ATTRIBUTES_MAX)
        return dpk_fail(err, DPK_ERR_RANGE, "%s: line %zu: more than %d features", file,
                        line_of(key), ATTRIBUTES_MAX);
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

static enum dpk_status read_features(const char *file, yaml_document_t *document,
                                     const yaml_node_t *list, struct attributes *out,
                                     struct dpk_error *err)
{
    if (is_nothing(list))
        return DPK_OK;
    if (list->type != YAML_MAPPING_NODE)
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "%s: line %zu: Feature_list is no list of 'name: true' lines", file,
                        line_of(list));
    for (const yaml_node_pair_t *p = list->data.mapping.pairs.start;
         p < list->data.mapping.pairs.top; p++) {
        enum dpk_status status = add_feature(file, yaml_document_get_node(document, p->key),
                                             yaml_document_get_node(document, p->value), out, err);
        if (status != DPK_OK)
            return status;
    }
    if (out->count)
        qsort(out->at, out->count, sizeof *out->at, compare);
    return DPK_OK;
}

static enum dpk_status read_document(const char *file, yaml_document_t *document,
                                     struct attributes *out, struct dpk_error *err)
{
    const yaml_node_t *root = yaml_document_get_root_node(document), *list = NULL;
    if (!root)
        return dpk_fail(err, DPK_ERR_FORMAT, "%s: empty, no Feature_list", file);
    if (root->type != YAML_MAPPING_NODE)
        return dpk_fail(err, DPK_ERR_FORMAT, "%s: line %zu: no 'Feature_list:' at the top", file,
                        line_of(root));
    for (const yaml_node_pair_t *p = root->data.mapping.pairs.start;
         p < root->data.mapping.pairs.top; p++) {
        const yaml_node_t *key = yaml_document_get_node(document, p->key);
        if (!is_text(key, "Feature_list") || list)
            return dpk_fail(err, DPK_ERR_FORMAT,
                            "%s: line %zu: Feature_list is the only key at the top, once", file,
                            line_of(key));
        list = yaml_document_get_node(document, p->value);
    }
    if (!list)
        return dpk_fail(err, DPK_ERR_FORMAT, "%s: no Feature_list", file);
    return read_features(file, document, list, out, err);
}

static enum dpk_status fail_syntax(const char *file, const yaml_parser_t *parser,
                                   struct dpk_error *err)
{
    if (parser->error == YAML_MEMORY_ERROR)
        return dpk_fail_nomem(err);
    return dpk_fail(err, DPK_ERR_FORMAT, "%s: line %zu: not YAML: %s", file,
                    parser->problem_mark.line + 1, parser->problem ? parser->problem : "error");
}

enum dpk_status attributes_parse(const char *name, const uint8_t *text, size_t size,
                                 struct attributes *out, struct dpk_error *err)
{
    yaml_parser_t parser;
    yaml_document_t document, second;
    if (!yaml_parser_initialize(&parser))
        return dpk_fail_nomem(err);
    yaml_parser_set_input_string(&parser, text ? text : (const uint8_t *)"", size);
    enum dpk_status status = DPK_OK;
    if (!yaml_parser_load(&parser, &document)) {
        status = fail_syntax(name, &parser, err);
        goto out;
    }
    status = read_document(name, &document, out, err);
    yaml_document_delete(&document);
    if (status != DPK_OK)
        goto out;
    if (!yaml_parser_load(&parser, &second)) {
        status = fail_syntax(name, &parser, err);
        goto out;
    }
    if (yaml_document_get_root_node(&second))
        status = dpk_fail(err, DPK_ERR_FORMAT, "%s: more than one document", name);
    yaml_document_delete(&second);
out:
    yaml_parser_delete(&parser);
    if (status != DPK_OK)
        attributes_free(out);
    return status;
}

void attributes_free(struct attributes *a)
{
    for (size_t i = 0; i < a->count; i++)
        free(a->at[i].name);
    free(a->at);
    *a = (struct attributes){0};
}

void attributes_encode(const struct attributes *a, struct dpk_buf *out)
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
