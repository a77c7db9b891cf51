#include "memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { GUARD = 64 << 10 }; /* not less than a page */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct dpk_gpu_memory *list; /* by address */
static size_t count, room, device_used;

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
static bool insert(uintptr_t at, size_t size, enum dpk_gpu_memory_kind kind)
{
    const size_t place = place_of(at);
    if (!size || at > UINTPTR_MAX - size || (place < count && list[place].base < at + size))
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
    list[place] = (struct dpk_gpu_memory){.base = at, .size = size, .kind = kind};
    count++;
    return true;
}

static bool is_ours(enum dpk_gpu_memory_kind kind)
{
    return kind == DPK_GPU_MEMORY_DEVICE || kind == DPK_GPU_MEMORY_HOST ||
           kind == DPK_GPU_MEMORY_MANAGED;
}

static bool counts(enum dpk_gpu_memory_kind kind)
{
    return kind == DPK_GPU_MEMORY_DEVICE || kind == DPK_GPU_MEMORY_MANAGED;
}

static size_t mapped_size(size_t size)
{
    return (size + GUARD - 1) / GUARD * GUARD;
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
        munmap((void *)gone.base, mapped_size(gone.size) + GUARD);
}

size_t dpk_gpu_memory_used(void)
{
    pthread_mutex_lock(&lock);
    const size_t used = device_used;
    pthread_mutex_unlock(&lock);
    return used;
}

void *dpk_gpu_memory_new(size_t size, enum dpk_gpu_memory_kind kind)
{
    if (!size || size > SIZE_MAX / 2)
        return NULL;
    pthread_mutex_lock(&lock);
    void *at = MAP_FAILED;
    if (!counts(kind) || size <= DPK_GPU_MEMORY_TOTAL - device_used)
        at = mmap(NULL, mapped_size(size) + GUARD, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at != MAP_FAILED) {
        mprotect((char *)at + mapped_size(size), GUARD, PROT_NONE);
        if (!insert((uintptr_t)at, size, kind)) {
            munmap(at, mapped_size(size) + GUARD);
            at = MAP_FAILED;
        } else if (counts(kind)) {
            device_used += size;
        }
    }
    pthread_mutex_unlock(&lock);
    return at == MAP_FAILED ? NULL : at;
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
    const bool noted = !is_ours(kind) && insert((uintptr_t)at, size, kind);
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

void dpk_gpu_memory_reset(void)
{
    pthread_mutex_lock(&lock);
    for (size_t i = count; i-- > 0;)
        if (counts(list[i].kind))
            remove_at(i);
    pthread_mutex_unlock(&lock);
}
