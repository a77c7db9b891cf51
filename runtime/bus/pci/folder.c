/* The functions of a card: files in its folder `pci`, whose names are numbers. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bus/pci/file.h"

struct file_name {
    char text[12];
};

static const char *name_of(unsigned number, struct file_name *out)
{
    snprintf(out->text, sizeof out->text, "%u", number);
    return out->text;
}

static enum dpk_status folder_open(const char *card, bool make, int *out, struct dpk_error *err)
{
    char path[PATH_MAX];
    struct stat st;
    const int n = snprintf(path, sizeof path, "%s/pci", card);
    *out = -1;
    if (n < 0 || n >= (int)sizeof path)
        return dpk_fail(err, DPK_ERR_RANGE, "%.200s: path too long", card);
    if (make && mkdir(path, 0700) != 0 && errno != EEXIST)
        return dpk_fail_errno(err, "%s", path);
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? dpk_fail(err, DPK_ERR_NOT_FOUND, "%s: not there", path)
                               : dpk_fail_errno(err, "%s", path);
    if (fstat(fd, &st) != 0 || !dpk_user_is_mine(st.st_uid) || (st.st_mode & 022)) {
        close(fd);
        return dpk_fail(err, DPK_ERR_REFUSED, "%s: not a folder of this user alone", path);
    }
    *out = fd;
    return DPK_OK;
}

/* ---- One file ---- */

static bool is_file(int fd, size_t size)
{
    struct stat st;
    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && dpk_user_is_mine(st.st_uid) &&
           (size_t)st.st_size == size;
}

/* Copies and checks the header. */
static bool read_head(struct dpk_pci *f, struct dpk_error *err)
{
    struct pci_file head;
    if (pread(f->fd, &head, sizeof head, 0) != sizeof head ||
        atomic_load(&head.magic) != PCI_MAGIC || head.number != f->number || head.bus > 0xff ||
        dpk_pci_check(&head.config, err) != DPK_OK)
        return false;
    f->config = head.config;
    f->bus = head.bus;
    f->size = pci_lay_out(&f->config, f->offsets);
    return is_file(f->fd, f->size);
}

static enum dpk_status open_in(int folder, struct dpk_pci *f, struct dpk_error *err)
{
    struct file_name name;
    f->fd = openat(folder, name_of(f->number, &name), O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (f->fd < 0)
        return errno == ENOENT
                   ? dpk_fail(err, DPK_ERR_NOT_FOUND, "there is no emulated function %u", f->number)
                   : dpk_fail_errno(err, "emulated function %u", f->number);
    if (!read_head(f, err))
        return dpk_fail(err, DPK_ERR_FORMAT, "the file of the emulated function %u is damaged",
                        f->number);
    void *at = mmap(NULL, f->size, PROT_READ | PROT_WRITE, MAP_SHARED, f->fd, 0);
    if (at == MAP_FAILED)
        return dpk_fail_nomem(err);
    f->file = at;
    pci_guard(f);
    return DPK_OK;
}

static enum dpk_status open_number(int folder, unsigned number, struct dpk_pci **out,
                                   struct dpk_error *err)
{
    struct dpk_pci *f = calloc(1, sizeof *f);
    *out = NULL;
    if (!f)
        return dpk_fail_nomem(err);
    f->fd = -1;
    f->number = number;
    pthread_rwlock_init(&f->lock, NULL);
    const enum dpk_status status = open_in(folder, f, err);
    if (status == DPK_OK)
        *out = f;
    else
        dpk_pci_close(f);
    return status;
}

enum dpk_status dpk_pci_open(const char *card, unsigned number, struct dpk_pci **out,
                             struct dpk_error *err)
{
    int folder;
    *out = NULL;
    enum dpk_status status = folder_open(card, false, &folder, err);
    if (status != DPK_OK)
        return status;
    status = open_number(folder, number, out, err);
    close(folder);
    return status;
}

void dpk_pci_close(struct dpk_pci *f)
{
    if (!f)
        return;
    pci_leave_memory(f);
    pthread_rwlock_destroy(&f->lock);
    if (f->file) {
        pci_unguard(f);
        munmap(f->file, f->size);
    }
    if (f->fd >= 0)
        close(f->fd);
    free(f);
}

/* ---- New functions ---- */

/* Checks that functions whose type has this name have the same configuration. */
static enum dpk_status agree(int folder, const struct dpk_pci_config *config, struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    for (unsigned i = 1; status == DPK_OK && i <= DPK_PCI_FUNCTIONS; i++) {
        struct dpk_pci *f;
        struct dpk_error ignored = {0};
        if (open_number(folder, i, &f, &ignored) != DPK_OK)
            continue;
        if (strcmp(f->config.name, config->name) == 0 && !dpk_pci_equal(&f->config, config))
            status = dpk_fail(err, DPK_ERR_EXISTS,
                              "there are emulated functions of a type \"%s\" that is otherwise",
                              config->name);
        dpk_pci_close(f);
    }
    return status;
}

enum dpk_status dpk_pci_agree(const char *card, const struct dpk_pci_config *config,
                              struct dpk_error *err)
{
    int folder;
    struct dpk_error ignored = {0};
    enum dpk_status status = folder_open(card, false, &folder, &ignored);
    if (status != DPK_OK)
        return status == DPK_ERR_NOT_FOUND ? DPK_OK : dpk_fail(err, status, "%s", ignored.message);
    status = agree(folder, config, err);
    close(folder);
    return status;
}

static enum dpk_status fill(int fd, unsigned number, unsigned bus,
                            const struct dpk_pci_config *config, struct dpk_error *err)
{
    uint64_t offsets[DPK_PCI_BARS];
    const size_t size = pci_lay_out(config, offsets);
    if (posix_fallocate(fd, 0, (off_t)size) != 0)
        return dpk_fail(err, DPK_ERR_IO, "no room for the %zu bytes of an emulated function", size);
    uint8_t *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED)
        return dpk_fail_nomem(err);
    struct pci_file *file = (struct pci_file *)at;
    file->number = number;
    file->bus = bus & 0xff;
    file->config = *config;
    pci_fill(at, config, offsets);
    atomic_store(&file->magic, PCI_MAGIC);
    munmap(at, size);
    return DPK_OK;
}

