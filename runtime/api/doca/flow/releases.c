/* Structures of DOCA Flow of earlier releases, read as structures of DOCA 3. */
#include "flow.h"
#include "places.inc"

static const struct flow_places here = FLOW_PLACES;
static const struct flow_types here_types = FLOW_TYPES;

/* What is read, and by which types of headers its unions are understood. */
struct reading {
    const struct flow_layout *layout;
    bool is_mask; /* true: the bits of a mask, not a value */
    struct doca_flow_header_format types;
    unsigned tunnel;
};

/* ---- Fields ---- */

static unsigned type_at(const uint8_t *from, unsigned at)
{
    uint32_t type;
    memcpy(&type, from + at, sizeof type);
    return type;
}

/* Copies the valid fields of a part. Errors: NOT_SUPPORTED with the name of a field that DOCA 3 lacks. */
static doca_error_t copy_fields(const struct reading *r, const char *part,
                                const struct flow_place *from, const struct flow_place *to,
                                unsigned count, const uint8_t *source, uint8_t *target)
{
    for (unsigned i = 0; i < count; i++) {
        const unsigned size = from[i].size < to[i].size ? from[i].size : to[i].size;
        if (from[i].size == 0 || !flow_field_is_valid(from[i].when, &r->types, r->tunnel, false))
            continue;
        if (to[i].size == 0 && !flow_is_empty(source + from[i].at, from[i].size))
            return flow_cannot("%s.%s", part, from[i].name);
        memcpy(target + to[i].at, source + from[i].at, size);
    }
    return DOCA_SUCCESS;
}

static doca_error_t copy_meta(const struct reading *r, const uint8_t *from,
                              struct doca_flow_meta *to)
{
    const struct flow_places *p = &r->layout->places;
    return copy_fields(r, "meta", p->meta, here.meta, here.meta_count, from, (uint8_t *)to);
}

/* The number of VLAN tags in the numbers of DOCA 3. Other values stay as they are. */
static void fix_l2(const struct reading *r, enum doca_flow_l2_meta *type)
{
    enum { SINGLE_FIRST = 1, MULTI_SECOND = 2 };
    if (!r->layout->single_tag_first || r->is_mask)
        return;
    if ((unsigned)*type == SINGLE_FIRST)
        *type = DOCA_FLOW_L2_META_SINGLE_VLAN;
    else if ((unsigned)*type == MULTI_SECOND)
        *type = DOCA_FLOW_L2_META_MULTI_VLAN;
}

static doca_error_t copy_parser(const struct reading *r, const uint8_t *from,
                                struct doca_flow_parser_meta *to)
{
    const struct flow_places *p = &r->layout->places;
    const doca_error_t result = copy_fields(r, "parser_meta", p->parser, here.parser,
                                            here.parser_count, from, (uint8_t *)to);
    fix_l2(r, &to->outer_l2_type);
    fix_l2(r, &to->inner_l2_type);
    return result;
}

/* Returns the type by which headers are understood: their own type, or that of `like`, which counts first for
 * a mask. */
static unsigned choose_type(const struct reading *r, unsigned own, unsigned like, unsigned none)
{
    const unsigned first = r->is_mask ? like : own, second = r->is_mask ? own : like;
    return first ? first : second ? second : none;
}

/* Copies headers. The types that they do not have are those of `like`, which may be NULL. Without a type,
 * the bytes become those of the longest header, which is refused unless all are 0. */
static doca_error_t copy_header(struct reading *r, const uint8_t *from,
                                const struct doca_flow_header_format *like,
                                struct doca_flow_header_format *to)
{
    const struct flow_layout *l = r->layout;
    r->types.l3_type =
        choose_type(r, type_at(from, l->types.l3), like ? like->l3_type : 0, DOCA_FLOW_L3_TYPE_IP6);
    r->types.l4_type_ext = choose_type(r, type_at(from, l->types.l4), like ? like->l4_type_ext : 0,
                                       DOCA_FLOW_L4_TYPE_EXT_TCP);
    return copy_fields(r, "header", l->places.header, here.header, here.header_count, from,
                       (uint8_t *)to);
}

