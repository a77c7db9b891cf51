#include "memory.h"

#include "gpu/poison/poison.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { GUARD = 64 << 10 }; /* not less than a page */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct dpk_gpu_memory *list; /* by address */
static size_t count, room, device_used;
static _Atomic bool any_open; /* kernels have access to hidden memory */

/* Returns the position of the first allocation that ends after the address. */
static size_t place_of(uintptr_t at)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (list[middle].base + list[middle].size <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The caller holds the lock. */
static bool insert(const struct dpk_gpu_memory *m)
{
    const size_t place = place_of(m->base);
    if (!m->size || m->base > UINTPTR_MAX - m->size ||
        (place < count && list[place].base < m->base + m->size))
        return false;
    if (count == room) {
        const size_t more = room ? room * 2 : 64;
        struct dpk_gpu_memory *larger = reallocarray(list, more, sizeof *list);
        if (!larger)
            return false;
        list = larger;
        room = more;
    }
    memmove(&list[place + 1], &list[place], (count - place) * sizeof *list);
    list[place] = *m;
    count++;
    return true;
}

static bool is_ours(enum dpk_gpu_memory_kind kind)
{
    return kind == DPK_GPU_MEMORY_DEVICE || kind == DPK_GPU_MEMORY_HOST ||
           kind == DPK_GPU_MEMORY_MANAGED || kind == DPK_GPU_MEMORY_HIDDEN ||
           kind == DPK_GPU_MEMORY_MAPPED;
}

static bool counts(enum dpk_gpu_memory_kind kind)
{
    return kind == DPK_GPU_MEMORY_DEVICE || kind == DPK_GPU_MEMORY_MANAGED ||
           kind == DPK_GPU_MEMORY_HIDDEN;
}

static size_t mapped_size(size_t size)
{
    return (size + GUARD - 1) / GUARD * GUARD;
}

/* Maps memory, with a guard behind it, at a multiple of `align`. Returns NULL without memory. */
static char *map_aligned(size_t size, size_t align, int protection)
{
    const size_t whole = mapped_size(size) + GUARD, over = align > GUARD ? align : GUARD;
    char *at =
        mmap(NULL, whole + over, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return NULL;
    char *begin = (char *)(((uintptr_t)at + over - 1) & ~(uintptr_t)(over - 1));
    if (begin > at)
        munmap(at, (size_t)(begin - at));
    munmap(begin + whole, (size_t)(at + over - begin));
    if (protection != PROT_NONE && mprotect(begin, mapped_size(size), protection) != 0) {
        munmap(begin, whole);
        return NULL;
    }
    return begin;
}

/* The bytes behind an allocation, up to its end in the address space. */
static void poison_rest(const struct dpk_gpu_memory *m, bool on)
{
    const size_t rest = mapped_size(m->size) + GUARD - m->size;
    if (on)
        dpk_gpu_poison((const char *)m->base + m->size, rest);
    else
        dpk_gpu_unpoison((const char *)m->base + m->size, rest);
}

static void unmap(const struct dpk_gpu_memory *m)
{
    poison_rest(m, false);
    munmap((void *)m->base, mapped_size(m->size) + GUARD);
    if (m->kind != DPK_GPU_MEMORY_HIDDEN)
        return;
    munmap(m->bus, mapped_size(m->size));
    close(m->file);
}

/* Maps a new memory file twice: without access at m->base, and on the bus. */
static bool map_hidden(struct dpk_gpu_memory *m, size_t align)
{
    const size_t size = mapped_size(m->size);
    m->file = memfd_create("dpakit-gpu", MFD_CLOEXEC);
    if (m->file < 0)
        return false;
    char *at = ftruncate(m->file, (off_t)size) == 0 ? map_aligned(m->size, align, PROT_NONE) : NULL;
    m->bus = at ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, m->file, 0) : MAP_FAILED;
    if (m->bus != MAP_FAILED &&
        mmap(at, size, PROT_NONE, MAP_SHARED | MAP_FIXED, m->file, 0) != MAP_FAILED) {
        m->base = (uintptr_t)at;
        return true;
    }
    if (m->bus != MAP_FAILED)
        munmap(m->bus, size);
    if (at)
        munmap(at, size + GUARD);
    close(m->file);
    return false;
}

/* The caller holds the lock. */
static void remove_at(size_t place)
{
    const struct dpk_gpu_memory gone = list[place];
    count--;
    memmove(&list[place], &list[place + 1], (count - place) * sizeof *list);
    if (counts(gone.kind))
        device_used -= gone.size;
    if (is_ours(gone.kind))
        unmap(&gone);
}

size_t dpk_gpu_memory_used(void)
{
    pthread_mutex_lock(&lock);
    const size_t used = device_used;
    pthread_mutex_unlock(&lock);
    return used;
}

bool dpk_gpu_memory_new_aligned(size_t size, size_t align, enum dpk_gpu_memory_kind kind,
                                struct dpk_gpu_memory *out)
{
    struct dpk_gpu_memory m = {.size = size, .kind = kind, .file = -1};
    if (!size || size > SIZE_MAX / 4 || align > SIZE_MAX / 4)
        return false;
    pthread_mutex_lock(&lock);
    bool good = !counts(kind) || size <= DPK_GPU_MEMORY_TOTAL - device_used;
    if (good && kind == DPK_GPU_MEMORY_HIDDEN)
        good = map_hidden(&m, align);
    else if (good)
        good = (m.base = (uintptr_t)map_aligned(size, align, PROT_READ | PROT_WRITE)) != 0;
    if (good && !insert(&m)) {
        unmap(&m);
        good = false;
    }
    if (good && counts(kind))
        device_used += size;
    if (good)
        poison_rest(&m, true);
    pthread_mutex_unlock(&lock);
    if (good)
        *out = m;
    return good;
}

void *dpk_gpu_memory_new(size_t size, enum dpk_gpu_memory_kind kind)
{
    struct dpk_gpu_memory m;
    return dpk_gpu_memory_new_aligned(size, 1, kind, &m) ? (void *)m.base : NULL;
}

static bool take_away(void *at, enum dpk_gpu_memory_kind kind)
{
    pthread_mutex_lock(&lock);
    const size_t place = place_of((uintptr_t)at);
    const bool found =
        place < count && list[place].base == (uintptr_t)at && list[place].kind == kind;
    if (found)
        remove_at(place);
    pthread_mutex_unlock(&lock);
    return found;
}

bool dpk_gpu_memory_free(void *at, enum dpk_gpu_memory_kind kind)
{
    return is_ours(kind) && take_away(at, kind);
}

bool dpk_gpu_memory_note(void *at, size_t size, enum dpk_gpu_memory_kind kind)
{
    pthread_mutex_lock(&lock);
    const struct dpk_gpu_memory m = {.base = (uintptr_t)at, .size = size, .kind = kind};
    const bool noted = !is_ours(kind) && insert(&m);
    pthread_mutex_unlock(&lock);
    return noted;
}

bool dpk_gpu_memory_forget(void *at, enum dpk_gpu_memory_kind kind)
{
    return !is_ours(kind) && take_away(at, kind);
}

bool dpk_gpu_memory_find(const void *at, struct dpk_gpu_memory *out)
{
    pthread_mutex_lock(&lock);
    const size_t place = place_of((uintptr_t)at);
    const bool found = place < count && list[place].base <= (uintptr_t)at;
    if (found)
        *out = list[place];
    pthread_mutex_unlock(&lock);
    return found;
}

bool dpk_gpu_memory_before(const void *at, struct dpk_gpu_memory *out)
{
    pthread_mutex_lock(&lock);
    const size_t place = place_of((uintptr_t)at);
    const bool found =
        place > 0 && (uintptr_t)at - list[place - 1].base - list[place - 1].size < 2 * GUARD;
    if (found)
        *out = list[place - 1];
    pthread_mutex_unlock(&lock);
    return found;
}

void *dpk_gpu_memory_bus(const void *at)
{
    struct dpk_gpu_memory m;
    if (dpk_gpu_memory_find(at, &m) && m.bus)
        return (char *)m.bus + ((uintptr_t)at - m.base);
    return (void *)(uintptr_t)at;
}

/* ---- Hidden memory ---- */

static bool give_access(struct dpk_gpu_memory *m, bool open)
{
    const int protection = open ? PROT_READ | PROT_WRITE : PROT_NONE;
    if (m->open != open && mprotect((void *)m->base, mapped_size(m->size), protection) == 0)
        m->open = open;
    return m->open == open;
}

bool dpk_gpu_memory_admit(const void *at)
{
    pthread_mutex_lock(&lock);
    const size_t place = place_of((uintptr_t)at);
    const bool found = place < count && list[place].base <= (uintptr_t)at &&
                       list[place].kind == DPK_GPU_MEMORY_HIDDEN && give_access(&list[place], true);
    if (found)
        any_open = true;
    pthread_mutex_unlock(&lock);
    return found;
}

void dpk_gpu_memory_hide(void)
{
    if (!any_open)
        return;
    pthread_mutex_lock(&lock);
    any_open = false;
    for (size_t i = 0; i < count; i++)
        if (list[i].kind == DPK_GPU_MEMORY_HIDDEN)
            give_access(&list[i], false);
    pthread_mutex_unlock(&lock);
}

void dpk_gpu_memory_reset(void)
{
    pthread_mutex_lock(&lock);
    for (size_t i = count; i-- > 0;)
        if (counts(list[i].kind))
            remove_at(i);
    pthread_mutex_unlock(&lock);
}
