/* Declarations that the files of doca/pcc share. */
#ifndef DPK_API_DOCA_PCC_PRIVATE_H
#define DPK_API_DOCA_PCC_PRIVATE_H

#include <doca_pcc.h>

#include "api/doca/core/core.h"
#include "api/pcc/pcc.h"
#include "rdma/pacing/pacing.h"

#define TRACE_FORMATS_MAX 256u
#define TRACE_VALUES      5u
#define PROBE_SLOTS       4u
#define NAME_OF(pcc)      ((pcc)->dev->info->name)

/* The destination and formats of trace messages. */
struct trace {
    pthread_mutex_t lock; /* guards the other members */
    bool active;
    char **formats; /* copies */
    unsigned count;
    char *path; /* NULL: no file */
    FILE *file; /* while the context is started */
    char *buffer;
    uint32_t size, used;
    doca_pcc_trace_callback_t handler;
    void *user;
    uint32_t sent;
};

struct context {
    struct dpk_object object; /* its lock guards the members below */
    struct dpk_dev *dev;      /* a use */
    enum dpk_pcc_role role;
    struct dpk_host_app *app;
    uint32_t threads; /* 0: not set */
    char *core_path;
    uint8_t *request, *response; /* of the mailbox */
    uint32_t request_max, response_max;
    atomic_bool debug;
    struct trace trace;
    bool started;
    struct dpk_pcc *run;
    unsigned run_threads;            /* threads of `run` for events */
    char directory[PATH_MAX];        /* of the device */
    struct dpk_rates_server *server; /* while the context is active without a failure; NULL: no
                                        rates are set */
    unsigned workers;                /* of the server */
    atomic_bool told;                /* an invalid rate was reported */
    int place; /* file whose lock makes this the active process of the device; -1 */
    bool active;
    bool core_written;
    doca_pcc_process_state_t seen; /* the state that was last reported to the program */
};
extern const struct dpk_kind pcc_context_kind;

/* ---- context.c ---- */
/* Returns the context, pinned and locked, if it is not started; else returns NULL and sets
 * *result. */
struct context *pcc_context_begin_set(struct doca_pcc *pcc, doca_error_t *result);

/* ---- run.c ---- */
doca_error_t pcc_context_stop(struct context *c); /* with its lock */

/* ---- serve.c: with the context's lock ---- */
/* Starts the service of an active context: a reaction point then sets rates. */
void pcc_context_serve(struct context *c);
/* Ends the service: no rates are set, and the program runs no events. */
void pcc_context_rest(struct context *c);

/* ---- trace.c ---- */
void pcc_trace_init(struct trace *t);
void pcc_trace_free(struct trace *t);
/* Opens the file, if there is one. */
doca_error_t pcc_trace_open(struct trace *t);
void pcc_trace_close(struct trace *t);
void pcc_trace_write(struct trace *t, unsigned thread, int format,
                     const uint64_t values[TRACE_VALUES]);
void pcc_trace_flush(struct trace *t);

/* Stores the reason of a call that needs a mailbox. Returns NOT_PERMITTED. */
doca_error_t pcc_no_mailbox(void);

#endif
