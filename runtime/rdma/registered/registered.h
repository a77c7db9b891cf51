/*
 * registered: registered memory, which devices access by key. The process has one registry, and one
 * checker of bounds and rights for every access: windows, work queue elements, RDMA, DMA, external
 * pointers, atomic operations.
 *
 *     const struct dpk_memory what = {.kind = DPK_MEMORY_HOST, .address = (uintptr_t)p, .size = n,
 *                                     .host = p, .rights = DPK_MEMORY_READ, .domains = {&domain}};
 *     dpk_memory_add(&what, &key, &err);
 *
 *     const struct dpk_memory_access a = {key, DPK_MEMORY_READ, address, size, &domain};
 *     const struct dpk_memory *m = dpk_memory_acquire(&a);
 *     if (m) {                                          // NULL: refused
 *         ... dpk_memory_at(m, address) ...             // it stays registered until
 *         dpk_memory_release(m);
 *     }
 *     dpk_memory_remove(key);                           // waits for accesses in flight
 *
 * Keys, addresses and sizes of accesses come from programs and peers, and are not trusted. A key is not
 * a secret: an access must be in one of its domains, and within its range and rights.
 *
 * All functions may be called from any thread. Accesses take no lock and never wait. An access is
 * short: a large transfer is split into several accesses.
 */
#ifndef DPK_RDMA_REGISTERED_REGISTERED_H
#define DPK_RDMA_REGISTERED_REGISTERED_H

#include <stdatomic.h>

#include "base/base.h"
#include "bus/exports/exports.h"

struct dpk_process;

/* The permitted users of a key: a protection domain or a device. A domain is identified by its address,
 * and must exist while it has keys. */
struct dpk_memory_domain {
    atomic_uint keys;        /* number of its keys */
    const char *device;      /* directory of its device, for congestion control; NULL: none */
    const char *fabric;      /* of its device ("ucx:192.0.2.1"); NULL: none */
    atomic_bool has_windows; /* of FlexIO; they only access memory with this alignment */
#define DPK_MEMORY_WINDOW_ALIGN 64u /* bytes, of address and size (guide, "DPA Window") */
    struct dpk_told told;
};

/* Rights that a key grants, and that an access needs. */
enum {
    DPK_MEMORY_READ = 1, /* by the owner's devices */
    DPK_MEMORY_WRITE = 2,
    DPK_MEMORY_REMOTE_READ = 4, /* by RDMA peers */
    DPK_MEMORY_REMOTE_WRITE = 8,
    DPK_MEMORY_REMOTE_ATOMIC = 16,
    DPK_MEMORY_EXPORT_READ = 32, /* through an imported memory map (PCIe) */
    DPK_MEMORY_EXPORT_WRITE = 64,
    DPK_MEMORY_WRITES = DPK_MEMORY_WRITE | DPK_MEMORY_REMOTE_WRITE | DPK_MEMORY_REMOTE_ATOMIC |
                        DPK_MEMORY_EXPORT_WRITE,
};

#define DPK_MEMORY_DOMAINS_MAX 8

/* Functions that copy memory outside this process. They return false if not all bytes were copied. */
struct dpk_memory_bus {
    bool (*read)(void *context, uint64_t address, void *to, size_t size);
    bool (*write)(void *context, uint64_t address, const void *from, size_t size);
};

/* The memory of a key. */
struct dpk_memory {
    enum dpk_memory_kind {
        DPK_MEMORY_NONE, /* no access; the key is only reserved */
        DPK_MEMORY_HOST,
        DPK_MEMORY_DPA,
        DPK_MEMORY_REMOTE, /* registered by its exporting process; can be copied and looked up */
        DPK_MEMORY_BUS,    /* can only be copied, by functions of the caller of dpk_memory_add */
    } kind;
    unsigned rights;                  /* DPK_MEMORY_... */
    uint64_t address, size;           /* the range that accesses name, in bytes */
    uint8_t *host;                    /* HOST: the first byte */
    struct dpk_process *process;      /* DPA, NONE: whose */
    const struct dpk_memory_bus *bus; /* BUS */
    void *bus_context;
    /* REMOTE: the exporting process and its key. If exporter.process is 0, the memory cannot be copied,
     * and `import` is NULL. */
    struct dpk_exporter exporter;
    uint32_t exported_key;
    struct dpk_import *import;
    struct dpk_memory_domain *domains[DPK_MEMORY_DOMAINS_MAX]; /* unused entries are NULL */
};

