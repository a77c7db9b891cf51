/* The peer's side: finds what another process exports, and copies it. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "table.h"

/* /proc/PID/mem is faster below, and slower above, where it copies twice. */
#define SMALL 8192u

/* Another process, with its table; one for all imports from it. */
struct owner {
    struct owner *next;
    unsigned imports;
    struct dpk_exporter who;
    struct table *table;
    pid_t user; /* who found it: a child of fork() finds it again, to have locks of its own */
    int file;   /* of the table; our locks are by it */
    int memory; /* the memory that the process had then: of no other program, nor process */
    bool taken[PEERS_MAX]; /* places in the table */
};

struct dpk_import {
    struct owner *owner;
    struct entry *entry;
    struct place *place;
    uint32_t key;
};

static struct {
    pthread_mutex_t lock;
    struct owner *first;
} owners = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- Owners ---- */

static enum dpk_status fail_gone(const struct dpk_exporter *who, struct dpk_error *err)
{
    return dpk_fail(err, DPK_ERR_NOT_FOUND, "process %u, which exported the memory, is gone",
                    who->process);
}

/* What opening a file of another process's /proc failed with. */
static enum dpk_status fail_open(const struct dpk_exporter *who, struct dpk_error *err)
{
    if (errno == EACCES || errno == EPERM)
        return dpk_fail(err, DPK_ERR_REFUSED,
                        "process %u, which exported the memory, is another user's, or may not be "
                        "looked into (kernel.yama.ptrace_scope)",
                        who->process);
    if (errno == EMFILE || errno == ENFILE || errno == ENOMEM)
        return dpk_fail(err, DPK_ERR_NOMEM, "no descriptors for the memory of process %u",
                        who->process);
    return fail_gone(who, err);
}

/* Whether the path is of memory of that name: nothing else is opened, which could do harm. */
static bool is_table(const char *path)
{
    static const char name[] = "/memfd:" TABLE_NAME " (deleted)";
    char target[sizeof name + 1];
    const ssize_t n = readlink(path, target, sizeof target);
    return n == sizeof name - 1 && memcmp(target, name, sizeof name - 1) == 0;
}

static bool is_whole(int file)
{
    const int needed = F_SEAL_SHRINK | F_SEAL_GROW, seals = fcntl(file, F_GET_SEALS);
    struct stat st;
    return seals >= 0 && (seals & needed) == needed && fstat(file, &st) == 0 &&
           st.st_size == (off_t)sizeof(struct table) && st.st_uid == geteuid();
}

static enum dpk_status map_table(struct owner *o, struct dpk_error *err)
{
    char path[64];
    if (o->who.process == 0 || o->who.process > INT_MAX || o->who.file > INT_MAX)
        return dpk_fail(err, DPK_ERR_FORMAT, "no process and descriptor of exported memory");
    snprintf(path, sizeof path, "/proc/%u/fd/%u", o->who.process, o->who.file);
    errno = ENOENT;
    if (!is_table(path) || (o->file = open(path, O_RDWR | O_CLOEXEC)) < 0)
        return fail_open(&o->who, err);
    void *at = is_whole(o->file)
                   ? mmap(NULL, sizeof *o->table, PROT_READ | PROT_WRITE, MAP_SHARED, o->file, 0)
                   : MAP_FAILED;
    if (at == MAP_FAILED)
        return dpk_fail(err, DPK_ERR_FORMAT, "process %u has no table of exported memory",
                        o->who.process);
    o->table = at;
    if (!dpk_uuid_equal(&o->table->identity, &o->who.identity))
        return fail_gone(&o->who, err); /* another one has its number now */
    return DPK_OK;
}

/* The process must still be the one that has the table. */
static enum dpk_status open_memory(struct owner *o, struct dpk_error *err)
{
    struct dpk_uuid mark = {0};
    char path[64];
    snprintf(path, sizeof path, "/proc/%u/mem", o->who.process);
    if ((o->memory = open(path, O_RDWR | O_CLOEXEC)) < 0)
        return fail_open(&o->who, err);
    if (o->table->mark > INT64_MAX ||
        pread(o->memory, mark.bytes, sizeof mark.bytes, (off_t)o->table->mark) !=
            sizeof mark.bytes ||
        !dpk_uuid_equal(&mark, &o->who.identity))
        return fail_gone(&o->who, err);
    return DPK_OK;
}

