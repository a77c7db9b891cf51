/*
 * doca_flow_net: headers of frames, as matches and actions of doca_flow.h name them. Fields of more than
 * one byte are big endian, as in the frame. The structures are those of the release of doca_version.h.
 */
#ifndef DOCA_FLOW_NET_H
#define DOCA_FLOW_NET_H

#include <stdbool.h>

#include "doca_types.h"
#include "doca_version.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DOCA_FLOW_ETHER_ADDR_LEN 6 /* bytes of a MAC address */
#define DOCA_FLOW_VLAN_MAX       2 /* VLAN tags of a frame that are known */

/* Types of Ethernet frames, for htons and the field eth.type. */
#define DOCA_FLOW_ETHER_TYPE_IPV4 0x0800
#define DOCA_FLOW_ETHER_TYPE_IPV6 0x86dd
#define DOCA_FLOW_ETHER_TYPE_TEB  0x6558 /* transparent Ethernet bridging */

/* Protocols of IP. */
#define DOCA_FLOW_PROTO_ICMP  1
#define DOCA_FLOW_PROTO_IPV4  4
#define DOCA_FLOW_PROTO_TCP   6
#define DOCA_FLOW_PROTO_UDP   17
#define DOCA_FLOW_PROTO_IPV6  41
#define DOCA_FLOW_PROTO_GRE   47
#define DOCA_FLOW_PROTO_ESP   50
#define DOCA_FLOW_PROTO_ICMP6 58

/* UDP ports of tunnels. */
#define DOCA_FLOW_GTPU_DEFAULT_PORT      2152
#define DOCA_FLOW_VXLAN_DEFAULT_PORT     4789
#define DOCA_FLOW_VXLAN_GPE_DEFAULT_PORT 4790
#define DOCA_FLOW_GENEVE_DEFAULT_PORT    6081
#define DOCA_FLOW_MPLS_DEFAULT_PORT      6635
#define DOCA_FLOW_PSP_DEFAULT_PORT       1000

#if DOCA_CURRENT_VERSION_NUM < DOCA_VERSION_NUM(2, 7, 0)
/* The first names of these numbers. */
#define DOCA_ETHER_ADDR_LEN     DOCA_FLOW_ETHER_ADDR_LEN
#define DOCA_ETHER_TYPE_IPV4    DOCA_FLOW_ETHER_TYPE_IPV4
#define DOCA_ETHER_TYPE_IPV6    DOCA_FLOW_ETHER_TYPE_IPV6
#define DOCA_ETHER_TYPE_TEB     DOCA_FLOW_ETHER_TYPE_TEB
#define DOCA_PROTO_ICMP         DOCA_FLOW_PROTO_ICMP
#define DOCA_PROTO_IPV4         DOCA_FLOW_PROTO_IPV4
#define DOCA_PROTO_TCP          DOCA_FLOW_PROTO_TCP
#define DOCA_PROTO_UDP          DOCA_FLOW_PROTO_UDP
#define DOCA_PROTO_IPV6         DOCA_FLOW_PROTO_IPV6
#define DOCA_PROTO_GRE          DOCA_FLOW_PROTO_GRE
#define DOCA_PROTO_ESP          DOCA_FLOW_PROTO_ESP
#define DOCA_PROTO_ICMP6        DOCA_FLOW_PROTO_ICMP6
#define DOCA_GTPU_PORT          DOCA_FLOW_GTPU_DEFAULT_PORT
#define DOCA_VXLAN_DEFAULT_PORT DOCA_FLOW_VXLAN_DEFAULT_PORT
#endif

enum doca_flow_l3_type {
    DOCA_FLOW_L3_TYPE_NONE = 0,
    DOCA_FLOW_L3_TYPE_IP4,
    DOCA_FLOW_L3_TYPE_IP6,
};

enum doca_flow_l4_type_ext {
    DOCA_FLOW_L4_TYPE_EXT_NONE = 0,
    DOCA_FLOW_L4_TYPE_EXT_TCP,
    DOCA_FLOW_L4_TYPE_EXT_UDP,
    DOCA_FLOW_L4_TYPE_EXT_ICMP,
    DOCA_FLOW_L4_TYPE_EXT_ICMP6,
    DOCA_FLOW_L4_TYPE_EXT_TRANSPORT, /* UDP or TCP */
    DOCA_FLOW_L4_TYPE_EXT_ROCE_V2,
};

