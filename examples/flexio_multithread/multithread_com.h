/* What host and DPA agree on. */
#ifndef MULTITHREAD_COM_H
#define MULTITHREAD_COM_H

#include <stdint.h>

#define SIDE 5

/* In DPA memory. */
struct matrices {
    uint64_t a[SIDE][SIDE], b[SIDE][SIDE];
    uint64_t result;    /* host address of uint64_t[SIDE][SIDE] */
    uint32_t window_id; /* the way there */
    uint32_t mkey;
    uint32_t lock; /* of `done`; a spinlock_s on the DPA */
    uint32_t done; /* cells */
};

/* One task: a cell, and where the matrices are. */
struct task {
    uint64_t matrices; /* DPA address */
    uint32_t row, column;
};

#endif
