/* Appends by the plugin worker_rdmo, next to an initiator that does them itself: it adds to the pointer,
 * waits for the old value, and puts the record there. Prints a line for each: NAME VALUE. */
#include <time.h>

#include "rdmo_world.h"

enum { SMALL = 64, SMALL_COUNT = 20000, OWN_COUNT = 4000, BIG = 1 << 20, BIG_COUNT = 40 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static uint8_t bytes[BIG];

/* The bytes and the header stay, so nothing has to wait for UCX. */
static void append_without_wait(struct initiator *i, size_t size, unsigned n)
{
    static struct append_header h;
    h = append_to(i);
    const ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS,
                                       .flags = UCP_AM_SEND_FLAG_REPLY};
    void *request = ucp_am_send_nbx(i->ep, UROM_RDMO_AM_ID, &h, sizeof h, bytes, size, &param);
    CHECK(!UCS_PTR_IS_ERR(request));
    if (UCS_PTR_IS_PTR(request))
        ucp_request_free(request);
    if (n % 16 == 15 || size == BIG)
        ucp_worker_progress(i->peer.worker);
}

static void append_by_worker(struct initiator *i, const char *name, size_t size, unsigned count)
{
    append(i, bytes, size); /* connects */
    flush(i);
    meet_target(i);
    const double start = now();
    for (unsigned n = 0; n < count; n++)
        append_without_wait(i, size, n);
    flush(i);
    const double seconds = now() - start;
    printf("%s %.3f\n", name,
           size == SMALL ? count / seconds / 1e3 : (double)size * count / seconds / 1e6);
    meet_target(i);
}

/* The initiator's own way to the target. */
struct own {
    ucp_ep_h ep;
    ucp_rkey_h key;
};

static void settle(struct initiator *i, struct own *o)
{
    const ucp_request_param_t none = {0};
    CHECK(await_request(&i->peer, ucp_ep_flush_nbx(o->ep, &none)) == UCS_OK);
}

static uint64_t fetch_add(struct initiator *i, struct own *o, uint64_t by)
{
    static uint64_t value;
    const ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_DATATYPE |
                                                       UCP_OP_ATTR_FIELD_REPLY_BUFFER,
                                       .datatype = ucp_dt_make_contig(8),
                                       .reply_buffer = &value};
    CHECK(await_request(&i->peer, ucp_atomic_op_nbx(o->ep, UCP_ATOMIC_OP_ADD, &by, 1, i->place.base,
                                                    o->key, &param)) == UCS_OK);
    return value;
}

static void put(struct own *o, uint64_t at, size_t size)
{
    const ucp_request_param_t none = {0};
    void *request = ucp_put_nbx(o->ep, bytes, size, at, o->key, &none);
    CHECK(!UCS_PTR_IS_ERR(request));
    if (UCS_PTR_IS_PTR(request))
        ucp_request_free(request);
}

static void append_by_itself(struct initiator *i)
{
    struct own o = {.ep = connect_peer(&i->peer, i->place.target)};
    CHECK(ucp_ep_rkey_unpack(o.ep, i->place.packed, &o.key) == UCS_OK);
    fetch_add(i, &o, 0); /* connects */
    settle(i, &o);
    double start = now();
    for (unsigned n = 0; n < OWN_COUNT; n++)
        put(&o, fetch_add(i, &o, SMALL), SMALL);
    settle(i, &o);
    printf("own_small %.3f\n", OWN_COUNT / (now() - start) / 1e3);
    meet_target(i);
    start = now();
    for (unsigned n = 0; n < BIG_COUNT; n++)
        put(&o, i->place.base + QUEUE + (uint64_t)n * BIG, BIG);
    settle(i, &o);
    printf("own_big %.3f\n", (double)BIG * BIG_COUNT / (now() - start) / 1e6);
}

static void measure(struct initiator *i)
{
    append_by_worker(i, "small", SMALL, SMALL_COUNT);
    append_by_worker(i, "big", BIG, BIG_COUNT);
    append_by_itself(i);
    fflush(stdout);
}

int main(void)
{
    struct target t = {0};
    setvbuf(stdout, NULL, _IOLBF, 0);
    target_fork(&t, 1, measure);
    target_start(&t, (size_t)(BIG_COUNT + 4) * BIG);
    target_connect(&t);
    for (int n = 0; n < 5; n++) {
        await_initiator(&t, 0);
        set_pointer(&t, QUEUE);
        release_initiator(&t, 0);
    }
    target_wait(&t);
    target_end(&t);
    return 0;
}
