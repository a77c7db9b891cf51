/*
 * memory: registered memory, which devices reach by key. One registry for the process, and one
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
 * Keys, addresses and sizes of accesses come from programs and peers: anything may be passed. A key
 * is no secret: who names it must be in one of its domains, and stay within its range and rights.
 *
 * All functions may be called from any thread. Accesses take no lock and never wait. An access is
 * short: parts of what is large have one each.
 */
#ifndef DPK_RDMA_REGISTERED_REGISTERED_H
#define DPK_RDMA_REGISTERED_REGISTERED_H

#include <stdatomic.h>

#include "base/base.h"
#include "bus/exports/exports.h"

struct dpk_process;

/* Who may use a key: those whose protection domain, or device, is one of the key's. Known by its
 * address; it stays as long as it has keys. */
struct dpk_memory_domain {
    atomic_uint keys;        /* how many keys are in it */
    const char *device;      /* directory of its device, for congestion control; NULL: none */
    atomic_bool has_windows; /* of FlexIO: they reach memory that is aligned so alone */
#define DPK_MEMORY_WINDOW_ALIGN 64u /* bytes, of address and size (guide, "DPA Window") */
    struct dpk_told told;
};

/* Rights: what a key allows, and what an access asks for. */
enum {
    DPK_MEMORY_READ = 1, /* by the owner's own devices */
    DPK_MEMORY_WRITE = 2,
    DPK_MEMORY_REMOTE_READ = 4, /* by RDMA peers */
    DPK_MEMORY_REMOTE_WRITE = 8,
    DPK_MEMORY_REMOTE_ATOMIC = 16,
    DPK_MEMORY_EXPORT_READ = 32, /* through a memory map that was imported (PCIe) */
    DPK_MEMORY_EXPORT_WRITE = 64,
    DPK_MEMORY_WRITES = DPK_MEMORY_WRITE | DPK_MEMORY_REMOTE_WRITE | DPK_MEMORY_REMOTE_ATOMIC |
                        DPK_MEMORY_EXPORT_WRITE,
};

#define DPK_MEMORY_DOMAINS_MAX 8

/* Memory that is not this process's: who copies it. False: not all of it was. */
struct dpk_memory_bus {
    bool (*read)(void *context, uint64_t address, void *to, size_t size);
    bool (*write)(void *context, uint64_t address, const void *from, size_t size);
};

/* What a key stands for. */
struct dpk_memory {
    enum dpk_memory_kind {
        DPK_MEMORY_NONE, /* a key that allows no access, but that no other memory has */
        DPK_MEMORY_HOST,
        DPK_MEMORY_DPA,
        DPK_MEMORY_REMOTE, /* registered by whoever exported it: copied, else only looked up */
        DPK_MEMORY_BUS,    /* only copied, by functions of who adds it */
    } kind;
    unsigned rights;                  /* DPK_MEMORY_... */
    uint64_t address, size;           /* bytes, as accesses name them */
    uint8_t *host;                    /* HOST: the first byte */
    struct dpk_process *process;      /* DPA, NONE: whose */
    const struct dpk_memory_bus *bus; /* BUS */
    void *bus_context;
    /* REMOTE: the process that exported it, and its key there. If exporter.process is 0, the memory
     * is not copied, and `import` is NULL. */
    struct dpk_exporter exporter;
    uint32_t exported_key;
    struct dpk_import *import;
    struct dpk_memory_domain *domains[DPK_MEMORY_DOMAINS_MAX]; /* the rest of them NULL */
};

/* An access to memory. */
struct dpk_memory_access {
    uint32_t key;
    unsigned rights; /* DPK_MEMORY_..., at least one; it needs all of them */
    uint64_t address, size;
    const struct dpk_memory_domain *domain; /* the domain that the access is made in */
};

/* ---- Keys ---- */

