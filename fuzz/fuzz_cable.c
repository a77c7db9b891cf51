/* Hostile bytes from the other end of a cable and from UDP, and specifications of wires. */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bus/ring/ring.h"
#include "net/wire/wire.h"

#define CABLE_RING ((uint32_t)1 << 21)
enum { IS_SPEC = 1, IS_UDP = 2, HAS_COUNTERS = 4, SAYS_HELLO = 8, HANGS_UP = 16 };

static size_t arrive(void *context, const struct dpk_frame *frames, size_t count, bool waits)
{
    (void)context, (void)waits;
    for (size_t i = 0; i < count; i++)
        if (frames[i].size < DPK_FRAME_MIN || frames[i].size > DPK_FRAME_MAX)
            abort();
    return count;
}

static void tell(void *context, bool detail, const char *text)
{
    (void)context, (void)detail, (void)text;
}

/* ---- Specifications ---- */

/* A port also sends to a source of frames, and these frames need not be the source's own. */
static void give_back(const struct dpk_reader *r)
{
    const struct dpk_wire_sink sink = {.arrive = arrive, .tell = tell};
    const size_t size = dpk_reader_left(r);
    struct dpk_wire *wire;
    if (size < DPK_FRAME_MIN || size > DPK_FRAME_MAX ||
        dpk_wire_open("generate:1,60,1,1", &sink, &wire, NULL) != DPK_OK)
        return;
    dpk_wire_send(wire, r->pos, size);
    dpk_wire_close(wire);
}

/* The stored form of a specification must be a specification with the same stored form. The bytes
 * also serve as a frame. */
static void check_spec(struct dpk_reader *r)
{
    char spec[300], kept[DPK_WIRE_SPEC_MAX], again[DPK_WIRE_SPEC_MAX];
    const size_t left = dpk_reader_left(r);
    snprintf(spec, sizeof spec, "%.*s", left < 299 ? (int)left : 299, (const char *)r->pos);
    if (dpk_wire_check(spec, kept, NULL) == DPK_OK &&
        (dpk_wire_check(kept, again, NULL) != DPK_OK || strcmp(kept, again) != 0))
        abort();
    give_back(r);
}

/* ---- UDP ---- */

static struct dpk_wire *udp_wire(int *peer)
{
    char spec[80];
    struct sockaddr_in at[2];
    int fds[2];
    for (int i = 0; i < 2; i++) {
        socklen_t size = sizeof at[i];
        at[i] = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
        if ((fds[i] = socket(AF_INET, SOCK_DGRAM, 0)) < 0 ||
            bind(fds[i], (struct sockaddr *)&at[i], size) != 0 ||
            getsockname(fds[i], (struct sockaddr *)&at[i], &size) != 0)
            abort();
    }
    close(fds[0]);
    if (connect(fds[1], (struct sockaddr *)&at[0], sizeof at[0]) != 0)
        abort();
    *peer = fds[1];
    snprintf(spec, sizeof spec, "udp:127.0.0.1:%u,127.0.0.1:%u", ntohs(at[0].sin_port),
             ntohs(at[1].sin_port));
    const struct dpk_wire_sink sink = {.arrive = arrive, .tell = tell};
    struct dpk_wire *wire;
    if (dpk_wire_open(spec, &sink, &wire, NULL) != DPK_OK || dpk_wire_start(wire, NULL) != DPK_OK)
        abort();
    return wire;
}

static uint64_t came(const struct dpk_wire *wire)
{
    struct dpk_wire_counters c;
    dpk_wire_counters(wire, &c);
    uint64_t sum = c.received;
    for (int i = 0; i < DPK_WIRE_DROPS; i++)
        sum += c.received_dropped[i];
    return sum;
}

