/* Reads a recording: checks all records, lists the runs, and applies changes from outside. */
#include <stdlib.h>
#include <string.h>

#include "hashlist/hashlist.h"
#include "machine.h"

#define GUEST_SIZE (UINT64_C(1) << 32)

uint64_t replay_run_ticks(const struct dpk_record *run)
{
    const bool tried = run->small == RV64_STOP_ECALL || run->small == RV64_STOP_EBREAK ||
                       run->small == RV64_STOP_FAULT;
    return run->number + tried;
}

/* ---- Opening ---- */

static enum dpk_status add_run(struct dpk_replay *r, const struct dpk_record *record, size_t at,
                               struct dpk_error *err)
{
    const uint64_t ticks = replay_run_ticks(record);
    if (ticks > INT64_MAX - r->ticks)
        return dpk_fail(err, DPK_ERR_FORMAT, "damaged: more instructions than 63 bits count");
    if (r->run_count == r->run_capacity) {
        const size_t capacity = r->run_capacity ? 2 * r->run_capacity : 1024;
        struct run *more = realloc(r->runs, capacity * sizeof *more);
        if (!more)
            return dpk_fail_nomem(err);
        r->runs = more;
        r->run_capacity = capacity;
    }
    r->runs[r->run_count++] = (struct run){at, r->ticks, record->thread};
    r->ticks += ticks;
    return DPK_OK;
}

static enum dpk_status take_program(struct dpk_replay *r, const struct dpk_record *record,
                                    struct dpk_error *err)
{
    const uint8_t *end = memchr(record->bytes, 0, record->size);
    if (r->image || !end)
        return dpk_fail(err, DPK_ERR_FORMAT, "damaged: process %u %s", r->number,
                        end ? "begins twice" : "has no name");
    r->core_is = record->small;
    const size_t name = (size_t)(end - record->bytes) + 1;
    return dpk_image_examine((const char *)record->bytes, NULL, record->bytes + name,
                             record->size - name, &r->image, err);
}

static enum dpk_status take_record(struct dpk_replay *r, const struct dpk_record *record, size_t at,
                                   struct dpk_error *err)
{
    if (record->kind == DPK_RECORD_PROCESS)
        r->processes++;
    if (record->process != r->number)
        return DPK_OK;
    if (record->kind == DPK_RECORD_PROCESS)
        return take_program(r, record, err);
    if (!r->image)
        return dpk_fail(err, DPK_ERR_FORMAT, "damaged: process %u does not begin", r->number);
    if (r->whole)
        return dpk_fail(err, DPK_ERR_FORMAT, "damaged: process %u goes on after its end",
                        r->number);
    r->whole = record->kind == DPK_RECORD_END;
    return record->kind == DPK_RECORD_RUN ? add_run(r, record, at, err) : DPK_OK;
}

static enum dpk_status read_records(struct dpk_replay *r, struct dpk_error *err)
{
    struct dpk_error wrong = {0};
    struct dpk_record record;
    bool cut;
    size_t at, before;
    enum dpk_status status = dpk_records_begin(r->file.data, r->file.size, &at, &r->seed, err);
    for (r->begin = before = at; status == DPK_OK && dpk_records_next(r->file.data, r->file.size,
                                                                      &at, &record, &cut, &wrong);
         before = at)
        status = take_record(r, &record, before, err);
    if (status == DPK_OK && wrong.status != DPK_OK)
        return dpk_fail(err, wrong.status, "%s", wrong.message);
    if (status == DPK_OK && !r->image)
        return dpk_fail(err, DPK_ERR_NOT_FOUND, "it has no process %u, but %u", r->number,
                        r->processes);
    return status;
}

/* `r` owns its bytes, even after a failure. */
static enum dpk_status build(struct dpk_replay *r, struct dpk_error *err)
{
    enum dpk_status status = read_records(r, err);
    if (status != DPK_OK)
        return status;
    if (!replay_machine_reset(r))
        return dpk_fail(err, r->failure.status, "%s", r->failure.message);
    return DPK_OK;
}

static enum dpk_status finish(struct dpk_replay *r, enum dpk_status status, struct dpk_replay **out,
                              struct dpk_error *err)
{
    if (status == DPK_OK)
        status = build(r, err);
    if (status == DPK_OK)
        *out = r;
    else
        dpk_replay_close(r);
    return status;
}

enum dpk_status dpk_replay_open(const char *path, unsigned number, struct dpk_replay **out,
                                struct dpk_error *err)
{
    struct dpk_replay *r = calloc(1, sizeof *r);
    *out = NULL;
    if (!r)
        return dpk_fail_nomem(err);
    r->number = number;
    enum dpk_status status = dpk_file_read(path, DPK_FILE_MAX, &r->file, err);
    if (status != DPK_OK)
        return finish(r, status, out, err);
    status = finish(r, DPK_OK, out, err);
    if (status != DPK_OK)
        dpk_error_prefix(err, "%s", path);
    return status;
}

enum dpk_status dpk_replay_open_bytes(const void *data, size_t size, unsigned number,
                                      struct dpk_replay **out, struct dpk_error *err)
{
    struct dpk_replay *r = calloc(1, sizeof *r);
    *out = NULL;
    if (!r)
        return dpk_fail_nomem(err);
    r->number = number;
    dpk_put(&r->file, data, size);
    return finish(r, r->file.failed ? dpk_fail_nomem(err) : DPK_OK, out, err);
}

