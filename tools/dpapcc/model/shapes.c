/* Builds the shapes. Hosts are the first nodes, in the order of their pairs; then come switches. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "shapes.h"

bool model_shape_has_room(void **array, uint32_t count, size_t size)
{
    if (count & (count - 1))
        return true;
    void *grown = realloc(*array, (count ? 2 * (size_t)count : 1) * size);
    if (grown)
        *array = grown;
    return grown != NULL;
}

enum dpk_status model_shape_add_node(struct cc_topology *net, const char *name, bool is_switch,
                                     struct dpk_error *err)
{
    if (net->node_count == CC_NODES_MAX)
        return dpk_fail(err, DPK_ERR_RANGE, "more than %d nodes", CC_NODES_MAX);
    void *nodes = net->nodes;
    if (!model_shape_has_room(&nodes, net->node_count, sizeof *net->nodes))
        return dpk_fail_nomem(err);
    net->nodes = nodes;
    struct cc_node *node = &net->nodes[net->node_count++];
    snprintf(node->name, sizeof node->name, "%s", name);
    node->is_switch = is_switch;
    return DPK_OK;
}

enum dpk_status model_shape_add_link(struct cc_topology *net, uint32_t from, uint32_t to,
                                     struct dpk_error *err)
{
    if (net->link_count == CC_LINKS_MAX)
        return dpk_fail(err, DPK_ERR_RANGE, "more than %d links", CC_LINKS_MAX);
    void *links = net->links;
    if (!model_shape_has_room(&links, net->link_count, sizeof *net->links))
        return dpk_fail_nomem(err);
    net->links = links;
    const bool core = net->nodes[from].is_switch && net->nodes[to].is_switch;
    net->links[net->link_count++] = (struct cc_link){
        from, to, core && net->core_rate_mbps ? net->core_rate_mbps : net->rate_mbps,
        core && net->core_delay_ns ? net->core_delay_ns : net->delay_ns};
    return DPK_OK;
}

/* Returns the index of a link between two nodes, or link_count if there is none. */
static uint32_t find_link(const struct cc_topology *net, const char *from, const char *to)
{
    uint32_t i = 0;
    for (; i < net->link_count; i++) {
        const char *a = net->nodes[net->links[i].from].name, *b = net->nodes[net->links[i].to].name;
        if ((strcmp(a, from) == 0 && strcmp(b, to) == 0) ||
            (strcmp(a, to) == 0 && strcmp(b, from) == 0))
            break;
    }
    return i;
}

/* Says that there is no such link, and names the first ones that there are. */
static enum dpk_status no_link(const struct cc_topology *net, const char *from, const char *to,
                               struct dpk_error *err)
{
    char links[4 * (2 * CC_NAME_MAX + 3)] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < net->link_count && i < 4; i++)
        used += (size_t)snprintf(links + used, sizeof links - used, "%s%s,%s", i ? " " : "",
                                 net->nodes[net->links[i].from].name,
                                 net->nodes[net->links[i].to].name);
    return dpk_fail(err, DPK_ERR_NOT_FOUND,
                    "there is no link between %s and %s to fail; the links are %s%s", from, to,
                    links, net->link_count > 4 ? " ..." : "");
}

enum dpk_status model_shape_add_failure(struct cc_topology *net, const char *from, const char *to,
                                        const struct cc_failure *failure, struct dpk_error *err)
{
    const uint32_t link = find_link(net, from, to);
    if (link == net->link_count)
        return no_link(net, from, to, err);
    if (net->failure_count == CC_FAILURES_MAX)
        return dpk_fail(err, DPK_ERR_RANGE, "more than %d failures of links", CC_FAILURES_MAX);
    void *failures = net->failures;
    if (!model_shape_has_room(&failures, net->failure_count, sizeof *net->failures))
        return dpk_fail_nomem(err);
    net->failures = failures;
    net->failures[net->failure_count] = *failure;
    net->failures[net->failure_count++].link = link;
    return DPK_OK;
}

/* Adds `count` nodes: name0, name1 ... */
static enum dpk_status add_nodes(struct cc_topology *net, const char *prefix, uint32_t count,
                                 bool is_switch, struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    for (uint32_t i = 0; i < count && status == DPK_OK; i++) {
        char name[CC_NAME_MAX];
        snprintf(name, sizeof name, "%s%" PRIu32, prefix, i);
        status = model_shape_add_node(net, name, is_switch, err);
    }
    return status;
}

/* ---- Shapes ---- */

