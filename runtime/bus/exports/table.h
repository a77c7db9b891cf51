/* The table of a process's exports, in memory that its peers map. */
#ifndef DPK_BUS_EXPORTS_TABLE_H
#define DPK_BUS_EXPORTS_TABLE_H

#include <stdatomic.h>

#include "exports.h"

#define TABLE_NAME  "dpakit-exports"
#define ENTRIES_MAX 4096u
#define PEERS_MAX   4096u

struct entry {
    _Atomic uint32_t key; /* 0: free. Set last, and cleared first */
    uint32_t rights;
    uint64_t address, size;
};

/* The place of one import. Whoever has it holds a lock on the byte of the file that has its index,
 * by a file description of its own: so the lock goes with the process. */
struct place {
    _Atomic uint32_t key;  /* which export it is for */
    _Atomic uint32_t busy; /* threads that copy */
};

struct table {
    struct dpk_uuid identity;
    uint64_t mark; /* address in the owner where its identity is, too, but not in its children */
    struct entry entries[ENTRIES_MAX];
    struct place places[PEERS_MAX];
};

#endif
