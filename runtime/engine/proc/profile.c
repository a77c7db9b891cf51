#include "engine/proc/profile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/proc/callers.h"
#include "engine/proc/device.h"
#include "profile/profile.h"

/* Instructions between samples: a prime number, so that samples do not stay in step with a loop.
 * Translated code runs about 10^9 instructions a second. */
#define EVERY_DEFAULT 2000003u
#define EVERY_MAX     UINT32_MAX
/* Distance before a sample from which the hart is interpreted, so that it stops exactly there:
 * rv64_run may exceed its budget. If it exceeds this margin, too, the sample is late, and the next
 * margins are larger. */
enum { MARGIN_MIN = 64, MARGIN_MAX = 4096 };
enum { DEPTH_MAX = 128, BUCKETS = 8192, STACKS_MAX = 1 << 18 };

/* A stack, from the innermost instruction to its callers. */
struct stack {
    struct stack *next;
    uint64_t instructions;
    unsigned depth;
    uint64_t pc[];
};

struct profiled {
    pthread_mutex_t lock;
    struct dpk_frames *frames;
    struct stack *buckets[BUCKETS];
    unsigned stacks;
    /* If every instruction is counted: counts of the instructions at begin + 2 * i. */
    _Atomic uint64_t *counts;
    uint64_t begin, size;
};

/* The profile of all processes of the program. */
static struct {
    pthread_mutex_t lock; /* of the tree */
    struct dpk_profile *tree;
    char path
        [PATH_MAX]; /* absolute, as programs may change their directory; "" without a profile */
    uint64_t every;
    pid_t program; /* a child of fork() writes nothing */
    bool dirty;
    struct dpk_error failure; /* of the last write */
} profile = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- Settings ---- */

static enum dpk_status read_every(uint64_t *every, struct dpk_error *err)
{
    const char *text = getenv("DPAKIT_PROFILE_EVERY");
    *every = EVERY_DEFAULT;
    if (text && *text && !dpk_number(text, 1, EVERY_MAX, every))
        return dpk_fail(err, DPK_ERR_USAGE,
                        "DPAKIT_PROFILE_EVERY=%s is not a number of instructions from 1 to %u",
                        text, EVERY_MAX);
    return DPK_OK;
}

/* Checks that the file can be made, before the program runs for an hour. */
static enum dpk_status check_file(const char *path, struct dpk_error *err)
{
    enum dpk_profile_format format;
    struct dpk_new_file file;
    enum dpk_status status = dpk_profile_format_of(path, &format, err);
    if (status == DPK_OK)
        status = dpk_new_file_open(&file, path, 0644, err);
    if (status == DPK_OK)
        dpk_new_file_drop(&file);
    return status;
}

static void at_exit(void);

enum dpk_status proc_profile_begin(struct dpk_error *err)
{
    const char *path = getenv("DPAKIT_PROFILE");
    char here[PATH_MAX] = "", whole[2 * PATH_MAX];
    uint64_t every;
    if (profile.path[0] || !path || !*path)
        return DPK_OK;
    if (path[0] != '/' && !getcwd(here, sizeof here))
        return dpk_fail_errno(err, "DPAKIT_PROFILE=%s", path);
    snprintf(whole, sizeof whole, "%s%s%s", here, *here ? "/" : "", path);
    if (strlen(whole) >= sizeof profile.path) {
        errno = ENAMETOOLONG;
        return dpk_fail_errno(err, "DPAKIT_PROFILE=%.100s...", path);
    }
    enum dpk_status status = read_every(&every, err);
    if (status == DPK_OK) {
        status = check_file(whole, err);
        if (status != DPK_OK)
            dpk_error_prefix(err, "profile");
    }
    if (status == DPK_OK && !(profile.tree = dpk_profile_create()))
        status = dpk_fail_nomem(err);
    if (status != DPK_OK)
        return status;
    memcpy(profile.path, whole, strlen(whole) + 1);
    profile.every = every;
    profile.program = getpid();
    profile.dirty = true; /* a program that runs nothing has an empty profile */
    atexit(at_exit);
    return DPK_OK;
}

/* ---- Processes ---- */

static bool make_counts(struct profiled *t, const struct dpk_image *image)
{
    uint64_t end = 0;
    t->begin = UINT64_MAX;
    for (size_t i = 0; i < dpk_image_segment_count(image); i++) {
        const struct dpk_segment *s = dpk_image_segment(image, i);
        if (!s->executable)
            continue;
        if (s->address < t->begin)
            t->begin = s->address;
        if (s->address + s->memory_size > end)
            end = s->address + s->memory_size;
    }
    t->size = end > t->begin ? end - t->begin : 0;
    t->begin &= ~UINT64_C(1);
    t->counts = calloc(t->size / 2 + 1, sizeof *t->counts);
    return t->counts != NULL;
}

static void profiled_free(struct profiled *t)
{
    for (unsigned i = 0; i < BUCKETS; i++)
        for (struct stack *s = t->buckets[i], *next; s; s = next) {
            next = s->next;
            free(s);
        }
    dpk_frames_free(t->frames);
    free((void *)t->counts);
    pthread_mutex_destroy(&t->lock);
    free(t);
}