/* A new key, never 0 or UINT32_MAX; `m` is copied. A number comes back after half a million others
 * at the earliest. DPK_ERR_RANGE: the host, or the DPA process, does not have all of this memory,
 * or may not write it if that is among the rights. DPK_ERR_NOMEM: out of memory, or of numbers.
 * Remote memory of a process whose number is given is imported (dpk_import_open, which says what may
 * be wrong): the key has those of the rights that its owner grants. */
enum dpk_status dpk_memory_add(const struct dpk_memory *m, uint32_t *key, struct dpk_error *err);
/* Lets other processes of this user import host memory, with those of its rights that are for that
 * (DPK_MEMORY_EXPORT_...). `identity`: this process. DPK_ERR_NOT_FOUND: no key of host memory. Else as
 * dpk_export_add, which is called once for a key. */
enum dpk_status dpk_memory_export(uint32_t key, const struct dpk_uuid *identity,
                                  struct dpk_exporter *who, struct dpk_error *err);
/* What a peer of RDMA needs to copy memory out of this process by itself. */
struct dpk_memory_share {
    struct dpk_exporter who;
    struct dpk_export what; /* the memory, by its address in this process */
    uint64_t base;          /* its address as accesses name it */
};
/* Lets processes of this user that hear of it read host memory, as far as the kernel lets them look into
 * this process anyway, until the key is removed or replaced. DPK_ERR_NOT_FOUND: no key of host memory, or
 * it was replaced. DPK_ERR_NOMEM: there is no room for more. Else as dpk_export_add. */
enum dpk_status dpk_memory_share(uint32_t key, const struct dpk_uuid *identity,
                                 struct dpk_memory_share *out);
/* One access: copies to->size bytes of another process's memory, at that address there, to memory of this
 * process. False: it is refused, or is no host memory, or the other process is gone, or its memory is. */
bool dpk_memory_fetch(const struct dpk_memory_access *to, const struct dpk_import *from,
                      uint64_t address);
/* Gives a key of host memory that was not exported other memory, when no access to the old one is in
 * flight; accesses meanwhile are refused. Nobody else may remove or replace it meanwhile. Errors, after
 * which it is as it was: of dpk_memory_add; DPK_ERR_NOT_FOUND: there is no such key. */
enum dpk_status dpk_memory_replace(uint32_t key, const struct dpk_memory *m, struct dpk_error *err);
/* Removes a key, and waits until no access to its memory is in flight, here or in a process that
 * imported it. The caller must not have such an access itself, nor hold a lock that one takes. A
 * number that is no key is ignored. False: a process that imported it was stopped in an access. */
bool dpk_memory_remove(uint32_t key);
/* The same for all keys of the memory of a DPA process. NULL is fine. */
void dpk_memory_remove_process(const struct dpk_process *process);
/* Copies what was registered under a key. False: there is no such key, or not any more. */
bool dpk_memory_describe(uint32_t key, struct dpk_memory *out);
static inline bool dpk_memory_is_in(const struct dpk_memory *m,
                                    const struct dpk_memory_domain *domain)
{
    for (size_t i = 0; i < DPK_MEMORY_DOMAINS_MAX && m->domains[i]; i++)
        if (m->domains[i] == domain)
            return true;
    return false;
}

/* ---- Why not ---- */

/* Why an access is refused, or cannot be carried out. */
enum dpk_memory_why {
    DPK_MEMORY_ALLOWED,
    DPK_MEMORY_NO_KEY,       /* no memory has the key, or had it */
    DPK_MEMORY_DESTROYED,    /* the memory that had the key is not registered any more */
    DPK_MEMORY_OTHER_DOMAIN, /* it is for other protection domains, or devices */
    DPK_MEMORY_NO_RIGHT,     /* the key does not allow that */
    DPK_MEMORY_OUTSIDE,      /* some bytes are not the key's */
    DPK_MEMORY_ELSEWHERE, /* it is no memory of this process, and is only copied, or not even that */
    DPK_MEMORY_MISALIGNED, /* an atomic operation is not on an aligned word */
    DPK_MEMORY_GONE,       /* whose it is has ended, or has no such memory, or a file was cut */
    DPK_MEMORY_WHYS,
};

