/*
 * Declarations that the files of the plugin rdmo share. A client is a target. Its requests, from
 * all initiators, are carried out one after the other, in the order in which they arrived.
 * Transfers that a request starts may continue while the next request is carried out, unless the
 * next request has a fence.
 */
#ifndef DPK_API_UROM_RDMO_PRIVATE_H
#define DPK_API_UROM_RDMO_PRIVATE_H

#include <doca_urom_plugin.h>
#include <ucp/api/ucp.h>

#include "rdmo.h"

struct client;

/* A receive queue: the connection of an initiator. */
struct rq {
    struct rq *next;
    uint64_t id;
    ucp_ep_h ep;
    struct client *client;
};

/* Memory of a target. */
struct memory {
    struct memory *next;
    uint64_t id, va, len;
    struct client *client;
    ucp_rkey_h rkey;
    uint8_t *direct; /* the memory at va, if this process can map it; or NULL */
    ucp_mem_h memh;  /* of a handle that the target exported (api/memh); or NULL */
};

/* A queue of records in the target, with the value of its pointer between two fences. */
struct queue {
    struct queue *next;
    struct client *client;
    struct memory *ptr_memory;
    uint64_t ptr_addr;
    uint64_t value; /* value of the pointer after all appends */
    bool loading;   /* the value is being read */
    bool dirty;     /* the pointer in the target has an older value */
    /* Records that are written together. */
    uint8_t *records;
    size_t size;
    uint64_t place; /* address of the first record */
    struct memory *memory;
};

enum item_kind { ITEM_REQUEST, ITEM_MR_DEREG, ITEM_RQ_DESTROY };

/* A request, or a command that must wait for requests. */
struct item {
    struct item *next;
    enum item_kind kind;
    struct client *client;
    struct rq *rq; /* NULL: the receive queue was destroyed meanwhile */
    struct rdmo_request request;
    uint8_t *data; /* bytes of UCX, until they are released, or the description of a rendezvous */
    size_t length;
    bool rendezvous, holds_data;
    bool settled;      /* its fence is complete */
    uint8_t *received; /* memory for the payload of a rendezvous, or NULL */
    enum { NOT_ASKED, ARRIVES, ARRIVED, LOST } arrival;
    unsigned users;                              /* the list, and puts that read the bytes */
    struct urom_worker_notif_desc *notification; /* the notification of a command */
};

struct client {
    struct client *next;
    struct rdmo *rdmo;
    uint64_t id, dest_id;
    ucp_ep_h ep;
    struct item *first, *last;
    size_t waiting; /* bytes of the payloads in the list */
    struct queue *queues;
    size_t under_way;    /* transfers */
    size_t bytes_of_own; /* bytes of the worker's memory in these transfers */
    bool unflushed;      /* a put is complete for the worker, but perhaps not in the target */
    bool dead;           /* a transfer to the target failed: no more requests are carried out */
};

struct rdmo {
    ucp_context_h context;
    ucp_worker_h worker;
    ucp_address_t *address;
    size_t address_size;
    ucs_list_link_t done; /* notifications */
    struct client *clients;
    struct rq *rqs;
    struct memory *memories;
    uint64_t next_id;
    uint64_t carried_out[UROM_RDMO_OP_SCATTER + 1], bytes, puts, refused[RDMO_REFUSALS];
};

/* ---- plugin.c ---- */

struct memory *rdmo_find_memory(struct client *c, uint64_t id);
/* Ends a command after the requests that it waited for. */
void rdmo_end_command(struct item *i);

/* ---- carry_out.c ---- */

/* The handler of UCX for requests. */
ucs_status_t rdmo_on_request(void *arg, const void *header, size_t header_size, void *data,
                             size_t length, const ucp_am_recv_param_t *param);
/* Appends an item to the client's list. */
void rdmo_put_item(struct client *c, struct item *i);
/* Carries out all requests that can be carried out now. */
void rdmo_carry_out(struct client *c);
/* Counts a refused request, and reports the first of its kind. */
void rdmo_refuse(struct rdmo *r, enum rdmo_refusal no);
/* Frees the requests in a client's list without carrying them out. */
void rdmo_forget(struct client *c);

/* ---- transfer.c ---- */

/* Writes bytes to the target. `item`: the request that owns the bytes. NULL: the bytes are memory
 * of the worker, which is freed when the transfer has ended. */
void rdmo_write(struct client *c, struct memory *m, uint64_t place, uint8_t *bytes, size_t size,
                struct item *item);
/* Starts to read the pointer of a queue. */
void rdmo_load(struct queue *q);
/* Starts to receive the payload of a rendezvous at `place` of the target's memory, if that is direct or
 * was exported; else into new memory. */
void rdmo_receive(struct item *i, const struct memory *m, uint64_t place);
/* Makes written bytes visible in the target. Starts missing transfers, and returns true if all
 * written bytes are visible. Call it again when a transfer has ended. */
bool rdmo_settle(struct client *c);
/* Writes the records that a queue has collected. */
void rdmo_write_records(struct queue *q);
void rdmo_answer_flush(struct item *i);
void rdmo_drop_item(struct item *i);

#endif