void dpk_replay_close(struct dpk_replay *r)
{
    if (!r)
        return;
    replay_states_end(r);
    if (r->core)
        rv64_core_destroy(r->core);
    rv64_memory_destroy(r->memory);
    free(r->threads);
    free(r->runs);
    dpk_image_free(r->image);
    dpk_buf_free(&r->file);
    free(r);
}

/* ---- Changes from outside ---- */

static bool fail(struct dpk_replay *r, const char *what)
{
    if (r->failure.status != DPK_ERR_MISMATCH)
        dpk_fail(&r->failure, DPK_ERR_MISMATCH,
                 "it went another way than when it was recorded, at tick %llu of %llu: %s",
                 (unsigned long long)machine_tick(r), (unsigned long long)r->ticks, what);
    return false;
}

static bool fill(struct dpk_replay *r, const struct dpk_record *record)
{
    uint8_t page[RV64_PAGE];
    memset(page, record->small, sizeof page);
    for (uint64_t at = 0; at < record->number; at += sizeof page) {
        const uint64_t left = record->number - at;
        if (!rv64_memory_store(r->memory, record->address + at, page,
                               left < sizeof page ? left : sizeof page))
            return false;
    }
    return true;
}

static bool ends_alike(const struct dpk_replay *r, const struct dpk_record *record)
{
    uint8_t digest[DPK_RECORD_DIGEST];
    return dpk_record_digest(r->memory, digest) &&
           memcmp(digest, record->bytes, sizeof digest) == 0;
}

/* Reports each message and each result once, even if a debugger goes back and forth. */
static void tell(struct dpk_replay *r, const struct dpk_record *record)
{
    if (record->kind == DPK_RECORD_MESSAGE && r->sink.message)
        r->sink.message(r->sink.context, (const char *)record->bytes, record->size);
    else if (record->kind == DPK_RECORD_RESULT && r->sink.result)
        r->sink.result(r->sink.context, record->number);
}

static bool apply(struct dpk_replay *r, const struct dpk_record *record)
{
    switch (record->kind) {
    case DPK_RECORD_MAP:
        return rv64_memory_map(r->memory, record->address, record->number, record->small) ||
               fail(r, "memory that cannot be mapped");
    case DPK_RECORD_STORE:
        return rv64_memory_store(r->memory, record->address, record->bytes, record->size) ||
               fail(r, "bytes from outside, to memory that is not there");
    case DPK_RECORD_FILL:
        return fill(r, record) || fail(r, "bytes from outside, to memory that is not there");
    case DPK_RECORD_FAILURE:
        if (r->failure.status == DPK_OK)
            dpk_fail(&r->failure,
                     record->small == DPK_ERR_TIMEOUT ? DPK_ERR_TIMEOUT : DPK_ERR_FAULT, "%.*s",
                     (int)(record->size < 800 ? record->size : 800), (const char *)record->bytes);
        return true;
    case DPK_RECORD_END:
        return ends_alike(r, record) || fail(r, "its memory is not the same at the end");
    default:
        return true;
    }
}

static void begin_run(struct dpk_replay *r, const struct dpk_record *record)
{
    struct thread *t = &r->threads[record->thread];
    r->record = *record;
    r->done = 0;
    t->there = true;
    dpk_record_apply(record, &t->hart);
}

bool replay_machine_next(struct dpk_replay *r)
{
    struct dpk_record record;
    bool cut;
    for (size_t at = r->applied;
         dpk_records_next(r->file.data, r->file.size, &at, &record, &cut, NULL);) {
        const size_t begin = r->applied;
        r->applied = at;
        if (record.process != r->number)
            continue;
        if (record.kind == DPK_RECORD_RUN) {
            begin_run(r, &record);
            return true;
        }
        if (!apply(r, &record))
            return false;
        if (begin >= r->told) {
            r->told = at;
            tell(r, &record);
        }
    }
    return true;
}

/* ---- The beginning ---- */

static bool make_parts(struct dpk_replay *r)
{
    r->memory = rv64_memory_create(GUEST_SIZE);
    r->core = r->memory ? rv64_core_create(r->memory) : NULL;
    r->threads = calloc(DPK_RECORD_THREADS_MAX, sizeof *r->threads);
    if (!r->core || !r->threads)
        return false;
    rv64_core_set_strict(r->core, r->core_is & DPK_PROCESS_STRICT);
    rv64_core_set_extensions(r->core, r->core_is & DPK_PROCESS_WITHOUT_ZBA ? 0 : RV64_ZBA);
    return true;
}

bool replay_machine_reset(struct dpk_replay *r)
{
    if (!make_parts(r)) {
        dpk_fail_nomem(&r->failure);
        return false;
    }
    r->run = 0;
    r->applied = r->begin;
    return replay_machine_next(r) && replay_machine_forward(r, 0);
}

void dpk_replay_facts(const struct dpk_replay *r, struct dpk_replay_facts *out)
{
    size_t size;
    const void *elf = dpk_image_file(r->image, &size);
    *out = (struct dpk_replay_facts){.app = dpk_image_app(r->image),
                                     .processes = r->processes,
                                     .ticks = r->ticks,
                                     .seed = r->seed,
                                     .whole = r->whole};
    dpk_sha256_text(elf, size, out->sha256);
}

void dpk_replay_set_sink(struct dpk_replay *r, const struct dpk_replay_sink *sink)
{
    r->sink = *sink;
}
