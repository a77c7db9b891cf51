/* No frame is lost without a count: on each kind of wire, the frames that reach a port are those
 * that leave it or are counted as dropped. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "namespace.h"
#include "queue_world.h"
#include "skip.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { EACH = 20000 };
#else
enum { EACH = 334000 }; /* a million of all senders */
#endif
enum { SENDERS = 3, FIRST_SLOT = 1, SIZE = 64 };

/* A device: three send queues, each with a thread, and a receive queue for half of all addresses. */
struct machine {
    struct world w; /* first: queues have it as their user */
    struct dpk_wire *wire;
    struct dpk_queue *sq[SENDERS], *rq, *send_cq, *receive_cq;
    uint32_t received, looks;
    char directory[64];
    bool generous; /* receives are posted whenever a frame waits for one */
};

static struct machine machines[2];
static unsigned each = EACH;                    /* frames of a sender */
static char folder[] = "/tmp/dpk-ports-XXXXXX"; /* of devices */

/* ---- Callbacks: with the lock ---- */

static void completed(void *context, void *user, unsigned count, bool event)
{
    struct machine *m = user;
    (void)context, (void)event;
    if (m)
        m->received += count;
}

/* The program posts receives now and then. */
static bool listens(void *user)
{
    struct machine *m = user;
    if (m->generous || m->looks++ % 64 == 0)
        post_receives(&m->w, 0, (uint16_t)(m->received + 4));
    return true;
}

static bool leaves(void *context, const uint8_t *frame, size_t size)
{
    return dpk_wire_send(((struct machine *)context)->wire, frame, size);
}

static void left(void *context)
{
    dpk_wire_flush(((struct machine *)context)->wire);
}

static size_t arrive(void *context, const struct dpk_frame *frames, size_t count, bool waits)
{
    return dpk_frames_arrive(((struct machine *)context)->w.nic, frames, count, waits);
}

static void tell(void *context, bool detail, const char *text)
{
    (void)context, (void)detail, (void)text;
}

static void warn(void *context, const char *reason)
{
    (void)context;
    fail_msg("%s", reason);
}

/* ---- Machines ---- */

static struct dpk_queue *cq(struct machine *m, unsigned slot, void *user)
{
    struct dpk_queue *q = NULL;
    const struct dpk_queue_options o = {.kind = DPK_CQ,
                                        .log_depth = CQ_LOG,
                                        .ring = {&m->w, cq_ring(slot)},
                                        .record = {&m->w, RECORDS + slot * 8},
                                        .overrun_ignore = true,
                                        .user = user};
    assert_int_equal(dpk_queue_create(m->w.nic, &o, &q, NULL), DPK_OK);
    return q;
}

static void machine_begin(struct machine *m, const char *spec)
{
    static struct dpk_queue_ops ops;
    memset(m, 0, sizeof *m);
    snprintf(m->directory, sizeof m->directory, "%s/d%d", folder, (int)(m - machines));
    world_begin(&m->w);
    dpk_queues_close(m->w.nic);
    ops = world_ops;
    ops.completed = completed, ops.listens = listens, ops.leaves = leaves, ops.left = left;
    ops.warn = warn;
    assert_int_equal(
        dpk_queues_open(&ops, m, m->w.rc, m->w.steering, m->w.counters, &m->w.nic, NULL), DPK_OK);
    const struct dpk_wire_sink sink = {.arrive = arrive,
                                       .tell = tell,
                                       .context = m,
                                       .counters = m->w.counters,
                                       .directory = m->directory};
    struct dpk_error err = {0};
    if (dpk_wire_open(spec, &sink, &m->wire, &err) != DPK_OK)
        fail_msg("%s: %s", spec, err.message);
    m->receive_cq = cq(m, 0, m);
    m->send_cq = cq(m, 1, NULL);
    m->rq = wq_new(&m->w, 0, DPK_RQ, m->receive_cq);
    for (uint16_t i = 0; i < 4; i++)
        put_receive(&m->w, 0, i, SIZE, DATA + 0x8000);
    for (unsigned i = 0; i < SENDERS; i++)
        m->sq[i] = wq_new(&m->w, FIRST_SLOT + i, DPK_SQ, m->send_cq);
    /* Frames whose source address begins with an even byte. */
    const struct dpk_match even = {.mask = {1}, .value = {0}};
    m->w.every = frames_to(&m->w, m->rq, &even, 0);
    assert_int_equal(dpk_wire_start(m->wire, NULL), DPK_OK);
}

struct sender {
    struct machine *m;
    unsigned number;
};

static void *send(void *context)
{
    const struct sender *s = context;
    const unsigned slot = FIRST_SLOT + s->number;
    struct machine *m = s->m;
    const uint64_t data = DATA + slot * 0x1000u;
    for (unsigned i = 0; i < each; i++) {
        m->w.memory[data + 6] = (uint8_t)i; /* the source address */
        put_frame(&m->w, slot, m->sq[s->number], (uint16_t)i, data, SIZE);
        dpk_queue_ring(m->sq[s->number], (uint16_t)(i + 1));
    }
    return NULL;
}

/* All senders of the first `count` machines at once. */
static void send_all(unsigned count)
{
    pthread_t threads[2 * SENDERS];
    struct sender senders[2 * SENDERS];
    for (unsigned i = 0; i < count * SENDERS; i++) {
        senders[i] = (struct sender){&machines[i / SENDERS], i % SENDERS};
        assert_int_equal(pthread_create(&threads[i], NULL, send, &senders[i]), 0);
    }
    for (unsigned i = 0; i < count * SENDERS; i++)
        pthread_join(threads[i], NULL);
}