static enum dpk_status build_dumbbell(struct cc_topology *net, struct dpk_error *err)
{
    const uint32_t n = net->senders, left = 2 * n, right = 2 * n + 1;
    enum dpk_status status = add_nodes(net, "sender", n, false, err);
    if (status == DPK_OK)
        status = add_nodes(net, "receiver", n, false, err);
    if (status == DPK_OK)
        status = add_nodes(net, "switch", 2, true, err);
    for (uint32_t i = 0; i < 2 * n && status == DPK_OK; i++)
        status = model_shape_add_link(net, i, i < n ? left : right, err);
    return status == DPK_OK ? model_shape_add_link(net, left, right, err) : status;
}

static enum dpk_status build_incast(struct cc_topology *net, struct dpk_error *err)
{
    const uint32_t n = net->senders;
    enum dpk_status status = add_nodes(net, "sender", n, false, err);
    if (status == DPK_OK)
        status = model_shape_add_node(net, "receiver", false, err);
    if (status == DPK_OK)
        status = model_shape_add_node(net, "switch", true, err);
    for (uint32_t i = 0; i <= n && status == DPK_OK; i++)
        status = model_shape_add_link(net, i, n + 1, err);
    return status;
}

/* Hosts 0 and 1 are the ends of the long flow; hosts 2i + 2 and 2i + 3 are the ends of the flow
 * across link i. */
static enum dpk_status build_parking_lot(struct cc_topology *net, struct dpk_error *err)
{
    const uint32_t n = net->senders, first = 2 * n + 2;
    enum dpk_status status = add_nodes(net, "host", first, false, err);
    if (status == DPK_OK)
        status = add_nodes(net, "switch", n + 1, true, err);
    if (status == DPK_OK)
        status = model_shape_add_link(net, 0, first, err);
    if (status == DPK_OK)
        status = model_shape_add_link(net, 1, first + n, err);
    for (uint32_t i = 0; i < n && status == DPK_OK; i++) {
        status = model_shape_add_link(net, 2 * i + 2, first + i, err);
        if (status == DPK_OK)
            status = model_shape_add_link(net, 2 * i + 3, first + i + 1, err);
        if (status == DPK_OK)
            status = model_shape_add_link(net, first + i, first + i + 1, err);
    }
    return status;
}

/* In a pod, all edge switches are linked with all aggregation switches. Aggregation switch i is
 * linked with k/2 cores, from i * k/2. */
static enum dpk_status build_fat_tree(struct cc_topology *net, struct dpk_error *err)
{
    const uint32_t k = net->k, half = k / 2, hosts = k * half * half;
    const uint32_t edges = hosts, aggregations = edges + k * half, cores = aggregations + k * half;
    enum dpk_status status = add_nodes(net, "host", hosts, false, err);
    if (status == DPK_OK)
        status = add_nodes(net, "edge", k * half, true, err);
    if (status == DPK_OK)
        status = add_nodes(net, "aggregation", k * half, true, err);
    if (status == DPK_OK)
        status = add_nodes(net, "core", half * half, true, err);
    for (uint32_t h = 0; h < hosts && status == DPK_OK; h++)
        status = model_shape_add_link(net, h, edges + h / half, err);
    for (uint32_t e = 0; e < k * half && status == DPK_OK; e++)
        for (uint32_t i = 0; i < half && status == DPK_OK; i++)
            status = model_shape_add_link(net, edges + e, aggregations + e / half * half + i, err);
    for (uint32_t a = 0; a < k * half && status == DPK_OK; a++)
        for (uint32_t i = 0; i < half && status == DPK_OK; i++)
            status = model_shape_add_link(net, aggregations + a, cores + a % half * half + i, err);
    return status;
}

enum dpk_status model_shape_build(struct cc_topology *net, struct dpk_error *err)
{
    switch (net->shape) {
    case CC_DUMBBELL:
        return build_dumbbell(net, err);
    case CC_INCAST:
        return build_incast(net, err);
    case CC_PARKING_LOT:
        return build_parking_lot(net, err);
    case CC_FAT_TREE:
        if (net->k % 2)
            return dpk_fail(err, DPK_ERR_RANGE, "k is %" PRIu32 "; that of a fat tree is even",
                            net->k);
        return build_fat_tree(net, err);
    default:
        return DPK_OK;
    }
}

/* ---- Pairs ---- */

uint32_t model_shape_pairs(const struct cc_topology *net)
{
    switch (net->shape) {
    case CC_DUMBBELL:
    case CC_INCAST:
        return net->senders;
    case CC_PARKING_LOT:
        return net->senders + 1;
    case CC_FAT_TREE:
        return net->k * net->k / 4 * net->k;
    default:
        return 0;
    }
}

