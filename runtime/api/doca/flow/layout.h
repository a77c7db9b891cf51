/*
 * layout: structures of DOCA Flow as releases before 3.0 have them.
 *
 * A program says its release by the symbol of doca_flow_init that its headers name. Each of these releases
 * has a source in api/doca-2.5, compiled with the headers of that release, which describes its structures
 * here: by the places of fields, and by functions that read the rest. releases.c makes structures of
 * DOCA 3 of them. This header has no type of DOCA Flow, because these types differ.
 */
#ifndef DPK_API_DOCA_FLOW_LAYOUT_H
#define DPK_API_DOCA_FLOW_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

/* When a field of headers is valid. */
enum flow_when {
    FLOW_ALWAYS,
    FLOW_IP4,
    FLOW_IP6,
    FLOW_TCP,
    FLOW_UDP,
    FLOW_ICMP,
    FLOW_TRANSPORT,
    FLOW_VXLAN,
    FLOW_SENT,
    FLOW_RECEIVED
};

/* The place of a field in its structure. */
struct flow_place {
    const char *name;
    uint16_t at, size; /* size 0: the release does not have the field */
    enum flow_when when;
};
/* Places, in the same order for each release (layout.def). */
struct flow_places {
    const struct flow_place *meta, *parser, *header, *tunnel;
    unsigned meta_count, parser_count, header_count, tunnel_count;
};

/* The type of a tunnel, the types of headers, and the bytes of a tunnel after its type. */
struct flow_types {
    uint16_t l3, l4, tunnel, rest, rest_size;
};

/* Actions that are not fields of a frame. Numbers are those of DOCA 3. */
struct flow_other_actions {
    uint8_t index;
    uint32_t flags;
    unsigned decap_type, encap_type, push_type;
    bool decap_is_l2, encap_is_l2, pops, pushes, nat64, crypto, crypto_encap;
    const void *encap_outer, *encap_tunnel;
    uint8_t ether_type[2], tag[2];
};
/* A destination. Numbers are those of DOCA 3. */
struct flow_other_fwd {
    unsigned type, rss_type, hash_function;
    uint32_t outer_flags, inner_flags, index;
    uint16_t *queues, port;
    int queue_count;
    void *pipe;
};
struct flow_other_monitor {
    unsigned meter_type, counter_type;
    uint32_t counter, mirror, aging;
};

struct flow_layout {
    struct flow_places places;
    struct flow_types types;
    bool single_tag_first; /* true: DOCA_FLOW_L2_META_SINGLE_VLAN is 1, and MULTI_VLAN is 2 */
    struct {
        uint16_t flags, meta, parser, outer, tunnel, inner;
    } match;
    struct {
        uint16_t meta, parser, outer, tunnel;
    } actions;
    void (*read_actions)(const void *actions, struct flow_other_actions *out);
    /* Returns whether descriptors of actions say nothing but the layer of a tunnel, and sets *is_l2 if they
     * say it. */
    bool (*read_descs)(const void *descs, bool *is_l2);
    void (*read_fwd)(const void *fwd, struct flow_other_fwd *out);
    void (*read_monitor)(const void *monitor, struct flow_other_monitor *out);
};

#endif