/* Copies a tunnel. The bytes of a tunnel other than VXLAN stay where they are. */
static doca_error_t copy_tunnel(struct reading *r, const uint8_t *from,
                                const struct doca_flow_tun *like, struct doca_flow_tun *to)
{
    const struct flow_layout *l = r->layout;
    r->tunnel =
        choose_type(r, type_at(from, l->types.tunnel), like ? like->type : 0, DOCA_FLOW_TUN_NONE);
    if (r->tunnel != DOCA_FLOW_TUN_VXLAN) {
        const unsigned size =
            l->types.rest_size < here_types.rest_size ? l->types.rest_size : here_types.rest_size;
        memcpy((uint8_t *)to + here_types.rest, from + l->types.rest, size);
    }
    return copy_fields(r, "tun", l->places.tunnel, here.tunnel, here.tunnel_count, from,
                       (uint8_t *)to);
}

/* ---- Structures ---- */

const struct doca_flow_match *flow_match_read(const struct flow_layout *layout,
                                              const struct doca_flow_match *match,
                                              const struct doca_flow_match *like, bool is_mask,
                                              struct doca_flow_match *out, doca_error_t *result)
{
    struct reading r = {.layout = layout, .is_mask = is_mask};
    const uint8_t *from = (const uint8_t *)match;
    if (!layout || !match || *result != DOCA_SUCCESS)
        return match;
    *out = (struct doca_flow_match){.flags = type_at(from, layout->match.flags)};
    *result = copy_meta(&r, from + layout->match.meta, &out->meta);
    if (*result == DOCA_SUCCESS)
        *result = copy_parser(&r, from + layout->match.parser, &out->parser_meta);
    if (*result == DOCA_SUCCESS)
        *result =
            copy_header(&r, from + layout->match.outer, like ? &like->outer : NULL, &out->outer);
    if (*result == DOCA_SUCCESS)
        *result = copy_tunnel(&r, from + layout->match.tunnel, like ? &like->tun : NULL, &out->tun);
    if (*result == DOCA_SUCCESS)
        *result =
            copy_header(&r, from + layout->match.inner, like ? &like->inner : NULL, &out->inner);
    return out;
}

/* Copies the headers that an action puts before a frame. Those of an entry may lack types, and the type of the
 * encapsulation: the types of the template count. */
static doca_error_t copy_encap(struct reading *r, const struct flow_other_actions *o,
                               const struct doca_flow_actions *like, struct doca_flow_actions *out)
{
    const bool has = like && like->encap_type == DOCA_FLOW_RESOURCE_TYPE_NON_SHARED;
    const struct doca_flow_encap_action *e = has ? &like->encap_cfg.encap : NULL;
    struct doca_flow_encap_action *to = &out->encap_cfg.encap;
    out->encap_type = o->encap_type;
    if (o->encap_type != DOCA_FLOW_RESOURCE_TYPE_NON_SHARED &&
        (o->encap_type != DOCA_FLOW_RESOURCE_TYPE_NONE || !has))
        return DOCA_SUCCESS;
    out->encap_cfg.is_l2 = o->encap_is_l2;
    doca_error_t result = copy_header(r, o->encap_outer, e ? &e->outer : NULL, &to->outer);
    if (result == DOCA_SUCCESS)
        result = copy_tunnel(r, o->encap_tunnel, e ? &e->tun : NULL, &to->tun);
    if (e && to->outer.l3_type == DOCA_FLOW_L3_TYPE_NONE)
        to->outer.l3_type = e->outer.l3_type;
    if (e && to->tun.type == DOCA_FLOW_TUN_NONE)
        to->tun.type = e->tun.type;
    return result;
}

static void copy_others(const struct flow_other_actions *o, struct doca_flow_actions *out)
{
    out->action_idx = o->index;
    out->flags = o->flags;
    out->decap_type = o->decap_type;
    if (o->decap_type == DOCA_FLOW_RESOURCE_TYPE_NON_SHARED)
        out->decap_cfg.is_l2 = o->decap_is_l2;
    out->pop_vlan = o->pops;
    out->has_push = o->pushes;
    out->push.type = o->push_type;
    memcpy(&out->push.vlan.eth_type, o->ether_type, sizeof out->push.vlan.eth_type);
    memcpy(&out->push.vlan.vlan_hdr.tci, o->tag, sizeof out->push.vlan.vlan_hdr.tci);
    if (o->nat64)
        out->nat64.original_l3_type = DOCA_FLOW_L3_TYPE_IP4;
    if (o->crypto)
        out->crypto.action_type = DOCA_FLOW_CRYPTO_ACTION_ENCRYPT;
    out->has_crypto_encap = o->crypto_encap;
}

