/* Functions that a program calls instead of those of the C library. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/mst/mst.h"
#include "api/paths/paths.h"

/* The device of this process. Set by the constructor, before the program runs. */
static struct {
    struct mst_tree tree;
    struct file {
        dev_t device;
        ino_t file;
    } config, bridge, fwctl; /* two configuration spaces, and the device of fwctl */
    const uint8_t *bridge_space;
    pthread_mutex_t lock; /* of the gateway */
    struct mst_gateway gateway;
} function = {.lock = PTHREAD_MUTEX_INITIALIZER, .gateway = {.lock = -1, .trace = -1}};

/* ---- Paths ---- */

static const char *answer(const char *path, char out[PATH_MAX])
{
    const int before = errno;
    const char *to_use = path;
    /* The kernel reads the path first: the program's pointer may be bad. */
    if (path && (faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0 || errno != EFAULT) &&
        mst_tree_has(path)) {
        const int n = snprintf(out, PATH_MAX, "%s%s", function.tree.root, path);
        if (n > 0 && n < PATH_MAX)
            to_use = out;
    }
    errno = before;
    return to_use;
}

static const char *shown(const char *resolved)
{
    const size_t length = strlen(function.tree.root);
    const bool inside =
        strncmp(resolved, function.tree.root, length) == 0 && resolved[length] == '/';
    return inside ? resolved + length : resolved;
}

/* ---- Configuration space ---- */

/* Descriptors that are known to refer to that file. Tools access it hundreds of thousands of times,
 * so an access should not ask the kernel. */
#define DESCRIPTORS_MAX 256
enum { UNKNOWN = 0, READABLE = 1, WRITABLE = 2, BRIDGE = 4 /* not the function */ };
static atomic_uchar known[DESCRIPTORS_MAX];

static void forget(unsigned first, unsigned last)
{
    for (unsigned fd = first; fd <= last && fd < DESCRIPTORS_MAX; fd++)
        atomic_store(&known[fd], UNKNOWN);
}

static bool is_file(const struct stat *st, const struct file *file)
{
    return st->st_ino == file->file && st->st_dev == file->device;
}

