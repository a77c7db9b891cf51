/*
 * Calls that change files, cut off: the program is killed at one, or one fails, or all from one on.
 * The functions below stand before those of libc for the whole test program, SQLite included. One
 * test program includes this.
 */
#ifndef TESTS_CUT_H
#define TESTS_CUT_H

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum cut_mode {
    CUT_NOTHING,   /* only count */
    CUT_KILL,      /* killed instead of the call */
    CUT_TORN,      /* killed after half of the bytes of a write; else as CUT_KILL */
    CUT_FAIL,      /* this one call fails with EIO */
    CUT_FULL,      /* no more space from here on: a write does half, the next ones nothing */
    CUT_READ_ONLY, /* a read-only file system from here on */
};

struct cut {
    enum cut_mode mode;
    bool armed;
    unsigned at; /* the call concerned, from 1 */
    unsigned calls, syncs;
    void (*fired)(void);      /* called when something is cut; may be NULL */
    unsigned char kinds[512]; /* of the first calls */
};
/* Shared with the children, so that the parent can look. */
static struct cut *cut;

enum cut_kind {
    CUT_WRITES,  /* needs space */
    CUT_MAKES,   /* a new name: needs space */
    CUT_CHANGES, /* needs none */
    CUT_OPENS,   /* for writing, what is there: only a read-only file system minds */
};

static inline void cut_fires(void)
{
    if (cut->fired)
        cut->fired();
}

/* True: go ahead. False: errno says why not. `half`: the call is to do half of it. */
static inline bool cut_step(enum cut_kind kind, bool *half)
{
    *half = false;
    if (!cut || !cut->armed)
        return true;
    if (cut->mode == CUT_READ_ONLY) {
        cut_fires();
        errno = EROFS;
        return false;
    }
    if (kind == CUT_OPENS)
        return true;
    unsigned call = ++cut->calls;
    if (call <= sizeof cut->kinds)
        cut->kinds[call - 1] = (unsigned char)kind;
    if (cut->mode == CUT_NOTHING || call < cut->at || (call > cut->at && cut->mode != CUT_FULL))
        return true;
    cut_fires();
    if (cut->mode == CUT_FULL) {
        *half = kind == CUT_WRITES && call == cut->at;
        errno = ENOSPC;
        return *half || kind == CUT_CHANGES;
    }
    if (cut->mode == CUT_FAIL) {
        errno = EIO;
        return false;
    }
    *half = cut->mode == CUT_TORN && kind == CUT_WRITES;
    if (!*half)
        raise(SIGKILL);
    return true;
}

static inline void cut_after_half(bool half)
{
    if (half && cut->mode == CUT_TORN)
        raise(SIGKILL);
}

ssize_t write(int fd, const void *data, size_t size)
{
    bool half;
    if (!cut_step(CUT_WRITES, &half))
        return -1;
    ssize_t done = syscall(SYS_write, fd, data, half ? size / 2 : size);
    cut_after_half(half);
    return done;
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset)
{
    bool half;
    if (!cut_step(CUT_WRITES, &half))
        return -1;
    ssize_t done = syscall(SYS_pwrite64, fd, data, half ? size / 2 : size, offset);
    cut_after_half(half);
    return done;
}

static inline int cut_call(enum cut_kind kind, long number, long a, long b, long c, long d)
{
    bool half;
    return cut_step(kind, &half) ? (int)syscall(number, a, b, c, d) : -1;
}

/* Nothing is really synced: a kill leaves what the kernel has, and disks are slow. */
static inline int cut_sync(void)
{
    bool half;
    if (cut)
        cut->syncs++;
    return cut_step(CUT_CHANGES, &half) ? 0 : -1;
}

int fsync(int fd)
{
    (void)fd;
    return cut_sync();
}

int fdatasync(int fd)
{
    (void)fd;
    return cut_sync();
}

int ftruncate64(int fd, off64_t size)
{
    return cut_call(CUT_CHANGES, SYS_ftruncate, fd, size, 0, 0);
}

int unlink(const char *path)
{
    return cut_call(CUT_CHANGES, SYS_unlink, (long)path, 0, 0, 0);
}

int unlinkat(int dir, const char *path, int flags)
{
    return cut_call(CUT_CHANGES, SYS_unlinkat, dir, (long)path, flags, 0);
}

int rmdir(const char *path)
{
    return cut_call(CUT_CHANGES, SYS_rmdir, (long)path, 0, 0, 0);
}

int remove(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISDIR(st.st_mode) ? rmdir(path) : unlink(path);
}

int rename(const char *from, const char *to)
{
    return cut_call(CUT_CHANGES, SYS_rename, (long)from, (long)to, 0, 0);
}

int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
    return cut_call(CUT_CHANGES, SYS_renameat, from_dir, (long)from, to_dir, (long)to);
}