const struct doca_flow_actions *flow_actions_read(const struct flow_layout *layout,
                                                  const struct doca_flow_actions *actions,
                                                  const struct doca_flow_actions *like,
                                                  bool is_mask, struct doca_flow_actions *out,
                                                  doca_error_t *result)
{
    struct reading r = {.layout = layout, .is_mask = is_mask};
    struct flow_other_actions o = {.decap_is_l2 = true, .encap_is_l2 = true};
    const uint8_t *from = (const uint8_t *)actions;
    if (!layout || !actions || *result != DOCA_SUCCESS)
        return actions;
    *out = (struct doca_flow_actions){0};
    layout->read_actions(actions, &o);
    copy_others(&o, out);
    *result = copy_meta(&r, from + layout->actions.meta, &out->meta);
    if (*result == DOCA_SUCCESS)
        *result = copy_parser(&r, from + layout->actions.parser, &out->parser_meta);
    if (*result == DOCA_SUCCESS)
        *result =
            copy_header(&r, from + layout->actions.outer, like ? &like->outer : NULL, &out->outer);
    if (*result == DOCA_SUCCESS)
        *result =
            copy_tunnel(&r, from + layout->actions.tunnel, like ? &like->tun : NULL, &out->tun);
    if (*result == DOCA_SUCCESS)
        *result = copy_encap(&r, &o, like, out);
    return out;
}

const struct doca_flow_action_descs *flow_descs_read(const struct flow_layout *layout,
                                                     const struct doca_flow_action_descs *descs,
                                                     struct doca_flow_actions *actions)
{
    bool is_l2 = true;
    if (!layout || !descs || !layout->read_descs(descs, &is_l2))
        return descs;
    if (!is_l2 && actions->decap_type == DOCA_FLOW_RESOURCE_TYPE_NON_SHARED)
        actions->decap_cfg.is_l2 = false;
    if (!is_l2)
        actions->encap_cfg.is_l2 = false;
    return NULL;
}

const struct doca_flow_fwd *flow_fwd_read(const struct flow_layout *layout,
                                          const struct doca_flow_fwd *fwd,
                                          struct doca_flow_fwd *out)
{
    struct flow_other_fwd o = {0};
    if (!layout || !fwd)
        return fwd;
    layout->read_fwd(fwd, &o);
    *out = (struct doca_flow_fwd){.type = o.type};
    switch (o.type) {
    case DOCA_FLOW_FWD_RSS:
        out->rss_type = o.rss_type;
        out->rss = (struct doca_flow_resource_rss_cfg){.outer_flags = o.outer_flags,
                                                       .inner_flags = o.inner_flags,
                                                       .queues_array = o.queues,
                                                       .nr_queues = o.queue_count,
                                                       .rss_hash_func = o.hash_function};
        break;
    case DOCA_FLOW_FWD_PORT:
        out->port_id = o.port;
        break;
    case DOCA_FLOW_FWD_PIPE:
        out->next_pipe = o.pipe;
        break;
    default:
        break;
    }
    return out;
}

const struct doca_flow_monitor *flow_monitor_read(const struct flow_layout *layout,
                                                  const struct doca_flow_monitor *monitor,
                                                  struct doca_flow_monitor *out)
{
    struct flow_other_monitor o = {0};
    if (!layout || !monitor)
        return monitor;
    layout->read_monitor(monitor, &o);
    *out = (struct doca_flow_monitor){.meter_type = o.meter_type,
                                      .counter_type = o.counter_type,
                                      .shared_counter.shared_counter_id = o.counter,
                                      .shared_mirror_id = o.mirror,
                                      .aging_sec = o.aging};
    return out;
}
