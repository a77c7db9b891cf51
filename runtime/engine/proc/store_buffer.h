/*
 * store_buffer: stores to DPA memory that no fence has followed, for DPAKIT_STRICT=memory. Threads
 * of the DPA see these stores at once, but the NIC does not: after a doorbell it finds the old
 * bytes ("Data to be read by the NIC must be written back", DPA Development, "Memory Model"). So a
 * program that lacks a fence before its doorbell fails each time, with a report of the lines of the
 * store and the doorbell. The thread that runs the hart calls these functions.
 */
#ifndef DPK_ENGINE_PROC_STORE_BUFFER_H
#define DPK_ENGINE_PROC_STORE_BUFFER_H

#include "engine/proc/hart.h"

/* Does what rv64_interpret does, and keeps what stores replace. */
enum rv64_stop proc_store_buffer_run(struct hart *h, uint64_t budget);
/* Called after the host thread that carries out a doorbell has read the process's memory: `to` gets
 * the bytes that the NIC finds. */
void proc_store_buffer_hide(const struct dpk_process *p, uint64_t address, void *to, uint64_t size);
/* Called when the function has ended: reports doorbells that were rung too early, and drops the
 * buffer. */
void proc_store_buffer_end(struct hart *h);
/* NULL is allowed. */
void proc_store_buffer_free(struct hart *h);

#endif
