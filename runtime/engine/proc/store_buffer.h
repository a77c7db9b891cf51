/*
 * store_buffer: stores to DPA memory that no fence has followed, for DPAKIT_STRICT=memory.
 * Threads of the DPA see them at once, the NIC does not: a doorbell finds the bytes that were there before ("Data to be
 * read by the NIC must be written back", DPA Development, "Memory Model"). So a program that lacks
 * a fence before its doorbell fails each time, and is told the lines of the store and the doorbell.
 * By the thread of the host that runs the hart.
 */
#ifndef DPK_ENGINE_PROC_STORE_BUFFER_H
#define DPK_ENGINE_PROC_STORE_BUFFER_H

#include "engine/proc/hart.h"

/* Does what rv64_interpret does, and keeps what stores replace. */
enum rv64_stop store_buffer_run(struct hart *h, uint64_t budget);
/* The thread of the host that carries out a doorbell has read the process's memory: `to` gets the bytes
 * that the NIC finds. */
void store_buffer_hide(const struct dpk_process *p, uint64_t address, void *to, uint64_t size);
/* The function has ended: tells which doorbells were rung too early, and drops it. */
void store_buffer_end(struct hart *h);
/* NULL is fine. */
void store_buffer_free(struct hart *h);

#endif
