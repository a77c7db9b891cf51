/* Paths of flows: each flow takes one of the shortest paths, chosen at each switch by a hash of the
 * flow (equal-cost multipath). Its acknowledgements return on the same path. */
#include <stdlib.h>
#include <string.h>

#include "sim.h"

#define FAR UINT8_MAX

struct ways {
    struct sim *sim;
    uint32_t *first;    /* for each node, its first index in `out`; one extra element */
    uint32_t *out;      /* ports that leave it */
    uint32_t *queue;    /* queue of the search */
    uint8_t **distance; /* distances of all nodes to a node, for each node; NULL: not yet known */
};

void model_ways_free(struct ways *w)
{
    if (!w)
        return;
    for (uint32_t n = 0; w->distance && n < w->sim->net->node_count; n++)
        free(w->distance[n]);
    free(w->first);
    free(w->out);
    free(w->queue);
    free(w->distance);
    free(w);
}

struct ways *model_ways_new(struct sim *s)
{
    const uint32_t nodes = s->net->node_count;
    struct ways *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->sim = s;
    w->first = calloc(nodes + 1, sizeof *w->first);
    w->out = calloc(s->port_count + 1, sizeof *w->out);
    w->queue = calloc(nodes + 1, sizeof *w->queue);
    w->distance = calloc(nodes + 1, sizeof *w->distance);
    if (!w->first || !w->out || !w->queue || !w->distance) {
        model_ways_free(w);
        return NULL;
    }
    for (uint32_t p = 0; p < s->port_count; p++)
        w->first[s->ports[p].node + 1]++;
    for (uint32_t n = 0; n < nodes; n++)
        w->first[n + 1] += w->first[n];
    for (uint32_t p = s->port_count; p-- > 0;) { /* fills each node's ports from the end */
        const uint32_t node = s->ports[p].node;
        w->out[--w->first[node + 1]] = p;
    }
    memmove(w->first, w->first + 1, nodes * sizeof *w->first);
    w->first[nodes] = s->port_count;
    return w;
}

/* Returns the distance of each node to `to`, in links. Hosts do not forward. */
static const uint8_t *distances(struct ways *w, uint32_t to)
{
    const struct sim *s = w->sim;
    if (w->distance[to])
        return w->distance[to];
    uint8_t *far = malloc(s->net->node_count);
    if (!far)
        return NULL;
    memset(far, FAR, s->net->node_count);
    uint32_t head = 0, tail = 0;
    far[to] = 0;
    w->queue[tail++] = to;
    while (head < tail) {
        const uint32_t at = w->queue[head++];
        if (far[at] > CC_HOPS_MAX || (at != to && !s->nodes[at].is_switch))
            continue;
        for (uint32_t i = w->first[at]; i < w->first[at + 1]; i++) {
            const uint32_t next = s->ports[w->out[i]].peer;
            if (far[next] == FAR && !s->ports[w->out[i]].down) {
                far[next] = (uint8_t)(far[at] + 1);
                w->queue[tail++] = next;
            }
        }
    }
    return w->distance[to] = far;
}

static bool put_port(struct sim *s, uint32_t port)
{
    if (s->way_count == s->way_capacity) {
        const uint32_t capacity = s->way_capacity ? 2 * s->way_capacity : 1024;
        uint32_t *grown = realloc(s->ways, capacity * sizeof *grown);
        if (!grown)
            return false;
        s->ways = grown;
        s->way_capacity = capacity;
    }
    s->ways[s->way_count++] = port;
    return true;
}

static bool leads_nearer(const struct sim *s, const uint8_t *far, uint32_t at, uint32_t port)
{
    return far[s->ports[port].peer] + 1 == far[at] && !s->ports[port].down;
}

/* Chooses one of the ports that lead nearer. */
static uint32_t choose(struct ways *w, const uint8_t *far, uint32_t at, uint64_t hash)
{
    const struct sim *s = w->sim;
    uint32_t count = 0, port = NONE;
    for (uint32_t i = w->first[at]; i < w->first[at + 1]; i++)
        count += leads_nearer(s, far, at, w->out[i]);
    uint32_t wanted = count ? (uint32_t)((hash >> 32) * count >> 32) : 0;
    for (uint32_t i = w->first[at]; i < w->first[at + 1] && port == NONE; i++)
        if (leads_nearer(s, far, at, w->out[i]) && wanted-- == 0)
            port = w->out[i];
    return port;
}

/* Hosts of one switch share the distances to that switch. */
enum dpk_status model_ways_find(struct ways *w, struct flow *f, uint32_t index)
{
    struct sim *s = w->sim;
    const uint32_t last = s->nodes[f->to].port ^ 1, to = s->ports[last].node;
    const uint8_t *far = distances(w, to);
    if (!far)
        return dpk_fail_nomem(s->err);
    f->way = s->way_count;
    uint32_t at = f->from;
    while (at != to) {
        const uint32_t port =
            far[at] > CC_HOPS_MAX
                ? NONE
                : choose(w, far, at, model_cc_mix(s->hash ^ index ^ (uint64_t)at << 32));
        if (port == NONE)
            return dpk_fail(s->err, DPK_ERR_NOT_FOUND,
                            "no way of at most %d switches from %s to %s", CC_HOPS_MAX,
                            s->net->nodes[f->from].name, s->net->nodes[f->to].name);
        if (!put_port(s, port))
            return dpk_fail_nomem(s->err);
        at = s->ports[port].peer;
    }
    if (!put_port(s, last))
        return dpk_fail_nomem(s->err);
    f->length = (uint8_t)(s->way_count - f->way);
    if (f->length < 2 || f->length > CC_HOPS_MAX + 1)
        return dpk_fail(s->err, DPK_ERR_NOT_FOUND, "no way by a switch from %s to %s",
                        s->net->nodes[f->from].name, s->net->nodes[f->to].name);
    return DPK_OK;
}

static bool is_same_way(const struct sim *s, const struct flow *a, const struct flow *b)
{
    return a->length == b->length &&
           memcmp(s->ways + a->way, s->ways + b->way, a->length * sizeof *s->ways) == 0;
}

void model_ways_change(struct sim *s)
{
    struct ways *w = s->search;
    struct dpk_error *err = s->err;
    for (uint32_t n = 0; n < s->net->node_count; n++) {
        free(w->distance[n]);
        w->distance[n] = NULL;
    }
    s->err = NULL; /* a flow without a path is not an error here */
    for (uint32_t i = 0; i < s->flow_count; i++) {
        struct flow *f = &s->flows[i], found = *f;
        if (f->ended)
            continue;
        const uint32_t count = s->way_count;
        if (model_ways_find(w, &found, i) == DPK_OK && !is_same_way(s, f, &found)) {
            f->way = found.way;
            f->length = found.length;
        } else {
            s->way_count = count;
        }
    }
    s->err = err;
}