/* An access to memory. */
struct dpk_memory_access {
    uint32_t key;
    unsigned rights; /* DPK_MEMORY_..., at least one; all are needed */
    uint64_t address, size;
    const struct dpk_memory_domain *domain; /* the domain of the access */
};

/* ---- Keys ---- */

/* Creates a key, never 0 or UINT32_MAX. `m` is copied. A number is reused after half a million other
 * keys at the earliest. Remote memory of a process is imported (errors as of dpk_import_open): the key
 * gets the rights that the owner grants. Errors: DPK_ERR_RANGE if the host or the DPA process does not
 * have all of this memory, or may not write it although the rights include writes, DPK_ERR_NOMEM if
 * memory or numbers are exhausted. */
enum dpk_status dpk_memory_add(const struct dpk_memory *m, uint32_t *key, struct dpk_error *err);
/* Lets other processes of this user import host memory, with its rights DPK_MEMORY_EXPORT_....
 * `identity`: of this process. Errors: DPK_ERR_NOT_FOUND if the key is not of host memory; others as of
 * dpk_export_add, which is called once for a key. */
enum dpk_status dpk_memory_export(uint32_t key, const struct dpk_uuid *identity,
                                  struct dpk_exporter *who, struct dpk_error *err);
/* The data with which an RDMA peer can itself copy memory of this process. */
struct dpk_memory_share {
    struct dpk_exporter who;
    struct dpk_export what; /* the memory, by its address in this process */
    uint64_t base;          /* its address in accesses */
};
/* Lets processes of this user that receive *out read host memory, until the key is removed or replaced.
 * The kernel's permission to read this process is still needed. Errors: DPK_ERR_NOT_FOUND if the key is
 * not of host memory, or was replaced, DPK_ERR_NOMEM if there is no room; others as of
 * dpk_export_add. */
enum dpk_status dpk_memory_share(uint32_t key, const struct dpk_uuid *identity,
                                 struct dpk_memory_share *out);
/* Copies to->size bytes of another process's memory to memory of this process, as one access. Returns
 * false if the access is refused or not to host memory, or if the other process or its memory is
 * gone. */
bool dpk_memory_fetch(const struct dpk_memory_access *to, const struct dpk_import *from,
                      uint64_t address);
/* Replaces the memory of a key of host memory that was not exported. Waits until no access to the old
 * memory is in flight; accesses meanwhile are refused. Of several threads that replace the same key, one
 * wins. Errors, after which the key has its memory: as of dpk_memory_add; DPK_ERR_NOT_FOUND if the key
 * does not exist, or another thread removes it meanwhile; DPK_ERR_TIMEOUT if a peer was stopped during
 * an access. */
enum dpk_status dpk_memory_replace(uint32_t key, const struct dpk_memory *m, struct dpk_error *err);
/* Removes a key, and waits until no access to its memory is in flight, here or in a process that
 * imported it. The caller must not have an access in flight, or hold a lock that an access takes. A
 * number that is not a key is ignored. Returns false if an importing process was stopped during an
 * access. */
bool dpk_memory_remove(uint32_t key);
/* Removes all keys of the memory of a DPA process. NULL is allowed. */
void dpk_memory_remove_process(const struct dpk_process *process);
/* Copies the memory of a key. Returns false if the key does not exist, or no longer. */
bool dpk_memory_describe(uint32_t key, struct dpk_memory *out);
static inline bool dpk_memory_is_in(const struct dpk_memory *m,
                                    const struct dpk_memory_domain *domain)
{
    for (size_t i = 0; i < DPK_MEMORY_DOMAINS_MAX && m->domains[i]; i++)
        if (m->domains[i] == domain)
            return true;
    return false;
}

/* ---- Reasons of refusals ---- */

