/* Cables: two rings of frames, and the socket by which the ends greet and wake each other. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bus/ring/ring.h"
#include "private.h"

#define CABLE_RING ((uint32_t)1 << 21) /* bytes of one direction */
#define HEAD       4u /* bytes of a frame's size before it, in host byte order */
#define ALIGN      8u /* alignment of these sizes */

/* The first message of a caller: this text, with the version of the memory's layout, and the
 * caller's name. */
static const char magic[8] = "DPKCABL1";
#define HELLO_MAX (sizeof magic + DPK_CABLE_NAME_MAX)

struct dpk_cable {
    int fd;
    struct rings rings;
};

/* ---- Life ---- */

static struct dpk_cable *cable_new(int fd)
{
    struct dpk_cable *c = calloc(1, sizeof *c);
    if (c)
        c->fd = fd;
    else
        close(fd);
    return c;
}

/* A child of fork() may have the socket open, too, so closing it is not enough. */
static void cable_free(struct dpk_cable *c)
{
    shutdown(c->fd, SHUT_RDWR);
    close(c->fd);
    rings_free(&c->rings);
    free(c);
}

struct dpk_cable *dpk_cable_call(const char *folder, const char *name)
{
    char hello[HELLO_MAX];
    const size_t length = strnlen(name, DPK_CABLE_NAME_MAX - 1);
    int fd = cable_outlet_connect(folder);
    struct dpk_cable *c = fd >= 0 ? cable_new(fd) : NULL;
    if (!c)
        return NULL;
    memcpy(hello, magic, sizeof magic);
    memcpy(hello + sizeof magic, name, length);
    const int memory = rings_new(&c->rings, CABLE_RING);
    const bool good = memory >= 0 && rings_pass(c->fd, memory, hello, sizeof magic + length);
    if (memory >= 0)
        close(memory);
    if (good)
        return c;
    cable_free(c);
    return NULL;
}

struct dpk_cable *dpk_cable_answer(int fd, char name[DPK_CABLE_NAME_MAX])
{
    char hello[HELLO_MAX];
    int memory;
    const ssize_t n = rings_hear(fd, hello, sizeof hello, &memory);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
        errno = EAGAIN;
        return NULL;
    }
    const size_t length = n > (ssize_t)sizeof magic ? (size_t)n - sizeof magic : 0;
    struct dpk_cable *c = cable_new(fd);
    bool good = c && memory >= 0 && length > 0 && length < DPK_CABLE_NAME_MAX &&
                memcmp(hello, magic, sizeof magic) == 0 &&
                rings_open(&c->rings, memory, CABLE_RING);
    if (memory >= 0)
        close(memory);
    if (good) {
        memcpy(name, hello + sizeof magic, length);
        name[length] = 0;
        return c;
    }
    if (c)
        cable_free(c);
    errno = EPROTO;
    return NULL;
}

/* ---- The socket ---- */

int dpk_cable_fd(const struct dpk_cable *c)
{
    return c->fd;
}

/* Messages only wake the reader. A few are read at once. ECONNRESET comes before messages that were
 * sent earlier, and an end follows it. */
bool dpk_cable_hear(struct dpk_cable *c)
{
    uint8_t what[2];
    for (int i = 0; i < 16; i++) {
        const ssize_t n = recv(c->fd, what, sizeof what, MSG_DONTWAIT);
        if (n < 0)
            return errno == EAGAIN || errno == EINTR || errno == ECONNRESET;
        if (n != 1)
            return false;
    }
    return true;
}

void dpk_cable_flush(struct dpk_cable *c)
{
    const uint8_t wake = 0;
    /* When the socket is full, the other end has messages that wake it. */
    if (ring_wakes_reader(&c->rings.out))
        send(c->fd, &wake, sizeof wake, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* ---- Frames ---- */

static uint32_t place_of(uint32_t size)
{
    return (HEAD + size + ALIGN - 1) & ~(ALIGN - 1);
}

enum dpk_cable_put dpk_cable_put(struct dpk_cable *c, const uint8_t *frame, size_t size)
{
    struct ring *out = &c->rings.out;
    const uint32_t place = place_of((uint32_t)size);
    const enum ring_state state = ring_has_room(out, place);
    if (state != RING_GOOD)
        return state == RING_WAIT ? DPK_CABLE_FULL : DPK_CABLE_BROKEN;
    const uint32_t head = (uint32_t)size;
    memcpy(ring_here(out), &head, HEAD);
    memcpy(ring_here(out) + HEAD, frame, size);
    ring_wrote(out, place);
    return DPK_CABLE_PUT;
}

/* Finds the size of the next frame in `filled` bytes. Returns false if they do not begin with a
 * frame. */
static bool next_size(const struct ring *in, uint32_t filled, uint32_t *size)
{
    if (filled < ALIGN)
        return false;
    ring_copy(in, size, HEAD);
    return *size <= filled - HEAD && place_of(*size) <= filled;
}

bool dpk_cable_take(struct dpk_cable *c, struct dpk_cable_batch *batch)
{
    uint32_t filled, size;
    struct ring *in = &c->rings.in;
    batch->count = batch->too_short = batch->too_long = 0;
    if (!batch->bytes && !(batch->bytes = malloc((size_t)DPK_CABLE_BATCH * DPK_FRAME_MAX)))
        return true; /* the frames wait */
    if (ring_filled(in, &filled) == RING_BAD)
        return false;
    while (filled > 0 && batch->count + batch->too_short + batch->too_long < DPK_CABLE_BATCH) {
        if (!next_size(in, filled, &size))
            return false;
        uint8_t *to = batch->bytes + batch->count * DPK_FRAME_MAX;
        if (size < DPK_FRAME_MIN) {
            batch->too_short++;
        } else if (size > DPK_FRAME_MAX) {
            batch->too_long++;
        } else {
            memcpy(to, ring_here(in) + HEAD, size);
            batch->frames[batch->count++] = (struct dpk_frame){to, size};
        }
        ring_read(in, place_of(size));
        filled -= place_of(size);
    }
    return true;
}

/* ---- The end ---- */

/* Counts the frames of a ring in `filled` bytes from `at`. The other end may have changed them. */
static size_t count_frames(struct ring r, uint32_t at, uint32_t filled, size_t *bytes)
{
    size_t count = 0;
    uint32_t size;
    r.at = at;
    *bytes = 0;
    while (filled > 0 && next_size(&r, filled, &size)) {
        count++;
        *bytes += size;
        r.at += place_of(size);
        filled -= place_of(size);
    }
    return count;
}

void dpk_cable_end(struct dpk_cable *c, bool hung_up, struct dpk_cable_ended *out)
{
    size_t bytes;
    uint32_t filled;
    *out = (struct dpk_cable_ended){0};
    if (!c)
        return;
    struct ring *in = &c->rings.in, *to = &c->rings.out;
    if ((ring_leave(in, RING_READER) || hung_up) && ring_filled(in, &filled) == RING_GOOD)
        out->left = count_frames(*in, in->at, filled, &bytes);
    if (ring_leave(to, RING_WRITER) || hung_up) {
        const uint32_t read = atomic_load(&to->shared->read);
        if (to->at - read <= to->size)
            out->lost = count_frames(*to, read, to->at - read, &out->lost_bytes);
    }
    cable_free(c);
}