enum doca_flow_tun_type {
    DOCA_FLOW_TUN_NONE = 0,
    DOCA_FLOW_TUN_VXLAN,
    DOCA_FLOW_TUN_GTPU,
    DOCA_FLOW_TUN_GRE,
    DOCA_FLOW_TUN_ESP,
    DOCA_FLOW_TUN_MPLS_O_UDP,
    DOCA_FLOW_TUN_GENEVE,
#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(2, 7, 0)
    DOCA_FLOW_TUN_PSP,
#endif
#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(2, 9, 0)
    DOCA_FLOW_TUN_IP_IN_IP,
#endif
    DOCA_FLOW_TUN_MAX,
};

enum doca_flow_tun_ext_vxlan_type {
    DOCA_FLOW_TUN_EXT_VXLAN_STANDARD = 0,
    DOCA_FLOW_TUN_EXT_VXLAN_GPE,
    DOCA_FLOW_TUN_EXT_VXLAN_GBP,
};

enum doca_flow_tun_ext_gre_type {
    DOCA_FLOW_TUN_EXT_GRE_STANDARD = 0,
    DOCA_FLOW_TUN_EXT_GRE_NVGRE,
};

/* Bits of struct doca_flow_header_format.l2_valid_headers. */
enum doca_flow_l2_valid_header {
    DOCA_FLOW_L2_VALID_HEADER_VLAN_0 = 1 << 0, /* the frame has eth_vlan[0] */
    DOCA_FLOW_L2_VALID_HEADER_VLAN_1 = 1 << 1,
};

/* Bits of flags_fragment_offset of IPv4. */
enum doca_flow_ip4_flag {
    DOCA_FLOW_IP4_FLAG_MORE_FRAGMENTS = 1 << 13,
    DOCA_FLOW_IP4_FLAG_DONT_FRAGMENT = 1 << 14,
};

/* Bits of the flags of TCP. */
enum doca_flow_match_tcp_flag {
    DOCA_FLOW_MATCH_TCP_FLAG_FIN = 1 << 0,
    DOCA_FLOW_MATCH_TCP_FLAG_SYN = 1 << 1,
    DOCA_FLOW_MATCH_TCP_FLAG_RST = 1 << 2,
    DOCA_FLOW_MATCH_TCP_FLAG_PSH = 1 << 3,
    DOCA_FLOW_MATCH_TCP_FLAG_ACK = 1 << 4,
    DOCA_FLOW_MATCH_TCP_FLAG_URG = 1 << 5,
    DOCA_FLOW_MATCH_TCP_FLAG_ECE = 1 << 6,
    DOCA_FLOW_MATCH_TCP_FLAG_CWR = 1 << 7,
};

struct doca_flow_header_eth {
    uint8_t src_mac[DOCA_FLOW_ETHER_ADDR_LEN];
    uint8_t dst_mac[DOCA_FLOW_ETHER_ADDR_LEN];
    doca_be16_t type; /* after the VLAN tags */
};

struct doca_flow_header_eth_vlan {
    doca_be16_t tci;
};

struct doca_flow_header_ip4 {
    doca_be32_t src_ip, dst_ip;
    uint8_t version_ihl;
    uint8_t dscp_ecn;
    doca_be16_t total_len;
#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(2, 7, 0)
    doca_be16_t identification;
    doca_be16_t flags_fragment_offset;
#endif
    uint8_t next_proto;
    uint8_t ttl;
};

struct doca_flow_header_ip6 {
    doca_be32_t src_ip[4], dst_ip[4];
#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(2, 7, 0)
    uint8_t traffic_class;
    doca_be32_t flow_label;
#else
    uint8_t dscp_ecn;          /* the traffic class */
#endif
    doca_be16_t payload_len;
    uint8_t next_proto;
    uint8_t hop_limit;
};

/* An address of either version. */
struct doca_flow_ip_addr {
    enum doca_flow_l3_type type;
    union {
        doca_be32_t ipv4_addr;
        doca_be32_t ipv6_addr[4];
    };
};

struct doca_flow_header_l4_port {
    doca_be16_t src_port, dst_port;
};

struct doca_flow_header_udp {
    struct doca_flow_header_l4_port l4_port;
};

struct doca_flow_header_tcp {
    struct doca_flow_header_l4_port l4_port;
    uint8_t data_offset;
    uint8_t flags; /* DOCA_FLOW_MATCH_TCP_FLAG_... */
#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(3, 0, 0)
    doca_be32_t seq_num, ack_num;
#endif
};

struct doca_flow_header_icmp {
    uint8_t type;
    uint8_t code;
    doca_be16_t ident;
};

