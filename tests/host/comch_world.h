/* Two ends of a channel, for the files that test doca_comch: in one process, or in two. */
#ifndef TESTS_HOST_COMCH_WORLD_H
#define TESTS_HOST_COMCH_WORLD_H

#include <doca_buf_inventory.h>
#include <doca_comch.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <string.h>

#include "check.h"

#define OK        DOCA_SUCCESS
#define INVALID   DOCA_ERROR_INVALID_VALUE
#define BAD_STATE DOCA_ERROR_BAD_STATE

extern const struct test_case comch_cases[], pipe_cases[], death_cases[];

enum { MESSAGE_MAX = 4080, TASKS = 64 };

/* A client or a server, with the arguments of its callbacks. */
struct end {
    struct doca_pe *pe;
    struct doca_comch_server *server; /* or NULL */
    struct doca_comch_client *client; /* the same */
    struct doca_ctx *ctx;
    struct doca_comch_connection *c; /* the latest connection; NULL: it has ended */
    unsigned came, went, sent, failed, heard, consumers, expired;
    doca_error_t status;    /* of the last send that failed */
    uint32_t size;          /* of the last message */
    uint8_t *message;       /* a copy of it */
    uint32_t last_consumer; /* that was announced */
    bool answers;           /* a server sends back what it hears */
};

/* Makes this program a program of that side from now on: host or dpu. Opens a device of the side.
 * The device of the two ends stays open. */
struct doca_dev *open_side(const char *name);
struct doca_dev *side(const char *name);
struct doca_dev_rep *open_rep(struct doca_dev *dev);

/* Create an idle server and an idle client. */
struct end *server_new(const char *name);
struct end *client_new(const char *name);
/* Frees an end, also while it runs. */
void end_free(struct end *e);
/* Starts both ends and connects them. */
void connect_ends(struct end *server, struct end *client);
enum doca_ctx_states state_of(struct doca_ctx *ctx);
void stop(struct doca_ctx *ctx, struct doca_pe *pe);
/* Lets both make progress until the condition holds. */
#define AWAIT(a, b, condition)                                                                     \
    for (unsigned tries_ = 0; !(condition); tries_++) {                                            \
        CHECK(tries_ < 200000000);                                                                 \
        doca_pe_progress((a)->pe);                                                                 \
        doca_pe_progress((b)->pe);                                                                 \
    }
/* A send of `e`; submitted. */
doca_error_t say(struct end *e, const void *bytes, uint32_t size);

/* ---- Producers and consumers ---- */

/* Memory with a map and an inventory. */
struct store {
    uint8_t *at;
    size_t size;
    struct doca_mmap *map;
    struct doca_buf_inventory *inventory;
};
struct store store_new(struct doca_dev *dev, size_t size);
void store_free(struct store *s);
struct doca_buf *buf_of(struct store *s, size_t offset, size_t size, size_t data);
size_t data_of(const struct doca_buf *b);

/* One on an engine of its own. */
struct sender {
    struct doca_pe *pe;
    struct doca_comch_producer *producer;
    struct doca_ctx *ctx;
    unsigned sent, failed;
    doca_error_t status;
};
struct receiver {
    struct doca_pe *pe;
    struct doca_comch_consumer *consumer;
    struct doca_ctx *ctx;
    unsigned received, failed;
    doca_error_t status;
    uint8_t imm[32];
    uint32_t imm_len, producer, id;
};
/* What doca_ctx_start returns: OK; IN_PROGRESS. */
doca_error_t sender_start(struct sender *s, struct doca_comch_connection *c);
doca_error_t receiver_start(struct receiver *r, struct doca_comch_connection *c,
                            struct doca_mmap *map, uint32_t imm_len);
void sender_end(struct sender *s);
void receiver_end(struct receiver *r);
struct doca_task *send_of(struct sender *s, struct doca_buf *b, const void *imm, uint32_t imm_len,
                          uint32_t to);
struct doca_task *receive_of(struct receiver *r, struct doca_buf *b);

#endif
