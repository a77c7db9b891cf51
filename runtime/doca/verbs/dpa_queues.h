/* What queue pairs and shared receive queues of the DPA share. Private to verbs. */
#ifndef DPK_DOCA_VERBS_DPA_QUEUES_H
#define DPK_DOCA_VERBS_DPA_QUEUES_H

#include <sys/queue.h>

#include "doca/dpa/dpa.h"
#include "guest/verbs_calls.h"
#include "rc/rc.h"
#include "verbs.h"

#define WORKS_MAX   32768u
#define WQE_SEGMENT 16u /* bytes of a segment of a receive */
#define RECORD      8u  /* bytes of a doorbell record */

/* Reads `count` segments of DPA code. False: there is no memory. */
bool read_segments(struct dpk_dpa *d, struct dpk_rc_piece *to, uint64_t from, uint32_t count);
/* The same of a receive, whose list may end before: *left are those that it has. */
bool read_receive(struct dpk_dpa *d, struct dpk_rc_piece *to, uint64_t from, uint32_t count,
                  uint32_t *left);

/* The handle by which DPA code of that context knows an object. INVALID_VALUE: it is of another base. */
doca_error_t dpa_handle(const struct dpk_object *object, const struct dpk_dpa *base,
                        const struct doca_dpa *dpa, uint64_t *handle);

/* ---- Shared receive queues: dpa_srq.c. All with the lock of rc. ---- */

/* A queue pair that takes receives of one. */
struct dpa_srq_user {
    struct dpk_rc_end *end;
    TAILQ_ENTRY(dpa_srq_user) link; /* if it waits for a receive */
    bool waits;
    struct shared_receive *taken; /* what it has not ended; NULL: none */
};

/* Whether queue pairs of that base may take its receives. */
bool dpa_srq_is_of(const struct dpa_srq *s, const struct dpk_dpa *base);
/* Takes the next receive; if there is none, the user waits. */
enum dpk_rc_taken dpa_srq_take(struct dpa_srq *s, struct dpa_srq_user *u,
                               struct dpk_rc_receive *out);
/* The receive that it took has ended: its count. */
uint32_t dpa_srq_ended(struct dpa_srq *s, struct dpa_srq_user *u);
/* It neither waits nor has taken a receive any more. */
void dpa_srq_leave(struct dpa_srq *s, struct dpa_srq_user *u);

#endif
