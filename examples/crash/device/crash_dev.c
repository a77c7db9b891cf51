/* The DPA side: adds up a list that the host has made. It believes every pointer. */
#include <libflexio-dev/flexio_dev.h>
#include <stdint.h>

struct node {
    uint64_t value;
    uint64_t next; /* DPA address, 0 at the end */
};

uint64_t visited; /* nodes so far: look at it in the core */

static __attribute__((noinline)) uint64_t value_of(const volatile struct node *n)
{
    visited++;
    return n->value;
}

__dpa_rpc__ uint64_t sum_list(uint64_t head)
{
    uint64_t sum = 0;
    for (uint64_t at = head; at != 0; at = ((const struct node *)at)->next)
        sum += value_of((const struct node *)at);
    return sum;
}
