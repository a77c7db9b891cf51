/* What the behaviours of queue pairs share: two sides within one process, each with a device. */
#ifndef TESTS_HOST_VERBS_PAIR_H
#define TESTS_HOST_VERBS_PAIR_H

#include "verbs_world.h"

static struct side a, b;

static inline void open_both(void)
{
    open_side(&a, "mlx5_0");
    open_side(&b, "mlx5_1");
    connect_sides(&a, &b);
}

static inline void close_both(void)
{
    close_side(&a);
    close_side(&b);
}

#endif