/* Each datagram arrives as a frame or is counted as dropped. */
static void send_datagrams(struct dpk_reader *r)
{
    static struct dpk_wire *wire;
    static int peer;
    static uint64_t sent;
    static unsigned runs;
    if (runs++ % 32 == 0) {
        dpk_wire_close(wire);
        if (wire)
            close(peer);
        wire = udp_wire(&peer);
        sent = 0;
    }
    for (unsigned i = 0; i < 8 && dpk_reader_left(r) >= 2; i++) {
        size_t size = dpk_read_be16(r) % 12000;
        if (size > dpk_reader_left(r))
            size = dpk_reader_left(r);
        if (send(peer, dpk_read_bytes(r, size), size, 0) == (ssize_t)size)
            sent++;
    }
    for (unsigned i = 0; came(wire) != sent; i++) {
        if (i == 100000)
            abort();
        usleep(20);
    }
}

/* ---- The other end of a cable ---- */

static struct rings theirs;
static int memory = -1;

/* Fills the peer's ring and the counters that the peer shows. The counters of this end stay. */
static void fill(uint8_t flags, struct dpk_reader *r)
{
    struct ring *out = &theirs.out;
    const uint32_t shown[2] = {flags & HAS_COUNTERS ? dpk_read_be32(r) : 0,
                               flags & HAS_COUNTERS ? dpk_read_be32(r) : 0};
    const size_t size = dpk_reader_left(r) < CABLE_RING ? dpk_reader_left(r) : CABLE_RING;
    out->at = 0;
    if (size > 0)
        memcpy(ring_here(out), dpk_read_bytes(r, size), size);
    atomic_store(&out->shared->written,
                 flags & HAS_COUNTERS ? shown[0] : (uint32_t)(size + 7) & ~7u);
    atomic_store(&theirs.in.shared->read, shown[1]);
}

static void use(struct dpk_cable *c, bool hung_up)
{
    static struct dpk_cable_batch batch;
    static const uint8_t frame[DPK_FRAME_MAX];
    struct dpk_cable_ended ended;
    size_t bytes = 0;
    bool good;
    do {
        good = dpk_cable_take(c, &batch);
        arrive(NULL, batch.frames, batch.count, false);
        for (size_t i = 0; i < batch.count; i++)
            for (size_t k = 0; k < batch.frames[i].size; k += 64)
                bytes += batch.frames[i].bytes[k];
    } while (good && batch.count + batch.too_short + batch.too_long > 0 && bytes < 1u << 30);
    dpk_cable_put(c, frame, 60);
    dpk_cable_put(c, frame, sizeof frame);
    dpk_cable_flush(c);
    hung_up = !dpk_cable_hear(c) || hung_up;
    dpk_cable_end(c, hung_up, &ended);
    if (ended.lost > CABLE_RING / 8 || ended.left > CABLE_RING / 8 || ended.lost_bytes > CABLE_RING)
        abort();
}

static void call(uint8_t flags, struct dpk_reader *r)
{
    int fds[2];
    char name[DPK_CABLE_NAME_MAX], hello[200] = "DPKCABL1mlx5_1";
    size_t size = 14;
    if (memory < 0 && (memory = rings_new(&theirs, CABLE_RING)) < 0)
        abort();
    memset(theirs.in.shared, 0, sizeof *theirs.in.shared);
    memset(theirs.out.shared, 0, sizeof *theirs.out.shared);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0)
        abort();
    if (flags & SAYS_HELLO) {
        size = dpk_read_u8(r) % sizeof hello;
        if (size > dpk_reader_left(r))
            size = dpk_reader_left(r);
        if (size > 0)
            memcpy(hello, dpk_read_bytes(r, size), size);
    }
    if (!rings_pass(fds[1], memory, hello, size))
        abort();
    struct dpk_cable *c = dpk_cable_answer(fds[0], name);
    if (c) {
        if (strlen(name) >= sizeof name)
            abort();
        fill(flags, r);
        if (flags & HANGS_UP)
            shutdown(fds[1], SHUT_RDWR);
        else
            send(fds[1], hello, size % 3, MSG_NOSIGNAL);
        use(c, flags & HANGS_UP);
    }
    close(fds[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dpk_reader r = dpk_reader(data, size);
    const uint8_t flags = dpk_read_u8(&r);
    if (flags & IS_SPEC)
        check_spec(&r);
    else if (flags & IS_UDP)
        send_datagrams(&r);
    else
        call(flags, &r);
    return 0;
}
