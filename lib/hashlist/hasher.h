/* Many SHA-256 hashes at once; private to this room. */
#ifndef DPK_HASHLIST_HASHER_H
#define DPK_HASHLIST_HASHER_H

#include "device_elf.h"
#include "table.h"

/* whole file, two tables and the header; segments and sections */
#define HASHER_MAX (4 + 2 * HASHES_MAX)

struct hasher_task {
    struct span span;
    struct hash *out;
};

/* Ranges to hash: collected first, then hashed by several threads. */
struct hasher {
    struct hasher_task tasks[HASHER_MAX];
    size_t count;
};

void hashlist_hasher_add(struct hasher *h, struct span span, struct hash *out);
/* Fills every `out`. If a range starts another range (as a segment starts the file), or equals
 * another (as a section and its segment), their common bytes are hashed once. */
enum dpk_status hashlist_hasher_run(struct hasher *h, unsigned threads, struct dpk_error *err);

#endif
