#include "engine/proc/recorded.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "engine/record/record.h"

/* Slices have 2^6 to 2^15 instructions: short slices find races, long slices are fast. */
enum { SLICE_LOG_MIN = 6, SLICE_LOGS = 10 };

struct recorded {
    struct list all;
    const struct dpk_process *process;
    uint32_t number;
    uint64_t seen[HARTS_MAX][DPK_CHANGED_COUNT]; /* registers as the file has them so far */
    uint64_t instructions;
};

/* The file of the program, with all its processes. The lock is fair, so that the host gets its turn
 * between slices of threads that poll. */
static struct {
    pthread_mutex_t mutex;
    pthread_cond_t turn;
    uint64_t next, served; /* tickets */
    struct dpk_recorder *file;
    uint32_t processes;
    struct list all; /* existing processes */
    uint64_t random;
    pid_t program; /* a child of fork() writes nothing */
    bool closed;   /* the program ends */
    bool told;     /* a warning that the file ends before the program was given */
} record = {.mutex = PTHREAD_MUTEX_INITIALIZER,
            .turn = PTHREAD_COND_INITIALIZER,
            .all = {&record.all, &record.all}};

static void lock(void)
{
    pthread_mutex_lock(&record.mutex);
    const uint64_t mine = record.next++;
    while (record.served != mine)
        pthread_cond_wait(&record.turn, &record.mutex);
    pthread_mutex_unlock(&record.mutex);
}

static void unlock(void)
{
    pthread_mutex_lock(&record.mutex);
    if (++record.served != record.next)
        pthread_cond_broadcast(&record.turn);
    pthread_mutex_unlock(&record.mutex);
}

/* ---- The file: call these with the lock ---- */

static void put(const struct dpk_process *p, struct dpk_record r)
{
    struct dpk_error err = {0};
    r.process = p->recorded->number;
    if (!record.closed && record.program == getpid())
        dpk_recorder_put(record.file, &r);
    if (record.told || dpk_recorder_state(record.file, &err) == DPK_OK)
        return;
    record.told = true;
    fprintf(stderr, "-W- the recording ends here: %s\n", err.message);
}

static void put_end(const struct dpk_process *p)
{
    uint8_t digest[DPK_RECORD_DIGEST];
    if (dpk_record_digest(p->memory, digest))
        put(p, (struct dpk_record){.kind = DPK_RECORD_END,
                                   .number = p->recorded->instructions,
                                   .bytes = digest,
                                   .size = sizeof digest});
}

/* ---- Settings ---- */

bool proc_recording(void)
{
    return record.file != NULL;
}

static enum dpk_status read_seed(uint64_t *seed, struct dpk_error *err)
{
    const char *text = getenv("DPAKIT_RECORD_SEED");
    char *end;
    if (!text || !*text)
        return getrandom(seed, sizeof *seed, 0) == sizeof *seed
                   ? DPK_OK
                   : dpk_fail_errno(err, "no random numbers");
    errno = 0;
    *seed = *text >= '0' && *text <= '9' ? strtoull(text, &end, 0) : 0;
    if (*text < '0' || *text > '9' || errno || *end)
        return dpk_fail(err, DPK_ERR_USAGE, "DPAKIT_RECORD_SEED=%s is not a number of 64 bits",
                        text);
    return DPK_OK;
}

/* A program may exit without destroying its processes, whose threads still run. */
static void at_exit(void)
{
    if (record.program != getpid())
        return;
    lock();
    for (struct list *n = record.all.next; n != &record.all; n = n->next)
        put_end(owner_of(n, struct recorded, all)->process);
    record.closed = true;
    unlock();
}

enum dpk_status proc_recorded_begin(struct dpk_error *err)
{
    const char *path = getenv("DPAKIT_RECORD");
    uint64_t seed;
    if (record.file || !path || !*path)
        return DPK_OK;
    enum dpk_status status = read_seed(&seed, err);
    if (status == DPK_OK && (status = dpk_recorder_open(path, seed, &record.file, err)) != DPK_OK)
        dpk_error_prefix(err, "recording");
    if (status != DPK_OK)
        return status;
    record.random = seed;
    record.program = getpid();
    atexit(at_exit);
    return DPK_OK;
}

/* ---- Processes ---- */

/* The file contains all memory, so the device must allow this like a debugger. */
static enum dpk_status ask_device(const struct dpk_process *p, struct dpk_error *err)
{
    struct dpk_debug_permit permit;
    enum dpk_status status = dpk_debug_ask(p->image, &permit, err);
    if (status == DPK_OK)
        status = dpk_debug_record(p->image, &permit, "record", "OK", "", err);
    else
        (void)dpk_debug_record(p->image, &permit, "record", "NOT_ALLOWED", "", NULL);
    if (status != DPK_OK)
        dpk_error_prefix(err, "DPAKIT_RECORD");
    return status;
}

static bool put_process(const struct dpk_process *p)
{
    struct dpk_buf b = {0};
    size_t size;
    const char *app = dpk_image_app(p->image);
    const void *elf = dpk_image_file(p->image, &size);
    dpk_put(&b, app, strlen(app) + 1);
    dpk_put(&b, elf, size);
    const bool good = !b.failed;
    if (good)
        put(p, (struct dpk_record){.kind = DPK_RECORD_PROCESS,
                                   .small =
                                       (p->strict.align ? DPK_PROCESS_STRICT : 0) |
                                       (dpk_image_has_zba(p->image) ? 0 : DPK_PROCESS_WITHOUT_ZBA),
                                   .bytes = b.data,
                                   .size = b.size});
    dpk_buf_free(&b);
    return good;
}