int linkat(int from_dir, const char *from, int to_dir, const char *to, int flags)
{
    bool half;
    if (!cut_step(CUT_MAKES, &half))
        return -1;
    return (int)syscall(SYS_linkat, from_dir, from, to_dir, to, flags);
}

int mkdir(const char *path, mode_t mode)
{
    return cut_call(CUT_MAKES, SYS_mkdir, (long)path, (long)mode, 0, 0);
}

int symlink(const char *target, const char *path)
{
    return cut_call(CUT_MAKES, SYS_symlink, (long)target, (long)path, 0, 0);
}

char *mkdtemp(char *path)
{
    bool half;
    char *(*real)(char *);
    *(void **)&real = dlsym(RTLD_NEXT, "mkdtemp");
    return cut_step(CUT_MAKES, &half) ? real(path) : NULL;
}

static inline int cut_open(int dir, const char *path, int flags, mode_t mode)
{
    bool makes =
        (flags & O_TMPFILE) == O_TMPFILE || (flags & O_CREAT && faccessat(dir, path, F_OK, 0) != 0);
    bool half;
    bool writes = (flags & O_ACCMODE) != O_RDONLY;
    if ((makes || writes) && !cut_step(makes ? CUT_MAKES : CUT_OPENS, &half))
        return -1;
    return (int)syscall(SYS_openat, dir, path, flags, mode);
}

#define CUT_OPEN(directory)                                                                        \
    va_list args;                                                                                  \
    va_start(args, flags);                                                                         \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;                        \
    va_end(args);                                                                                  \
    return cut_open(directory, path, flags, mode)

int open(const char *path, int flags, ...)
{
    CUT_OPEN(AT_FDCWD);
}

int open64(const char *path, int flags, ...)
{
    CUT_OPEN(AT_FDCWD);
}

int openat(int dir, const char *path, int flags, ...)
{
    CUT_OPEN(dir);
}

/* ---- Deeds ---- */

static inline int make_cut(void)
{
    cut = mmap(NULL, sizeof *cut, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return cut == MAP_FAILED ? -1 : 0;
}

enum cut_end { CUT_DONE, CUT_REFUSED, CUT_KILLED, CUT_CRASHED };

/* Does something and says why not. */
typedef bool a_deed(char *why, size_t why_size);

/* Does `deed` in a child, cut off at its `at`-th call; `why` gets its last words. */
static inline enum cut_end cut_do(enum cut_mode mode, unsigned at, a_deed *deed, char *why,
                                  size_t why_size)
{
    int status = 0, words[2];
    why[0] = 0;
    *cut = (struct cut){.mode = mode, .at = at};
    if (pipe(words) != 0)
        return CUT_CRASHED;
    pid_t child = fork();
    if (child == 0) {
        char text[1024] = "";
        cut->armed = true;
        bool ok = deed(text, sizeof text);
        cut->armed = false;
        if (syscall(SYS_write, words[1], text, strlen(text)) < 0)
            _exit(2);
        _exit(ok ? 0 : 1);
    }
    close(words[1]);
    ssize_t got = read(words[0], why, why_size - 1);
    why[got > 0 ? got : 0] = 0;
    close(words[0]);
    cut->armed = false;
    if (child < 0 || waitpid(child, &status, 0) != child)
        return CUT_CRASHED;
    cut->armed = false;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        return CUT_KILLED;
    if (WIFEXITED(status) && WEXITSTATUS(status) <= 1)
        return WEXITSTATUS(status) ? CUT_REFUSED : CUT_DONE;
    return CUT_CRASHED;
}

/* Counts the calls of a complete action, by kind. A cut in `mode` need not be tried if it is the
 * same case as a cut at the next call, or as CUT_KILL. */
static unsigned char cut_kinds[sizeof((struct cut *)NULL)->kinds];

static unsigned cut_total;

/* Sanitizers make a fork slow; they are to see every kind of end, not every call. */
#ifdef __SANITIZE_ADDRESS__
#define CUT_STRIDE 4
#else
#define CUT_STRIDE 1
#endif

static inline void cut_remember(void)
{
    cut_total = cut->calls;
    memcpy(cut_kinds, cut->kinds, sizeof cut_kinds);
}

/* A sweep over every call; under a sanitizer, over every CUT_STRIDE-th. */
static inline bool cut_in_stride(unsigned at)
{
    return at % CUT_STRIDE == cut_total % CUT_STRIDE;
}

static inline bool cut_matters(enum cut_mode mode, unsigned at)
{
    unsigned char kind = at <= sizeof cut_kinds ? cut_kinds[at - 1] : CUT_WRITES;
    return (mode != CUT_TORN && mode != CUT_FULL) || kind == CUT_WRITES ||
           (mode == CUT_FULL && kind == CUT_MAKES);
}

#endif
