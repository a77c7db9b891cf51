/* For tests of wires that are interfaces of the machine: a network of their own, the port at one end
 * of a pair of interfaces, and a socket at the other. */
#ifndef TESTS_WIRE_WORLD_H
#define TESTS_WIRE_WORLD_H

#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>

#include "namespace.h"
#include "skip.h"
#include "wire_open.h"

#define TYPE    0x88b5 /* of Ethernet, for experiments (IEEE 802) */
#define SECONDS 60

static bool entered;

/* ---- The port ---- */

/* Keeps the last frame; frames that the machine itself sends are ignored. */
struct port {
    pthread_mutex_t lock;
    unsigned arrived, probes;
    uint8_t last[DPK_FRAME_MAX];
    size_t last_size;
    uint8_t all[80000]; /* one frame after the other */
    size_t all_size;
    atomic_uint warnings;
    char warning[300];
};

static inline bool is_ours(const uint8_t *frame, size_t size)
{
    return size >= 14 && memcmp(frame, "\2to-us", 6) == 0;
}

static inline size_t arrive(void *context, const struct dpk_frame *frames, size_t count, bool waits)
{
    struct port *p = context;
    assert_false(waits);
    pthread_mutex_lock(&p->lock);
    for (size_t i = 0; i < count; i++) {
        p->probes += memcmp(frames[i].bytes, "\2probe", 6) == 0;
        if (!is_ours(frames[i].bytes, frames[i].size))
            continue;
        p->last_size = frames[i].size;
        memcpy(p->last, frames[i].bytes, frames[i].size);
        p->arrived++;
        if (p->all_size + frames[i].size <= sizeof p->all) {
            memcpy(p->all + p->all_size, frames[i].bytes, frames[i].size);
            p->all_size += frames[i].size;
        }
    }
    pthread_mutex_unlock(&p->lock);
    return count;
}

static inline void tell(void *context, bool detail, const char *text)
{
    struct port *p = context;
    if (detail)
        return;
    pthread_mutex_lock(&p->lock);
    snprintf(p->warning, sizeof p->warning, "%s", text);
    atomic_fetch_add(&p->warnings, 1);
    pthread_mutex_unlock(&p->lock);
}

/* Whether the last warning has what. */
static inline bool has_warned(struct port *p, const char *what)
{
    pthread_mutex_lock(&p->lock);
    const bool has = strstr(p->warning, what);
    pthread_mutex_unlock(&p->lock);
    return has;
}

static inline struct dpk_wire *plug(const char *spec, struct port *p)
{
    *p = (struct port){.lock = PTHREAD_MUTEX_INITIALIZER};
    const struct dpk_wire_sink sink = {.arrive = arrive, .tell = tell, .context = p};
    struct dpk_wire *wire = wire_open(spec, &sink);
    assert_int_equal(dpk_wire_start(wire, NULL), DPK_OK);
    return wire;
}

static inline unsigned arrived(struct port *p)
{
    pthread_mutex_lock(&p->lock);
    const unsigned n = p->arrived;
    pthread_mutex_unlock(&p->lock);
    return n;
}

static inline void await_arrived(struct port *p, unsigned want)
{
    for (unsigned i = 0; i < SECONDS * 1000 && arrived(p) < want; i++)
        usleep(1000);
    assert_int_equal(arrived(p), want);
}

static inline uint64_t sum_of_drops(const uint64_t drops[DPK_WIRE_DROPS])
{
    uint64_t sum = 0;
    for (size_t i = 0; i < DPK_WIRE_DROPS; i++)
        sum += drops[i];
    return sum;
}

/* ---- The other end ---- */

static inline int peer(const char *interface)
{
    const struct sockaddr_ll to = {.sll_family = AF_PACKET,
                                   .sll_protocol = htons(TYPE),
                                   .sll_ifindex = (int)if_nametoindex(interface)};
    const struct timeval limit = {.tv_sec = SECONDS};
    const int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0), on = 1;
    assert_true(fd >= 0);
    assert_int_equal(setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof on), 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit), 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&to, sizeof to), 0);
    return fd;
}

/* A frame to the port, of `size` bytes that depend on `seed`. */
static inline const uint8_t *frame_of(size_t size, unsigned seed)
{
    static uint8_t frame[DPK_FRAME_MAX];
    for (size_t i = 14; i < size; i++)
        frame[i] = (uint8_t)(i * 7 + seed);
    memcpy(frame, "\2to-us\2peer.\x88\xb5", 14);
    return frame;
}

static inline void peer_sends(int fd, size_t size, unsigned seed)
{
    assert_int_equal(send(fd, frame_of(size, seed), size, 0), size);
}

static inline void peer_gets(int fd, size_t size, unsigned seed)
{
    uint8_t got[DPK_FRAME_MAX + 100];
    assert_int_equal(recv(fd, got, sizeof got, 0), size);
    assert_memory_equal(got, frame_of(size, seed), size);
}

static inline void port_sends(struct dpk_wire *wire, size_t size, unsigned seed)
{
    assert_true(dpk_wire_send(wire, frame_of(size, seed), size));
    dpk_wire_flush(wire);
}

static inline void assert_last(struct port *p, size_t size, unsigned seed)
{
    pthread_mutex_lock(&p->lock);
    assert_int_equal(p->last_size, size);
    assert_memory_equal(p->last, frame_of(size, seed), size);
    pthread_mutex_unlock(&p->lock);
}

/* When a carrier comes back, the kernel lets an interface send a little later. */
static inline void await_carrier(struct port *p, int fd)
{
    static const uint8_t probe[60] = "\2probe\2peer.\x88\xb5";
    unsigned probes = 0;
    for (unsigned i = 0; i < SECONDS * 100 && probes == 0; i++) {
        (void)send(fd, probe, sizeof probe, 0);
        usleep(10000);
        pthread_mutex_lock(&p->lock);
        probes = p->probes;
        pthread_mutex_unlock(&p->lock);
    }
    assert_true(probes > 0);
    p->probes = 0;
}

static inline void ip(const char *words)
{
    if (!namespace_ip(words))
        fail_msg("ip %s", words);
}

/* The name of an interface does not say which kernel module is missing. */
static inline void need(const char *what, bool there)
{
    if (!there)
        skip_because(what);
}

/* Each test has a network of its own. */
static inline int another_network(void **state)
{
    (void)state;
    return entered && unshare(CLONE_NEWNET) != 0;
}

static inline void need_network(void)
{
    need("no user and network namespaces for this user, or no ip(8)", entered);
}

static inline void make_pair(void)
{
    need_network();
    need("this kernel has no veth pairs", namespace_ip("link add v0 type veth peer name v1"));
    ip("link set v0 up");
    ip("link set v1 up");
}

/* Plugs the port into one end, and opens the other. */
static inline struct dpk_wire *plug_pair(struct port *p, int *other)
{
    make_pair();
    *other = peer("v1");
    return plug("veth:v0", p);
}

static inline void unplug(struct dpk_wire *wire, int other)
{
    dpk_wire_close(wire);
    close(other);
}

#endif
