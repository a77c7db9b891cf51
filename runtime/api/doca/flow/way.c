/* Destinations of a pipe's frames: receive queues, another pipe, or drop. */
#include "flow.h"

#define RULES_MAX  7 /* of RSS: IPv4 and IPv6 with UDP, TCP, or neither, and others */
#define PRIORITIES 4 /* of rules, for one of an entry */
#define QUEUES     65535
enum { TCP = 6, UDP = 17 };

struct flow_way {
    struct dpk_flow_rule *rules[RULES_MAX];
    struct dpk_flow_tir *tirs[RULES_MAX];
    struct dpk_flow_rqt *rqt;
    struct flow_pipe *next;        /* a use */
    struct dpk_flow_spread spread; /* over the entries of `next` */
    struct flow_rule rule;
    unsigned count;
};

/* ---- Checks ---- */

static doca_error_t check_rss(struct flow_port *port, const struct doca_flow_fwd *fwd)
{
    const uint32_t known =
        DOCA_FLOW_RSS_IPV4 | DOCA_FLOW_RSS_IPV6 | DOCA_FLOW_RSS_UDP | DOCA_FLOW_RSS_TCP;
    if (fwd->rss_type == DOCA_FLOW_RESOURCE_TYPE_SHARED)
        return flow_cannot("shared RSS");
    if (!fwd->rss.queues_array || fwd->rss.nr_queues <= 0 || fwd->rss.nr_queues > QUEUES)
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                "fwd.rss has %d queues, or no queues_array; 1 to %d are possible",
                                fwd->rss.nr_queues, QUEUES);
    if (fwd->rss.outer_flags & ~known || fwd->rss.inner_flags)
        return flow_cannot("RSS of inner headers, or of others than IP, TCP and UDP,");
    for (int i = 0; i < fwd->rss.nr_queues; i++)
        if (dpk_dev_receiver(port->dev, fwd->rss.queues_array[i]) == 0)
            return dpk_doca_because(DOCA_ERROR_NOT_FOUND,
                                    "no running receive queue of the device has id %u "
                                    "(doca_eth_rxq_apply_queue_id)",
                                    fwd->rss.queues_array[i]);
    return DOCA_SUCCESS;
}

static doca_error_t check_pipe(const struct flow_port *port, const struct doca_flow_fwd *fwd,
                               bool sent)
{
    struct flow_pipe *next = dpk_object_pin(fwd->next_pipe, &flow_pipe_kind);
    const bool good = next && next->port == port && next->settings.sent == sent;
    dpk_object_drop(next);
    return good ? DOCA_SUCCESS
                : dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                   "fwd.next_pipe is not a pipe of this port and domain");
}

static doca_error_t check_hash_pipe(const struct flow_port *port, const struct doca_flow_fwd *fwd,
                                    bool sent)
{
    const uint32_t algorithm = fwd->hash_pipe.algorithm;
    struct flow_pipe *next = dpk_object_pin(fwd->hash_pipe.pipe, &flow_pipe_kind);
    const bool good = next && next->port == port && next->settings.sent == sent && next->hash;
    const bool known = good && algorithm && (algorithm & ~next->settings.algorithms) == 0 &&
                       (algorithm & (algorithm - 1)) == 0;
    dpk_object_drop(next);
    if (!good)
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                "fwd.hash_pipe.pipe is not a hash pipe of this port and domain");
    return known ? DOCA_SUCCESS
                 : dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                    "fwd.hash_pipe.algorithm is not one algorithm of the pipe "
                                    "(doca_flow_pipe_cfg_set_hash_map_algorithm)");
}

static doca_error_t check_port(const struct flow_port *port, const struct doca_flow_fwd *fwd,
                               bool sent)
{
    if (!sent)
        return flow_cannot("forwarding received frames to a port");
    return fwd->port_id == port->id ? DOCA_SUCCESS : flow_cannot("forwarding to another port");
}

doca_error_t flow_way_check(struct flow_port *port, const struct doca_flow_fwd *fwd, bool sent)
{
    switch (fwd->type) {
    case DOCA_FLOW_FWD_DROP:
        return DOCA_SUCCESS;
    case DOCA_FLOW_FWD_RSS:
        return sent ? flow_cannot("RSS of sent frames") : check_rss(port, fwd);
    case DOCA_FLOW_FWD_PIPE:
        return check_pipe(port, fwd, sent);
    case DOCA_FLOW_FWD_HASH_PIPE:
        return check_hash_pipe(port, fwd, sent);
    case DOCA_FLOW_FWD_PORT:
        return check_port(port, fwd, sent);
    case DOCA_FLOW_FWD_TARGET:
    case DOCA_FLOW_FWD_ORDERED_LIST_PIPE:
    case DOCA_FLOW_FWD_CHANGEABLE:
        return flow_cannot("forwarding to anything but queues, pipes and nothing");
    default:
        return DOCA_ERROR_INVALID_VALUE;
    }
}

