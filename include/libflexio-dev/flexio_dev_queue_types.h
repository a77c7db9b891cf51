/*
 * Elements of queues, as mlx5 devices have them: completions (CQEs), and the 16-byte segments that
 * WQEs are made of. Fields named __be are big endian (flexio_dev_endianity.h).
 */
#ifndef FLEXIO_DEV_QUEUE_TYPES_H
#define FLEXIO_DEV_QUEUE_TYPES_H

#include <stdint.h>

#include <libflexio-dev/flexio_dev.h>

/* A send WQE is counted in blocks of 64 bytes, which have 2^2 segments. */
#define LOG_SQE_NUM_SEGS 2

typedef uint16_t __be16;
typedef uint32_t __be32;
typedef uint64_t __be64;

#define FLEXIO_DEV_QUEUE_ELEMENT __attribute__((packed, aligned(8)))
#ifdef __cplusplus
#define FLEXIO_DEV_ASSERT(what, text) static_assert(what, text)
#else
#define FLEXIO_DEV_ASSERT(what, text) _Static_assert(what, text)
#endif

#if FLEXIO_DEV_VER_USED < FLEXIO_DEV_VER(24, 4, 0)
struct flexio_dev_cqe64 {
    __be32 rsvd0[7];
    uint8_t csum_ok; /* of a frame: bit 0 link layer, bit 1 header of IP, bit 2 TCP or UDP */
    uint8_t rsvd29[3];
    __be32 srqn_uidx; /* user index of the queue, 24 bits */
    __be32 rsvd36[2];
    __be32 byte_cnt;
    __be32 rsvd48;
    __be32 err_syndrome; /* of an error completion, 8 bits */
    __be32 qpn;
    __be16 wqe_counter;
    uint8_t signature;
    volatile uint8_t op_own; /* opcode in bits 4 to 7, owner in bit 0 */
} FLEXIO_DEV_QUEUE_ELEMENT;
#else
struct flexio_dev_cqe64 {
    __be32 rsvd00[5];
    __be16 csum_ok; /* of a frame: bit 0 link layer, bit 1 header of IP, bit 2 TCP or UDP */
    uint8_t rsvd22[2];
    __be32 rsvd24[2];
    __be32 srqn_uidx; /* user index of the queue, 24 bits */
#if FLEXIO_DEV_VER_USED >= FLEXIO_DEV_VER(25, 1, 0) && FLEXIO_DEV_VER_USED < FLEXIO_DEV_VER_LATEST
    __be32 imm_inval_pkey;
    __be32 rsvd40;
#else /* a program without a version may use either name */
    union {
        struct {
            __be32 imm_inval_pkey;
            __be32 rsvd40;
        };
        __be32 rsvd36[2];
    };
#endif
    __be32 byte_cnt;
    __be32 rsvd48;
    uint8_t hw_err_syndrome;
    uint8_t rsvd50;
    uint8_t vendor_err_synd;
    uint8_t syndrome; /* of an error completion */
    union {
        struct {
            uint8_t sop_rdrop; /* opcode of the WQE, if it was sent */
            uint8_t qpn24[3];
        };
        __be32 qpn;
    };
    __be16 wqe_counter;
    union {
        uint8_t signature;
        uint8_t validity_iteration_count;
    };
    volatile uint8_t op_own; /* opcode in bits 4 to 7, owner in bit 0 */
} FLEXIO_DEV_QUEUE_ELEMENT;
#endif

/* Up to seven compressed completions. */
struct flexio_dev_mini_cqe64 {
    __be64 mini_cqe[7];
    uint8_t rsvd0[6];
    uint8_t validity_iteration_count;
    uint8_t num_and_type; /* bits 4 to 7: their number - 1, format in bits 2 and 3 */
} FLEXIO_DEV_QUEUE_ELEMENT;

struct flexio_dev_eqe {
    uint8_t rsvd00;
    uint8_t type;
    uint8_t rsvd02;
    uint8_t sub_type;
    uint8_t rsvd4[28];
    struct {
        __be32 rsvd00[6];
        __be32 cqn;
    } event_data;
    __be16 rsvd3c;
    uint8_t signature;
    volatile uint8_t owner; /* bit 0; programs poll it */
} FLEXIO_DEV_QUEUE_ELEMENT;

struct flexio_dev_wqe_ctrl_seg {
    __be32 idx_opcode; /* modifier << 24 | index << 8 | opcode */
    __be32 qpn_ds;     /* queue << 8 | segments */
    __be32 signature_fm_ce_se;
    __be32 general_id; /* immediate */
} FLEXIO_DEV_QUEUE_ELEMENT;

/* Flags of an Ethernet segment: checksums that are to be computed, headers that are described. */
typedef enum {
    FLEXIO_ETH_SEG_L4CS = 0x8000,
    FLEXIO_ETH_SEG_L3CS = 0x4000,
    FLEXIO_ETH_SEG_L4CS_INNER = 0x2000,
    FLEXIO_ETH_SEG_L3CS_INNER = 0x1000,
    FLEXIO_ETH_SEG_TRAILER_ALIGN = 0x0200,
    FLEXIO_ETH_SEG_SWP_OUTER_L4_TYPE = 0x0040,
    FLEXIO_ETH_SEG_SWP_OUTER_L3_TYPE = 0x0020,
    FLEXIO_ETH_SEG_SWP_INNER_L4_TYPE = 0x0002,
    FLEXIO_ETH_SEG_SWP_INNER_L3_TYPE = 0x0001,
} flexio_dev_wqe_eth_seg_cs_swp_flags_t;