/* Returns UNKNOWN for a descriptor of another file. Keeps errno. */
static unsigned char config_rights(int fd)
{
    struct stat st;
    const int before = errno;
    unsigned char rights =
        fd >= 0 && fd < DESCRIPTORS_MAX ? atomic_load(&known[fd]) : (unsigned char)UNKNOWN;
    if (rights == UNKNOWN && fstat(fd, &st) == 0 &&
        (is_file(&st, &function.config) || is_file(&st, &function.bridge))) {
        rights = (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY ? READABLE : WRITABLE;
        if (is_file(&st, &function.bridge))
            rights |= BRIDGE;
        if (fd < DESCRIPTORS_MAX)
            atomic_store(&known[fd], rights);
    }
    errno = before;
    return rights;
}

static int my_close(int fd)
{
    if (fd >= 0)
        forget((unsigned)fd, (unsigned)fd);
    return close(fd);
}

static int my_fclose(FILE *file)
{
    const int before = errno, fd = file ? fileno(file) : -1;
    errno = before;
    if (fd >= 0)
        forget((unsigned)fd, (unsigned)fd);
    return fclose(file);
}

static int my_dup2(int fd, int to)
{
    if (to >= 0)
        forget((unsigned)to, (unsigned)to);
    return dup2(fd, to);
}

static int my_dup3(int fd, int to, int flags)
{
    if (to >= 0)
        forget((unsigned)to, (unsigned)to);
    return dup3(fd, to, flags);
}

static int my_close_range(unsigned first, unsigned last, int flags)
{
    forget(first, last);
    return close_range(first, last, flags);
}

static void my_closefrom(int first)
{
    forget(first < 0 ? 0 : (unsigned)first, UINT_MAX);
    closefrom(first);
}

/* Returns true for an access of the vendor-specific capability. An access of a part of a dword does
 * nothing on a card; here it reads the file. */
static bool is_gateway(off_t offset, size_t size)
{
    return size == 4 && offset % 4 == 0 && offset >= MST_GATEWAY &&
           offset < MST_GATEWAY + MST_GATEWAY_SIZE;
}

/* While the link is disabled, nobody answers. Of the gateway's registers, only the counter looks:
 * tools read it at the begin of each access. */
static bool is_out_of_reach(off_t offset, size_t size)
{
    return (!is_gateway(offset, size) || offset == MST_GATEWAY + MST_GATEWAY_COUNTER) &&
           mst_bridge_shows_disabled(function.bridge_space);
}

static ssize_t my_pread(int fd, void *bytes, size_t size, off_t offset)
{
    uint8_t dword[4];
    const unsigned char rights = config_rights(fd);
    if (rights == UNKNOWN || (rights & BRIDGE))
        return pread(fd, bytes, size, offset);
    if (is_out_of_reach(offset, size)) {
        const ssize_t length = pread(fd, bytes, size, offset);
        if (length > 0)
            memset(bytes, 0xff, (size_t)length);
        return length;
    }
    if (!is_gateway(offset, size))
        return pread(fd, bytes, size, offset);
    if (!dpk_is_mapped(bytes, size, true)) {
        errno = EFAULT;
        return -1;
    }
    pthread_mutex_lock(&function.lock);
    const uint32_t value = mst_gateway_read(&function.gateway, (unsigned)(offset - MST_GATEWAY));
    pthread_mutex_unlock(&function.lock);
    for (size_t i = 0; i < sizeof dword; i++)
        dword[i] = value >> 8 * i & 0xff;
    memcpy(bytes, dword, sizeof dword);
    return sizeof dword;
}

static void write_bridge(const uint8_t *bytes, size_t size, uint64_t offset)
{
    if (!mst_bridge_write(function.tree.bridge, bytes, size, offset))
        return;
    pthread_mutex_lock(&function.lock);
    if (dpk_registers_link_up(function.gateway.registers) != DPK_OK)
        fprintf(stderr, "-E- dpakit: %s\n", dpk_registers_reason(function.gateway.registers));
    pthread_mutex_unlock(&function.lock);
}

static void write_gateway(const uint8_t *bytes, off_t offset)
{
    struct dpk_reader r = dpk_reader(bytes, 4);
    const uint32_t value = dpk_read_le32(&r);
    pthread_mutex_lock(&function.lock);
    mst_gateway_write(&function.gateway, (unsigned)(offset - MST_GATEWAY), value);
    pthread_mutex_unlock(&function.lock);
}

/* No program can change the rest of the configuration space. */
static ssize_t my_pwrite(int fd, const void *bytes, size_t size, off_t offset)
{
    const unsigned char rights = config_rights(fd);
    if (rights == UNKNOWN)
        return pwrite(fd, bytes, size, offset);
    if (rights & READABLE || !dpk_is_mapped(bytes, size, false)) {
        errno = rights & READABLE ? EBADF : EFAULT;
        return -1;
    }
    const int before = errno;
    if (rights & BRIDGE && offset >= 0)
        write_bridge(bytes, size, (uint64_t)offset);
    else if (!(rights & BRIDGE) && is_gateway(offset, size))
        write_gateway(bytes, offset);
    errno = before;
    return (ssize_t)size;
}

static ssize_t my_pread_checked(int fd, void *bytes, size_t size, off_t offset, size_t room)
{
    if (size > room)
        abort();
    return my_pread(fd, bytes, size, offset);
}

/* ---- fwctl ---- */

static int my_ioctl(int fd, unsigned long request, ...)
{
    struct stat st;
    va_list list;
    va_start(list, request);
    void *pointer = va_arg(list, void *);
    va_end(list);
    const int before = errno;
    if (fstat(fd, &st) != 0 || !is_file(&st, &function.fwctl)) {
        errno = before;
        return ioctl(fd, request, pointer);
    }
    pthread_mutex_lock(&function.lock);
    const int error =
        mst_bridge_shows_disabled(function.bridge_space)
            ? EIO
            : mst_fwctl_ioctl(function.gateway.registers, request, pointer, function.gateway.trace);
    pthread_mutex_unlock(&function.lock);
    errno = error ? error : before;
    return error ? -1 : 0;
}

/* ---- The rest ---- */

/* Tools for cards refuse to run without root. An emulated device does not need root. */
static uid_t my_geteuid(void)
{
    return 0;
}

static void redirect(void);

/* The calls of a library that is loaded later are redirected, too. */
static void *my_dlopen(const char *path, int flags)
{
    void *library = dlopen(path, flags);
    if (library)
        redirect();
    return library;
}

static void redirect(void)
{
    static const struct paths_answers answers = {.answer = answer, .shown = shown};
    static const struct paths_call calls[] = {
        {"pread", my_pread},
        {"pread64", my_pread},
        {"__pread_chk", my_pread_checked},
        {"__pread64_chk", my_pread_checked},
        {"pwrite", my_pwrite},
        {"pwrite64", my_pwrite},
        {"close", my_close},
        {"fclose", my_fclose},
        {"dup2", my_dup2},
        {"dup3", my_dup3},
        {"close_range", my_close_range},
        {"closefrom", my_closefrom},
        {"ioctl", my_ioctl},
        {"geteuid", my_geteuid},
        {"dlopen", my_dlopen},
    };
    paths_redirect(&answers, calls, sizeof calls / sizeof *calls);
}

/* ---- Start ---- */

static void before_fork(void)
{
    pthread_mutex_lock(&function.lock);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&function.lock);
}

