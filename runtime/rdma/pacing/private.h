/* Declarations that the files of this room share: the file, and the messages of rings. */
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

/* A sender only reads `generation`; all other members are statistics. */
struct file {
    uint64_t magic;
    _Alignas(64) atomic_uint_least32_t generation; /* number of servers so far */
    _Alignas(64) atomic_uint_least64_t lost;       /* senders add to it */
    _Alignas(64) atomic_uint_least64_t bad, changes;
    atomic_uint_least64_t programs, flows;
    atomic_uint_least64_t events[DPK_RATES_TYPES];
    struct row rows[DPK_RATES_SEEN];
};
/* Maps the file. With `makes`, creates a missing file. */
enum dpk_status pacing_rates_map(const char *directory, bool makes, struct file **out,
                                 struct dpk_error *err);
void pacing_rates_unmap(struct file *f);

/* ---- The socket ---- */

/* Returns a socket to the server of this user or of root. Returns -1 without a server, and -1 with
 * EAGAIN if too many processes wait for the server. *process: the server. */
int pacing_rates_connect(const char *directory, uint32_t *process);

/* ---- The rings ---- */

_Static_assert(sizeof(struct dpk_rates_event) == 64, "events fill their ring without gaps");

/* A separate type for the end of a flow. It is not reported to the owner. */
#define FLOW_END 0

/* A message from the server. */
struct order {
    uint32_t flow, life, rate, probe;
};
_Static_assert(sizeof(struct order) == 16, "orders fill their ring without gaps");

#endif
