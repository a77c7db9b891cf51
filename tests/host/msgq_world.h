/* Declarations that the tests of message queues share: a thread on the DPA, with a queue in each
 * direction. */
#ifndef TESTS_HOST_MSGQ_WORLD_H
#define TESTS_HOST_MSGQ_WORLD_H

#include <doca_comch_msgq.h>
#include <doca_ctx.h>
#include <doca_dpa.h>
#include <doca_dpa_dev.h>
#include <doca_pe.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "doca_device.h"
#include "msgq.h"

#define OK         DOCA_SUCCESS
#define INVALID    DOCA_ERROR_INVALID_VALUE
#define BAD_STATE  DOCA_ERROR_BAD_STATE
#define BAD_CONFIG DOCA_ERROR_BAD_CONFIG
#define IN_USE     DOCA_ERROR_IN_USE

extern struct doca_dpa_app *msgq_app;
doca_dpa_func_t echo_thread, deaf_thread, receive_rpc, send_rpc, copy_rpc, is_empty_rpc, next_rpc;

enum { DEPTH = 64 };

extern struct doca_dev *dev;
extern void (*after_each)(void); /* called after an object of a world was made or destroyed */

/* A thread on the DPA with a queue in each direction, and its ends on the CPU.
 */
struct world {
    struct doca_dpa *dpa;
    struct doca_dpa_thread *thread;
    struct doca_pe *pe;
    struct doca_comch_consumer_completion *completion;
    struct doca_dpa_completion *sends;
    struct doca_comch_msgq *to, *from;
    struct doca_comch_consumer *dpa_consumer, *consumer;
    struct doca_comch_producer *producer, *dpa_producer;
    doca_dpa_dev_uintptr_t arg;
    uint64_t consumer_handle, producer_handle, sends_handle;
    unsigned received, sent, failed;
    doca_error_t status;
    uint8_t imm[32];
    uint32_t imm_len, from_producer;
    bool again; /* receives are posted again */
};

struct doca_ctx *ctx_of(struct doca_comch_consumer *n);
struct doca_comch_producer *producer_new(struct world *w);
/* The thread gets its handles when all of them are there. */
struct world *world_new(doca_dpa_func_t *function);
void stop(struct world *w, struct doca_ctx *ctx);
void world_free(struct world *w);

#define AWAIT(w, condition)                                                                        \
    while (!(condition))                                                                           \
        if (!doca_pe_progress((w)->pe))                                                            \
            sched_yield();

/* `count` receives, of the CPU's consumer and of the DPA's. */
void post(struct world *w, unsigned count);
void receives(struct world *w, uint32_t count);
/* A message of the CPU, and `count` numbers of the DPA's, from `first` on. */
doca_error_t send_of(struct world *w, struct doca_comch_producer *p, const void *imm,
                     uint32_t size);
void sends(struct world *w, uint32_t consumer, uint64_t first, uint32_t count, uint32_t length,
           uint32_t flags);
/* Returns the result of the DPA's next send. 0: a success; 13: a failure; NOTHING. */
uint64_t next(struct world *w);
bool is_empty(struct world *w, uint32_t consumer);
/* The body of main, after its table of cases. */
int run_on_device(const struct test_case *cases, size_t count, int argc, char **argv);

#endif