static void owner_free(struct owner *o)
{
    if (o->table)
        munmap(o->table, sizeof *o->table);
    if (o->file >= 0)
        close(o->file);
    if (o->memory >= 0)
        close(o->memory);
    free(o);
}

static bool is_same(const struct dpk_exporter *a, const struct dpk_exporter *b)
{
    return a->process == b->process && a->file == b->file &&
           dpk_uuid_equal(&a->identity, &b->identity);
}

/* With the lock. */
static enum dpk_status owner_find(const struct dpk_exporter *who, struct owner **out,
                                  struct dpk_error *err)
{
    struct owner *o = owners.first;
    while (o && (o->user != getpid() || !is_same(&o->who, who)))
        o = o->next;
    if ((*out = o))
        return DPK_OK;
    if (!(o = calloc(1, sizeof *o)))
        return dpk_fail_nomem(err);
    o->who = *who;
    o->user = getpid();
    o->file = o->memory = -1;
    enum dpk_status status = map_table(o, err);
    if (status == DPK_OK)
        status = open_memory(o, err);
    if (status != DPK_OK) {
        owner_free(o);
        return status;
    }
    o->next = owners.first;
    *out = owners.first = o;
    return DPK_OK;
}

/* With the lock. */
static void owner_leave(struct owner *o)
{
    if (o->imports > 0)
        return;
    struct owner **at = &owners.first;
    while (*at != o)
        at = &(*at)->next;
    *at = o->next;
    owner_free(o);
}

/* ---- Imports ---- */

static struct entry *find_entry(struct table *t, struct dpk_export *what)
{
    for (size_t i = 0; what->key != 0 && i < ENTRIES_MAX; i++) {
        struct entry *e = &t->entries[i];
        if (atomic_load(&e->key) != what->key)
            continue;
        const struct dpk_export found = {what->key, e->rights, e->address, e->size};
        if (atomic_load(&e->key) == what->key && found.address == what->address &&
            found.size == what->size) {
            what->rights = found.rights;
            return e;
        }
    }
    return NULL;
}

/* Locks a place, or gives it back. */
static bool lock_place(const struct owner *o, size_t place, short how)
{
    struct flock lock = {.l_type = how, .l_whence = SEEK_SET, .l_start = (off_t)place, .l_len = 1};
    return fcntl(o->file, F_OFD_SETLK, &lock) == 0;
}

/* A lock that this process has would be given to it again: what it has is in `taken`. With the
 * lock. */
static struct place *take_place(struct owner *o, uint32_t key)
{
    for (size_t i = 0; i < PEERS_MAX; i++) {
        if (o->taken[i] || !lock_place(o, i, F_WRLCK))
            continue;
        o->taken[i] = true;
        atomic_store(&o->table->places[i].busy, 0); /* a peer may have died there */
        atomic_store(&o->table->places[i].key, key);
        return &o->table->places[i];
    }
    return NULL;
}

/* A child of fork() leaves those of its parent alone. With the lock. */
static void leave_place(struct owner *o, struct place *p)
{
    if (o->user != getpid())
        return;
    const size_t i = (size_t)(p - o->table->places);
    atomic_store(&p->key, 0);
    o->taken[i] = false;
    lock_place(o, i, F_UNLCK);
}

/* With the lock. */
static enum dpk_status import(struct dpk_import *in, struct dpk_export *what, struct dpk_error *err)
{
    in->key = what->key;
    if (!(in->entry = find_entry(in->owner->table, what)))
        return dpk_fail(err, DPK_ERR_NOT_FOUND,
                        "process %u does not export this memory, or not any more",
                        in->owner->who.process);
    if (!(in->place = take_place(in->owner, what->key)))
        return dpk_fail(err, DPK_ERR_NOMEM, "%u maps were imported from process %u already",
                        PEERS_MAX, in->owner->who.process);
    in->owner->imports++;
    return DPK_OK;
}

