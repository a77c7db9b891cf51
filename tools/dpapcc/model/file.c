/* Reads topology files: untrusted YAML, parsed by libyaml to a tree of known depth. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "keys.h"
#include "shapes.h"
#include "yaml/yaml.h"

#define FILE_MAX  ((size_t)16 << 20)
#define KEY_MAX   64
#define VALUE_MAX 128

struct file {
    yaml_document_t *tree;
    struct cc_topology *net;
    struct cc_workload *work;
    uint32_t *sorted; /* nodes sorted by name */
    struct dpk_error *err;
};

static const yaml_node_t *node_at(const struct file *f, int index)
{
    return yaml_document_get_node(f->tree, index);
}

static enum dpk_status at_line(const struct file *f, const yaml_node_t *n, enum dpk_status status)
{
    return dpk_yaml_at(n, status, f->err);
}

static enum dpk_status wrong(const struct file *f, const yaml_node_t *n, const char *wanted)
{
    return at_line(f, n, dpk_fail(f->err, DPK_ERR_FORMAT, "%s is wanted", wanted));
}

/* Returns false for a text that is too long to be a name or a number. */
static bool text_of(const yaml_node_t *n, char *out, size_t size)
{
    const char *text = dpk_yaml_text(n);
    if (!text || n->data.scalar.length >= size)
        return false;
    snprintf(out, size, "%s", text);
    dpk_text_clean_in(out, size);
    return true;
}

static const yaml_node_t *find_key(const struct file *f, const yaml_node_t *map, const char *name)
{
    for (const yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top;
         p++) {
        char key[KEY_MAX];
        if (text_of(node_at(f, p->key), key, sizeof key) && strcmp(key, name) == 0)
            return node_at(f, p->value);
    }
    return NULL;
}

/* Calls `each` for every item of a list. */
static enum dpk_status for_each(struct file *f, const yaml_node_t *list,
                                enum dpk_status (*each)(struct file *f, const yaml_node_t *item))
{
    if (list->type != YAML_SEQUENCE_NODE)
        return wrong(f, list, "a list");
    enum dpk_status status = DPK_OK;
    const yaml_node_t *item;
    for (size_t i = 0; status == DPK_OK && (item = dpk_yaml_entry(f->tree, list, i)); i++)
        status = at_line(f, item, each(f, item));
    return status;
}

/* Sets every key of a mapping except those in `others`. */
static enum dpk_status set_keys(struct file *f, const yaml_node_t *map, const char *const *others,
                                enum dpk_status (*set)(void *object, const char *key,
                                                       const char *value, struct dpk_error *err),
                                void *object)
{
    enum dpk_status status = DPK_OK;
    for (const yaml_node_pair_t *p = map->data.mapping.pairs.start;
         status == DPK_OK && p < map->data.mapping.pairs.top; p++) {
        char key[KEY_MAX], value[VALUE_MAX];
        bool other = false;
        if (!text_of(node_at(f, p->key), key, sizeof key))
            return at_line(f, node_at(f, p->key),
                           dpk_fail(f->err, DPK_ERR_FORMAT, "a key that is a word is wanted"));
        for (size_t i = 0; others[i]; i++)
            other = other || strcmp(key, others[i]) == 0;
        if (other)
            continue;
        if (!text_of(node_at(f, p->value), value, sizeof value))
            return at_line(f, node_at(f, p->key),
                           dpk_fail(f->err, DPK_ERR_FORMAT, "%s: a value is wanted", key));
        status = at_line(f, node_at(f, p->key), set(object, key, value, f->err));
    }
    return status;
}

/* ---- Nodes and links ---- */

static enum dpk_status add_node(struct file *f, const yaml_node_t *item, bool is_switch)
{
    char name[CC_NAME_MAX];
    if (!text_of(item, name, sizeof name) || !*name)
        return dpk_fail(f->err, DPK_ERR_FORMAT, "a name of 1 to %d bytes is wanted",
                        CC_NAME_MAX - 1);
    return model_shape_add_node(f->net, name, is_switch, f->err);
}

static enum dpk_status add_host(struct file *f, const yaml_node_t *item)
{
    return add_node(f, item, false);
}

static enum dpk_status add_switch(struct file *f, const yaml_node_t *item)
{
    return add_node(f, item, true);
}

static int compare_nodes(const void *a, const void *b, void *nodes)
{
    const struct cc_node *list = nodes;
    return strcmp(list[*(const uint32_t *)a].name, list[*(const uint32_t *)b].name);
}