void model_shape_pair(const struct cc_topology *net, uint32_t i, uint32_t *from, uint32_t *to)
{
    const uint32_t pairs = model_shape_pairs(net);
    i %= pairs;
    *from = i;
    *to = net->senders;
    if (net->shape == CC_DUMBBELL) {
        *to = i + net->senders;
    } else if (net->shape == CC_PARKING_LOT) {
        *from = 2 * i;
        *to = 2 * i + 1;
    } else if (net->shape == CC_FAT_TREE) {
        *to = (i + pairs / 2) % pairs; /* in another pod */
    }
}

/* ---- Checking ---- */

static enum dpk_status check_number(const char *name, uint64_t value, uint64_t least, uint64_t most,
                                    struct dpk_error *err)
{
    if (value >= least && value <= most)
        return DPK_OK;
    return dpk_fail(err, DPK_ERR_RANGE,
                    "%s is %" PRIu64 "; it is from %" PRIu64 " to %" PRIu64 " here", name, value,
                    least, most);
}

static enum dpk_status check_links(const struct cc_topology *net, uint32_t *degrees,
                                   struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    for (uint32_t i = 0; i < net->link_count && status == DPK_OK; i++) {
        const struct cc_link *l = &net->links[i];
        if (l->from >= net->node_count || l->to >= net->node_count || l->from == l->to)
            return dpk_fail(err, DPK_ERR_RANGE, "link %" PRIu32 " does not join two nodes", i);
        status = check_number("a link's rate in Mb/s", l->rate_mbps, 1, CC_RATE_MAX_MBPS, err);
        if (status == DPK_OK)
            status = check_number("a link's delay in ns", l->delay_ns, 0, CC_DELAY_MAX_NS, err);
        degrees[l->from]++;
        degrees[l->to]++;
    }
    for (uint32_t i = 0; i < net->node_count && status == DPK_OK; i++)
        if (!net->nodes[i].is_switch && degrees[i] != 1)
            return dpk_fail(err, DPK_ERR_FORMAT, "%s is a host with %" PRIu32 " links; it has one",
                            net->nodes[i].name, degrees[i]);
    return status;
}

static enum dpk_status check_failures(const struct cc_topology *net, struct dpk_error *err)
{
    for (uint32_t i = 0; i < net->failure_count; i++) {
        const struct cc_failure *f = &net->failures[i];
        if (f->link >= net->link_count)
            return dpk_fail(err, DPK_ERR_RANGE, "failure %" PRIu32 " is of no link", i);
        if (f->up_ns && f->up_ns <= f->down_ns)
            return dpk_fail(
                err, DPK_ERR_RANGE, "the link between %s and %s comes up before it goes down",
                net->nodes[net->links[f->link].from].name, net->nodes[net->links[f->link].to].name);
    }
    return DPK_OK;
}

enum dpk_status model_shape_check(const struct cc_topology *net, struct dpk_error *err)
{
    const uint64_t second = 1000000000, buffer_max = (uint64_t)1 << 30;
    const struct {
        const char *name;
        uint64_t value, least, most;
    } numbers[] = {
        {"mtu", net->mtu, 256, 4096},
        {"burst", net->burst, 1, 64},
        {"ack-every", net->ack_every, 1, 1024},
        {"cnp-interval", net->cnp_interval_ns, 0, second},
        {"timeout", net->timeout_ns, 1000, second},
        {"buffer", net->buffer, 16384, buffer_max},
        {"ecn.kmin", net->kmin, 0, buffer_max},
        {"ecn.kmax", net->kmax, 0, buffer_max},
        {"ecn.pmax", net->pmax, 0, 1000000},
        {"pfc.xoff", net->xoff, 0, buffer_max},
        {"pfc.xon", net->xon, 0, net->xoff},
        {"nodes", net->node_count, 3, CC_NODES_MAX},
        {"links", net->link_count, 2, CC_LINKS_MAX},
    };
    enum dpk_status status = DPK_OK;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && status == DPK_OK; i++)
        status =
            check_number(numbers[i].name, numbers[i].value, numbers[i].least, numbers[i].most, err);
    if (status == DPK_OK && net->kmin > net->kmax)
        status = dpk_fail(err, DPK_ERR_RANGE, "ecn.kmin is greater than ecn.kmax");
    if (status == DPK_OK)
        status = check_failures(net, err);
    if (status != DPK_OK)
        return status;
    uint32_t *degrees = calloc(net->node_count, sizeof *degrees);
    status = degrees ? check_links(net, degrees, err) : dpk_fail_nomem(err);
    free(degrees);
    return status;
}
