/* Declarations that the files of nic share. */
#ifndef DPK_API_NIC_PRIVATE_H
#define DPK_API_NIC_PRIVATE_H

#include "nic.h"

/* ---- retry.c: retries of work that waits for a receive ---- */
struct retry;
struct retry *nic_retry_new(struct dpk_queues *queues); /* NULL: out of memory */
/* Checks the queues a millisecond later, on a thread that the first call creates. */
void nic_retry_soon(struct retry *r);
/* Before the queues are closed; NULL is ignored. */
void nic_retry_end(struct retry *r);

#endif