static enum dpk_status sort_nodes(struct file *f)
{
    const uint32_t count = f->net->node_count;
    f->sorted = calloc(count + 1, sizeof *f->sorted);
    if (!f->sorted)
        return dpk_fail_nomem(f->err);
    for (uint32_t i = 0; i < count; i++)
        f->sorted[i] = i;
    qsort_r(f->sorted, count, sizeof *f->sorted, compare_nodes, f->net->nodes);
    for (uint32_t i = 1; i < count; i++)
        if (compare_nodes(&f->sorted[i - 1], &f->sorted[i], f->net->nodes) == 0)
            return dpk_fail(f->err, DPK_ERR_EXISTS, "two nodes have the name %s",
                            f->net->nodes[f->sorted[i]].name);
    return DPK_OK;
}

static enum dpk_status find_node(struct file *f, const char *name, uint32_t *out)
{
    uint32_t low = 0, high = f->net->node_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const int order = strcmp(name, f->net->nodes[f->sorted[middle]].name);
        if (order == 0) {
            *out = f->sorted[middle];
            return DPK_OK;
        }
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return dpk_fail(f->err, DPK_ERR_NOT_FOUND, "no node \"%s\"", name);
}

static enum dpk_status set_link(void *link, const char *key, const char *value,
                                struct dpk_error *err)
{
    return model_keys_set_link(link, key, value, err);
}

static enum dpk_status add_link(struct file *f, const yaml_node_t *item)
{
    static const char *const ends[] = {"from", "to", NULL};
    char names[2][CC_NAME_MAX];
    uint32_t nodes[2];
    if (item->type != YAML_MAPPING_NODE)
        return dpk_fail(f->err, DPK_ERR_FORMAT, "{from: NODE, to: NODE} is wanted");
    enum dpk_status status = DPK_OK;
    for (unsigned i = 0; i < 2 && status == DPK_OK; i++) {
        const yaml_node_t *end = find_key(f, item, ends[i]);
        if (!text_of(end, names[i], sizeof names[i]))
            return dpk_fail(f->err, DPK_ERR_FORMAT, "a link has `from` and `to`, which are nodes");
        status = find_node(f, names[i], &nodes[i]);
    }
    if (status == DPK_OK)
        status = model_shape_add_link(f->net, nodes[0], nodes[1], f->err);
    if (status != DPK_OK)
        return status;
    return set_keys(f, item, ends, set_link, &f->net->links[f->net->link_count - 1]);
}

static enum dpk_status set_failure(void *failure, const char *key, const char *value,
                                   struct dpk_error *err)
{
    return model_keys_set_failure(failure, key, value, err);
}

static enum dpk_status add_failure(struct file *f, const yaml_node_t *item)
{
    static const char *const ends[] = {"from", "to", NULL};
    char from[CC_NAME_MAX], to[CC_NAME_MAX];
    struct cc_failure failure = {0};
    if (item->type != YAML_MAPPING_NODE || !text_of(find_key(f, item, "from"), from, sizeof from) ||
        !text_of(find_key(f, item, "to"), to, sizeof to) || !find_key(f, item, "down"))
        return dpk_fail(f->err, DPK_ERR_FORMAT,
                        "{from: NODE, to: NODE, down: TIME, up: TIME} is wanted");
    enum dpk_status status = set_keys(f, item, ends, set_failure, &failure);
    return status == DPK_OK ? model_shape_add_failure(f->net, from, to, &failure, f->err) : status;
}

static enum dpk_status read_custom(struct file *f, const yaml_node_t *root)
{
    const yaml_node_t *hosts = find_key(f, root, "hosts"),
                      *switches = find_key(f, root, "switches"),
                      *links = find_key(f, root, "links");
    if (f->net->shape != CC_CUSTOM) {
        const yaml_node_t *list = hosts ? hosts : switches ? switches : links;
        return list ? at_line(f, list,
                              dpk_fail(f->err, DPK_ERR_FORMAT,
                                       "hosts, switches and links are for `topology: custom`"))
                    : model_shape_build(f->net, f->err);
    }
    if (!hosts || !switches || !links)
        return dpk_fail(f->err, DPK_ERR_FORMAT,
                        "`topology: custom` has the lists hosts, switches and links");
    enum dpk_status status = for_each(f, hosts, add_host);
    if (status == DPK_OK)
        status = for_each(f, switches, add_switch);
    if (status == DPK_OK)
        status = sort_nodes(f);
    return status == DPK_OK ? for_each(f, links, add_link) : status;
}

/* ---- Parameters and workload ---- */

static enum dpk_status set_topology(void *net, const char *key, const char *value,
                                    struct dpk_error *err)
{
    return model_keys_set_topology(net, key, value, err);
}

