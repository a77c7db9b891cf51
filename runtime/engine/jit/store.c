/* Translated code on disk: the files of the store, and its secret. */
#include "engine/jit/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <openssl/crypto.h>

#define FILE_MAX   ((size_t)64 << 20)
#define TOTAL_MAX  ((uint64_t)256 << 20)
#define TOTAL_KEPT (TOTAL_MAX / 4 * 3) /* this much of a larger total is kept */
#define TEMP_MARK  ".new-"
#define TEMP_LIFE  3600 /* seconds, after which its writer has ended */

/* ---- Untrusted files ---- */

/* Warns only once in a process: the next file would be no better. */
static void complain(const char *folder, const char *name, const char *flaw)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    char text[2 * PATH_MAX];
    if (atomic_flag_test_and_set(&said))
        return;
    snprintf(text, sizeof text, "%s%s%s: %s", folder, *name ? "/" : "", name, flaw);
    fprintf(stderr, "-W- %s; translated code is not taken from there; delete it\n",
            dpk_text_clean(text));
}

/* Returns the flaw of a file, or NULL if only this user can have written the file. */
static const char *flaw_of(const struct stat *st, mode_t type)
{
    if ((st->st_mode & S_IFMT) != type)
        return type == S_IFDIR ? "no folder" : "no regular file";
    if (!dpk_user_is_mine(st->st_uid))
        return "belongs to another user";
    return st->st_mode & (S_IRWXG | S_IRWXO) ? "is open to other users" : NULL;
}

struct folder {
    char path[PATH_MAX];
    int fd;
};

/* Returns false if there is no usable folder. */
static bool folder_open(struct folder *f, bool private)
{
    struct stat st;
    const char *flaw = NULL;
    f->fd = open(f->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (private ? O_NOFOLLOW : 0));
    if (f->fd < 0)
        flaw =
            private && errno == ENOTDIR && lstat(f->path, &st) == 0 ? "no folder, or a link" : NULL;
    else if (private && fstat(f->fd, &st) == 0)
        flaw = flaw_of(&st, S_IFDIR);
    if (flaw)
        complain(f->path, "", flaw);
    if (flaw && f->fd >= 0)
        close(f->fd);
    return f->fd >= 0 && !flaw;
}

/* ---- Files ---- */

/* Reads a file of at most `max` bytes into our own memory. Returns false if it is missing or was
 * reported. */
static bool read_file(const struct folder *f, const char *name, size_t max, struct dpk_buf *out)
{
    struct stat st;
    const char *flaw = NULL;
    int fd = openat(f->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0) {
        if (errno == ELOOP)
            complain(f->path, name, "a link");
        return false;
    }
    if (fstat(fd, &st) != 0)
        flaw = "cannot be looked at";
    else if ((flaw = flaw_of(&st, S_IFREG)) == NULL && (uintmax_t)st.st_size > max)
        flaw = "too large";
    bool whole = !flaw && st.st_size > 0 && dpk_buf_reserve(out, (size_t)st.st_size);
    while (whole && out->size < (size_t)st.st_size) {
        ssize_t got = read(fd, out->data + out->size, (size_t)st.st_size - out->size);
        if (got > 0)
            out->size += (size_t)got;
        else if (got == 0 || errno != EINTR)
            break; /* the file became shorter: the MAC detects it */
    }
    if (whole)
        (void)futimens(fd, NULL); /* marks it as used, so other files are older */
    close(fd);
    if (flaw)
        complain(f->path, name, flaw);
    return !flaw && (whole || st.st_size == 0);
}

/* Makes a complete file, or no file. `replace` allows an existing file. Then the file is not
 * synced, because its MAC detects damage by a power cut. */