enum dpk_status proc_recorded_enter(struct dpk_process *p, struct dpk_error *err)
{
    if (!record.file)
        return DPK_OK;
    enum dpk_status status = ask_device(p, err);
    if (status != DPK_OK)
        return status;
    p->recorded = calloc(1, sizeof *p->recorded);
    if (!p->recorded)
        return dpk_fail_nomem(err);
    lock();
    p->recorded->process = p;
    p->recorded->number = ++record.processes;
    list_append(&record.all, &p->recorded->all);
    const bool good = put_process(p);
    unlock();
    return good ? DPK_OK : dpk_fail_nomem(err);
}

void proc_recorded_leave(struct dpk_process *p)
{
    if (!p->recorded)
        return;
    lock();
    put_end(p);
    list_remove(&p->recorded->all);
    unlock();
    free(p->recorded);
    p->recorded = NULL;
}

/* ---- Memory ---- */

bool proc_recorded_map(struct dpk_process *p, uint64_t address, uint64_t size, unsigned access)
{
    if (!p->recorded)
        return rv64_memory_map(p->memory, address, size, access);
    lock();
    const bool good = rv64_memory_map(p->memory, address, size, access);
    if (good)
        put(p, (struct dpk_record){.kind = DPK_RECORD_MAP,
                                   .small = (uint8_t)access,
                                   .address = address,
                                   .number = size});
    unlock();
    return good;
}

bool proc_recorded_store(struct dpk_process *p, uint64_t address, const void *from, uint64_t size)
{
    proc_recorded_write_begin(p);
    const bool good = rv64_memory_store(p->memory, address, from, size);
    proc_recorded_write_end(p, address, good ? size : 0);
    return good;
}

void proc_recorded_write_begin(const struct dpk_process *p)
{
    if (p->recorded)
        lock();
}

/* Long ranges of equal bytes, such as cleared memory, are stored as a fill. */
static bool is_filled(const uint8_t *bytes, uint64_t size)
{
    return size > 64 && memcmp(bytes, bytes + 1, size - 1) == 0;
}

void proc_recorded_write_end(const struct dpk_process *p, uint64_t address, uint64_t size)
{
    const uint64_t most = DPK_RECORD_SIZE_MAX / 2;
    if (!p->recorded)
        return;
    for (uint64_t at = 0; at < size; at += most) {
        const uint64_t part = size - at < most ? size - at : most;
        const uint8_t *bytes = rv64_memory_at(p->memory, address + at, part, 0);
        struct dpk_record r = {.kind = DPK_RECORD_STORE, .address = address + at};
        if (bytes && is_filled(bytes, part)) {
            r.kind = DPK_RECORD_FILL;
            r.number = part;
            r.small = bytes[0];
        } else if (bytes) {
            r.bytes = bytes;
            r.size = part;
        }
        if (bytes)
            put(p, r);
    }
    unlock();
}

/* ---- Messages, results and failures ---- */

static void tell(const struct dpk_process *p, struct dpk_record r)
{
    if (!p->recorded)
        return;
    lock();
    put(p, r);
    unlock();
}

void proc_recorded_message(const struct hart *h, const void *text, size_t size)
{
    tell(h->process, (struct dpk_record){
                         .kind = DPK_RECORD_MESSAGE, .thread = h->id, .bytes = text, .size = size});
}

void proc_recorded_result(const struct dpk_process *p, uint64_t value)
{
    tell(p, (struct dpk_record){.kind = DPK_RECORD_RESULT, .number = value});
}

void proc_recorded_failure(const struct dpk_process *p)
{
    tell(p, (struct dpk_record){.kind = DPK_RECORD_FAILURE,
                                .small = (uint8_t)p->failed,
                                .bytes = (const uint8_t *)p->failure,
                                .size = strlen(p->failure)});
}

/* ---- Threads ---- */

/* SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t draw(void)
{
    uint64_t z = record.random += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

uint64_t proc_recorded_slice(void)
{
    lock();
    const uint64_t drawn = draw();
    unlock();
    const uint64_t least = UINT64_C(1) << (SLICE_LOG_MIN + (drawn >> 32) % SLICE_LOGS);
    return least + (drawn & (least - 1));
}

enum rv64_stop proc_recorded_run(struct hart *h, uint64_t budget, struct slice *s,
                                 enum rv64_stop (*run)(struct hart *h, uint64_t budget,
                                                       struct slice *s))
{
    struct recorded *t = h->process->recorded;
    uint64_t *seen = t->seen[h->id];
    struct dpk_record r = {.kind = DPK_RECORD_RUN, .thread = h->id};
    lock();
    dpk_record_registers(&h->regs, r.values);
    for (unsigned i = 0; i < DPK_CHANGED_COUNT; i++)
        if (r.values[i] != seen[i])
            r.changed |= UINT64_C(1) << i;
    const uint64_t before = h->regs.instret;
    const enum rv64_stop why = run(h, budget, s);
    r.number = h->regs.instret - before;
    r.small = (uint8_t)why;
    dpk_record_registers(&h->regs, seen);
    r.address = dpk_record_check(seen);
    t->instructions += r.number;
    put(h->process, r);
    unlock();
    return why;
}