/* Sets a group of keys: "ecn: {kmin: 5K}" sets ecn.kmin. */
static enum dpk_status set_group(struct file *f, const char *group, const yaml_node_t *map)
{
    enum dpk_status status = DPK_OK;
    for (const yaml_node_pair_t *p = map->data.mapping.pairs.start;
         status == DPK_OK && p < map->data.mapping.pairs.top; p++) {
        char key[KEY_MAX], full[2 * KEY_MAX], value[VALUE_MAX];
        const yaml_node_t *name = node_at(f, p->key);
        if (!text_of(name, key, sizeof key) || !text_of(node_at(f, p->value), value, sizeof value))
            return wrong(f, name, "KEY: VALUE");
        snprintf(full, sizeof full, "%s.%s", group, key);
        status = at_line(f, name, model_keys_set_topology(f->net, full, value, f->err));
    }
    return status;
}

static enum dpk_status read_parameters(struct file *f, const yaml_node_t *root)
{
    static const char *const groups[] = {"core", "ecn", "pfc", NULL};
    static const char *const others[] = {"topology", "workload", "hosts", "switches", "links",
                                         "core",     "ecn",      "pfc",   "failures", NULL};
    enum dpk_status status = set_keys(f, root, others, set_topology, f->net);
    for (size_t i = 0; groups[i] && status == DPK_OK; i++) {
        const yaml_node_t *group = find_key(f, root, groups[i]);
        if (group && group->type != YAML_MAPPING_NODE)
            return wrong(f, group, "{KEY: VALUE}");
        if (group)
            status = set_group(f, groups[i], group);
    }
    return status;
}

static enum dpk_status set_work(void *work, const char *key, const char *value,
                                struct dpk_error *err)
{
    return model_keys_set_work(work, key, value, err);
}

static enum dpk_status add_work(struct file *f, const yaml_node_t *item)
{
    static const char *const others[] = {"kind", NULL};
    struct cc_work work;
    char kind[VALUE_MAX];
    if (item->type != YAML_MAPPING_NODE || !text_of(find_key(f, item, "kind"), kind, sizeof kind))
        return dpk_fail(f->err, DPK_ERR_FORMAT,
                        "{kind: long, bursts, poisson, flow or trace, ...} is wanted");
    enum dpk_status status = model_keys_default_work(kind, &work, f->err);
    if (status == DPK_OK)
        status = set_keys(f, item, others, set_work, &work);
    return status == DPK_OK ? model_keys_add_work(f->work, &work, f->err) : status;
}

static enum dpk_status read_root(struct file *f, const yaml_node_t *root)
{
    char shape[VALUE_MAX];
    if (!root || root->type != YAML_MAPPING_NODE)
        return dpk_fail(f->err, DPK_ERR_FORMAT, "a topology file has `topology: NAME` first");
    const yaml_node_t *name = find_key(f, root, "topology"), *work = find_key(f, root, "workload"),
                      *failures = find_key(f, root, "failures");
    if (!text_of(name, shape, sizeof shape))
        return dpk_fail(f->err, DPK_ERR_FORMAT, "a topology file has `topology: NAME`");
    enum dpk_status status = at_line(f, name, model_keys_default_topology(shape, f->net, f->err));
    if (status == DPK_OK)
        status = read_parameters(f, root);
    if (status == DPK_OK)
        status = read_custom(f, root);
    if (status == DPK_OK && failures)
        status = for_each(f, failures, add_failure);
    if (status == DPK_OK)
        status = model_shape_check(f->net, f->err);
    if (status == DPK_OK && work)
        return for_each(f, work, add_work);
    if (status == DPK_OK)
        status = model_keys_add_work(f->work, &(struct cc_work){.kind = CC_LONG}, f->err);
    return status;
}

enum dpk_status model_cc_read(const void *bytes, size_t size, struct cc_topology *net,
                              struct cc_workload *work, struct dpk_error *err)
{
    yaml_document_t tree;
    struct file f = {&tree, net, work, NULL, err};
    if (size > FILE_MAX)
        return dpk_fail(err, DPK_ERR_RANGE, "%zu bytes are too many for a topology file", size);
    enum dpk_status status = dpk_yaml_read(bytes, size, &tree, err);
    if (status == DPK_OK) {
        status = read_root(&f, yaml_document_get_root_node(&tree));
        yaml_document_delete(&tree);
    }
    free(f.sorted);
    if (status != DPK_OK) {
        model_cc_topology_free(net);
        model_cc_workload_free(work);
    }
    return status;
}
