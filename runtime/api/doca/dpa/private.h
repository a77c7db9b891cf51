/* Declarations that the files of dpa share. */
#ifndef DPK_API_DOCA_DPA_PRIVATE_H
#define DPK_API_DOCA_DPA_PRIVATE_H

#include "api/doca/dpa/dpa.h"

/* ---- dpa.c, start.c: contexts and their processes ---- */

/* Creates a context that is not started; holds `dev`. Returns NULL if memory is exhausted. */
struct dpk_dpa *dpk_dpa_new(struct dpk_dev *dev);
/* Loads the program if the device permits it. Errors: BAD_STATE if the context is started. */
doca_error_t dpk_dpa_start(struct dpk_dpa *d);
/* Ends its threads at any point of their code, ends waits for them, and prints their last messages. */
doca_error_t dpk_dpa_stop(struct dpk_dpa *d);
/* Creates a started context for another device on the same process. Errors: BAD_STATE if `base` is not
 * started or extends another. */
doca_error_t dpk_dpa_extend(struct dpk_dpa *base, struct dpk_dev *dev, struct dpk_dpa **out);
/* Stores the reason of a call that needs a started context. Returns BAD_STATE. */
doca_error_t dpa_not_started(void);
/* Copies a text to a program's buffer of *size bytes. *size receives the size of the text with the NUL.
 * Errors: INVALID_VALUE if the buffer is too small or NULL. */
doca_error_t dpa_tell_text(const char *text, char *out, uint32_t *size);
/* The last call on a stopped or extending context: releases its device. */
void dpk_dpa_close(struct dpk_dpa *d);
/* Returns the domain of the device of the context with that number for DPA code: this context, or a
 * context that extends it. Returns NULL if the number is unknown. */
struct dpk_memory_domain *dpk_dpa_domain_of_number(struct dpk_dpa *d, uint64_t number);

/* ---- messages.c ---- */

/* Creates the streams of a starting process and opens their files. Call this with the lock of the
 * context, and dpa_messages_close also after a failure. Errors: DPK_ERR_IO if a file cannot be written. */
enum dpk_status dpa_messages_open(struct dpk_dpa *d, struct dpk_error *err);
/* Closes the streams after the end of the process. Call this with the lock of the context. */
void dpa_messages_close(struct dpk_dpa *d);

/* ---- calls.c ---- */

/* Attaches the calls of every room to the process of a starting context. */
void dpa_calls_attach(struct dpk_dpa *d);

/* ---- thread.c ---- */

struct dpk_dpa_thread {
    struct dpk_object object;
    struct dpk_dpa *dpa; /* a reference */
    uint64_t run;        /* of the context; 0: not started yet */
    dpk_host_stub *func; /* NULL: not set */
    uint64_t argument, local_storage;
    struct dpk_affinity affinity;
    const struct doca_dpa_eu_affinity *affinity_handle; /* the affinity that was set; NULL: none */
    unsigned rank, peers;                               /* in its group; 0 peers: no group */
    struct dpk_thread *thread;                          /* NULL: not started */
    struct dpk_dpa_completion *completions;             /* started ones */
};
extern const struct dpk_kind dpk_dpa_thread_kind;

/* Gets the handle of a thread for programs. Errors: NOT_FOUND for NULL, or if the thread was
 * destroyed. */
doca_error_t dpk_dpa_thread_tell(const struct dpk_dpa_thread *t, struct doca_dpa_thread **out);

/* doca_dpa_eu_affinity_get. */
struct doca_dpa_eu_affinity;
doca_error_t dpk_eu_affinity_get(const struct doca_dpa_eu_affinity *eu_affinity,
                                 unsigned int *eu_id);

#endif
