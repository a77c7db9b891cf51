/* Finds the mapping of a program in the file, and reads its lists of numbers. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/flexio/resources/resources.h"
#include "yaml/yaml.h"

#define DEPTH_MAX  8
#define VISITS_MAX 100000 /* limits files with nested aliases */
#define UNIT_LAST  255

struct search {
    yaml_document_t *file;
    const char *app;
    unsigned visits;
    struct dpk_error *err;
};

static bool is_text(const yaml_node_t *n, const char *text)
{
    const char *mine = dpk_yaml_text(n);
    return mine && strcasecmp(mine, text) == 0;
}

/* Returns the program's mapping in the file, or NULL. */
static yaml_node_t *find_app(struct search *s, yaml_node_t *n, unsigned depth)
{
    yaml_node_t *found = NULL;
    if (!n || depth > DEPTH_MAX || ++s->visits > VISITS_MAX)
        return NULL;
    if (n->type == YAML_SEQUENCE_NODE)
        for (yaml_node_item_t *i = n->data.sequence.items.start;
             !found && i < n->data.sequence.items.top; i++)
            found = find_app(s, yaml_document_get_node(s->file, *i), depth + 1);
    if (n->type == YAML_MAPPING_NODE)
        for (yaml_node_pair_t *p = n->data.mapping.pairs.start;
             !found && p < n->data.mapping.pairs.top; p++) {
            yaml_node_t *value = yaml_document_get_node(s->file, p->value);
            if (value && value->type == YAML_MAPPING_NODE &&
                is_text(yaml_document_get_node(s->file, p->key), s->app))
                return value;
            found = find_app(s, value, depth + 1);
        }
    return found;
}

static enum dpk_status read_number(const char **at, uint32_t max, uint32_t *out,
                                   struct dpk_error *err)
{
    char *end = NULL;
    errno = 0;
    unsigned long value = strtoul(*at, &end, 10);
    if (**at < '0' || **at > '9' || errno || value > UINT32_MAX)
        return dpk_fail(err, DPK_ERR_FORMAT, "not a number: %.40s", *at);
    if (value > max)
        return dpk_fail(err, DPK_ERR_RANGE, "%lu: numbers go to %u here", value, max);
    *at = end;
    *out = (uint32_t)value;
    return DPK_OK;
}

/* Adds "7" or "4-7". `max`: the largest valid number. */
static enum dpk_status add_range(struct dpk_numbers *list, uint32_t max, const char *text,
                                 struct dpk_error *err)
{
    uint32_t first = 0, last = 0;
    enum dpk_status status = read_number(&text, max, &first, err);
    last = first;
    if (status == DPK_OK && *text == '-') {
        text++;
        status = read_number(&text, max, &last, err);
    }
    if (status != DPK_OK)
        return status;
    if (*text || last < first || last - first >= DPK_RESOURCES_MAX - list->count)
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "%u-%u%.40s: not a number or a range, or more than %d in all", first, last,
                        text, DPK_RESOURCES_MAX);
    for (uint32_t i = 0; i <= last - first; i++)
        list->numbers[list->count++] = first + i;
    return DPK_OK;
}

static enum dpk_status read_list(struct search *s, const yaml_node_t *n, uint32_t max,
                                 struct dpk_numbers *list)
{
    enum dpk_status status = DPK_OK;
    const yaml_node_t *item;
    if (n->type == YAML_SCALAR_NODE && n->data.scalar.length == 0)
        return DPK_OK;
    for (size_t i = 0; status == DPK_OK && (item = dpk_yaml_entry(s->file, n, i)); i++) {
        const char *text = dpk_yaml_text(item);
        if (!text)
            return dpk_yaml_at(n, dpk_fail(s->err, DPK_ERR_FORMAT, "a list of numbers is wanted"),
                               s->err);
        status = add_range(list, max, text, s->err);
    }
    return status;
}

static enum dpk_status read_app(struct search *s, const yaml_node_t *app, struct dpk_resources *res)
{
    enum dpk_status status = DPK_OK;
    for (yaml_node_pair_t *p = app->data.mapping.pairs.start;
         status == DPK_OK && p < app->data.mapping.pairs.top; p++) {
        const yaml_node_t *key = yaml_document_get_node(s->file, p->key);
        const yaml_node_t *value = yaml_document_get_node(s->file, p->value);
        if (is_text(key, "eus"))
            status = read_list(s, value, UNIT_LAST, &res->units);
        else if (is_text(key, "eu_groups"))
            status = read_list(s, value, UINT32_MAX, &res->groups);
    }
    return status;
}

enum dpk_status dpk_resources_read(const char *app, const void *bytes, size_t size,
                                   struct dpk_resources *out, struct dpk_error *err)
{
    yaml_document_t file;
    struct search s = {&file, app, 0, err};
    *out = (struct dpk_resources){0};
    enum dpk_status status = dpk_yaml_read(bytes, size, &file, err);
    if (status != DPK_OK)
        return status;
    const yaml_node_t *found = find_app(&s, yaml_document_get_root_node(&file), 0);
    status = found ? read_app(&s, found, out)
                   : dpk_fail(err, DPK_ERR_NOT_FOUND, "the file has nothing for %s", app);
    yaml_document_delete(&file);
    return status;
}
