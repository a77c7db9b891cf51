/* The owner's side: the memory that a process exports. */
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "table.h"

#define WAIT_MS 1000 /* longest wait for peers that are copying */

static struct {
    pthread_mutex_t lock;
    struct table *table; /* NULL before the first export */
    int file;
    pid_t process; /* its owner; a child of fork() makes its own */
    bool permits;  /* all processes of the user may read its memory */
} own = {.lock = PTHREAD_MUTEX_INITIALIZER, .file = -1};

/* ---- The table ---- */

/* Drops the table of a parent process. Call this with the lock. */
static void forget_parents(void)
{
    if (!own.table || own.process == getpid())
        return;
    munmap(own.table, sizeof *own.table);
    close(own.file);
    own.permits = false;
    own.table = NULL;
    own.file = -1;
}

static struct table *map_new(int file)
{
    if (ftruncate(file, sizeof(struct table)) != 0 ||
        fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
        return NULL;
    void *at = mmap(NULL, sizeof(struct table), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return at == MAP_FAILED ? NULL : at;
}

/* Makes a page with the identity by which peers recognize this process's memory: a child of fork()
 * does not have the page. The page stays until the program ends. */
static void *make_mark(const struct dpk_uuid *identity)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *at = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return NULL;
    if (madvise(at, page, MADV_DONTFORK) == 0) {
        memcpy(at, identity, sizeof *identity);
        return at;
    }
    munmap(at, page);
    return NULL;
}

/* Call this with the lock. */
static enum dpk_status make_table(const struct dpk_uuid *identity, struct dpk_error *err)
{
    const int file = memfd_create(TABLE_NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    struct table *table = file >= 0 ? map_new(file) : NULL;
    const void *mark = table ? make_mark(identity) : NULL;
    if (!mark) {
        enum dpk_status status = dpk_fail_errno(err, "a table of exported memory");
        if (table)
            munmap(table, sizeof *table);
        if (file >= 0)
            close(file);
        return status;
    }
    table->identity = *identity;
    table->mark = (uintptr_t)mark;
    own.table = table;
    own.file = file;
    own.process = getpid();
    return DPK_OK;
}

/* Call this with the lock. */
static struct entry *entry_of(uint32_t key)
{
    for (size_t i = 0; own.table && i < ENTRIES_MAX; i++)
        if (atomic_load(&own.table->entries[i].key) == key)
            return &own.table->entries[i];
    return NULL;
}

/* With Yama only parents may access a process's memory, unless the process permits others. Call
 * this with the lock. */
static void permit(void)
{
    if (!own.permits)
        (void)prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0); /* fails without Yama */
    own.permits = true;
}

static void publish(struct entry *e, const struct dpk_export *what)
{
    e->rights = what->rights;
    e->address = what->address;
    e->size = what->size;
    atomic_store(&e->key, what->key);
}

enum dpk_status dpk_export_add(const struct dpk_uuid *identity, const struct dpk_export *what,
                               struct dpk_exporter *who, struct dpk_error *err)
{
    pthread_mutex_lock(&own.lock);
    forget_parents();
    enum dpk_status status = own.table ? DPK_OK : make_table(identity, err);
    struct entry *e = status == DPK_OK ? entry_of(what->key) : NULL;
    if (status == DPK_OK && what->rights != 0)
        permit();
    if (e)
        e->rights |= what->rights;
    else if (status == DPK_OK && (e = entry_of(0)))
        publish(e, what);
    if (e) {
        *who = (struct dpk_exporter){.identity = own.table->identity,
                                     .process = (uint32_t)own.process,
                                     .file = (uint32_t)own.file};
    } else if (status == DPK_OK) {
        status = dpk_fail(err, DPK_ERR_NOMEM, "%u maps are exported, and there may be no more",
                          ENTRIES_MAX);
    }
    pthread_mutex_unlock(&own.lock);
    return status;
}

/* ---- Waiting for peers ---- */

static bool is_held(size_t place)
{
    struct flock lock = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)place, .l_len = 1};
    return fcntl(own.file, F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

static bool is_inside(size_t place, uint32_t key)
{
    const struct import_slot *p = &own.table->places[place];
    return atomic_load(&p->key) == key && atomic_load(&p->busy) != 0 && is_held(place);
}

/* Call this with the lock, which copies do not take. */
static bool wait_for_peers(uint32_t key)
{
    static const struct timespec pause = {.tv_nsec = 50000};
    unsigned left = WAIT_MS * 1000000u / (unsigned)pause.tv_nsec;
    for (size_t i = 0; i < PEERS_MAX; i++)
        for (; is_inside(i, key); left--) {
            if (left == 0)
                return false;
            nanosleep(&pause, NULL);
        }
    return true;
}

bool dpk_export_remove(uint32_t key)
{
    pthread_mutex_lock(&own.lock);
    forget_parents();
    struct entry *e = key != 0 ? entry_of(key) : NULL;
    if (e)
        atomic_store(&e->key, 0);
    const bool alone = !e || wait_for_peers(key);
    pthread_mutex_unlock(&own.lock);
    return alone;
}