/* ---- Rules ---- */

/* Adds the changes of the way's rule to actions, in their order. */
static void add_changes(const struct flow_changes *c, struct dpk_flow_actions *out)
{
    struct dpk_flow_change *next = out->changes;
    if (c->counter)
        *next++ = (struct dpk_flow_change){.kind = DPK_FLOW_COUNT, .counter = c->counter};
    if (c->unwraps)
        *next++ = (struct dpk_flow_change){.kind = DPK_FLOW_UNWRAP};
    if (c->pops)
        *next++ = (struct dpk_flow_change){.kind = DPK_FLOW_POP_VLAN};
    if (c->set_count > 0)
        *next++ = (struct dpk_flow_change){
            .kind = DPK_FLOW_MODIFY, .modifications = c->sets, .size = c->set_count};
    if (c->pushes)
        *next++ = (struct dpk_flow_change){.kind = DPK_FLOW_PUSH_VLAN, .value = c->tag};
    if (c->header_size > 0)
        *next++ = (struct dpk_flow_change){
            .kind = DPK_FLOW_WRAP, .header = c->header, .size = c->header_size};
    out->change_count = (unsigned)(next - out->changes);
}

/* Narrows a match by the value of a byte's bits. Returns false if no frame can match any more. */
static bool narrow(struct dpk_match *m, unsigned at, uint8_t mask, uint8_t value)
{
    const uint8_t both = m->mask[at] & mask;
    if ((m->value[at] ^ value) & both)
        return false;
    m->mask[at] |= mask;
    m->value[at] = (uint8_t)((m->value[at] & ~mask) | (value & mask));
    return true;
}

static doca_error_t add_rule(struct flow_way *w, struct flow_pipe *pipe,
                             const struct dpk_match *match, unsigned later,
                             const struct dpk_flow_target *target)
{
    struct dpk_flow_actions actions = {.targets = {*target}, .target_count = 1};
    add_changes(&w->rule.changes, &actions);
    struct dpk_flow_rule *rule =
        dpk_flow_rule_new(pipe->table, match, w->rule.priority * PRIORITIES + later, &actions);
    if (!rule)
        return DOCA_ERROR_NO_MEMORY;
    w->rules[w->count++] = rule;
    return DOCA_SUCCESS;
}

/* Adds a receiver that hashes these fields (0: any), and the rule that leads to it. */
static doca_error_t add_receiver(struct flow_way *w, struct flow_pipe *pipe,
                                 const struct doca_flow_resource_rss_cfg *cfg, unsigned version,
                                 unsigned protocol, unsigned later)
{
    /* The key of Microsoft's RSS examples, which drivers use. */
    static const uint8_t key[DPK_RSS_KEY] = {
        0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3,
        0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3,
        0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa};
    struct dpk_error err = {0};
    struct dpk_match match = w->rule.match;
    if ((version && !narrow(&match, DPK_MATCH_TAGS, 0xf << DPK_MATCH_VERSION_SHIFT,
                            (uint8_t)(version << DPK_MATCH_VERSION_SHIFT))) ||
        (protocol && !narrow(&match, DPK_MATCH_PROTOCOL, UINT8_MAX, (uint8_t)protocol)))
        return DOCA_SUCCESS;
    struct dpk_rss rss = {
        .hashes = version != 0,
        .symmetric = cfg->rss_hash_func == DOCA_FLOW_RSS_HASH_FUNCTION_SYMMETRIC_TOEPLITZ,
        .ipv6 = version == 6,
        .udp = protocol == UDP,
        .fields = DPK_RSS_SOURCE | DPK_RSS_DESTINATION |
                  (protocol ? DPK_RSS_SOURCE_PORT | DPK_RSS_DESTINATION_PORT : 0u)};
    memcpy(rss.key, key, sizeof key);
    struct dpk_flow_tir **tir = &w->tirs[w->count];
    if (dpk_flow_tir_new(pipe->port->steering, &rss, false, dpk_flow_rqt_number(w->rqt), tir,
                         &err) != DPK_OK)
        return dpk_doca_error_of(&err);
    return add_rule(w, pipe, &match, later,
                    &(struct dpk_flow_target){.kind = DPK_FLOW_TIR, .tir = *tir});
}