enum dpk_status proc_profile_enter(struct dpk_process *p, struct dpk_error *err)
{
    if (!profile.path[0])
        return DPK_OK;
    struct profiled *t = calloc(1, sizeof *t);
    if (!t)
        return dpk_fail_nomem(err);
    pthread_mutex_init(&t->lock, NULL);
    if (profile.every == 1 ? make_counts(t, p->image)
                           : (t->frames = dpk_frames_create(p->image)) != NULL) {
        p->profiled = t;
        return DPK_OK;
    }
    profiled_free(t);
    return dpk_fail_nomem(err);
}

/* ---- Samples ---- */

/* Adds to a stack, which is kept at its first sample. After STACKS_MAX stacks only the innermost
 * instruction is kept. Without memory the sample is lost. Call this with the lock of `t`. */
static void count_stack(struct profiled *t, const uint64_t *pc, unsigned depth,
                        uint64_t instructions)
{
    uint64_t hash = depth;
    for (unsigned i = 0; i < depth; i++)
        hash = (hash ^ pc[i]) * UINT64_C(0x9e3779b97f4a7c15);
    struct stack **bucket = &t->buckets[(hash >> 40) % BUCKETS], *s = *bucket;
    while (s && (s->depth != depth || memcmp(s->pc, pc, depth * sizeof *pc) != 0))
        s = s->next;
    if (!s && t->stacks >= STACKS_MAX && depth > 1) {
        count_stack(t, pc, 1, instructions);
        return;
    }
    if (!s) {
        s = malloc(sizeof *s + depth * sizeof *pc);
        if (!s)
            return;
        *s = (struct stack){.next = *bucket, .depth = depth};
        memcpy(s->pc, pc, depth * sizeof *pc);
        *bucket = s;
        t->stacks++;
    }
    s->instructions += instructions;
}

static void take_sample(struct hart *h, struct profiled *t)
{
    uint64_t pc[DEPTH_MAX];
    const uint64_t late = h->regs.instret - h->sample_at;
    const uint64_t samples = 1 + late / profile.every;
    pthread_mutex_lock(&t->lock);
    const unsigned depth = proc_callers_find(h, t->frames, pc, DEPTH_MAX);
    count_stack(t, pc, depth, samples * profile.every);
    pthread_mutex_unlock(&t->lock);
    h->sample_at += samples * profile.every;
    if (late != 0 && h->sample_margin < MARGIN_MAX)
        h->sample_margin *= 2;
}

/* Threads of a kernel run the same code. Their first samples are apart by parts of the golden
 * ratio. Otherwise short threads would all be sampled at the same place, or none of them. */
