#include "engine/proc/coverage.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "coverage/coverage.h"
#include "engine/proc/device.h"

enum { PART_MAX = 64 << 20, FILE_MAX_SIZE = 1 << 30 }; /* bytes of a section, of a file */

struct covered {
    struct dpk_coverage raw; /* sections of the image, except counters, which are in memory */
    char path[PATH_MAX];     /* absolute, perhaps with "%m" */
    char *merge;             /* place of the program's signature in `path`, or NULL */
};

/* The raw profiles that this program has written to each file. */
struct written {
    struct written *next;
    char *path;
    struct dpk_buf raw;
};
static struct {
    pthread_mutex_t lock;
    struct written *first;
    pid_t program; /* a child of fork() writes nothing */
} coverage = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- The name of the file ---- */

struct pattern {
    const char *variable, *text; /* NULL if no file is asked for */
};

static struct pattern wanted_pattern(void)
{
    static const char *const variables[] = {"DPAKIT_COVERAGE", "LLVM_PROFILE_FILE"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *text = getenv(variables[i]);
        if (text && *text)
            return (struct pattern){variables[i], text};
    }
    return (struct pattern){0};
}

/* Tells the user once how to ask for a file. A default name would be the program's wish, not the
 * user's. */
static void say_how_to_ask(const struct dpk_process *p)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&said))
        fprintf(stderr,
                "-I- program %s counts what runs, and no file for it is asked for: set "
                "DPAKIT_COVERAGE=FILE\n",
                dpk_image_app(p->image));
}

/* Appends the meaning of "%x", and moves *at after it. Returns false if it has no known meaning. */
static bool put_special(const char **at, struct dpk_buf *out, size_t *merge)
{
    char host[256] = "";
    const char *folder, *c = *at + 1;
    while (*c >= '0' && *c <= '9')
        c++;
    if (c > *at + 1 && *c != 'm') /* "%4m" is a pool of 4 files; a single locked file is enough */
        return false;
    switch (*c) {
    case 'p':
        dpk_put_format(out, "%d", (int)getpid());
        break;
    case 'h':
        (void)gethostname(host, sizeof host - 1);
        dpk_put_format(out, "%s", host);
        break;
    case 't':
        folder = getenv("TMPDIR");
        dpk_put_format(out, "%s", folder ? folder : "");
        break;
    case 'c': /* counters in a mapped file are not supported */
        break;
    case 'm':
        if (*merge != SIZE_MAX)
            return false;
        *merge = out->size;
        break;
    default:
        return false;
    }
    *at = c + 1;
    return true;
}

static enum dpk_status read_pattern(struct pattern p, struct covered *c, struct dpk_error *err)
{
    struct dpk_buf out = {0};
    size_t merge = SIZE_MAX;
    char here[PATH_MAX] = "";
    enum dpk_status status = DPK_OK;
    const bool is_absolute = p.text[0] == '/' || (strncmp(p.text, "%t", 2) == 0 &&
                                                  getenv("TMPDIR") && *getenv("TMPDIR") == '/');
    if (!is_absolute && !getcwd(here, sizeof here))
        return dpk_fail_errno(err, "%s=%.100s", p.variable, p.text);
    dpk_put_format(&out, "%s%s", here, is_absolute ? "" : "/");
    for (const char *at = p.text; *at && status == DPK_OK;) {
        if (*at != '%')
            dpk_put_u8(&out, (uint8_t)*at++);
        else if (!put_special(&at, &out, &merge))
            status =
                dpk_fail(err, DPK_ERR_USAGE,
                         "%s=%.100s: '%%%.2s' is not known; %%p, %%h, %%t, %%c and one %%m are",
                         p.variable, p.text, at + 1);
    }
    dpk_put_u8(&out, '\0');
    if (status == DPK_OK && out.failed)
        status = dpk_fail_nomem(err);
    else if (status == DPK_OK && out.size > sizeof c->path - 24)
        status =
            dpk_fail(err, DPK_ERR_RANGE, "%s=%.100s...: the path is too long", p.variable, p.text);
    if (status == DPK_OK) {
        memcpy(c->path, out.data, out.size);
        c->merge = merge == SIZE_MAX ? NULL : c->path + merge;
    }
    dpk_buf_free(&out);
    return status;
}