static unsigned free_number(int folder)
{
    struct file_name name;
    unsigned i = 1;
    while (i <= DPK_PCI_FUNCTIONS && faccessat(folder, name_of(i, &name), F_OK, 0) == 0)
        i++;
    return i;
}

/* Makes a file under a temporary name, and renames it when it is complete. Overwrites the temporary
 * file of a killed program. Call this with the lock of the folder. */
static enum dpk_status make_in(int folder, unsigned bus, const struct dpk_pci_config *config,
                               unsigned *number, struct dpk_error *err)
{
    struct file_name name;
    const unsigned i = free_number(folder);
    enum dpk_status status = agree(folder, config, err);
    if (status != DPK_OK)
        return status;
    if (i > DPK_PCI_FUNCTIONS)
        return dpk_fail(err, DPK_ERR_RANGE, "the card has %u emulated functions already",
                        DPK_PCI_FUNCTIONS);
    const int fd = openat(folder, "new", O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return dpk_fail_errno(err, "the folder pci of the card");
    status = fill(fd, i, bus, config, err);
    if (status == DPK_OK && renameat(folder, "new", folder, name_of(i, &name)) != 0)
        status = dpk_fail_errno(err, "the folder pci of the card");
    if (status != DPK_OK)
        unlinkat(folder, "new", 0);
    close(fd);
    *number = i;
    return status;
}

enum dpk_status dpk_pci_make(const struct dpk_pci_place *place, const struct dpk_pci_config *config,
                             unsigned *number, struct dpk_error *err)
{
    int folder;
    *number = 0;
    enum dpk_status status = dpk_pci_check(config, err);
    if (status == DPK_OK)
        status = folder_open(place->folder, true, &folder, err);
    if (status != DPK_OK)
        return status;
    status = flock(folder, LOCK_EX) == 0 ? make_in(folder, place->bus, config, number, err)
                                         : dpk_fail_errno(err, "%s", place->folder);
    close(folder);
    return status;
}

static enum dpk_status remove_in(int folder, unsigned number, struct dpk_error *err)
{
    struct dpk_pci *f;
    struct file_name name;
    enum dpk_status status = open_number(folder, number, &f, err);
    if (status == DPK_ERR_FORMAT) /* no program can use the file */
        return unlinkat(folder, name_of(number, &name), 0) == 0
                   ? DPK_OK
                   : dpk_fail_errno(err, "emulated function %u", number);
    if (status != DPK_OK)
        return status;
    if (dpk_pci_state_of(f) != DPK_PCI_OFF)
        status = dpk_fail(err, DPK_ERR_REFUSED, "emulated function %u is plugged in", number);
    else if (!dpk_pci_claim(f, DPK_PCI_DPU)) /* the claim ends with the close */
        status = dpk_fail(err, DPK_ERR_REFUSED, "a context of emulated function %u runs", number);
    else if (unlinkat(folder, name_of(number, &name), 0) != 0)
        status = dpk_fail_errno(err, "emulated function %u", number);
    dpk_pci_close(f);
    return status;
}

enum dpk_status dpk_pci_remove(const char *card, unsigned number, struct dpk_error *err)
{
    int folder;
    enum dpk_status status = folder_open(card, false, &folder, err);
    if (status != DPK_OK)
        return status;
    status = flock(folder, LOCK_EX) == 0 ? remove_in(folder, number, err)
                                         : dpk_fail_errno(err, "%s", card);
    close(folder);
    return status;
}