/* Receives what waits. */
static void drain(struct machine *m)
{
    dpk_rc_lock(m->w.rc);
    m->generous = true;
    dpk_rc_unlock(m->w.rc);
    while (dpk_frames_waiting(m->w.nic) > 0)
        dpk_queues_kick(m->w.nic, NULL);
}

static struct dpk_counters_seen seen;

/* Frames came to the port as often as they left it. */
static void check_balance(struct machine *m)
{
    uint64_t drops = 0, in, out;
    dpk_counters_read(m->w.counters, false, &seen);
    for (unsigned i = DPK_FIRST_DROP; i < DPK_DROPS_END; i++)
        drops += seen.port[i];
    in = seen.port[DPK_SENT] + seen.port[DPK_WIRE_IN] + seen.port[DPK_COPIED];
    out = seen.port[DPK_RECEIVED] + seen.port[DPK_WIRE_OUT] + drops;
    assert_int_equal(in, out);
    assert_int_equal(seen.port[DPK_RECEIVED], m->received);
    assert_int_equal(seen.port[DPK_SENT], (uint64_t)SENDERS * each);
    assert_int_equal(seen.port[DPK_SENT_BYTES], (uint64_t)SENDERS * each * SIZE);
    assert_int_equal(seen.port[DPK_WIRE_OUT_BYTES], SIZE * seen.port[DPK_WIRE_OUT]);
    /* Bytes of what the wire has lost are not known. */
    assert_in_range(seen.port[DPK_WIRE_IN_BYTES], 0, SIZE * seen.port[DPK_WIRE_IN]);
    assert_int_equal(seen.count, SENDERS + 1);
}

static void machine_end(struct machine *m)
{
    dpk_wire_close(m->wire);
    m->wire = NULL;
    world_end(&m->w);
}

/* ---- Wires of one machine ---- */

static void run_alone(const char *spec)
{
    machine_begin(&machines[0], spec);
    send_all(1);
    drain(&machines[0]);
    check_balance(&machines[0]);
}

static void a_port_that_is_plugged_into_itself(void **state)
{
    (void)state;
    run_alone("loop");
    assert_int_equal(seen.port[DPK_DROP_NO_RULE], SENDERS * each / 2);
    assert_true(seen.port[DPK_RECEIVED] > 0 && seen.port[DPK_DROP_OUT_OF_BUFFER] > 0);
    assert_int_equal(seen.port[DPK_WIRE_OUT], 0);
    machine_end(&machines[0]);
}

static void a_port_that_is_plugged_into_nothing(void **state)
{
    (void)state;
    run_alone("none");
    assert_int_equal(seen.port[DPK_DROP_WIRE_DOWN], SENDERS * each);
    machine_end(&machines[0]);
}

static void a_port_that_captures(void **state)
{
    (void)state;
    run_alone("pcap:,/dev/null");
    assert_int_equal(seen.port[DPK_WIRE_OUT], SENDERS * each);
    machine_end(&machines[0]);
}

/* ---- A cable ---- */

static int make_folder(void **state)
{
    (void)state;
    return !mkdtemp(folder) || chdir(folder) != 0 || mkdir("d0", 0700) != 0 ||
           mkdir("d1", 0700) != 0;
}

/* Nothing but locks is left of wires that were closed. */
static int remove_folder(void **state)
{
    (void)state;
    return unlink("d0/port.lock") + unlink("d1/port.lock") + rmdir("d0") + rmdir("d1") +
           rmdir(folder);
}

/* What one has sent into the cable, the other has got. */
static void run_both(const char *spec, const char *other_spec)
{
    static struct dpk_counters_seen first;
    machine_begin(&machines[0], spec);
    machine_begin(&machines[1], other_spec);
    send_all(2);
    /* The wire ends first, with frames in it. */
    for (unsigned i = 0; i < 2; i++)
        dpk_wire_close(machines[i].wire);
    for (unsigned i = 0; i < 2; i++) {
        machines[i].wire = NULL;
        drain(&machines[i]);
        check_balance(&machines[i]);
        if (i == 0)
            first = seen;
    }
    assert_int_equal(first.port[DPK_WIRE_OUT], seen.port[DPK_WIRE_IN]);
    assert_int_equal(seen.port[DPK_WIRE_OUT], first.port[DPK_WIRE_IN]);
    assert_in_range(first.port[DPK_WIRE_OUT], 1, SENDERS * each);
    assert_true(first.port[DPK_RECEIVED] > 0 && seen.port[DPK_RECEIVED] > 0);
    for (unsigned i = 0; i < 2; i++)
        machine_end(&machines[i]);
}

static void two_ports_that_are_cabled(void **state)
{
    (void)state;
    run_both("dev:d1", "dev:d0");
}

/* The kernel carries frames from one end of the pair to the other while they are sent. */
static void two_ports_of_a_veth_pair(void **state)
{
    (void)state;
    if (!namespace_enter() ||
        !namespace_write("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1") ||
        !namespace_ip("link add v0 type veth peer name v1") || !namespace_ip("link set v0 up") ||
        !namespace_ip("link set v1 up"))
        skip_because("no network namespace");
    usleep(500000);
    each = EACH / 8;
    run_both("veth:v0", "veth:v1");
}

static void two_ports_over_udp(void **state)
{
    (void)state;
    each = EACH / 8; /* a system call for each */
    run_both("udp:127.0.77.1:4701,127.0.77.2:4701", "udp:127.0.77.2:4701,127.0.77.1:4701");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_port_that_is_plugged_into_itself),
        cmocka_unit_test(a_port_that_is_plugged_into_nothing),
        cmocka_unit_test(a_port_that_captures),
        cmocka_unit_test(two_ports_that_are_cabled),
        cmocka_unit_test(two_ports_over_udp),
        cmocka_unit_test(two_ports_of_a_veth_pair),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