/* The reason why an access is refused, or fails. */
enum dpk_memory_why {
    DPK_MEMORY_ALLOWED,
    DPK_MEMORY_NO_KEY,       /* the key never existed */
    DPK_MEMORY_DESTROYED,    /* the key was removed */
    DPK_MEMORY_OTHER_DOMAIN, /* the key is for other protection domains or devices */
    DPK_MEMORY_NO_RIGHT,     /* the key does not grant the right */
    DPK_MEMORY_OUTSIDE,      /* some bytes are outside the key's range */
    DPK_MEMORY_ELSEWHERE,    /* the memory is not of this process, and can at most be copied */
    DPK_MEMORY_MISALIGNED,   /* an atomic operation on an unaligned word */
    DPK_MEMORY_GONE,         /* the owner has ended or lacks the memory, or a file was truncated */
    DPK_MEMORY_WHYS,
};

/* The reason, with its details. */
struct dpk_memory_refusal {
    enum dpk_memory_why why;
    enum dpk_memory_kind kind;
    unsigned rights;        /* NO_RIGHT: the missing rights */
    uint64_t address, size; /* OUTSIDE: the bytes of the key */
};

/* Finds the reason of a failed access afterwards, with the checker that refused it. If the checker
 * permits the access, it failed because its memory is gone. */
struct dpk_memory_refusal dpk_memory_refusal(const struct dpk_memory_access *a);

/* The text of a reason, as "key 0x1001 allows no remote write". Room for all of it: */
#define DPK_MEMORY_REASON_MAX 200
/* The reason of a refusal. Returns `text`. */
const char *dpk_memory_reason(const struct dpk_memory_access *a,
                              const struct dpk_memory_refusal *why,
                              char text[DPK_MEMORY_REASON_MAX]);
/* Do both steps: find the reason why this access, or this copy, failed, and write its text. */
const char *dpk_memory_explain(const struct dpk_memory_access *a, char text[DPK_MEMORY_REASON_MAX]);
const char *dpk_memory_explain_copy(const struct dpk_memory_access *to,
                                    const struct dpk_memory_access *from,
                                    char text[DPK_MEMORY_REASON_MAX]);
/* Names of rights: "remote write, remote atomic". Returns `text`. */
const char *dpk_memory_right_names(unsigned rights, char *text, size_t size);

/* ---- Accesses ---- */

/* Returns the memory of an access; it stays registered until dpk_memory_release. Returns NULL if the
 * access is refused: it needs no right, the key does not exist, does not cover the range, lacks a
 * right, is not in the domain, or its memory can only be copied. */
const struct dpk_memory *dpk_memory_acquire(const struct dpk_memory_access *a);
void dpk_memory_release(const struct dpk_memory *m);

/* Host address of an address within host memory. */
static inline void *dpk_memory_at(const struct dpk_memory *m, uint64_t address)
{
    return m->host + (address - m->address);
}

/* Returns memory of a DPA process for accesses without a key, such as to rings of its queues. It
 * stays as long as the process. Returns NULL if not all of it exists, it cannot be written, each
 * write is recorded, or stores wait for fences. */
void *dpk_memory_of_process(const struct dpk_process *p, uint64_t address, uint64_t size,
                            bool written);

/* Each of these functions is one access. They return false if the access is refused, the DPA process
 * does not have the memory, or its file was truncated; a part may be done then. Writes need a right of
 * DPK_MEMORY_WRITES, atomic operations DPK_MEMORY_REMOTE_ATOMIC. */
bool dpk_memory_is_there(const struct dpk_memory_access *a);
/* Copies a->size bytes. An aligned word of 4 or 8 bytes is copied atomically, with acquire order for a
 * read and release order for a write. */
bool dpk_memory_read(const struct dpk_memory_access *a, void *to);
bool dpk_memory_write(const struct dpk_memory_access *a, const void *from);
/* Change 8 bytes at an aligned address atomically. *before receives the old value. */
bool dpk_memory_fetch_add(const struct dpk_memory_access *a, uint64_t value, uint64_t *before);
bool dpk_memory_compare_swap(const struct dpk_memory_access *a, uint64_t compare, uint64_t value,
                             uint64_t *before);
/* Copies to->size bytes in several accesses, also of memory that another process exported
 * (DPK_MEMORY_EXPORT_...), or that is reached by a bus. Returns false if nothing was copied, or if
 * memory was removed meanwhile, its process ended, or its file was truncated. The result for
 * overlapping memory is undefined. */
bool dpk_memory_copy(const struct dpk_memory_access *to, const struct dpk_memory_access *from);

#endif
