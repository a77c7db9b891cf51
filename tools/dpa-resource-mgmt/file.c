/* Files of YAML, as they are read here: mappings of known keys, lists, texts. */
#include "resources.h"

#include <string.h>

#define FILE_MAX_BYTES (1u << 20)

enum dpk_status resource_file_open(const char *path, struct resource_file *f, struct dpk_error *err)
{
    struct dpk_buf bytes = {0};
    enum dpk_status status = dpk_file_read(path, FILE_MAX_BYTES, &bytes, err);
    if (status != DPK_OK)
        return status;
    if (!yaml_parser_initialize(&f->parser)) {
        dpk_buf_free(&bytes);
        return dpk_fail_nomem(err);
    }
    yaml_parser_set_input_string(&f->parser, bytes.size ? bytes.data : (const void *)"",
                                 bytes.size);
    if (!yaml_parser_load(&f->parser, &f->document)) {
        status =
            dpk_fail(err, DPK_ERR_FORMAT, "%s: line %zu: %s", path, f->parser.problem_mark.line + 1,
                     f->parser.problem ? f->parser.problem : "no YAML");
        yaml_parser_delete(&f->parser);
    }
    dpk_buf_free(&bytes);
    return status;
}

void resource_file_close(struct resource_file *f)
{
    yaml_document_delete(&f->document);
    yaml_parser_delete(&f->parser);
}

enum dpk_status resource_at(const yaml_node_t *n, enum dpk_status status, struct dpk_error *err)
{
    if (status != DPK_OK)
        dpk_error_prefix(err, "line %zu", n->start_mark.line + 1);
    return status;
}

static const char *text_of(const yaml_node_t *n)
{
    const char *text = n && n->type == YAML_SCALAR_NODE ? (const char *)n->data.scalar.value : NULL;
    return text && strlen(text) == n->data.scalar.length ? text : NULL;
}

const char *resource_text(const yaml_node_t *n, const char *what, struct dpk_error *err)
{
    const char *text = text_of(n);
    if (!text && n)
        resource_at(n, dpk_fail(err, DPK_ERR_FORMAT, "%s is a text", what), err);
    else if (!text)
        dpk_fail(err, DPK_ERR_FORMAT, "no %s", what);
    return text;
}

enum dpk_status resource_mapping(struct resource_file *f, const yaml_node_t *n,
                                 const char *const *keys, const yaml_node_t **values,
                                 struct dpk_error *err)
{
    for (size_t i = 0; keys[i]; i++)
        values[i] = NULL;
    if (!n || n->type != YAML_MAPPING_NODE)
        return n ? resource_at(
                       n, dpk_fail(err, DPK_ERR_FORMAT, "keys like %s: are needed", keys[0]), err)
                 : dpk_fail(err, DPK_ERR_FORMAT, "it is empty");
    for (const yaml_node_pair_t *p = n->data.mapping.pairs.start; p < n->data.mapping.pairs.top;
         p++) {
        const yaml_node_t *key = yaml_document_get_node(&f->document, p->key);
        const char *name = text_of(key);
        char clean[60];
        size_t i = 0;
        while (keys[i] && !(name && strcmp(name, keys[i]) == 0))
            i++;
        snprintf(clean, sizeof clean, "%.50s", name ? name : "");
        if (!keys[i] || values[i])
            return resource_at(key,
                               dpk_fail(err, DPK_ERR_FORMAT, "%s '%s'",
                                        keys[i] ? "twice:" : "unknown key", dpk_text_clean(clean)),
                               err);
        values[i] = yaml_document_get_node(&f->document, p->value);
    }
    return DPK_OK;
}

const yaml_node_t *resource_entry(struct resource_file *f, const yaml_node_t *list, size_t i)
{
    if (!list || list->type != YAML_SEQUENCE_NODE)
        return i == 0 ? list : NULL;
    const size_t count = (size_t)(list->data.sequence.items.top - list->data.sequence.items.start);
    return i < count ? yaml_document_get_node(&f->document, list->data.sequence.items.start[i])
                     : NULL;
}