/* The base transport header of InfiniBand. */
struct doca_flow_header_ib_bth {
    uint8_t opcode;
    uint8_t sempt;
    doca_be16_t pkey;
    uint8_t flags0;
    uint8_t dest_qp[3];
    uint8_t flags1;
    uint8_t psn[3];
};

struct doca_flow_header_roce_v2 {
    struct doca_flow_header_udp udp;
    struct doca_flow_header_ib_bth bth;
};

struct doca_flow_header_mpls {
    doca_be32_t label; /* with traffic class, bottom of stack and TTL */
};
#define DOCA_FLOW_MPLS_LABELS_MAX 5

struct doca_flow_header_geneve {
    uint8_t ver_opt_len;
    uint8_t o_c;
    doca_be16_t next_proto;
    doca_be32_t vni; /* in the upper 24 bits */
};
#define DOCA_FLOW_GENEVE_DATA_OPTION_LEN_MAX 31
#define DOCA_FLOW_GENEVE_OPT_LEN_MAX         63

/* A word of Geneve's options: the first word of an option, or its data. */
union doca_flow_geneve_option {
    __extension__ struct {
        doca_be16_t class_id;
        uint8_t type;
        uint8_t length : 5;
        uint8_t reserved : 3;
    };
    doca_be32_t data;
};

struct doca_flow_header_psp {
    uint8_t nexthdr;
    uint8_t hdrextlen;
    uint8_t res_cryptofst;
    uint8_t s_d_ver_v;
    doca_be32_t spi;
    doca_be64_t iv;
    doca_be64_t vc;
};

struct doca_flow_tun {
    enum doca_flow_tun_type type;
    union {
        __extension__ struct { /* VXLAN */
#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(2, 7, 0)
            enum doca_flow_tun_ext_vxlan_type vxlan_type;
            union {
                uint8_t vxlan_next_protocol;       /* VXLAN_GPE */
                doca_be16_t vxlan_group_policy_id; /* VXLAN_GBP */
            };
#endif
            doca_be32_t vxlan_tun_id; /* in the upper 24 bits */
        };
#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(2, 7, 0)
        __extension__ struct { /* GRE */
            enum doca_flow_tun_ext_gre_type gre_type;
            doca_be16_t protocol;
            union {
                __extension__ struct {
                    bool key_present;
                    doca_be32_t gre_key;
                };
                __extension__ struct {
                    doca_be32_t nvgre_vs_id; /* in the upper 24 bits */
                    uint8_t nvgre_flow_id;
                };
            };
        };
#else
        __extension__ struct { /* GRE */
            bool key_present;
            doca_be16_t protocol;
            doca_be32_t gre_key;
        };
#endif
        __extension__ struct { /* GTPU */
#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(2, 9, 0)
            uint8_t gtp_next_ext_hdr_type;
            uint8_t gtp_ext_psc_qfi;
#endif
            doca_be32_t gtp_teid;
        };
        __extension__ struct { /* ESP */
            doca_be32_t esp_spi;
            doca_be32_t esp_sn;
        };
        struct doca_flow_header_mpls mpls[DOCA_FLOW_MPLS_LABELS_MAX];
        __extension__ struct {
            struct doca_flow_header_geneve geneve;
            union doca_flow_geneve_option geneve_options[DOCA_FLOW_GENEVE_OPT_LEN_MAX];
        };
#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(2, 7, 0)
        struct doca_flow_header_psp psp;
#endif
    };
};

/* Headers of the outer or the inner frame. */
struct doca_flow_header_format {
    struct doca_flow_header_eth eth;
    uint16_t l2_valid_headers; /* DOCA_FLOW_L2_VALID_HEADER_... */
    struct doca_flow_header_eth_vlan eth_vlan[DOCA_FLOW_VLAN_MAX];
    enum doca_flow_l3_type l3_type; /* which of the next two is valid */
    union {
        struct doca_flow_header_ip4 ip4;
        struct doca_flow_header_ip6 ip6;
    };
    enum doca_flow_l4_type_ext l4_type_ext; /* which of the next is valid */
    union {
        struct doca_flow_header_icmp icmp;
        struct doca_flow_header_udp udp;
        struct doca_flow_header_tcp tcp;
        struct doca_flow_header_l4_port transport;
#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(3, 0, 0)
        struct doca_flow_header_roce_v2 roce_v2;
#endif
    };
};

#ifdef __cplusplus
}
#endif

#endif
