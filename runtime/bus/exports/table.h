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

/* The place of one import. Its user holds a lock on the byte of the file with the place's index,
 * through its own file description; so the lock ends with the process. */
struct import_slot {
    _Atomic uint32_t key;  /* key of its export */
    _Atomic uint32_t busy; /* number of threads that copy */
};

struct table {
    struct dpk_uuid identity;
    uint64_t mark; /* where the owner, but not its children, has the identity, too */
    struct entry entries[ENTRIES_MAX];
    struct import_slot places[PEERS_MAX];
};

#endif