/* ---- Counters ---- */

/* Finds a section of the program in its file. */
static bool find_part(const struct dpk_process *p, const char *name, struct dpk_coverage_part *out)
{
    uint64_t size;
    out->data = dpk_image_section(p->image, name, &out->size);
    return out->data && dpk_image_section_range(p->image, name, &out->address, &size) &&
           size == out->size && size <= PART_MAX;
}

static bool find_raw(const struct dpk_process *p, struct dpk_coverage *out)
{
    uint64_t at;
    const void *version;
    if (!find_part(p, "__llvm_prf_data", &out->records) ||
        !find_part(p, "__llvm_prf_cnts", &out->counters) ||
        !find_part(p, "__llvm_prf_names", &out->names) ||
        !dpk_image_symbol(p->image, "__llvm_profile_raw_version", &at, NULL) ||
        !(version = rv64_memory_at(p->memory, at, 8, RV64_R)))
        return false;
    struct dpk_reader r = dpk_reader(version, 8);
    out->version = dpk_read_le64(&r) & UINT64_C(0x00ffffffffffffff); /* without variant flags */
    return true;
}

static void at_exit(void);

enum dpk_status proc_coverage_enter(struct dpk_process *p, struct dpk_error *err)
{
    static bool registered;
    struct covered *c;
    struct dpk_coverage raw;
    const struct pattern wanted = wanted_pattern();
    if (!find_raw(p, &raw))
        return DPK_OK;
    if (!wanted.text) {
        say_how_to_ask(p);
        return DPK_OK;
    }
    if (!(c = calloc(1, sizeof *c)))
        return dpk_fail_nomem(err);
    c->raw = raw;
    enum dpk_status status = read_pattern(wanted, c, err);
    if (status != DPK_OK) {
        free(c);
        return status;
    }
    pthread_mutex_lock(&coverage.lock);
    if (!registered)
        atexit(at_exit);
    registered = true;
    coverage.program = getpid();
    pthread_mutex_unlock(&coverage.lock);
    p->covered = c;
    return DPK_OK;
}

/* ---- Files ---- */

/* Writes a complete file. Never follows a link of another user: it may lead to a file of this
 * user. */
static enum dpk_status put_file(const char *path, const struct dpk_buf *raw, struct dpk_error *err)
{
    struct stat st;
    if (lstat(path, &st) != 0 || S_ISREG(st.st_mode))
        return dpk_file_create(path, raw->data, raw->size, 0666, err);
    if (S_ISLNK(st.st_mode) && !dpk_user_is_mine_or_root(st.st_uid))
        return dpk_fail(err, DPK_ERR_REFUSED, "%s: a link of another user", path);
    return dpk_file_replace(path, raw->data, raw->size, 0666, err);
}

/* Adds a raw profile to a file with others of the same program, perhaps of other host processes. */
static enum dpk_status merge_into(const char *path, struct dpk_buf *raw, struct dpk_error *err)
{
    struct dpk_buf old = {0};
    const int made =
        open(path, O_CREAT | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0666); /* for the lock */
    if (made < 0)
        return dpk_fail_errno(err, "%s", path);
    close(made);
    const int lock = dpk_file_lock(path, NULL);
    enum dpk_status status = dpk_file_read(path, FILE_MAX_SIZE, &old, err);
    if (status == DPK_OK && lock < 0)
        status = dpk_fail(err, DPK_ERR_IO,
                          "%s: the file cannot be locked, so what another program adds could be "
                          "lost; choose another folder, or a name with %%p instead of %%m",
                          path);
    if (status == DPK_OK && old.size != 0 && !dpk_coverage_add(raw, &old))
        status = dpk_fail(err, DPK_ERR_FORMAT, "%s: not a raw profile of this program", path);
    if (status == DPK_OK)
        status = put_file(path, raw, err);
    dpk_file_unlock(lock);
    dpk_buf_free(&old);
    return status;
}

