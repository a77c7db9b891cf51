#ifndef DPK_HOST_DOCA_PE_H
#define DPK_HOST_DOCA_PE_H

struct dpk_ctx;

/* Takes a context that is about to go out of its progress engine, if it has one. */
void dpk_pe_disconnect(struct dpk_ctx *ctx);

#endif
