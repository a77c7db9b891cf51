/* Attaches the translator to cores, and runs it: a queue of regions and a thread. */
#include "jit/jit.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jit/library.h"
#include "jit/store.h"
#include "jit/translations.h"

/* How often a loop is repeated or a function called before it is worth translating. */
enum { HEAT = 3000 };
enum { QUEUE_MAX = 4096 };

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
static bool has_ended(void);

static jit_translate_fn *loaded; /* NULL: it is not there */
static pid_t loaded_by;
static void load(void)
{
    struct dpk_error err = {0};
    loaded = jit_library_load(&err);
    loaded_by = getpid();
    if (loaded == NULL)
        tell_interpreted(err.message);
    /* exit() calls first what was registered last: this, and then the end of libLLVM's data. If it
     * was called before, some of the data may have gone, but this is what it calls next. */
    atexit(end_translations);
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
    bool uneven;
};

static void job_free(struct job *j)
{
    translations_drop(j->to);
    jit_region_free(&j->region);
    free(j);
}

/* One translation at a time: LLVM's description of the host is shared. */
static pthread_mutex_t translating = PTHREAD_MUTEX_INITIALIZER;

static bool translate(const struct job *j, const struct jit_options *options, struct dpk_buf *image)
{
    jit_translate_fn *const fn = translator();
    struct dpk_error err = {0};
    pthread_mutex_lock(&translating);
    bool done = fn != NULL && !has_ended() && fn(&j->region, options, image, &err) == DPK_OK;
    pthread_mutex_unlock(&translating);
    if (*err.message)
        tell_interpreted(err.message);
    return done;
}

/* `stored`: translations are kept on disk. */
static void carry_out(const struct job *j, bool stored)
{
    const struct jit_options options = {.begin = j->to->entries.begin,
                                        .size = j->to->entries.size,
                                        .uneven = j->uneven,
                                        .every_block = j->to->exact};
    const uint64_t pc = j->region.blocks[0].pc;
    struct dpk_buf image = {0};
    uint8_t key[JIT_KEY];
    stored = stored && jit_key(&j->region, &options, key);
    if (stored && jit_store_get(key, &image) && translations_enter(j->to, pc, &image)) {
        dpk_buf_free(&image);
        return;
    }
    dpk_buf_free(&image);
    if (translate(j, &options, &image) && translations_enter(j->to, pc, &image) && stored)
        jit_store_put(key, image.data, image.size);
    dpk_buf_free(&image);
}

static struct job *job_create(struct rv64_core *core, struct rv64_entries *entries, uint64_t pc,
                              bool uneven)
{
    struct job *j = calloc(1, sizeof *j);
    if (j == NULL)
        return NULL;
    pthread_mutex_lock(&core->lock);
    bool found = jit_region_find(core, pc, &j->region);
    pthread_mutex_unlock(&core->lock);
    if (!found) {
        free(j);
        return NULL;
    }
    j->to = (struct translations *)entries;
    j->uneven = uneven;
    translations_keep(j->to);
    return j;
}

/* ---- The thread ---- */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t wanted;
    struct job *first, **last;
    unsigned count;
    pid_t process; /* that has the thread */
    pthread_t thread;
    bool busy, ends;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .wanted = PTHREAD_COND_INITIALIZER};

static void *work(void *unused)
{
    pthread_mutex_lock(&queue.lock);
    while (!queue.ends) {
        struct job *j = queue.first;
        if (j == NULL) {
            pthread_cond_wait(&queue.wanted, &queue.lock);
            continue;
        }
        queue.first = j->next;
        if (queue.first == NULL)
            queue.last = &queue.first;
        queue.count--;
        queue.busy = true;
        pthread_mutex_unlock(&queue.lock);
        carry_out(j, true);
        job_free(j);
        pthread_mutex_lock(&queue.lock);
        queue.busy = false;
    }
    pthread_mutex_unlock(&queue.lock);
    return unused;
}

static bool has_ended(void)
{
    pthread_mutex_lock(&queue.lock);
    const bool ended = queue.ends;
    pthread_mutex_unlock(&queue.lock);
    return ended;
}

/* At exit: what libLLVM needs ends with it, so nothing is translated any more. */
static void end_translations(void)
{
    pthread_mutex_lock(&queue.lock);
    const bool first = !queue.ends;
    queue.ends = true;
    pthread_cond_signal(&queue.wanted);
    pthread_mutex_unlock(&queue.lock);
    if (first && queue.process == getpid())
        pthread_join(queue.thread, NULL);
    if (first && loaded_by == getpid())
        pthread_mutex_lock(&translating); /* for good: other threads may translate, too */
}

static void before_fork(void)
{
    pthread_mutex_lock(&queue.lock);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&queue.lock);
}

/* A child has no thread. It starts one of its own, unless its parent's was in the middle of LLVM,
 * whose state is then unknown; what is not translated stays interpreted. */
static void in_child(void)
{
    queue.first = NULL;
    queue.last = &queue.first;
    queue.count = 0;
    queue.process = 0;
    queue.ends |= queue.busy;
    pthread_cond_init(&queue.wanted, NULL);
    pthread_mutex_unlock(&queue.lock);
}

/* With the lock. */
static bool has_thread(void)
{
    static bool watches_forks;
    if (queue.process == 0 && !queue.ends) {
        queue.last = &queue.first;
        if (!watches_forks)
            watches_forks = pthread_atfork(before_fork, after_fork, in_child) == 0;
        if (watches_forks && dpk_pthread_start(&queue.thread, work, NULL) == 0) {
            queue.process = getpid();
        }
    }
    return queue.process == getpid() && !queue.ends;
}

static void enqueue(struct job *j)
{
    pthread_mutex_lock(&queue.lock);
    const bool taken = queue.count < QUEUE_MAX && has_thread();
    if (taken) {
        *queue.last = j;
        queue.last = &j->next;
        queue.count++;
        pthread_cond_signal(&queue.wanted);
    }
    pthread_mutex_unlock(&queue.lock);
    if (!taken)
        job_free(j);
}

/* ---- What cores call ---- */

static struct rv64_entries *begin(void *exact, struct rv64_core *core)
{
    struct translations *t = translations_create(core, exact != NULL);
    return t ? &t->entries : NULL;
}

static void release(struct rv64_entries *entries)
{
    translations_drop((struct translations *)entries);
}

static void hot_sync(void *unused, struct rv64_core *core, struct rv64_entries *entries,
                     uint64_t pc, bool uneven)
{
    (void)unused;
    struct job *j = job_create(core, entries, pc, uneven);
    if (j == NULL)
        return;
    carry_out(j, false);
    job_free(j);
}

static void hot(void *unused, struct rv64_core *core, struct rv64_entries *entries, uint64_t pc,
                bool uneven)
{
    (void)unused;
    struct job *j = job_create(core, entries, pc, uneven);
    if (j != NULL)
        enqueue(j);
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
}

void jit_attach(struct rv64_core *core, enum jit_mode mode, bool exact)
{
    static char is_exact;
    static const struct rv64_translator sync[] = {{begin, release, hot_sync, 1, NULL},
                                                  {begin, release, hot_sync, 1, &is_exact}};
    static const struct rv64_translator on[] = {{begin, release, hot, HEAT, NULL},
                                                {begin, release, hot, HEAT, &is_exact}};
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (mode == JIT_OFF)
        return;
    pthread_once(&once, expect_exit);
    rv64_core_set_translator(core, &(mode == JIT_SYNC ? sync : on)[exact]);
}
