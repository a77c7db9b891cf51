/*
 * exports: memory of a process that other processes of its user read and write, as a card reaches
 * host memory over PCIe. Any memory can be exported, also memory that was allocated long before.
 * The kernel copies it (/proc/PID/mem, process_vm_readv), only while the owner runs this program:
 * after the owner has ended or executed another program, copies fail. The owner does not need a
 * thread for this.
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
 * The owner has a table of its exports in its own memory, which peers find through its /proc. The
 * kernel admits only processes that may trace the owner: those of the same user, in the same PID
 * namespace. If the kernel lets only parents trace (Yama, ptrace_scope 1), the owner permits all of
 * its user's processes when it first exports memory with rights (PR_SET_PTRACER). With ptrace_scope
 * 2 or 3 no process may trace, and imports fail.
 *
 * Words of a peer, and its changes of the table, are not trusted. Any thread may call these
 * functions. A child of fork() does not have its parent's exports, and shares its imports.
 */
#ifndef DPK_BUS_EXPORTS_EXPORTS_H
#define DPK_BUS_EXPORTS_EXPORTS_H

#include "base/base.h"

/* The exporting process: the data by which a peer finds the table. */
struct dpk_exporter {
    struct dpk_uuid identity; /* unique number of the process */
    uint32_t process;         /* process id */
    uint32_t file;            /* descriptor of the table in the process */
};

/* Exported memory. */
struct dpk_export {
    uint32_t key;           /* chosen by the owner, not 0, used once */
    unsigned rights;        /* passed to peers unchanged */
    uint64_t address, size; /* in the owner; size in bytes */
};

/* ---- The owner's side ---- */

/* Exports memory to peers. The first call of a process makes its table. If the key is exported
 * already, the rights are added to it. Memory without rights is for peers that know it by other
 * means; such an export does not permit more processes to trace this process. Errors: DPK_ERR_NOMEM
 * if there are 4096 exports already or no memory for the table, DPK_ERR_IO. */
enum dpk_status dpk_export_add(const struct dpk_uuid *identity, const struct dpk_export *what,
                               struct dpk_exporter *who, struct dpk_error *err);
/* Admits no more peers, and waits for peers that copy. Returns true if no peer copies, also if the
 * key was not exported. Returns false if a living peer has not finished within a second, for
 * example because a signal has stopped it. */
bool dpk_export_remove(uint32_t key);

/* ---- The peer's side ---- */

struct dpk_import;

/* Opens exported memory. Sets what->rights from the owner's table.
 *   DPK_ERR_NOT_FOUND  the process is gone, or no longer exports this memory
 *   DPK_ERR_REFUSED    it belongs to another user, or does not permit tracing
 *   DPK_ERR_FORMAT     there is no table of that process
 *   DPK_ERR_NOMEM      out of memory, descriptors, or places for peers in the table (4096) */
enum dpk_status dpk_import_open(const struct dpk_exporter *who, struct dpk_export *what,
                                struct dpk_import **out, struct dpk_error *err);
/* Closes it. No thread may still use it. NULL is allowed. */
void dpk_import_close(struct dpk_import *in);

/* Copies bytes within the export; the caller checks the range. Returns false if the memory is no
 * longer exported, the owner is gone, or the owner has unmapped the memory; part of it may have
 * been copied. */
bool dpk_import_read(const struct dpk_import *in, uint64_t address, void *to, size_t size);
bool dpk_import_write(const struct dpk_import *in, uint64_t address, const void *from, size_t size);

#endif
