/*
 * Declarations that the files of the plugin rdmo share. A client is a target. Its requests, from all
 * initiators, are carried out one after the other, in the order in which they arrived; transfers that a
 * request starts may be under way while the next one is carried out, unless it has a fence.
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
};

/* A queue of records in the target: what the worker knows of its pointer between two fences. */
struct queue {
    struct queue *next;
    struct client *client;
    struct memory *ptr_memory;
    uint64_t ptr_addr;
    uint64_t value; /* of the pointer, when all appends are done */
    bool loading;   /* the value is being read */
    bool dirty;     /* the pointer in the target is older */
    /* Records that are written together. */
    uint8_t *records;
    size_t size;
    uint64_t place; /* of the first */
    struct memory *memory;
};

enum item_kind { ITEM_REQUEST, ITEM_MR_DEREG, ITEM_RQ_DESTROY };

/* A request, or a command that must wait for requests. */
struct item {
    struct item *next;
    enum item_kind kind;
    struct client *client;
    struct rq *rq; /* NULL: it was destroyed meanwhile */
    struct rdmo_request request;
    uint8_t *data; /* UCX's, until it is released; or of a rendezvous, its description */
    size_t length;
    bool rendezvous, holds_data;
    bool settled;      /* its fence is behind it */
    uint8_t *received; /* memory for the payload of a rendezvous, or NULL */
    enum { NOT_ASKED, ARRIVES, ARRIVED, LOST } arrival;
    unsigned users;                              /* the list, and each put that reads its bytes */
    struct urom_worker_notif_desc *notification; /* of a command */
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
    size_t bytes_of_own; /* memory of the worker in them */
    bool unflushed;      /* a put is complete here, and perhaps not there */
    bool dead;           /* a transfer to the target failed: nothing is carried out any more */
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
/* Ends a command whose requests are done. */
void rdmo_end_command(struct item *i);

/* ---- carry_out.c ---- */

/* The handler of UCX for requests. */
ucs_status_t rdmo_on_request(void *arg, const void *header, size_t header_size, void *data,
                             size_t length, const ucp_am_recv_param_t *param);
/* Appends an item to the client's list. */
void rdmo_put_item(struct client *c, struct item *i);
/* Carries out what can be carried out. */
void rdmo_carry_out(struct client *c);
/* Counts a refused request, and reports the first of its kind. */
void rdmo_refuse(struct rdmo *r, enum rdmo_refusal no);
/* Frees what a client has in its lists, without carrying it out. */
void rdmo_forget(struct client *c);

/* ---- transfer.c ---- */

/* Writes bytes to the target; `item`: whose bytes they are, or NULL: memory of the worker, which is
 * freed when the transfer has ended. */
void rdmo_write(struct client *c, struct memory *m, uint64_t place, uint8_t *bytes, size_t size,
                struct item *item);
/* Starts to read the pointer of a queue. */
void rdmo_load(struct queue *q);
/* Starts to receive the payload of a rendezvous: to `to`, or to new memory. */
void rdmo_receive(struct item *i, void *to);
/* Waits for the target: starts what is missing, and returns true if all that was written is visible
 * there. Call it again when a transfer has ended. */
bool rdmo_settle(struct client *c);
/* Writes the records that a queue has collected. */
void rdmo_write_records(struct queue *q);
void rdmo_answer_flush(struct item *i);
void rdmo_drop_item(struct item *i);

#endif
