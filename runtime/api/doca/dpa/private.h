/* What the files of dpa share. */
#ifndef DPK_API_DOCA_DPA_PRIVATE_H
#define DPK_API_DOCA_DPA_PRIVATE_H

#include "api/doca/dpa/dpa.h"

/* ---- dpa.c, start.c: contexts and their processes ---- */

/* A context that is not started; holds `dev`. NULL: out of memory. */
struct dpk_dpa *dpk_dpa_new(struct dpk_dev *dev);
/* Loads the program; the device decides first. BAD_STATE: started before. */
doca_error_t dpk_dpa_start(struct dpk_dpa *d);
/* Ends its threads, wherever they are, and whoever waits for them; prints their last messages. */
doca_error_t dpk_dpa_stop(struct dpk_dpa *d);
/* A context for another device on the same process, started. BAD_STATE: not started, or itself
 * extended. */
doca_error_t dpk_dpa_extend(struct dpk_dpa *base, struct dpk_dev *dev, struct dpk_dpa **out);
/* Copies a text to where a program has room for *size bytes; *size becomes what it takes. INVALID_VALUE:
 * there is less room, or none. */
doca_error_t tell_text(const char *text, char *out, uint32_t *size);
/* The last call on a context that was stopped, or extended another: it needs its device no more. */
void dpk_dpa_close(struct dpk_dpa *d);
/* The domain of the device of the context that DPA code calls by that number, this one or one that
 * extends it. NULL: there is none. */
struct dpk_memory_domain *dpk_dpa_domain_of_number(struct dpk_dpa *d, uint64_t number);

/* ---- messages.c ---- */

/* Gives a process that starts its streams, and opens their files; with the lock of the context. What
 * is open after a failure is for messages_close. DPK_ERR_IO: a file cannot be written. */
enum dpk_status messages_open(struct dpk_dpa *d, struct dpk_error *err);
/* When the process is gone; with the lock of the context. */
void messages_close(struct dpk_dpa *d);

/* ---- calls.c ---- */

/* Gives the process of a context that starts the calls of every room. */
void calls_attach(struct dpk_dpa *d);

/* ---- thread.c ---- */

struct dpk_dpa_thread {
    struct dpk_object object;
    struct dpk_dpa *dpa; /* a reference */
    uint64_t run;        /* of the context; 0: not started yet */
    dpk_host_stub *func; /* NULL: not set */
    uint64_t argument, local_storage;
    struct dpk_affinity affinity;
    const struct doca_dpa_eu_affinity *affinity_handle; /* that it was set by; NULL: none */
    unsigned rank, peers;                               /* in its group; 0 peers: it has none */
    struct dpk_thread *thread;                          /* NULL: not started */
    struct dpk_dpa_completion *completions;             /* started ones */
};
extern const struct dpk_kind dpk_dpa_thread_kind;

/* The handle of a thread for programs; NOT_FOUND: NULL, or one that was destroyed. */
doca_error_t dpk_dpa_thread_tell(const struct dpk_dpa_thread *t, struct doca_dpa_thread **out);

/* doca_dpa_eu_affinity_get. */
struct doca_dpa_eu_affinity;
doca_error_t dpk_eu_affinity_get(const struct doca_dpa_eu_affinity *eu_affinity,
                                 unsigned int *eu_id);

#endif
