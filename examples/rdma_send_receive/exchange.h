/* What both sides of the message do. */
#ifndef EXCHANGE_H
#define EXCHANGE_H

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <doca_rdma.h>

#include "sample.h"

/* What a side has: its device, and a buffer of `memory`. */
struct exchange {
    struct doca_dev *dev;
    struct doca_pe *pe;
    struct doca_rdma *rdma;
    struct doca_mmap *map;
    struct doca_buf_inventory *inventory;
    struct doca_buf *text;
    char memory[SAMPLE_TEXT + 1];
};

/* Makes everything but the tasks' settings, and does not start the context. `length`: how much of the memory is
 * data. */
void exchange_prepare(struct exchange *e, const char *device, size_t length);
/* Writes this side's description to a file, waits for Enter, and connects with that of the other file. Returns
 * the connection. */
struct doca_rdma_connection *exchange_connect(struct exchange *e, const char *local,
                                              const char *remote);
void exchange_end(struct exchange *e);

#endif
