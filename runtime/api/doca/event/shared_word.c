/* Words that processes share. */
#include "shared_word.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NEEDED_SEALS (F_SEAL_SHRINK | F_SEAL_GROW)

/* The content of the shared memory. The first two members are written once. They identify the
 * event, because a descriptor's number may belong to another file by chance. */
struct shared_word_memory {
    struct dpk_uuid owner;
    uint64_t number;
    _Atomic uint64_t value;
    _Atomic uint32_t changes; /* a futex */
};

static bool map(struct shared_word *w, int fd)
{
    void *at = mmap(NULL, sizeof *w->memory, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    w->memory = at == MAP_FAILED ? NULL : at;
    return w->memory != NULL;
}

doca_error_t event_shared_word_make(struct shared_word *w, uint64_t number)
{
    w->number = number;
    w->fd = memfd_create("doca_sync_event", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (w->fd < 0)
        return dpk_doca_because(DOCA_ERROR_OPERATING_SYSTEM, "memfd_create: %s", strerror(errno));
    if (ftruncate(w->fd, sizeof *w->memory) != 0 ||
        fcntl(w->fd, F_ADD_SEALS, NEEDED_SEALS | F_SEAL_SEAL) != 0 || !map(w, w->fd)) {
        event_shared_word_end(w);
        return DOCA_ERROR_NO_MEMORY;
    }
    w->memory->owner = *dpk_process_identity();
    w->memory->number = number;
    return DOCA_SUCCESS;
}

void event_shared_word_describe(const struct shared_word *w, struct descriptor *out)
{
    *out = (struct descriptor){.kind = DESCRIPTOR_SYNC_EVENT_PCI,
                               .owner = *dpk_process_identity(),
                               .key = w->number,
                               .process = (uint32_t)getpid(),
                               .file = (uint32_t)w->fd};
}

/* Opens memory by a descriptor from an untrusted process. The call must not block, nor get a
 * controlling terminal. */
static int open_memory(const struct descriptor *what)
{
    char path[64];
    if (what->process == 0 || what->process > INT_MAX || what->file > INT_MAX)
        return -1;
    snprintf(path, sizeof path, "/proc/%u/fd/%u", what->process, what->file);
    return open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

static bool is_sealed(int fd)
{
    struct stat st;
    const int seals = fcntl(fd, F_GET_SEALS);
    return seals >= 0 && (seals & NEEDED_SEALS) == NEEDED_SEALS && fstat(fd, &st) == 0 &&
           dpk_user_is_mine_or_root(st.st_uid) &&
           st.st_size == (off_t)sizeof(struct shared_word_memory);
}

doca_error_t event_shared_word_open(struct shared_word *w, const struct descriptor *what)
{
    const int fd = open_memory(what);
    if (fd < 0)
        return dpk_doca_because(
            DOCA_ERROR_NOT_FOUND,
            "the process %u, which exported the event, has ended, or belongs to "
            "another user",
            what->process);
    const bool good = is_sealed(fd) && map(w, fd);
    close(fd);
    if (good && dpk_uuid_equal(&w->memory->owner, &what->owner) && w->memory->number == what->key) {
        w->number = what->key;
        return DOCA_SUCCESS;
    }
    event_shared_word_end(w);
    return dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                            "the process %u, which exported the event, has destroyed it",
                            what->process);
}

void event_shared_word_end(struct shared_word *w)
{
    if (w->memory)
        munmap(w->memory, sizeof *w->memory);
    if (w->fd >= 0)
        close(w->fd);
    *w = (struct shared_word){.fd = -1};
}

/* ---- Values ---- */

static void futex(_Atomic uint32_t *at, int operation, uint32_t value, const struct timespec *limit)
{
    const int error = errno; /* programs keep their own errno */
    syscall(SYS_futex, at, operation, value, limit, NULL, 0);
    errno = error;
}

static void changed(struct shared_word *w)
{
    atomic_fetch_add(&w->memory->changes, 1);
    futex(&w->memory->changes, FUTEX_WAKE, INT_MAX, NULL);
}

uint64_t event_shared_word_value(const struct shared_word *w)
{
    return atomic_load(&w->memory->value);
}

uint64_t event_shared_word_add(struct shared_word *w, uint64_t value)
{
    const uint64_t before = atomic_fetch_add(&w->memory->value, value);
    changed(w);
    return before;
}

void event_shared_word_set(struct shared_word *w, uint64_t value)
{
    atomic_store(&w->memory->value, value);
    changed(w);
}

uint32_t event_shared_word_changes(const struct shared_word *w)
{
    return atomic_load(&w->memory->changes);
}

void event_shared_word_wait(const struct shared_word *w, uint32_t changes, unsigned ms)
{
    const struct timespec limit = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
    futex(&w->memory->changes, FUTEX_WAIT, changes, &limit);
}
