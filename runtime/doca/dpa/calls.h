/* Calls of DPA code that the DOCA libraries carry out. */
#ifndef DPK_HOST_DOCA_CALLS_H
#define DPK_HOST_DOCA_CALLS_H

#include "doca/core/core.h"

/* A dpk_device_call; its context is a struct dpk_dpa. */
bool dpk_doca_call(void *context, struct dpk_caller *caller, unsigned call, const uint64_t args[6],
                   uint64_t *result, char *story, size_t size);

/* Gives DPA code an address for loads and stores of registered host memory. False: it is not
 * that, with the story. */
bool dpk_external_pointer(struct dpk_dpa *d, uint64_t address, uint64_t memory, uint64_t *result,
                          char *story, size_t size);
/* What is behind such addresses; before the program runs. */
void dpk_external_attach(struct dpk_dpa *d);

#endif
