/* Attaches the translator to cores, and runs it: a queue of regions and a thread. */
#include "jit/jit.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "jit/counts.h"
#include "jit/library.h"
#include "jit/store.h"
#include "jit/translations.h"

/* How often a loop is repeated or a function called before it is worth translating. */
enum { HEAT = 3000 };
/* And before it is worth loading LLVM; what is stored is used at once. */
enum { HEAT_TO_LOAD = 8192 };
/* A loop is translated with those around it that are repeated so often meanwhile. */
enum { WARM_PART = 8 };
/* How often a place is reached whose code was put off before it is asked for again. */
enum { HEAT_AGAIN = 65536 };
enum { QUEUE_MAX = 4096 };
/* A region of no more instructions has no draft: it is soon done. */
enum { DRAFT_INSNS = 10 };

/* ---- Without translations ---- */

static atomic_bool asked_for; /* by DPAKIT_JIT */

/* Once in a process, to users who have asked for translations. */
static void tell_interpreted(const char *reason)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    if (asked_for && !atomic_flag_test_and_set(&said))
        fprintf(stderr, "-W- %s; device code is interpreted, which is slower\n", reason);
}

/* ---- The library ---- */

static void end_translations(void);

static atomic_bool load_tried;
static jit_translate_fn *loaded; /* NULL: it is not there; load_error has the reason */
static struct dpk_error load_error;
static void load(void)
{
    loaded = jit_library_load(&load_error);
    if (loaded == NULL)
        tell_interpreted(load_error.message);
    /* exit() calls first what was registered last: this, and then the end of libLLVM's data. If it
     * was called before, some of the data may have gone, but this is what it calls next. */
    atexit(end_translations);
    load_tried = true;
}

static jit_translate_fn *translator(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return loaded;
}

/* ---- Jobs ---- */

struct job {
    struct job *next;
    struct translations *to;
    struct jit_region region;
    uint32_t heat; /* how often its place was reached */
    bool uneven;   /* it often makes misaligned accesses */
    bool awaited;  /* by a thread, which frees it */
    bool missed;   /* its code is not on disk */
    bool drafted;  /* its place has a draft */
    bool last;     /* it gets its best code next, and no draft */
    enum { JOB_QUEUED, JOB_RUNS, JOB_DONE } state;
};

static void job_free(struct job *j)
{
    translations_drop(j->to);
    jit_region_free(&j->region);
    free(j);
}

/* libLLVM ends the process where it gets no memory. So there must be far more than it needs for a region. */
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
    const uint64_t begin = jit_processor_time();
    const bool room = has_room(),
               done = room && fn != NULL && fn(&j->region, options, image, &err) == DPK_OK;
    const uint64_t took = jit_processor_time() - begin;
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