/* The reason, with what its line says. */
struct dpk_memory_refusal {
    enum dpk_memory_why why;
    enum dpk_memory_kind kind;
    unsigned rights;        /* NO_RIGHT: those that are missing */
    uint64_t address, size; /* OUTSIDE: the bytes of the key */
};

/* Why an access has failed, found after that: by the checker that refused it. An access that it allows
 * has failed because its memory is gone. */
struct dpk_memory_refusal dpk_memory_refusal(const struct dpk_memory_access *a);

/* Text for people: "key 0x1001 allows no remote write". Room for all of it: */
#define DPK_MEMORY_REASON_MAX 200
/* The reason of a refusal. Returns `text`. */
const char *dpk_memory_reason(const struct dpk_memory_access *a,
                              const struct dpk_memory_refusal *why,
                              char text[DPK_MEMORY_REASON_MAX]);
/* Both steps in one: why this access, or this copy, has failed. */
const char *dpk_memory_explain(const struct dpk_memory_access *a, char text[DPK_MEMORY_REASON_MAX]);
const char *dpk_memory_explain_copy(const struct dpk_memory_access *to,
                                    const struct dpk_memory_access *from,
                                    char text[DPK_MEMORY_REASON_MAX]);
/* Names of rights: "remote write, remote atomic". Returns `text`. */
const char *dpk_memory_right_names(unsigned rights, char *text, size_t size);

/* ---- Accesses ---- */

/* The memory of an access; it stays registered until dpk_memory_release. NULL: the access is
 * refused, because it asks for no right, there is no such key, or the key does not cover the whole
 * range, lacks one of the rights, is not in the domain, or is of memory that is only copied. */
const struct dpk_memory *dpk_memory_acquire(const struct dpk_memory_access *a);
void dpk_memory_release(const struct dpk_memory *m);

/* Host address of an address within host memory. */
static inline void *dpk_memory_at(const struct dpk_memory *m, uint64_t address)
{
    return m->host + (address - m->address);
}

/* The memory of a DPA process, for accesses to what no key is needed for, as rings of its queues. It
 * stays as long as the process. NULL: not all of it is there, or it cannot be written, each write is
 * recorded, or stores wait for fences. */
void *dpk_memory_of_process(const struct dpk_process *p, uint64_t address, uint64_t size,
                            bool written);

/* Of these each is one access; false: refused, or the DPA process does not have the memory, or it was of a file
 * that somebody made shorter, and part of it may be done. What writes wants
 * one of DPK_MEMORY_WRITES, an atomic operation DPK_MEMORY_REMOTE_ATOMIC. */
bool dpk_memory_is_there(const struct dpk_memory_access *a);
/* Copies a->size bytes. An aligned word of 4 or 8 bytes goes in one piece: read before, and written
 * after, everything else that the thread does. */
bool dpk_memory_read(const struct dpk_memory_access *a, void *to);
bool dpk_memory_write(const struct dpk_memory_access *a, const void *from);
/* The 8 bytes at an aligned address, in one step; what they were to *before. */
bool dpk_memory_fetch_add(const struct dpk_memory_access *a, uint64_t value, uint64_t *before);
bool dpk_memory_compare_swap(const struct dpk_memory_access *a, uint64_t compare, uint64_t value,
                             uint64_t *before);
/* Copies to->size bytes, as many accesses: also of memory that another process exported
 * (DPK_MEMORY_EXPORT_...), or that is behind a bus. False: nothing was copied, or memory was taken back meanwhile, or its
 * process has ended, or it was of a file that somebody made shorter. Of memory that overlaps nobody knows what becomes. */
bool dpk_memory_copy(const struct dpk_memory_access *to, const struct dpk_memory_access *from);

#endif
