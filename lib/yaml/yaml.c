/* Reads YAML documents with libyaml, and looks up keys. */
#include "yaml/yaml.h"

#include <string.h>

static enum dpk_status refuse(const yaml_parser_t *parser, struct dpk_error *err)
{
    if (parser->error == YAML_MEMORY_ERROR)
        return dpk_fail_nomem(err);
    return dpk_fail(err, DPK_ERR_FORMAT, "line %zu: %s", parser->problem_mark.line + 1,
                    parser->problem ? parser->problem : "no YAML");
}

static enum dpk_status load(yaml_parser_t *parser, yaml_document_t *out, struct dpk_error *err)
{
    return yaml_parser_load(parser, out) ? DPK_OK : refuse(parser, err);
}

static enum dpk_status begin(yaml_parser_t *parser, const void *bytes, size_t size,
                             struct dpk_error *err)
{
    if (!yaml_parser_initialize(parser))
        return dpk_fail_nomem(err);
    yaml_parser_set_input_string(parser, size ? bytes : (const void *)"", size);
    return DPK_OK;
}

/* Refuses a text that nests deeply. libyaml takes time with the square of the depth, and a function
 * that calls itself for each level would need as much stack. */
static enum dpk_status check_depth(const void *bytes, size_t size, struct dpk_error *err)
{
    yaml_parser_t parser;
    yaml_event_t event;
    size_t depth = 0;
    enum dpk_status status = begin(&parser, bytes, size, err);
    if (status != DPK_OK)
        return status;
    for (bool more = true; more && status == DPK_OK;) {
        if (!yaml_parser_parse(&parser, &event)) {
            status = refuse(&parser, err);
            break;
        }
        depth += event.type == YAML_SEQUENCE_START_EVENT || event.type == YAML_MAPPING_START_EVENT;
        depth -= event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT;
        const size_t line = event.start_mark.line + 1;
        more = event.type != YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
        if (depth > DPK_YAML_DEPTH_MAX)
            status = dpk_fail(err, DPK_ERR_FORMAT, "line %zu: nested deeper than %d levels", line,
                              DPK_YAML_DEPTH_MAX);
    }
    yaml_parser_delete(&parser);
    return status;
}

enum dpk_status dpk_yaml_read(const void *bytes, size_t size, yaml_document_t *out,
                              struct dpk_error *err)
{
    yaml_parser_t parser;
    yaml_document_t more;
    enum dpk_status status = check_depth(bytes, size, err);
    if (status == DPK_OK)
        status = begin(&parser, bytes, size, err);
    if (status != DPK_OK)
        return status;
    status = load(&parser, out, err);
    if (status != DPK_OK)
        goto out;
    status = load(&parser, &more, err);
    if (status == DPK_OK) {
        const yaml_node_t *second = yaml_document_get_root_node(&more);
        if (second)
            status =
                dpk_yaml_at(second, dpk_fail(err, DPK_ERR_FORMAT, "more than one document"), err);
        yaml_document_delete(&more);
    }
    if (status != DPK_OK)
        yaml_document_delete(out);
out:
    yaml_parser_delete(&parser);
    return status;
}

enum dpk_status dpk_yaml_at(const yaml_node_t *n, enum dpk_status status, struct dpk_error *err)
{
    if (status != DPK_OK && n && err && strncmp(err->message, "line ", 5) != 0)
        dpk_error_prefix(err, "line %zu", n->start_mark.line + 1);
    return status;
}

const char *dpk_yaml_text(const yaml_node_t *n)
{
    const char *text = n && n->type == YAML_SCALAR_NODE ? (const char *)n->data.scalar.value : NULL;
    return text && strlen(text) == n->data.scalar.length ? text : NULL;
}

/* Fails with an unknown key: the error suggests a near key, or lists all keys. */
static enum dpk_status refuse_key(const char *name, const char *const *keys, struct dpk_error *err)
{
    const char *near = dpk_closest(name, keys);
    if (near)
        return dpk_fail(err, DPK_ERR_FORMAT, "unknown key '%s'; did you mean %s?", name, near);
    char list[200] = "";
    for (size_t i = 0, used = 0; keys[i] && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", keys[i]);
    return dpk_fail(err, DPK_ERR_FORMAT, "unknown key '%s'; known keys: %s", name, list);
}

enum dpk_status dpk_yaml_mapping(yaml_document_t *document, const yaml_node_t *n,
                                 const char *const *keys, const yaml_node_t **values,
                                 struct dpk_error *err)
{
    for (size_t i = 0; keys[i]; i++)
        values[i] = NULL;
    if (!n)
        return dpk_fail(err, DPK_ERR_FORMAT, "it is empty");
    if (n->type != YAML_MAPPING_NODE)
        return dpk_yaml_at(n, dpk_fail(err, DPK_ERR_FORMAT, "keys like %s: are needed", keys[0]),
                           err);
    for (const yaml_node_pair_t *p = n->data.mapping.pairs.start; p < n->data.mapping.pairs.top;
         p++) {
        const yaml_node_t *key = yaml_document_get_node(document, p->key);
        const char *name = dpk_yaml_text(key);
        char clean[80];
        size_t i = 0;
        while (keys[i] && !(name && strcmp(name, keys[i]) == 0))
            i++;
        snprintf(clean, sizeof clean, "%.60s", name ? name : "");
        if (keys[i] && values[i])
            return dpk_yaml_at(
                key, dpk_fail(err, DPK_ERR_FORMAT, "twice: '%s'", dpk_text_clean(clean)), err);
        if (!keys[i])
            return dpk_yaml_at(key, refuse_key(dpk_text_clean(clean), keys, err), err);
        values[i] = yaml_document_get_node(document, p->value);
    }
    return DPK_OK;
}

const yaml_node_t *dpk_yaml_entry(yaml_document_t *document, const yaml_node_t *list, size_t i)
{
    if (!list || list->type != YAML_SEQUENCE_NODE)
        return i == 0 ? list : NULL;
    const size_t count = (size_t)(list->data.sequence.items.top - list->data.sequence.items.start);
    return i < count ? yaml_document_get_node(document, list->data.sequence.items.start[i]) : NULL;
}
