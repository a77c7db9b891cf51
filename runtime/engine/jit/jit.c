/* Attaches the translator to cores, and runs it: a queue of jobs and a thread. */
#include "engine/jit/jit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/jit/counts.h"
#include "engine/jit/job.h"

enum { QUEUE_MAX = 4096 };

/* ---- The thread ---- All cores share it, because LLVM's description of the host is shared. */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct job *first; /* of the waiting jobs */
    unsigned count;
    bool running;   /* a job runs */
    unsigned forks; /* number of forks that wait for the job */
    pid_t process;  /* the process of the thread */
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

/* Call this with the lock, which is released while the job runs. */
static void run_job(struct job *j)
{
    queue.running = true;
    j->state = JOB_RUNS;
    pthread_mutex_unlock(&queue.lock);
    const bool awaited = j->awaited, again = jit_job_carry_out(j);
    if (!awaited && !again)
        jit_job_free(j);
    pthread_mutex_lock(&queue.lock);
    if (again)
        add_job(j);
    else if (awaited)
        j->state = JOB_DONE;
    queue.running = false;
    pthread_cond_broadcast(&queue.changed);
}

/* Takes the job of the greatest worth, and the oldest of equal jobs. Returns NULL if no job is
 * worth it yet. */
static struct job *take_job(void)
{
    struct job **best = NULL;
    double most = 0;
    for (struct job **at = &queue.first; *at != NULL; at = &(*at)->next) {
        const double it = jit_job_worth(*at);
        if (it > 0 && it >= most) {
            best = at;
            most = it;
        }
    }
    if (best == NULL)
        return NULL;
    struct job *const j = *best;
    *best = j->next;
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

/* Ends translation at exit, because libLLVM loses its data then. */
void jit_job_end_at_exit(void)
{
    pthread_mutex_lock(&queue.lock);
    const bool first = !queue.ends;
    queue.ends = true;
    pthread_cond_broadcast(&queue.changed);
    pthread_mutex_unlock(&queue.lock);
    if (first && queue.process == getpid())
        pthread_join(queue.thread, NULL);
}

/* A child has copies of the locks of libraries, but not the threads that hold them, for example
 * that of the list of exit functions while a library is loaded. So a fork waits for jobs. */
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

/* A child has no thread. It starts its own. */
static void in_child(void)
{
    queue.first = NULL;
    queue.count = 0;
    queue.forks = 0;
    queue.process = 0;
    pthread_cond_init(&queue.changed, NULL);
    pthread_mutex_unlock(&queue.lock);
}

/* Call this with the lock. */
static bool has_thread(void)
{
    if (queue.process == 0 && !queue.ends) {
        if (dpk_pthread_start(&queue.thread, work, NULL) == 0)
            queue.process = getpid();
    }
    return queue.process == getpid() && !queue.ends;
}

/* Returns false and frees the job if it is refused. */
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
    jit_translations_give_back(j->to, j->region.blocks[0].pc);
    jit_job_free(j);
    return false;
}

/* ---- Calls of cores ---- */

static struct rv64_entries *begin(void *exact, struct rv64_core *core)
{
    struct translations *t = jit_translations_create(core, exact != NULL);
    if (t == NULL)
        jit_count_refused("too much code, or no memory for the table");
    return t ? &t->entries : NULL;
}

static void release(struct rv64_entries *entries)
{
    jit_translations_drop((struct translations *)entries);
}

static void await(struct job *j)
{
    j->awaited = true;
    if (!enqueue(j))
        return;
    pthread_mutex_lock(&queue.lock);
    while (j->state == JOB_RUNS || (j->state == JOB_QUEUED && !queue.ends))
        pthread_cond_wait(&queue.changed, &queue.lock);
    const bool done = j->state == JOB_DONE; /* otherwise the queue keeps it */
    pthread_mutex_unlock(&queue.lock);
    if (done)
        jit_job_free(j);
}

/* The translator's thread does the work here, too, so that its time does not count as the
 * hart's. */
static void hot_sync(void *unused, struct rv64_core *core, struct rv64_entries *entries,
                     uint64_t pc, const uint64_t *x, uint32_t heat)
{
    (void)unused;
    struct job *j = jit_job_create(core, entries, pc, x, heat, false);
    if (j != NULL)
        await(j);
}

static void uneven_sync(void *unused, struct rv64_core *core, struct rv64_entries *entries,
                        uint64_t pc, const uint64_t *x)
{
    (void)unused;
    struct job *j = jit_job_create(core, entries, pc, x, JOB_HEAT_TO_LOAD, true);
    if (j != NULL)
        await(j);
}

/* Updates the heat of a waiting job for this address, if there is one. */
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
    struct job *j = jit_job_create(core, entries, pc, x, heat, false);
    if (j != NULL)
        (void)enqueue(j);
    else
        note_heat(entries, pc, heat);
}

static void uneven(void *unused, struct rv64_core *core, struct rv64_entries *entries, uint64_t pc,
                   const uint64_t *x)
{
    (void)unused;
    struct job *j = jit_job_create(core, entries, pc, x, JOB_HEAT_TO_LOAD, true);
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
    if (*mode != JIT_OFF)
        jit_job_tell_reasons();
    return DPK_OK;
}

/* Handles an exit before the library is loaded. The store needs OpenSSL, which must end later. */
static void expect_exit(void)
{
    (void)dpk_openssl_start(NULL);
    atexit(jit_job_end_at_exit);
    if (pthread_atfork(before_fork, after_fork, in_child) != 0)
        queue.ends = true;
}

/* A function of glibc for destructors of C++'s thread_local. */
extern int at_thread_end(void (*end)(void *), void *argument,
                         void *in_library) __asm__("__cxa_thread_atexit_impl");

static void main_thread_ends(void *unused)
{
    (void)unused;
    jit_job_end_at_exit();
}

/* Handles an exit while the library loads: its data would end before they are complete. exit()
 * first ends the data of its thread, which usually is the main thread. */
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
        {begin, release, hot, uneven, JOB_HEAT, NULL},
        {begin, release, hot, uneven, JOB_HEAT, &is_exact},
    };
    static pthread_once_t once = PTHREAD_ONCE_INIT, main_once = PTHREAD_ONCE_INIT;
    if (mode == JIT_OFF)
        return;
    pthread_once(&once, expect_exit);
    if (gettid() == getpid())
        pthread_once(&main_once, expect_main_thread);
    rv64_core_set_translator(core, &(mode == JIT_SYNC ? sync : on)[exact]);
}