/* Rules that match more fields have a higher priority. */
static doca_error_t add_receivers(struct flow_way *w, struct flow_pipe *pipe,
                                  const struct doca_flow_resource_rss_cfg *cfg)
{
    static const struct {
        uint32_t flags;
        unsigned version, protocol, later;
    } all[RULES_MAX] = {
        {DOCA_FLOW_RSS_IPV4 | DOCA_FLOW_RSS_UDP, 4, UDP, 0},
        {DOCA_FLOW_RSS_IPV4 | DOCA_FLOW_RSS_TCP, 4, TCP, 0},
        {DOCA_FLOW_RSS_IPV6 | DOCA_FLOW_RSS_UDP, 6, UDP, 0},
        {DOCA_FLOW_RSS_IPV6 | DOCA_FLOW_RSS_TCP, 6, TCP, 0},
        {DOCA_FLOW_RSS_IPV4, 4, 0, 1},
        {DOCA_FLOW_RSS_IPV6, 6, 0, 1},
        {0, 0, 0, 2},
    };
    doca_error_t result = DOCA_SUCCESS;
    for (size_t i = 0; i < RULES_MAX && result == DOCA_SUCCESS; i++)
        if ((cfg->outer_flags & all[i].flags) == all[i].flags)
            result = add_receiver(w, pipe, cfg, all[i].version, all[i].protocol, all[i].later);
    return result;
}

static doca_error_t add_queues(struct flow_way *w, struct flow_pipe *pipe,
                               const struct doca_flow_fwd *fwd)
{
    struct dpk_error err = {0};
    const uint32_t count = (uint32_t)fwd->rss.nr_queues;
    uint32_t *numbers = calloc(count, sizeof *numbers);
    if (!numbers)
        return DOCA_ERROR_NO_MEMORY;
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = dpk_dev_receiver(pipe->port->dev, fwd->rss.queues_array[i]);
    const enum dpk_status status =
        dpk_flow_rqt_new(pipe->port->steering, numbers, count, &w->rqt, &err);
    free(numbers);
    return status == DPK_OK ? add_receivers(w, pipe, &fwd->rss) : dpk_doca_error_of(&err);
}

/* Returns the pipe with a use, or NULL if the program destroyed the pipe. A pipe whose handle is valid
 * after the use began stays until the use ends. */
static struct flow_pipe *use_pipe(const struct doca_flow_pipe *handle)
{
    struct flow_pipe *p = dpk_object_pin(handle, &flow_pipe_kind);
    if (!p)
        return NULL;
    dpk_object_use(p);
    dpk_object_drop(p);
    void *const valid = dpk_object_pin(handle, &flow_pipe_kind);
    dpk_object_drop(valid);
    if (valid)
        return p;
    dpk_object_unuse(p);
    return NULL;
}

/* Adds the rule of a way that is not RSS. */
static doca_error_t add_target(struct flow_way *w, struct flow_pipe *pipe,
                               const struct doca_flow_fwd *fwd)
{
    struct dpk_flow_target target = {.kind = DPK_FLOW_DROP};
    if (!fwd || fwd->type == DOCA_FLOW_FWD_PORT) {
        target.kind = DPK_FLOW_MISS;
    } else if (fwd->type == DOCA_FLOW_FWD_PIPE) {
        if (!(w->next = use_pipe(fwd->next_pipe)))
            return DOCA_ERROR_INVALID_VALUE;
        const struct flow_hash *h = w->next->hash;
        target = (struct dpk_flow_target){.kind = DPK_FLOW_TABLE,
                                          .table = h ? h->entrance : w->next->table};
    } else if (fwd->type == DOCA_FLOW_FWD_HASH_PIPE) {
        if (!(w->next = use_pipe(fwd->hash_pipe.pipe)))
            return DOCA_ERROR_INVALID_VALUE;
        const doca_error_t result =
            flow_hash_spread(&w->next->settings, fwd->hash_pipe.algorithm, &w->spread);
        if (result != DOCA_SUCCESS)
            return result;
        target = (struct dpk_flow_target){
            .kind = DPK_FLOW_SPREAD, .table = w->next->table, .spread = &w->spread};
    }
    return add_rule(w, pipe, &w->rule.match, 0, &target);
}

doca_error_t flow_way_new(struct flow_pipe *pipe, const struct doca_flow_fwd *fwd,
                          const struct flow_rule *rule, struct flow_way **out)
{
    doca_error_t result = fwd ? flow_way_check(pipe->port, fwd, pipe->settings.sent) : DOCA_SUCCESS;
    struct flow_way *w = result == DOCA_SUCCESS ? calloc(1, sizeof *w) : NULL;
    if (!w)
        return result == DOCA_SUCCESS ? DOCA_ERROR_NO_MEMORY : result;
    w->rule = *rule;
    result =
        fwd && fwd->type == DOCA_FLOW_FWD_RSS ? add_queues(w, pipe, fwd) : add_target(w, pipe, fwd);
    if (result == DOCA_SUCCESS)
        *out = w;
    else
        flow_way_free(w);
    return result;
}

void flow_way_free(struct flow_way *w)
{
    if (!w)
        return;
    for (unsigned i = 0; i < RULES_MAX; i++) {
        if (w->rules[i])
            dpk_flow_rule_free(w->rules[i]);
        if (w->tirs[i])
            dpk_flow_tir_free(w->tirs[i]);
    }
    if (w->rqt)
        dpk_flow_rqt_free(w->rqt);
    if (w->next)
        dpk_object_unuse(w->next);
    free(w);
}