/* Makes the job's code; it goes to the store, under `key`, if that is not NULL. Returns whether it was a draft. */
static bool make_code(const struct job *j, const struct jit_options *options, const uint8_t *key)
{
    struct dpk_buf image = {0};
    bool draft = false;
    if (translate(j, options, &image)) {
        const bool entered = translations_enter(j->to, j->region.blocks[0].pc, &image);
        draft = entered && translations_is_draft(&image);
        if (entered)
            translations_set_covered(j->to, &j->region);
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
        jit_store_get(key, &image) && translations_enter(j->to, j->region.blocks[0].pc, &image);
    dpk_buf_free(&image);
    if (found) {
        translations_set_covered(j->to, &j->region);
        jit_count_cached();
    }
    return found;
}

/* Returns whether it is to be carried out again: for its last code, or because others may be worth more by now. */
static bool carry_out(struct job *j)
{
    struct jit_options options = {.begin = j->to->entries.begin,
                                  .size = j->to->entries.size,
                                  .uneven = j->uneven,
                                  .every_block = j->to->exact};
    uint8_t key[JIT_KEY];
    if (!j->uneven && !j->drafted && translations_put_off(j->to, j->region.blocks[0].pc))
        return false;
    const bool stored = !j->awaited && jit_key(&j->region, &options, key); /* on disk */
    if (!j->awaited && !j->missed) {
        j->missed = !stored || !find_stored(j, key);
        return j->missed;
    }
    if (!j->awaited && !load_tried) {
        (void)translator(); /* it takes a while, in which the hottest place shows itself */
        return true;
    }
    /* A draft would hide better code of its loops. */
    if (!j->awaited && !j->last && translations_has_loops(j->to, &j->region)) {
        j->last = true;
        return true;
    }
    options.quick = !j->awaited && !j->last && j->region.insn_count > DRAFT_INSNS;
    j->drafted = make_code(j, &options, stored ? key : NULL);
    j->last |= j->drafted;
    return j->drafted;
}

/* NULL: the place has or had a job, or there is no memory. */
static struct job *job_create(struct rv64_core *core, struct rv64_entries *entries, uint64_t pc,
                              const uint64_t *x, uint32_t heat, bool uneven)
{
    struct translations *const to = (struct translations *)entries;
    struct job *j = calloc(1, sizeof *j);
    pthread_mutex_lock(&core->lock); /* `to` was made with it, too */
    const bool taken = uneven || translations_take(to, pc, heat >= HEAT_AGAIN);
    const uint32_t warm =
        translations_covered(to, pc) ? UINT32_MAX : core->translator->heat / WARM_PART;
    const bool found = taken && j != NULL && jit_region_find(core, pc, x, warm, &j->region);
    pthread_mutex_unlock(&core->lock);
    if (!taken) {
        free(j);
        return NULL;
    }
    if (!found) {
        jit_count_refused("no memory");
        translations_give_back(to, pc);
        free(j);
        return NULL;
    }
    j->to = to;
    j->heat = heat;
    j->uneven = uneven;
    translations_keep(j->to);
    return j;
}

/* ---- The thread ---- One for all: LLVM's description of the host is shared. */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct job *first; /* of all that wait */
    unsigned count;
    bool running;   /* a job is carried out */
    unsigned forks; /* that wait for its end */
    pid_t process;  /* that has the thread */
    pthread_t thread;
    bool ends;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void add_job(struct job *j)
{
    j->state = JOB_QUEUED;
    j->next = queue.first;
    queue.first = j;
    queue.count++;
}

/* With the lock, which it gives up meanwhile. */
static void run_job(struct job *j)
{
    queue.running = true;
    j->state = JOB_RUNS;
    pthread_mutex_unlock(&queue.lock);
    const bool awaited = j->awaited, again = carry_out(j);
    if (!awaited && !again)
        job_free(j);
    pthread_mutex_lock(&queue.lock);
    if (again)
        add_job(j);
    else if (awaited)
        j->state = JOB_DONE;
    queue.running = false;
    pthread_cond_broadcast(&queue.changed);
}

/* How much time the job's code will save, to that which it takes to make: how often the place was reached, for the
 * part of its instructions that are interpreted. What has a draft gains far less by better code. */
static double worth(const struct job *j)
{
    enum {
        COST = 6,
        GAIN_OF_DRAFT = 16
    }; /* of any job, in instructions; and that of a draft to that of its last code */
    const uint32_t count = j->region.insn_count;
    const double gain = j->drafted  ? (double)count / GAIN_OF_DRAFT
                        : j->uneven ? (double)count
                                    : 1 + (double)translations_bare(j->to, &j->region);
    return j->heat * gain / (count + COST);
}

/* Whether LLVM is not worth loading for it yet. */
static bool is_early(const struct job *j)
{
    return j->missed && !load_tried && j->heat < HEAT_TO_LOAD;
}

/* Whether `a` goes before `b`: those first whose code may be on disk, which takes no time. */
static bool goes_first(const struct job *a, const struct job *b)
{
    return a->missed != b->missed ? b->missed : worth(a) >= worth(b);
}

/* Takes the job that goes first. NULL: none is ready. */
static struct job *take_job(void)
{
    struct job **first = NULL;
    for (struct job **at = &queue.first; *at != NULL; at = &(*at)->next)
        if (!is_early(*at) && (first == NULL || goes_first(*at, *first)))
            first = at;
    if (first == NULL)
        return NULL;
    struct job *const j = *first;
    *first = j->next;
    queue.count--;
    return j;
}

static void *work(void *unused)
{
    pthread_mutex_lock(&queue.lock);
    while (!queue.ends) {
        struct job *j = queue.forks == 0 ? take_job() : NULL;
        if (j != NULL)
            run_job(j);
        else
            pthread_cond_wait(&queue.changed, &queue.lock);
    }
    pthread_mutex_unlock(&queue.lock);
    return unused;
}

/* At exit: what libLLVM needs ends with it, so nothing is translated any more. */
static void end_translations(void)
{
    pthread_mutex_lock(&queue.lock);
    const bool first = !queue.ends;
    queue.ends = true;
    pthread_cond_broadcast(&queue.changed);
    pthread_mutex_unlock(&queue.lock);
    if (first && queue.process == getpid())
        pthread_join(queue.thread, NULL);
}

/* A child has the locks of libraries as they were, but not the threads that held them: those of the
 * list of what exit() calls while a library is loaded, for one. So a fork waits for jobs. */
static void before_fork(void)
{
    pthread_mutex_lock(&queue.lock);
    queue.forks++;
    while (queue.running)
        pthread_cond_wait(&queue.changed, &queue.lock);
}

static void after_fork(void)
{
    queue.forks--;
    pthread_cond_broadcast(&queue.changed);
    pthread_mutex_unlock(&queue.lock);
}

/* A child has no thread; it starts one of its own. */
static void in_child(void)
{
    queue.first = NULL;
    queue.count = 0;
    queue.forks = 0;
    queue.process = 0;
    pthread_cond_init(&queue.changed, NULL);
    pthread_mutex_unlock(&queue.lock);
}

/* With the lock. */
static bool has_thread(void)
{
    if (queue.process == 0 && !queue.ends) {
        if (dpk_pthread_start(&queue.thread, work, NULL) == 0)
            queue.process = getpid();
    }
    return queue.process == getpid() && !queue.ends;
}

/* False: it is freed. */
static bool enqueue(struct job *j)
{
    pthread_mutex_lock(&queue.lock);
    const bool taken = queue.count < QUEUE_MAX && has_thread();
    if (taken) {
        add_job(j);
        pthread_cond_broadcast(&queue.changed);
    }
    pthread_mutex_unlock(&queue.lock);
    if (taken)
        return true;
    jit_count_refused("too many wait, or no thread translates any more");
    translations_give_back(j->to, j->region.blocks[0].pc);
    job_free(j);
    return false;
}

/* ---- What cores call ---- */

static struct rv64_entries *begin(void *exact, struct rv64_core *core)
{
    struct translations *t = translations_create(core, exact != NULL);
    if (t == NULL)
        jit_count_refused("too much code, or no memory for the table");
    return t ? &t->entries : NULL;
}

static void release(struct rv64_entries *entries)
{
    translations_drop((struct translations *)entries);
}

static void await(struct job *j)
{
    j->awaited = true;
    if (!enqueue(j))
        return;
    pthread_mutex_lock(&queue.lock);
    while (j->state == JOB_RUNS || (j->state == JOB_QUEUED && !queue.ends))
        pthread_cond_wait(&queue.changed, &queue.lock);
    const bool done = j->state == JOB_DONE; /* if not, the queue has it for good */
    pthread_mutex_unlock(&queue.lock);
    if (done)
        job_free(j);
}

/* The translator's thread does it here, too: its time is not the hart's. */
static void hot_sync(void *unused, struct rv64_core *core, struct rv64_entries *entries,
                     uint64_t pc, const uint64_t *x, uint32_t heat)
{
    (void)unused;
    struct job *j = job_create(core, entries, pc, x, heat, false);
    if (j != NULL)
        await(j);
}

static void uneven_sync(void *unused, struct rv64_core *core, struct rv64_entries *entries,
                        uint64_t pc, const uint64_t *x)
{
    (void)unused;
    struct job *j = job_create(core, entries, pc, x, HEAT_TO_LOAD, true);
    if (j != NULL)
        await(j);
}

/* Of a job that waits, if there is one, notes how hot its place is by now. */
static void note_heat(const struct rv64_entries *entries, uint64_t pc, uint32_t heat)
{
    pthread_mutex_lock(&queue.lock);
    for (struct job *j = queue.first; j != NULL; j = j->next)
        if (&j->to->entries == entries && j->region.blocks[0].pc == pc && !j->uneven)
            j->heat = heat;
    pthread_cond_broadcast(&queue.changed);
    pthread_mutex_unlock(&queue.lock);
}

static void hot(void *unused, struct rv64_core *core, struct rv64_entries *entries, uint64_t pc,
                const uint64_t *x, uint32_t heat)
{
    (void)unused;
    struct job *j = job_create(core, entries, pc, x, heat, false);
    if (j != NULL)
        (void)enqueue(j);
    else
        note_heat(entries, pc, heat);
}

static void uneven(void *unused, struct rv64_core *core, struct rv64_entries *entries, uint64_t pc,
                   const uint64_t *x)
{
    (void)unused;
    struct job *j = job_create(core, entries, pc, x, HEAT_TO_LOAD, true);
    if (j != NULL)
        (void)enqueue(j);
}

enum dpk_status jit_mode_wanted(enum jit_mode *mode, struct dpk_error *err)
{
    const char *wanted = getenv("DPAKIT_JIT");
    *mode = JIT_ON;
    if (!wanted || !*wanted)
        return DPK_OK;
    if (strcmp(wanted, "on") != 0 && strcmp(wanted, "sync") != 0 && strcmp(wanted, "off") != 0)
        return dpk_fail(err, DPK_ERR_USAGE, "DPAKIT_JIT=%s is not known; it may be off, sync or on",
                        wanted);
    if (strcmp(wanted, "on") != 0)
        *mode = strcmp(wanted, "off") == 0 ? JIT_OFF : JIT_SYNC;
    asked_for = *mode != JIT_OFF;
    return DPK_OK;
}

/* For an exit before the library is loaded. The store needs OpenSSL, which must end later. */
static void expect_exit(void)
{
    (void)dpk_openssl_start(NULL);
    atexit(end_translations);
    if (pthread_atfork(before_fork, after_fork, in_child) != 0)
        queue.ends = true;
}

/* Of glibc, for destructors of C++'s thread_local. */
extern int at_thread_end(void (*end)(void *), void *argument,
                         void *in_library) __asm__("__cxa_thread_atexit_impl");

static void main_thread_ends(void *unused)
{
    (void)unused;
    end_translations();
}

/* For an exit while it is loaded: data of libLLVM would end that is still being made. But exit() ends
 * first what belongs to its thread, which is the main thread as a rule. */
static void expect_main_thread(void)
{
    (void)at_thread_end(main_thread_ends, NULL, &queue);
}

void jit_attach(struct rv64_core *core, enum jit_mode mode, bool exact)
{
    static char is_exact;
    static const struct rv64_translator sync[] = {
        {begin, release, hot_sync, uneven_sync, 1, NULL},
        {begin, release, hot_sync, uneven_sync, 1, &is_exact},
    };
    static const struct rv64_translator on[] = {
        {begin, release, hot, uneven, HEAT, NULL},
        {begin, release, hot, uneven, HEAT, &is_exact},
    };
    static pthread_once_t once = PTHREAD_ONCE_INIT, main_once = PTHREAD_ONCE_INIT;
    if (mode == JIT_OFF)
        return;
    pthread_once(&once, expect_exit);
    if (gettid() == getpid())
        pthread_once(&main_once, expect_main_thread);
    rv64_core_set_translator(core, &(mode == JIT_SYNC ? sync : on)[exact]);
}
