/*
 * doca_urom_rdmo: what a target and an initiator say to the plugin worker_rdmo of a UROM worker
 * (doca-urom(7), "REMOTE DIRECT MEMORY OPERATIONS"). The structures are those of NVIDIA's application
 * urom_rdmo of DOCA 3; the guide of DOCA 2.8 prints narrower ones, which no program has.
 *
 * The target sends commands through doca_urom_worker_cmd_task: a struct urom_worker_rdmo_cmd, followed
 * by the bytes that its pointers refer to. The plugin answers with a struct
 * urom_worker_notify_rdmo, followed by its address if it is that of CLIENT_INIT.
 *
 * The initiator sends active messages of UCX, number UROM_RDMO_AM_ID, with the flag
 * UCP_AM_SEND_FLAG_REPLY: the header is a struct urom_rdmo_hdr and the header of the operation, without
 * a gap; the payload is the operation's.
 */
#ifndef DOCA_UROM_RDMO_H
#define DOCA_UROM_RDMO_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define UROM_RDMO_AM_ID 0

/* ---- Commands of the target ---- */

enum urom_worker_rdmo_cmd_type {
    UROM_WORKER_CMD_RDMO_CLIENT_INIT, /* names the target, and connects the worker to it */
    UROM_WORKER_CMD_RDMO_RQ_CREATE,   /* lets an initiator send requests */
    UROM_WORKER_CMD_RDMO_RQ_DESTROY,
    UROM_WORKER_CMD_RDMO_MR_REG, /* lets requests write to memory of the target */
    UROM_WORKER_CMD_RDMO_MR_DEREG,
};
struct urom_worker_rdmo_cmd_client_init {
    uint64_t id; /* by which requests name the target */
    void *addr;  /* UCP address of the target's worker: follows the command */
    uint64_t addr_len;
};
struct urom_worker_rdmo_cmd_rq_create {
    void *addr; /* UCP address of the initiator's worker: follows the command */
    uint64_t addr_len;
};
struct urom_worker_rdmo_cmd_rq_destroy {
    uint64_t rq_id;
};
struct urom_worker_rdmo_cmd_mr_reg {
    uint64_t va, len;  /* of the memory */
    void *packed_rkey; /* of ucp_rkey_pack: follows the command */
    uint64_t packed_rkey_len;
    void *packed_memh; /* an exported memory handle: follows the key; it is not needed */
    uint64_t packed_memh_len;
};
struct urom_worker_rdmo_cmd_mr_dereg {
    uint64_t rkey;
};
struct urom_worker_rdmo_cmd {
    uint64_t type; /* enum urom_worker_rdmo_cmd_type */
    union {
        struct urom_worker_rdmo_cmd_client_init client_init;
        struct urom_worker_rdmo_cmd_rq_create rq_create;
        struct urom_worker_rdmo_cmd_rq_destroy rq_destroy;
        struct urom_worker_rdmo_cmd_mr_reg mr_reg;
        struct urom_worker_rdmo_cmd_mr_dereg mr_dereg;
    };
};

/* ---- Notifications ---- */

enum urom_worker_rdmo_notify_type {
    UROM_WORKER_NOTIFY_RDMO_CLIENT_INIT,
    UROM_WORKER_NOTIFY_RDMO_RQ_CREATE,
    UROM_WORKER_NOTIFY_RDMO_RQ_DESTROY,
    UROM_WORKER_NOTIFY_RDMO_MR_REG,
    UROM_WORKER_NOTIFY_RDMO_MR_DEREG,
};
struct urom_worker_rdmo_notify_client_init {
    void *addr; /* UCP address for initiators: follows the notification */
    uint64_t addr_len;
};
struct urom_worker_rdmo_notify_rq_create {
    uint64_t rq_id;
};
struct urom_worker_rdmo_notify_rq_destroy {
    uint64_t rq_id;
};
struct urom_worker_rdmo_notify_mr_reg {
    uint64_t rkey; /* by which requests name the memory */
};
struct urom_worker_rdmo_notify_mr_dereg {
    uint64_t rkey;
};
struct urom_worker_notify_rdmo {
    uint64_t type; /* enum urom_worker_rdmo_notify_type */
    union {
        struct urom_worker_rdmo_notify_client_init client_init;
        struct urom_worker_rdmo_notify_rq_create rq_create;
        struct urom_worker_rdmo_notify_rq_destroy rq_destroy;
        struct urom_worker_rdmo_notify_mr_reg mr_reg;
        struct urom_worker_rdmo_notify_mr_dereg mr_dereg;
    };
};

/* ---- Requests of the initiator ---- */

enum urom_rdmo_op_id {
    UROM_RDMO_OP_FLUSH,   /* answers */
    UROM_RDMO_OP_APPEND,  /* writes the payload where a pointer points, and advances the pointer */
    UROM_RDMO_OP_SCATTER, /* writes pieces of the payload to several places */
};
enum urom_rdmo_req_flags {
    UROM_RDMO_REQ_FLAG_FENCE = 1, /* first, all earlier requests become visible in the target */
};
struct urom_rdmo_hdr {
    uint64_t id; /* of the target */
    uint32_t op_id, flags;
};
struct urom_rdmo_flush_hdr {
    uint64_t flush_id; /* of the answer */
};
struct urom_rdmo_append_hdr {
    uint64_t ptr_addr; /* address of the pointer, a multiple of 8 */
    uint64_t ptr_rkey, data_rkey;
};
struct urom_rdmo_scatter_hdr {
    uint64_t count; /* of pieces in the payload: each is a descriptor, and `len` bytes */
};
struct urom_rdmo_scatter_iov {
    uint64_t addr, rkey;
    uint16_t len;
};

/* ---- Answers: a header without payload ---- */

enum urom_rdmo_rsp_id { UROM_RDMO_RSP_FLUSH };
struct urom_rdmo_rsp_hdr {
    uint32_t rsp_id;
};
struct urom_rdmo_flush_rsp_hdr { /* follows the first without a gap */
    uint64_t flush_id;
};

#ifdef __cplusplus
}
#endif

#endif
