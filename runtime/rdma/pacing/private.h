/* What the files of rates share: the file, and what goes over rings. */
#ifndef DPK_RDMA_PACING_PRIVATE_H
#define DPK_RDMA_PACING_PRIVATE_H

#include <stdatomic.h>

#include "bus/ring/ring.h"
#include "pacing.h"

#define RATES_RING ((uint32_t)1 << 18) /* bytes of each direction: 4096 events */
#define SOCKET     "rates.sock"

/* ---- The file ---- */

#define MAGIC UINT64_C(0x3145544152504b44) /* "DKPRATE1": layout 1, byte order of this machine */

struct row {
    _Alignas(64) atomic_uint_least64_t events;
    atomic_uint_least32_t process; /* 0: free */
    atomic_uint_least32_t qp, rate, rtt_ns;
};

/* Nothing but `generation` is read by who sends; nothing but statistics is in the rest. */
struct file {
    uint64_t magic;
    _Alignas(64) atomic_uint_least32_t generation; /* how many servers there were */
    _Alignas(64) atomic_uint_least64_t lost;       /* who sends adds to it */
    _Alignas(64) atomic_uint_least64_t bad, changes;
    atomic_uint_least64_t programs, flows;
    atomic_uint_least64_t events[DPK_RATES_TYPES];
    struct row rows[DPK_RATES_SEEN];
};
/* With `makes` it is made if there is none. */
enum dpk_status rates_map(const char *directory, bool makes, struct file **out,
                          struct dpk_error *err);
void rates_unmap(struct file *f);

/* ---- The socket ---- */

/* To the server of this user or root. -1: there is none, or, with EAGAIN, too many others wait for
 * it. *process: the server. */
int rates_connect(const char *directory, uint32_t *process);

/* ---- The rings ---- */

_Static_assert(sizeof(struct dpk_rates_event) == 64, "events fill their ring without gaps");

/* A type of its own for the end of a flow; nobody is told of it. */
#define FLOW_END 0

/* From the server. */
struct order {
    uint32_t flow, life, rate, probe;
};
_Static_assert(sizeof(struct order) == 16, "orders fill their ring without gaps");

#endif
