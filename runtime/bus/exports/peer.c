/* The peer's side: finds exported memory of another process, and copies it. */
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

/* Up to this size reads of /proc/PID/mem are faster. Above, they copy twice. */
#define SMALL 2048u

/* Another process and its table. All imports from the process share it. */
struct owner {
    struct owner *next;
    unsigned imports;
    struct dpk_exporter who;
    struct table *table;
    pid_t user;    /* the process that found it: a child of fork() needs its own locks */
    int file;      /* of the table; this process's locks are on it */
    int memory;    /* memory of that process and program only */
    uint64_t mark; /* address of the identity in it */
    bool taken[PEERS_MAX]; /* places of the table that this process holds */
};

struct dpk_import {
    struct owner *owner;
    struct entry *entry;
    struct import_slot *place;
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

/* Reports why a file of another process's /proc cannot be opened. */
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

/* Returns whether the path names a table. Opening other files could do harm. */
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
           st.st_size == (off_t)sizeof(struct table) && dpk_user_is_mine(st.st_uid);
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
        return fail_gone(&o->who, err); /* another process has its number now */
    return DPK_OK;
}

/* Opens the process's memory, and checks that the process still owns the table. */
static enum dpk_status open_memory(struct owner *o, struct dpk_error *err)
{
    struct dpk_uuid mark = {0};
    char path[64];
    snprintf(path, sizeof path, "/proc/%u/mem", o->who.process);
    if ((o->memory = open(path, O_RDWR | O_CLOEXEC)) < 0)
        return fail_open(&o->who, err);
    o->mark = o->table->mark;
    if (o->mark > INT64_MAX ||
        pread(o->memory, mark.bytes, sizeof mark.bytes, (off_t)o->mark) != sizeof mark.bytes ||
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

/* Call this with the lock. */
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

/* Call this with the lock. */
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

/* Locks or unlocks a place. */
static bool lock_place(const struct owner *o, size_t place, short how)
{
    struct flock lock = {.l_type = how, .l_whence = SEEK_SET, .l_start = (off_t)place, .l_len = 1};
    return fcntl(o->file, F_OFD_SETLK, &lock) == 0;
}

/* The kernel grants a lock again to its owner, so `taken` has the places that this process holds.
 * Call this with the lock. */
static struct import_slot *take_place(struct owner *o, uint32_t key)
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

/* A child of fork() leaves the places of its parent alone. Call this with the lock. */
static void leave_place(struct owner *o, struct import_slot *p)
{
    if (o->user != getpid())
        return;
    const size_t i = (size_t)(p - o->table->places);
    atomic_store(&p->key, 0);
    o->taken[i] = false;
    lock_place(o, i, F_UNLCK);
}

/* Call this with the lock. */
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

/* Returns whether the memory is still exported. The owner waits for peers that entered before. */
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

/* Ways to copy: through the file, which belongs to one process and program, or by process
 * number. */
enum way { READ, READ_BY_NUMBER, WRITE };

/* The number may belong to another process or program by now. One call reads from one program, so
 * the mark says whose bytes these are. Bytes of another program are wiped. Writing has no such
 * check: the mark would be read too late. */
static ssize_t read_by_number(const struct owner *o, uint64_t address, uint8_t *bytes, size_t size)
{
    struct dpk_uuid mark;
    const struct iovec mine[] = {{mark.bytes, sizeof mark.bytes}, {bytes, size}};
    const struct iovec theirs[] = {{(void *)(uintptr_t)o->mark, sizeof mark.bytes},
                                   {(void *)(uintptr_t)address, size}};
    const ssize_t n = process_vm_readv((pid_t)o->who.process, mine, 2, theirs, 2, 0);
    if (n < (ssize_t)sizeof mark.bytes)
        return n < 0 ? n : 0;
    const size_t got = (size_t)n - sizeof mark.bytes;
    if (dpk_uuid_equal(&mark, &o->who.identity))
        return (ssize_t)got;
    memset(bytes, 0, got);
    return 0;
}

static ssize_t copy_some(const struct owner *o, enum way way, uint64_t address, uint8_t *bytes,
                         size_t size)
{
    if (way == READ_BY_NUMBER)
        return read_by_number(o, address, bytes, size);
    return way == WRITE ? pwrite(o->memory, bytes, size, (off_t)address)
                        : pread(o->memory, bytes, size, (off_t)address);
}

/* The kernel copies fewer bytes where memory ends, and none when the program is gone. */
static bool copy_all(const struct owner *o, enum way way, uint64_t address, uint8_t *bytes,
                     size_t size)
{
    while (size > 0) {
        const ssize_t n = copy_some(o, way, address, bytes, size);
        const bool forbidden = n < 0 && (errno == EPERM || errno == ENOSYS);
        if (way == READ_BY_NUMBER && forbidden)
            way = READ; /* a container's seccomp rules may forbid it */
        else if (n == 0 || (n < 0 && errno != EINTR))
            return false;
        if (n < 0)
            continue;
        bytes += n;
        address += (size_t)n;
        size -= (size_t)n;
    }
    return true;
}

static bool copy(const struct dpk_import *in, enum way way, uint64_t address, uint8_t *bytes,
                 size_t size)
{
    const int error = errno; /* programs must not see a change */
    if (!enter(in))
        return false;
    const bool good = address <= INT64_MAX && size <= (uint64_t)INT64_MAX - address &&
                      copy_all(in->owner, way, address, bytes, size);
    leave(in);
    errno = error;
    return good;
}

bool dpk_import_read(const struct dpk_import *in, uint64_t address, void *to, size_t size)
{
    return copy(in, size > SMALL ? READ_BY_NUMBER : READ, address, to, size);
}

bool dpk_import_write(const struct dpk_import *in, uint64_t address, const void *from, size_t size)
{
    return copy(in, WRITE, address, (uint8_t *)(uintptr_t)from, size);
}
