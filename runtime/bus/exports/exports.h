/*
 * exports: memory of a process that other processes of its user read and write, as a card reaches
 * host memory over PCIe. It may be any memory, also what was allocated long before. The kernel
 * copies it (/proc/PID/mem, process_vm_readv), of this program alone: once the owner ended or executed
 * another program, copies fail. The owner needs no thread for it.
 *
 *     struct dpk_export what = {.key = key, .rights = 1, .address = (uintptr_t)p, .size = n};
 *     struct dpk_exporter who;
 *     dpk_export_add(identity, &what, &who, &err);     // then `what` and `who` go to the peer
 *     ...
 *     dpk_export_remove(key);                          // the memory is the owner's alone
 *
 *     struct dpk_import *in;                           // in the peer
 *     if (dpk_import_open(&who, &what, &in, &err) == DPK_OK) {
 *         dpk_import_read(in, what.address, buffer, n);
 *         dpk_import_close(in);
 *     }
 *
 * The owner has a table of what it exports in memory of its own that peers find by its /proc. The
 * kernel lets only processes in there that may trace the owner: of the same user, in the same
 * namespace of processes. Where the kernel lets only parents trace (Yama, ptrace_scope 1), the owner
 * permits all of its user's processes with its first export that has rights (PR_SET_PTRACER). With ptrace_scope 2
 * or 3 nobody may, and imports fail.
 *
 * All that a peer says, and all that it writes into the table, may be wrong. Any thread may call
 * these functions. A child of fork() has none of its parent's exports, and shares its imports.
 */
#ifndef DPK_BUS_EXPORTS_EXPORTS_H
#define DPK_BUS_EXPORTS_EXPORTS_H

#include "base/base.h"

/* Who exported: what a peer needs to find the table. */
struct dpk_exporter {
    struct dpk_uuid identity; /* a number of the process that no other has */
    uint32_t process;         /* its number for the system */
    uint32_t file;            /* its descriptor of the table */
};

/* What was exported. */
struct dpk_export {
    uint32_t key;           /* the owner's name of it, not 0, used once */
    unsigned rights;        /* passed on as they are */
    uint64_t address, size; /* bytes, in the owner */
};

/* ---- The owner's side ---- */

/* Lets peers reach memory. The first call of a process makes its table. Of a key that is exported already
 * the rights are added. Without rights the memory is for peers that have been told of it otherwise, and
 * the process does not permit anybody to look into it who may not already. DPK_ERR_NOMEM: there is no
 * room for more than 4096 exports, or none for the table. DPK_ERR_IO. */
enum dpk_status dpk_export_add(const struct dpk_uuid *identity, const struct dpk_export *what,
                               struct dpk_exporter *who, struct dpk_error *err);
/* Lets no peer in any more, and waits for those that are inside. True: none is, and there was none
 * of that key too. False: a peer that is alive has not left for a second, as one that was
 * stopped by a signal. */
bool dpk_export_remove(uint32_t key);

/* ---- The peer's side ---- */

struct dpk_import;

/* Finds memory that was exported. what->rights is set as the owner's table says.
 *   DPK_ERR_NOT_FOUND  the process is gone, or does not export this any more
 *   DPK_ERR_REFUSED    it is another user's, or does not let others look into it
 *   DPK_ERR_FORMAT     what is there is no table, or not of that process
 *   DPK_ERR_NOMEM      out of memory, descriptors, or places for peers in the table (4096) */
enum dpk_status dpk_import_open(const struct dpk_exporter *who, struct dpk_export *what,
                                struct dpk_import **out, struct dpk_error *err);
/* Nobody may use it any more. NULL is fine. */
void dpk_import_close(struct dpk_import *in);

/* Copies bytes that lie within the export, which the caller checks. False: it is not exported any
 * more, the owner is gone, or has not got the memory any more; part of it may have been copied. */
bool dpk_import_read(const struct dpk_import *in, uint64_t address, void *to, size_t size);
bool dpk_import_write(const struct dpk_import *in, uint64_t address, const void *from, size_t size);

#endif
