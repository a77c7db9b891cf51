/* Memory shared by two processes, and the rings in it. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ring.h"

_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "counters are for two processes");
_Static_assert(2 * sizeof(struct ring_shared) <= RING_MEMORY(0), "room");

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW)

/* ---- Memory ---- */

/* The file holds ring 0, ring 1 and the counters. The mapping has ring 0 twice, ring 1 twice, then
 * the counters. The process that made the file writes ring 0. */
static bool map(struct rings *r, int fd, uint32_t each, bool made)
{
    const size_t ring = each, size = RING_MEMORY(each) + 2 * ring;
    const int access = PROT_READ | PROT_WRITE;
    uint8_t *at = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return false;
    if (mmap(at, ring, access, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED ||
        mmap(at + ring, 2 * ring, access, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED ||
        mmap(at + 3 * ring, RING_MEMORY(each) - ring, access, MAP_SHARED | MAP_FIXED, fd,
             (off_t)ring) == MAP_FAILED) {
        munmap(at, size);
        return false;
    }
    struct ring_shared *shared = (void *)(at + 4 * ring);
    const struct ring first = {.shared = shared, .bytes = at, .size = each};
    const struct ring second = {.shared = shared + 1, .bytes = at + 2 * ring, .size = each};
    *r = (struct rings){at, made ? first : second, made ? second : first};
    return true;
}

int rings_new(struct rings *r, uint32_t size)
{
    int fd = memfd_create("dpakit-ring", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    /* Allocates the whole file now: a page that cannot be allocated later would end the process. */
    if (fd >= 0 && fallocate(fd, 0, 0, (off_t)RING_MEMORY(size)) == 0 &&
        fcntl(fd, F_ADD_SEALS, SEALS | F_SEAL_SEAL) == 0 && map(r, fd, size, true))
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

bool rings_open(struct rings *r, int fd, uint32_t size)
{
    struct stat st;
    int seals = fcntl(fd, F_GET_SEALS);
    return seals >= 0 && (seals & SEALS) == SEALS && fstat(fd, &st) == 0 &&
           st.st_size == (off_t)RING_MEMORY(size) && map(r, fd, size, false);
}

void rings_free(struct rings *r)
{
    if (r->map)
        munmap(r->map, RING_MEMORY(r->in.size) + 2 * (size_t)r->in.size);
    *r = (struct rings){0};
}

/* ---- Rings ---- */

enum ring_state ring_filled(const struct ring *in, uint32_t *size)
{
    *size = atomic_load(&in->shared->written) - in->at;
    return *size > in->size ? RING_BAD : *size > 0 ? RING_GOOD : RING_WAIT;
}

enum ring_state ring_has_room(const struct ring *out, uint32_t size)
{
    uint32_t used = out->at - atomic_load(&out->shared->read);
    return used > out->size ? RING_BAD : out->size - used >= size ? RING_GOOD : RING_WAIT;
}

enum ring_state ring_known_filled(struct ring *in, uint32_t *size)
{
    if (in->seen == in->at)
        in->seen = atomic_load(&in->shared->written);
    *size = in->seen - in->at;
    return *size > in->size ? RING_BAD : *size > 0 ? RING_GOOD : RING_WAIT;
}

enum ring_state ring_known_room(struct ring *out, uint32_t size)
{
    if (out->size - (out->at - out->seen) < size)
        out->seen = atomic_load(&out->shared->read);
    const uint32_t used = out->at - out->seen;
    return used > out->size ? RING_BAD : out->size - used >= size ? RING_GOOD : RING_WAIT;
}

enum ring_state ring_room(struct ring *out, uint32_t size)
{
    enum ring_state state = ring_has_room(out, size);
    if (state != RING_WAIT)
        return state;
    /* The reader looks at `wants` after it has read. So either the reader sees `wants`, or this
     * second look sees the room. */
    atomic_store(&out->shared->wants, 1);
    return ring_has_room(out, size);
}

uint8_t *ring_here(const struct ring *r)
{
    return r->bytes + (r->at & (r->size - 1));
}

void ring_copy(const struct ring *in, void *to, size_t size)
{
    memcpy(to, ring_here(in), size);
    atomic_signal_fence(memory_order_seq_cst); /* keeps the compiler from reading again */
}

void ring_wrote(struct ring *out, uint32_t size)
{
    out->at += size;
    atomic_store(&out->shared->written, out->at);
}

void ring_read(struct ring *in, uint32_t size)
{
    in->at += size;
    atomic_store(&in->shared->read, in->at);
}

bool ring_leave(struct ring *r, enum ring_end end)
{
    return atomic_fetch_or(&r->shared->left, (uint32_t)end) &
           (RING_WRITER + RING_READER - (uint32_t)end);
}

bool ring_has_left(const struct ring *r, enum ring_end end)
{
    return (atomic_load(&r->shared->left) & (uint32_t)end) != 0;
}

/* A reader sleeps only when it has read everything. If it has not read all bytes that it was last
 * woken for, it is awake and finds the new bytes by itself. */
bool ring_wakes_reader(struct ring *out)
{
    uint32_t read = atomic_load(&out->shared->read);
    bool wakes = read != out->at && out->at - read <= out->at - out->told;
    out->told = out->at;
    return wakes && !atomic_load(&out->shared->polled);
}

void ring_poll(struct ring *in, bool polls)
{
    atomic_store(&in->shared->polled, polls);
}

/* Wakes the writer when half of the ring is free. That saves system calls, and no writer needs
 * more. */
bool ring_wakes_writer(struct ring *in)
{
    if (!atomic_load(&in->shared->wants) ||
        atomic_load(&in->shared->written) - in->at > in->size / 2)
        return false;
    atomic_store(&in->shared->wants, 0);
    return true;
}