/* Adds a raw profile to the profiles for a file: to that of the same program, otherwise as a new
 * profile. Takes over `raw`. */
static enum dpk_status keep(const char *path, struct dpk_buf *raw, struct dpk_error *err)
{
    struct written *w = coverage.first;
    while (w && (strcmp(w->path, path) != 0 || !dpk_coverage_add(&w->raw, raw)))
        w = w->next;
    if (w) {
        dpk_buf_free(raw);
        return DPK_OK;
    }
    w = calloc(1, sizeof *w);
    if (!w || !(w->path = strdup(path))) {
        free(w);
        dpk_buf_free(raw);
        return dpk_fail_nomem(err);
    }
    w->raw = *raw;
    w->next = coverage.first;
    coverage.first = w;
    return DPK_OK;
}

/* A file may contain several raw profiles in a row. */
static enum dpk_status write_kept(const char *path, struct dpk_error *err)
{
    struct dpk_buf all = {0};
    for (const struct written *w = coverage.first; w; w = w->next)
        if (strcmp(w->path, path) == 0)
            dpk_put(&all, w->raw.data, w->raw.size);
    enum dpk_status status = all.failed ? dpk_fail_nomem(err) : put_file(path, &all, err);
    dpk_buf_free(&all);
    return status;
}

/* Makes the folders of a file, like host programs do. */
static enum dpk_status make_folder(const char *path, struct dpk_error *err)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    return *folder && access(folder, F_OK) != 0 ? dpk_folder_make(folder, err) : DPK_OK;
}

/* Reads and writes the counters of a process. Call this with the lock of coverage. */
static enum dpk_status collect(const struct dpk_process *p, struct dpk_error *err)
{
    struct covered *c = p->covered;
    struct dpk_coverage raw = c->raw;
    struct dpk_buf made = {0};
    raw.counters.data = rv64_memory_at(p->memory, raw.counters.address, raw.counters.size, RV64_R);
    if (!raw.counters.data)
        return dpk_fail(err, DPK_ERR_FORMAT, "its counters are not in its memory");
    enum dpk_status status = make_folder(c->path, err);
    if (status == DPK_OK)
        status = dpk_coverage_put(&raw, &made, err);
    if (status != DPK_OK || !c->merge) {
        if (status == DPK_OK)
            status = keep(c->path, &made, err);
        else
            dpk_buf_free(&made);
        return status == DPK_OK ? write_kept(c->path, err) : status;
    }
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%.*s%" PRIu64 "_0%s", (int)(c->merge - c->path), c->path,
             dpk_coverage_signature(&made), c->merge);
    status = merge_into(path, &made, err);
    dpk_buf_free(&made);
    return status;
}

static void collect_and_say(struct dpk_process *p)
{
    struct dpk_error err = {0};
    pthread_mutex_lock(&coverage.lock);
    if (coverage.program == getpid() && collect(p, &err) != DPK_OK)
        fprintf(stderr, "-W- coverage of program %s: %s\n", dpk_image_app(p->image), err.message);
    pthread_mutex_unlock(&coverage.lock);
    free(p->covered);
    p->covered = NULL;
}

void proc_coverage_leave(struct dpk_process *p)
{
    if (p->covered)
        collect_and_say(p);
}

/* A program may exit without destroying its processes, whose threads still run. */
static void at_exit(void)
{
    if (coverage.program != getpid())
        return;
    sched_lock();
    for (const struct list *n = proc_device_processes()->next; n != proc_device_processes();
         n = n->next) {
        struct dpk_process *p = owner_of(n, struct dpk_process, in_device);
        if (p->covered)
            collect_and_say(p);
    }
    sched_unlock();
}