static void begin_samples(struct hart *h)
{
    const uint64_t part = (h->id + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    h->sample_at = h->regs.instret + 1 + (part * profile.every >> 32);
    h->sample_margin = MARGIN_MIN;
}

static enum rv64_stop run_counted(struct hart *h, struct profiled *t, uint64_t end)
{
    const struct rv64_core *core = h->process->core;
    enum rv64_stop why = RV64_STOP_BUDGET;
    while (h->regs.instret < end && why == RV64_STOP_BUDGET) {
        const uint64_t at = h->regs.pc - t->begin, before = h->regs.instret;
        why = rv64_step((struct rv64_core *)core, &h->regs);
        if (at < t->size && h->regs.instret != before)
            atomic_fetch_add_explicit(&t->counts[at / 2], 1, memory_order_relaxed);
    }
    return why;
}

enum rv64_stop proc_profile_run(struct hart *h, uint64_t budget)
{
    struct profiled *t = h->process->profiled;
    const uint64_t end = h->regs.instret + budget < budget ? UINT64_MAX : h->regs.instret + budget;
    enum rv64_stop why = RV64_STOP_BUDGET;
    if (profile.every == 1)
        return run_counted(h, t, end);
    if (h->sample_at == 0)
        begin_samples(h);
    const uint64_t due = h->sample_at > h->regs.instret ? h->sample_at - h->regs.instret : 0;
    if (due > h->sample_margin) {
        const uint64_t room = due - h->sample_margin;
        why = rv64_run(h->process->core, &h->regs, room < budget ? room : budget);
    }
    const uint64_t now = h->regs.instret, stop = h->sample_at < end ? h->sample_at : end;
    if (why == RV64_STOP_BUDGET && now < stop && h->sample_at - now <= h->sample_margin)
        why = rv64_interpret(h->process->core, &h->regs, stop - now);
    if (why == RV64_STOP_BUDGET && h->regs.instret >= h->sample_at)
        take_sample(h, t);
    return why;
}

/* ---- The profile ---- */

/* Returns whether a caller is not part of the program: start code, or code that unpacks
 * arguments. */
static bool is_ours(const char *function)
{
    return strcmp(function, "_dpa_start") == 0 || strncmp(function, "_dpacc_unpack_", 14) == 0;
}

/* What is known about addresses of the program. */
struct places {
    const struct dpk_image *image;
    struct dpk_lines *lines;     /* NULL: no memory */
    struct dpk_inlines *inlines; /* the same */
};

/* Counts at the line of an instruction, below the frame of its function. */
static void count_line(const struct places *places, unsigned frame, uint64_t pc,
                       uint64_t instructions)
{
    struct dpk_line at;
    if (places->lines && dpk_lines_find(places->lines, pc, &at))
        frame = dpk_profile_child(profile.tree, frame, at.file, at.line);
    dpk_profile_count(profile.tree, frame, instructions);
}

/* Returns the frame of the function at an address, and below it those of functions that were inlined
 * there. */
static unsigned frame_of(const struct places *places, unsigned parent, uint64_t pc)
{
    const char *name = dpk_image_function_at(places->image, pc, NULL);
    const char *inlined[DPK_INLINED_MAX];
    unsigned at = dpk_profile_child(profile.tree, parent, name ? name : "?", 0);
    const unsigned count = places->inlines ? dpk_inlines_find(places->inlines, pc, inlined) : 0;
    for (unsigned i = 0; i < count; i++)
        at = dpk_profile_child(profile.tree, at, inlined[i], 0);
    return at;
}

static void add_stack(const struct places *places, unsigned app, const struct stack *s)
{
    unsigned at = app;
    if (s->depth == DEPTH_MAX)
        at = dpk_profile_child(profile.tree, at, "[callers left out]", 0);
    for (unsigned i = s->depth; i-- > 0;) {
        const uint64_t pc = s->pc[i] - (i > 0);
        const char *name = dpk_image_function_at(places->image, pc, NULL);
        if (i == 0 || !name || !is_ours(name))
            at = frame_of(places, at, pc);
    }
    count_line(places, at, s->pc[0], s->instructions);
}

/* Moves the counts into the tree. Call this with the lock of the profile. */
static void collect(const struct dpk_process *p)
{
    struct profiled *t = p->profiled;
    const struct places places = {.image = p->image,
                                  .lines = dpk_lines_create(p->image),
                                  .inlines = dpk_inlines_create(p->image)};
    const unsigned app =
        dpk_profile_child(profile.tree, DPK_PROFILE_ROOT, dpk_image_app(p->image), 0);
    pthread_mutex_lock(&t->lock);
    for (unsigned i = 0; i < BUCKETS; i++)
        for (struct stack *s = t->buckets[i]; s; s = s->next) {
            add_stack(&places, app, s);
            s->instructions = 0;
        }
    for (uint64_t i = 0; t->counts && i <= t->size / 2; i++) {
        const uint64_t pc = t->begin + 2 * i, count = atomic_exchange(&t->counts[i], 0);
        if (count)
            count_line(&places, frame_of(&places, app, pc), pc, count);
    }
    pthread_mutex_unlock(&t->lock);
    dpk_lines_free(places.lines);
    dpk_inlines_free(places.inlines);
    profile.dirty = true;
}

void proc_profile_leave(struct dpk_process *p)
{
    if (!p->profiled)
        return;
    pthread_mutex_lock(&profile.lock);
    collect(p);
    pthread_mutex_unlock(&profile.lock);
    profiled_free(p->profiled);
    p->profiled = NULL;
}

enum dpk_status dpk_profile_flush(struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    pthread_mutex_lock(&profile.lock);
    if (profile.dirty && profile.path[0] && profile.program == getpid()) {
        profile.failure = (struct dpk_error){0};
        status = dpk_profile_write(profile.tree, profile.path, &profile.failure);
        if (status != DPK_OK)
            dpk_error_prefix(&profile.failure, "profile");
        profile.dirty = false;
    }
    if (profile.failure.status != DPK_OK)
        status = dpk_fail(err, profile.failure.status, "%s", profile.failure.message);
    pthread_mutex_unlock(&profile.lock);
    return status;
}

void proc_profile_flush(void)
{
    (void)dpk_profile_flush(NULL);
}

/* Returns whether there is a profile, and nothing was counted. */
static bool is_empty(void)
{
    if (!profile.tree)
        return false;
    dpk_profile_settle(profile.tree);
    return dpk_profile_frame(profile.tree, DPK_PROFILE_ROOT)->total == 0;
}

/* A program may exit without destroying its processes, whose threads still run. */
static void at_exit(void)
{
    struct dpk_error err = {0};
    if (profile.program != getpid())
        return;
    sched_lock();
    pthread_mutex_lock(&profile.lock);
    for (const struct list *n = proc_device_processes()->next; n != proc_device_processes();
         n = n->next) {
        const struct dpk_process *p = owner_of(n, struct dpk_process, in_device);
        if (p->profiled)
            collect(p);
    }
    pthread_mutex_unlock(&profile.lock);
    sched_unlock();
    if (dpk_profile_flush(&err) != DPK_OK)
        fprintf(stderr, "-W- %s\n", err.message);
    else if (is_empty())
        fprintf(stderr,
                "-W- profile: no sample was taken, since no thread executed %" PRIu64
                " instructions; set a smaller DPAKIT_PROFILE_EVERY\n",
                profile.every);
}
