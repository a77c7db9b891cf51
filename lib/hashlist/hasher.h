/* Many SHA-256 at once; private to this room. */
#ifndef DPK_HASHLIST_HASHER_H
#define DPK_HASHLIST_HASHER_H

#include "device_elf.h"
#include "table.h"

#define HASHER_MAX (4 + 2 * HASHES_MAX) /* whole file, two tables and the header; the rest */

struct hasher_task {
    struct span span;
    struct hash *out;
};

/* What is to be hashed. Collected first, then done by several threads. */
struct hasher {
    struct hasher_task tasks[HASHER_MAX];
    size_t count;
};

void hasher_add(struct hasher *h, struct span span, struct hash *out);
/* Fills every `out`. Where one is the beginning of another, as a segment is of the file, or where
 * both are the same, as a section and its segment, the common bytes are hashed once. */
enum dpk_status hasher_run(struct hasher *h, unsigned threads, struct dpk_error *err);

#endif
