/* Jobs: get the code of a region from the disk or from LLVM. */
#include "engine/jit/job.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "engine/jit/counts.h"
#include "engine/jit/library.h"
#include "engine/jit/store.h"

/* Executions after which code that was put off is asked for again. */
enum { HEAT_AGAIN = 65536 };
/* Divisor of the heat from which surrounding loops are translated together with a loop. */
enum { WARM_PART = 8 };

/* ---- Without translations ---- */

static atomic_bool asked_for;

void jit_job_tell_reasons(void)
{
    asked_for = true;
}

/* Warns once in a process, if the user has asked for translations. */
static void tell_interpreted(const char *reason)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    if (asked_for && !atomic_flag_test_and_set(&said))
        fprintf(stderr, "-W- %s; device code is interpreted, which is slower\n", reason);
}

/* ---- The library ---- */

static atomic_bool load_tried;
static jit_translate_fn *loaded; /* NULL if missing; load_error has the reason */
static struct dpk_error load_error;
static void load(void)
{
    loaded = jit_library_load(&load_error);
    if (loaded == NULL)
        tell_interpreted(load_error.message);
    /* exit() reverses the order of registration, so it calls this function before the end of
     * libLLVM's data. If exit() has begun already, some data may be gone, but this function comes
     * next. */
    atexit(jit_job_end_at_exit);
    load_tried = true;
}

static jit_translate_fn *translator(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return loaded;
}

/* ---- Jobs ---- */

void jit_job_free(struct job *j)
{
    jit_translations_drop(j->to);
    jit_region_free(&j->region);
    free(j);
}

/* libLLVM ends the process if it gets no memory. So far more must be free than it needs for a
 * region. */
static bool has_room(void)
{
    const size_t room = (size_t)64 << 20;
    void *at = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at != MAP_FAILED && munmap(at, room) == 0;
}

static bool translate(const struct job *j, const struct jit_options *options, struct dpk_buf *image)
{
    struct dpk_error err = {0};
    jit_translate_fn *const fn = translator();
    const uint64_t begin = dpk_thread_time_ns();
    const bool room = has_room(),
               done = room && fn != NULL && fn(&j->region, options, image, &err) == DPK_OK;
    const uint64_t took = dpk_thread_time_ns() - begin;
    if (*err.message)
        tell_interpreted(err.message);
    if (done)
        jit_count_translated(j->region.insn_count, took);
    else
        jit_count_refused(fn == NULL     ? load_error.message
                          : !room        ? "too little memory for LLVM"
                          : *err.message ? err.message
                                         : "no reason given");
    return done;
}

/* Makes the job's code, and stores it under `key` unless that is NULL. Returns whether it was a
 * draft. */
static bool make_code(const struct job *j, const struct jit_options *options, const uint8_t *key)
{
    struct dpk_buf image = {0};
    bool draft = false;
    if (translate(j, options, &image)) {
        const bool entered = jit_translations_enter(j->to, j->region.blocks[0].pc, &image);
        draft = entered && jit_translations_is_draft(&image);
        if (entered)
            jit_translations_set_covered(j->to, &j->region, draft);
        else
            jit_count_refused("no memory for its code");
        if (entered && !draft && key != NULL)
            jit_store_put(key, image.data, image.size);
    }
    dpk_buf_free(&image);
    return draft;
}

static bool find_stored(const struct job *j, const uint8_t key[JIT_KEY])
{
    struct dpk_buf image = {0};
    const bool found =
        jit_store_get(key, &image) && jit_translations_enter(j->to, j->region.blocks[0].pc, &image);
    dpk_buf_free(&image);
    if (found) {
        jit_translations_set_covered(j->to, &j->region, false);
        jit_count_cached();
    }
    return found;
}

bool jit_job_carry_out(struct job *j)
{
    struct jit_options options = {.begin = j->to->entries.begin,
                                  .size = j->to->entries.size,
                                  .uneven = j->uneven,
                                  .every_block = j->to->exact};
    uint8_t key[JIT_KEY];
    if (!j->uneven && !j->drafted && jit_translations_put_off(j->to, j->region.blocks[0].pc))
        return false;
    const bool stored = !j->awaited && jit_key(&j->region, &options, key); /* on disk */
    if (!j->awaited && !j->missed) {
        j->missed = !stored || !find_stored(j, key);
        return j->missed;
    }
    if (!j->awaited && !load_tried) {
        (void)translator(); /* loading takes a while, which shows the hottest places */
        return true;
    }
    /* A draft would hide better code of its loops. */
    if (!j->awaited && !j->last && jit_translations_has_loops(j->to, &j->region)) {
        j->last = true;
        return true;
    }
    options.quick = !j->awaited && !j->last;
    j->drafted = make_code(j, &options, stored ? key : NULL);
    j->last |= j->drafted;
    return j->drafted;
}

struct job *jit_job_create(struct rv64_core *core, struct rv64_entries *entries, uint64_t pc,
                           const uint64_t *x, uint32_t heat, bool uneven)
{
    struct translations *const to = (struct translations *)entries;
    struct job *j = calloc(1, sizeof *j);
    pthread_mutex_lock(&core->lock); /* `to` was also made with this lock */
    const bool taken = uneven || jit_translations_take(to, pc, heat >= HEAT_AGAIN);
    const uint32_t warm =
        jit_translations_covered(to, pc) ? UINT32_MAX : core->translator->heat / WARM_PART;
    const bool found = taken && j != NULL && jit_region_find(core, pc, x, warm, &j->region);
    pthread_mutex_unlock(&core->lock);
    if (!taken) {
        free(j);
        return NULL;
    }
    if (!found) {
        jit_count_refused("no memory");
        jit_translations_give_back(to, pc);
        free(j);
        return NULL;
    }
    j->to = to;
    j->heat = heat;
    j->uneven = uneven;
    jit_translations_keep(j->to);
    return j;
}

/* ---- The order ---- */

double jit_job_worth(const struct job *j)
{
    enum { COST = 6 };           /* fixed cost of a job, in instructions */
    enum { GAIN_OF_DRAFT = 16 }; /* gain of better code divided by that of a draft */
    const uint32_t count = j->region.insn_count;
    if (!j->missed)
        return INFINITY;
    if (!load_tried && j->heat < JOB_HEAT_TO_LOAD)
        return 0;
    const double gain = j->drafted  ? (double)count / GAIN_OF_DRAFT
                        : j->uneven ? (double)count
                                    : 1 + (double)jit_translations_bare(j->to, &j->region);
    return j->heat * gain / (count + COST);
}