static bool write_file(const struct folder *f, const char *name, const struct dpk_buf *content,
                       bool replace)
{
    uint64_t random;
    char temp[40];
    if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
        return false;
    snprintf(temp, sizeof temp, TEMP_MARK "%016llx", (unsigned long long)random);
    int fd = openat(f->fd, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    bool written = dpk_write_all(fd, content->data, content->size) == 0 && (replace || fsync(fd) == 0);
    written &= close(fd) == 0;
    bool renamed = written && replace && renameat(f->fd, temp, f->fd, name) == 0;
    if (renamed)
        return true;
    bool linked = written && !replace && linkat(f->fd, temp, f->fd, name, 0) == 0;
    (void)unlinkat(f->fd, temp, 0);
    return linked;
}

/* ---- The secret ---- */

/* Gets the secret. Returns false if there is none. `make` creates a missing secret. Several users
 * may share the folder of devices. */
static bool get_secret(bool make, uint8_t secret[JIT_STORE_SECRET])
{
    struct folder f;
    struct dpk_buf content = {0};
    char name[48];
    snprintf(name, sizeof name, ".translations-%ju.key", (uintmax_t)geteuid());
    if (dpk_folder_of_devices(f.path, NULL) != DPK_OK ||
        (make && dpk_folder_make(f.path, NULL) != DPK_OK) || !folder_open(&f, false))
        return false;
    bool there = faccessat(f.fd, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
    if (!there && make && dpk_buf_reserve(&content, JIT_STORE_SECRET) &&
        getrandom(content.data, JIT_STORE_SECRET, 0) == JIT_STORE_SECRET) {
        content.size = JIT_STORE_SECRET;
        there = write_file(&f, name, &content, false) || errno == EEXIST;
    }
    dpk_buf_wipe_free(&content);
    bool read = there && read_file(&f, name, JIT_STORE_SECRET, &content);
    bool got = read && content.size == JIT_STORE_SECRET;
    if (got)
        memcpy(secret, content.data, JIT_STORE_SECRET);
    else if (read)
        complain(f.path, name, "no key of 32 bytes");
    dpk_buf_wipe_free(&content);
    close(f.fd);
    return got;
}

/* ---- Bounds ---- */

struct stored {
    char name[NAME_MAX + 1];
    struct timespec used;
    uint64_t size;
};

static int by_age(const void *a, const void *b)
{
    const struct stored *x = a, *y = b;
    if (x->used.tv_sec != y->used.tv_sec)
        return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
    return (x->used.tv_nsec > y->used.tv_nsec) - (x->used.tv_nsec < y->used.tv_nsec);
}

/* Adds a file of the folder to the list. Removes files of killed programs. */
static void note(int dir, const char *name, struct stored **list, size_t *count, size_t *room)
{
    struct stat st;
    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode))
        return;
    if (strncmp(name, TEMP_MARK, strlen(TEMP_MARK)) == 0 &&
        time(NULL) - st.st_mtim.tv_sec > TEMP_LIFE && unlinkat(dir, name, 0) == 0)
        return;
    if (*count == *room) {
        size_t more = *room ? 2 * *room : 256;
        struct stored *longer = reallocarray(*list, more, sizeof *longer);
        if (!longer)
            return;
        *list = longer;
        *room = more;
    }
    struct stored *s = &(*list)[(*count)++];
    *s = (struct stored){.used = st.st_mtim, .size = (uint64_t)st.st_size};
    snprintf(s->name, sizeof s->name, "%s", name);
}

/* Removes the oldest files if the total is too large. */
static void trim(const struct folder *f)
{
    struct stored *list = NULL;
    size_t count = 0, room = 0;
    uint64_t total = 0;
    int fd = openat(f->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir) {
        if (fd >= 0)
            close(fd);
        return;
    }
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        note(f->fd, entry->d_name, &list, &count, &room);
    closedir(dir);
    for (size_t i = 0; i < count; i++)
        total += list[i].size;
    if (total > TOTAL_MAX)
        qsort(list, count, sizeof *list, by_age);
    else
        count = 0;
    for (size_t i = 0; i < count && total > TOTAL_KEPT; i++)
        if (unlinkat(f->fd, list[i].name, 0) == 0)
            total -= list[i].size;
    free(list);
}

/* Counts the bytes that this process has written. Returns true at the first file, and whenever much
 * has been written since. */
static bool is_time_to_trim(size_t size)
{
    static _Atomic uint64_t written = TOTAL_MAX;
    uint64_t before = atomic_fetch_add(&written, size);
    if (before < TOTAL_MAX / 16)
        return false;
    atomic_store(&written, size);
    return true;
}

/* ---- The store ---- */

static bool is_off(void)
{
    const char *word = getenv("DPAKIT_CACHE");
    return word && strcmp(word, "off") == 0;
}

/* The folder is $XDG_CACHE_HOME/dpakit/code. */
static bool find_folder(char out[PATH_MAX])
{
    static const char below[] = "/code";
    if (dpk_folder_of_cache(out, NULL) != DPK_OK || strlen(out) + sizeof below > PATH_MAX)
        return false;
    memcpy(out + strlen(out), below, sizeof below);
    return true;
}

bool jit_store_get(const uint8_t key[JIT_STORE_KEY], struct dpk_buf *code)
{
    struct folder f;
    struct dpk_buf file = {0};
    uint8_t secret[JIT_STORE_SECRET];
    char name[JIT_STORE_NAME];
    bool got = false;
    if (is_off() || !find_folder(f.path) || !folder_open(&f, true))
        return false;
    if (get_secret(false, secret) && jit_store_name(secret, key, name) &&
        read_file(&f, name, FILE_MAX, &file)) {
        struct dpk_reader found = jit_store_open(secret, key, file.data, file.size);
        if (found.failed)
            complain(f.path, name, "damaged");
        else
            dpk_put(code, found.begin, dpk_reader_left(&found));
        got = !found.failed && !code->failed;
    }
    OPENSSL_cleanse(secret, sizeof secret);
    dpk_buf_free(&file);
    close(f.fd);
    return got;
}

void jit_store_put(const uint8_t key[JIT_STORE_KEY], const void *code, size_t size)
{
    struct folder f;
    struct dpk_buf file = {0};
    uint8_t secret[JIT_STORE_SECRET];
    char name[JIT_STORE_NAME];
    if (is_off() || size > FILE_MAX / 2 || !find_folder(f.path) ||
        dpk_folder_make(f.path, NULL) != DPK_OK || !folder_open(&f, true))
        return;
    if (get_secret(true, secret) && jit_store_name(secret, key, name)) {
        jit_store_seal(secret, key, code, size, &file);
        if (!file.failed && write_file(&f, name, &file, true) && is_time_to_trim(file.size))
            trim(&f);
    }
    OPENSSL_cleanse(secret, sizeof secret);
    dpk_buf_free(&file);
    close(f.fd);
}
