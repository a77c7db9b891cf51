/*
 * memh: exported memory handles of UCX for emulated cards. A handle lets a worker of the DPU use
 * memory of a host program as if it were its own memory: ucp_memh_pack with UCP_MEMH_PACK_FLAG_EXPORT
 * makes it, ucp_mem_map takes it, and transfers name the result in their parameter memh. UCX itself
 * has such handles only with the driver of a card.
 *
 *     memh_redirect(); // calls of UCX that are loaded by now get the functions of this room
 *
 * UCX still has the first word: where it makes a handle or knows one, its own functions go on. Memory
 * is copied by bus/exports, and the checks of rights and liveness are those of that room. UCX moves
 * bytes between the network and a buffer of this process; this room copies between the buffer and the
 * memory, before a transfer that reads it and after one that writes it.
 *
 * Redirected calls need no variable in the environment and no library that is loaded before UCX, and
 * the order of libraries on a link line does not matter.
 */
#ifndef DPK_API_MEMH_MEMH_H
#define DPK_API_MEMH_MEMH_H

/* Redirects the calls of all objects that are loaded now, if UCX is among them and is of version 1.16
 * or later. Call it again after objects were loaded. Any thread. */
void memh_redirect(void);

#endif
