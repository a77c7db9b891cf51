/* What the files of nic share. */
#ifndef DPK_API_NIC_PRIVATE_H
#define DPK_API_NIC_PRIVATE_H

#include "nic.h"

/* ---- retry.c: what waits for a receive ---- */
struct retry;
struct retry *retry_new(struct dpk_queues *queues); /* NULL: out of memory */
/* Looks at the queues a millisecond later, with a thread that the first call makes. */
void retry_soon(struct retry *r);
/* Before the queues are closed; NULL is fine. */
void retry_end(struct retry *r);

#endif