struct flexio_dev_wqe_eth_seg {
    __be32 rsvd0;
    __be16 cs_swp_flags;
    __be16 mss;
    __be32 rsvd2;
    __be16 inline_hdr_bsz; /* bytes of headers: two here, the others in the following segments */
    uint8_t inline_hdrs[2];
} FLEXIO_DEV_QUEUE_ELEMENT;

struct flexio_dev_wqe_inline_data_seg {
    uint8_t inline_data[16];
} FLEXIO_DEV_QUEUE_ELEMENT;

struct flexio_dev_wqe_rdma_seg {
    __be64 raddr;
    __be32 rkey;
    __be32 rsvd0;
} FLEXIO_DEV_QUEUE_ELEMENT;

struct flexio_dev_wqe_atomic_seg {
    __be64 swap_or_add_data;
    __be64 compare_data;
} FLEXIO_DEV_QUEUE_ELEMENT;

struct flexio_dev_wqe_mem_ptr_send_data_seg {
    __be32 byte_count; /* 0: 2 GiB */
    __be32 lkey;
    __be64 addr;
} FLEXIO_DEV_QUEUE_ELEMENT;

struct flexio_dev_wqe_inline_send_data_seg {
    __be32 byte_count; /* with bit 31 set */
    __be32 data_and_padding[3];
} FLEXIO_DEV_QUEUE_ELEMENT;

struct flexio_dev_wqe_rcv_data_seg {
    __be32 byte_count;
    __be32 lkey;
    __be64 addr;
} FLEXIO_DEV_QUEUE_ELEMENT;

struct flexio_dev_wqe_shared_receive_seg {
    uint8_t rsvd0[2];
    __be16 next_wqe_index;
    uint8_t signature;
    uint8_t rsvd1[11];
} FLEXIO_DEV_QUEUE_ELEMENT;

struct flexio_dev_wqe_transpose_seg {
    uint8_t rsvd0[3];
    uint8_t element_size;
    uint8_t rsvd1;
    uint8_t num_of_cols;
    uint8_t rsvd2;
    uint8_t num_of_rows;
    uint8_t rsvd4[8];
} FLEXIO_DEV_QUEUE_ELEMENT;

struct flexio_dev_wqe_wait_on_data_seg {
    uint8_t rsvd0[3];
    uint8_t op_inv; /* operation in bits 0 to 3, inversion in bit 4 */
    uint32_t lkey;
    uint32_t va_63_32;
    uint32_t va_31_3_fail_act; /* what to do on failure in bits 0 to 2 */
} FLEXIO_DEV_QUEUE_ELEMENT;

struct flexio_dev_wqe_wait_on_data_data_seg {
    __be64 data;
    __be64 data_mask;
} FLEXIO_DEV_QUEUE_ELEMENT;

/* One of the three segments of an address vector. */
struct flexio_dev_wqe_datagram_seg {
    union {
        struct {
            union {
                struct {
                    __be32 qkey;
                    __be32 reserved;
                } qkey;
                __be64 dc_key;
            } key;
            __be32 ext_dqp_dct; /* bit 31: two more segments follow; number of the peer */
            uint8_t stat_rate_sl;
            uint8_t fl_mlid;
            __be16 rlid;
        } s1;
        struct {
            uint8_t reserved0[4];
            uint8_t rmac[6];
            uint8_t tclass;
            uint8_t hop_limit;
            __be32 grh_gid_fl;
        } s2;
        struct {
            uint8_t rgid[16];
        } s3;
    };
} FLEXIO_DEV_QUEUE_ELEMENT;

union flexio_dev_sqe_seg {
    struct flexio_dev_wqe_ctrl_seg ctrl;
    struct flexio_dev_wqe_eth_seg eth;
    struct flexio_dev_wqe_inline_data_seg inline_data;
    struct flexio_dev_wqe_rdma_seg rdma;
    struct flexio_dev_wqe_mem_ptr_send_data_seg mem_ptr_send_data;
    struct flexio_dev_wqe_inline_send_data_seg inline_send_data;
    struct flexio_dev_wqe_atomic_seg atomic;
    struct flexio_dev_wqe_transpose_seg transpose;
    struct flexio_dev_wqe_shared_receive_seg shared_receive;
#if FLEXIO_DEV_VER_USED >= FLEXIO_DEV_VER(24, 4, 0)
    struct flexio_dev_wqe_wait_on_data_seg wait_on_data;
    struct flexio_dev_wqe_wait_on_data_data_seg wait_on_data_data;
    struct flexio_dev_wqe_datagram_seg adres_vector;
#endif
};

FLEXIO_DEV_ASSERT(sizeof(struct flexio_dev_cqe64) == 64, "a CQE has 64 bytes");
FLEXIO_DEV_ASSERT(sizeof(struct flexio_dev_eqe) == 64, "an EQE has 64 bytes");
FLEXIO_DEV_ASSERT(sizeof(union flexio_dev_sqe_seg) == 16, "a segment has 16 bytes");

#endif