/* Finds share/dpakit/nvconfig beside the folder of this library. */
static bool find_definitions(char out[PATH_MAX])
{
    Dl_info info;
    if (!dladdr((void *)redirect, &info) || !info.dli_fname)
        return false;
    const char *slash = strrchr(info.dli_fname, '/');
    const int n = snprintf(out, PATH_MAX, "%.*s/../share/dpakit/nvconfig",
                           slash ? (int)(slash - info.dli_fname) : 1, slash ? info.dli_fname : ".");
    return n > 0 && n < PATH_MAX;
}

static enum dpk_status identify(const char *path, struct file *out, struct dpk_error *err)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return dpk_fail_errno(err, "%s", path);
    *out = (struct file){.device = st.st_dev, .file = st.st_ino};
    return DPK_OK;
}

static enum dpk_status open_function(const char *name, struct dpk_error *err)
{
    char definitions[PATH_MAX];
    struct dpk_device_info info;
    const struct dpk_registers_source source = {
        .device = name,
        .definitions = find_definitions(definitions) ? definitions : NULL,
        .database = getenv(MST_DATABASE_VARIABLE)};
    struct dpk_device *device = NULL;
    enum dpk_status status = dpk_device_open(name, &device, err);
    if (status == DPK_OK)
        status = dpk_device_info(device, &info, err);
    if (status == DPK_OK)
        status = mst_tree_write(device, &function.tree, err);
    dpk_device_close(device);
    if (status == DPK_OK)
        status = identify(function.tree.config, &function.config, err);
    if (status == DPK_OK)
        status = identify(function.tree.bridge, &function.bridge, err);
    if (status == DPK_OK)
        status = identify(function.tree.fwctl, &function.fwctl, err);
    if (status == DPK_OK && !(function.bridge_space = mst_bridge_map(function.tree.bridge)))
        status = dpk_fail_errno(err, "%s", function.tree.bridge);
    if (status == DPK_OK)
        status = dpk_registers_open(&source, &function.gateway.registers, err);
    if (status != DPK_OK)
        return status;
    const char *trace = getenv(MST_TRACE_VARIABLE);
    if (trace)
        function.gateway.trace = open(trace, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (trace && function.gateway.trace < 0)
        return dpk_fail_errno(err, "%s", trace);
    function.gateway.semaphore = function.tree.semaphore;
    function.gateway.hardware_id = dpk_registers_hardware_id(dpk_device_type_find(info.hw_target));
    return DPK_OK;
}

__attribute__((constructor)) static void start(void)
{
    struct dpk_error err = {0};
    const char *name = getenv(MST_DEVICE_VARIABLE);
    const int before = errno;
    if (!name)
        return;
    if (open_function(name, &err) == DPK_OK) {
        pthread_atfork(before_fork, after_fork, after_fork);
        redirect();
    } else {
        fprintf(stderr, "-E- dpakit: %s\n", err.message);
    }
    errno = before;
}