enum dpk_status dpk_import_open(const struct dpk_exporter *who, struct dpk_export *what,
                                struct dpk_import **out, struct dpk_error *err)
{
    struct dpk_import *in = calloc(1, sizeof *in);
    *out = NULL;
    if (!in)
        return dpk_fail_nomem(err);
    pthread_mutex_lock(&owners.lock);
    enum dpk_status status = owner_find(who, &in->owner, err);
    if (status == DPK_OK)
        status = import(in, what, err);
    if (status != DPK_OK && in->owner)
        owner_leave(in->owner);
    pthread_mutex_unlock(&owners.lock);
    if (status == DPK_OK)
        *out = in;
    else
        free(in);
    return status;
}

void dpk_import_close(struct dpk_import *in)
{
    if (!in)
        return;
    pthread_mutex_lock(&owners.lock);
    leave_place(in->owner, in->place);
    in->owner->imports--;
    owner_leave(in->owner);
    pthread_mutex_unlock(&owners.lock);
    free(in);
}

/* ---- Copies ---- */

/* The owner waits for whoever came in before it took the memory back. */
static bool enter(const struct dpk_import *in)
{
    atomic_fetch_add(&in->place->busy, 1);
    if (atomic_load(&in->entry->key) == in->key)
        return true;
    atomic_fetch_sub(&in->place->busy, 1);
    return false;
}

static void leave(const struct dpk_import *in)
{
    atomic_fetch_sub(&in->place->busy, 1);
}

/* Ways to copy: through the file, which is of no other process and program, or by the process's
 * number. */
enum way { BY_FILE, BY_NUMBER };

static ssize_t copy_some(const struct owner *o, enum way way, uint64_t address, uint8_t *bytes,
                         size_t size, bool write)
{
    const struct iovec mine = {bytes, size}, theirs = {(void *)(uintptr_t)address, size};
    const pid_t process = (pid_t)o->who.process;
    if (way == BY_FILE)
        return write ? pwrite(o->memory, bytes, size, (off_t)address)
                     : pread(o->memory, bytes, size, (off_t)address);
    return write ? process_vm_writev(process, &mine, 1, &theirs, 1, 0)
                 : process_vm_readv(process, &mine, 1, &theirs, 1, 0);
}

/* The kernel gives fewer bytes where memory ends. False: errno says why. */
static bool copy_all(const struct owner *o, enum way way, uint64_t address, uint8_t *bytes,
                     size_t size, bool write)
{
    while (size > 0) {
        const ssize_t n = copy_some(o, way, address, bytes, size, write);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        bytes += n;
        address += (size_t)n;
        size -= (size_t)n;
    }
    return true;
}

/* Whether the process still has the memory that it had when its table was found: if not, its number
 * may be another's. */
static bool is_alive(const struct owner *o)
{
    uint8_t byte;
    return copy_all(o, BY_FILE, o->table->mark, &byte, 1, false);
}

static bool copy_large(const struct owner *o, uint64_t address, uint8_t *bytes, size_t size,
                       bool write)
{
    if (!is_alive(o))
        return false;
    if (copy_all(o, BY_NUMBER, address, bytes, size, write))
        return true;
    const bool refused = errno == EPERM || errno == ENOSYS; /* a container's rules may say so */
    return refused && copy_all(o, BY_FILE, address, bytes, size, write);
}

static bool copy(const struct dpk_import *in, uint64_t address, uint8_t *bytes, size_t size,
                 bool write)
{
    const struct owner *o = in->owner;
    const int error = errno; /* what programs see of it is theirs */
    if (!enter(in))
        return false;
    bool good = address <= INT64_MAX && size <= (uint64_t)INT64_MAX - address;
    if (good)
        good = size <= SMALL ? copy_all(o, BY_FILE, address, bytes, size, write)
                             : copy_large(o, address, bytes, size, write);
    leave(in);
    errno = error;
    return good;
}

bool dpk_import_read(const struct dpk_import *in, uint64_t address, void *to, size_t size)
{
    return copy(in, address, to, size, false);
}

bool dpk_import_write(const struct dpk_import *in, uint64_t address, const void *from, size_t size)
{
    return copy(in, address, (uint8_t *)(uintptr_t)from, size, true);
}
