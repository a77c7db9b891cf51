/* Memory regions. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "context.h"

#define KNOWN_ACCESS                                                                               \
    (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |                   \
     IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_MW_BIND | IBV_ACCESS_ZERO_BASED |                       \
     IBV_ACCESS_ON_DEMAND | IBV_ACCESS_HUGETLB | IBV_ACCESS_OPTIONAL_RANGE)

/* Returns 0, or an errno if no device can register the memory. */
static int check(size_t length, const void *addr, uint64_t iova, int access)
{
    const int remote_writes = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;
    if (length == 0 || length > UINTPTR_MAX - (uintptr_t)addr || length > UINT64_MAX - iova ||
        (access & remote_writes && !(access & IBV_ACCESS_LOCAL_WRITE)) ||
        (unsigned)access & ~(unsigned)KNOWN_ACCESS)
        return EINVAL;
    return access & IBV_ACCESS_ON_DEMAND ? EOPNOTSUPP : 0;
}

/* `key`: the key for the memory, or 0 for a new key. Returns the key, or 0 with errno. */
static uint32_t put(uint32_t key, struct dpk_memory_domain *domain, void *addr, size_t length,
                    uint64_t iova, int access)
{
    const struct dpk_memory m = {.kind = DPK_MEMORY_HOST,
                                 .rights = dpk_verbs_rights(access),
                                 .address = iova,
                                 .size = length,
                                 .host = addr,
                                 .domains = {domain}};
    const int why = check(length, addr, iova, access);
    if (why) {
        errno = why;
        return 0;
    }
    enum dpk_status status =
        key ? dpk_memory_replace(key, &m, NULL) : dpk_memory_add(&m, &key, NULL);
    if (status == DPK_OK)
        return key;
    errno = status == DPK_ERR_RANGE       ? EFAULT
            : status == DPK_ERR_NOT_FOUND ? EINVAL
            : status == DPK_ERR_TIMEOUT   ? EBUSY
                                          : ENOMEM;
    return 0;
}

uint32_t verbs_memory_register(struct dpk_memory_domain *domain, void *addr, size_t length,
                               uint64_t iova, int access)
{
    return put(0, domain, addr, length, iova, access);
}

/* Programs register memory of a GPU by its address for kernels, as with nvidia-peermem. */
static void *(*_Atomic gpu_bus)(const void *at); /* NULL: the process has no GPU */

void dpk_verbs_set_gpu(void *(*bus)(const void *at))
{
    atomic_store(&gpu_bus, bus);
}

static void *reachable(void *addr)
{
    void *(*const bus)(const void *at) = atomic_load(&gpu_bus);
    return bus ? bus(addr) : addr;
}

struct region {
    struct ibv_mr ib; /* first: programs hold a pointer to it */
    void *host;       /* the memory itself */
    uint64_t iova;
    int access;
    void *view; /* of a memory file; NULL: the memory is the program's */
    size_t view_size;
};

/* `host`: where this process reaches the memory. */
static struct region *region_new(struct ibv_pd *pd, void *addr, void *host, size_t length,
                                 uint64_t iova, int access)
{
    struct region *r = pd ? calloc(1, sizeof *r) : NULL;
    if (!r) {
        errno = pd ? ENOMEM : EINVAL;
        return NULL;
    }
    uint32_t key = verbs_memory_register(dpk_verbs_domain(pd), host, length, iova, access);
    if (key == 0) {
        free(r);
        return NULL;
    }
    dpk_verbs_use_pd(pd);
    r->host = host;
    r->iova = iova;
    r->access = access;
    r->ib = (struct ibv_mr){.context = pd->context,
                            .pd = pd,
                            .addr = addr,
                            .length = length,
                            .handle = key >> 8,
                            .lkey = key,
                            .rkey = key};
    return r;
}

static struct ibv_mr *reg_mr(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
                             int access)
{
    struct region *r = region_new(pd, addr, reachable(addr), length, iova, access);
    return r ? &r->ib : NULL;
}

/* ---- Memory files ---- */

/* Judges a file as the kernel judges the descriptor of a DMA buffer. Returns 0 or an errno. */
static int check_file(int fd, uint64_t offset, size_t length)
{
    struct stat about;
    if (fstat(fd, &about) != 0)
        return errno;
    if (fcntl(fd, F_GET_SEALS) < 0 || length == 0 || offset > (uint64_t)about.st_size ||
        length > (uint64_t)about.st_size - offset)
        return EINVAL;
    return 0;
}

struct ibv_mr *dpk_verbs_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length,
                                       uint64_t iova, int fd, int access)
{
    const uint64_t skip = offset % (uint64_t)sysconf(_SC_PAGESIZE);
    if ((errno = pd ? check_file(fd, offset, length) : EINVAL))
        return NULL;
    const size_t size = (size_t)skip + length;
    void *view = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)(offset - skip));
    if (view == MAP_FAILED)
        return NULL;
    struct region *r = region_new(pd, (void *)(uintptr_t)offset, (uint8_t *)view + skip, length,
                                  iova, access); /* the address is as rdma-core has it */
    if (!r) {
        const int why = errno;
        munmap(view, size);
        errno = why;
        return NULL;
    }
    r->view = view;
    r->view_size = size;
    return &r->ib;
}

/* Warns once for a protection domain, because memory for other purposes may be unaligned. */
static struct ibv_mr *for_windows(struct ibv_mr *mr, uint64_t address)
{
    struct dpk_memory_domain *domain = mr ? dpk_verbs_domain(mr->pd) : NULL;
    if (mr && atomic_load(&domain->has_windows) &&
        (address | mr->length) % DPK_MEMORY_WINDOW_ALIGN != 0 && dpk_first(&domain->told, 0))
        fprintf(stderr,
                "-W- ibv_reg_mr: %zu bytes at 0x%llx: the windows of its protection domain reach "
                "only memory whose address and length are multiples of %u (posix_memalign)\n",
                mr->length, (unsigned long long)address, DPK_MEMORY_WINDOW_ALIGN);
    return mr;
}

struct ibv_mr *dpk_verbs_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access)
{
    return for_windows(reg_mr(pd, addr, length, (uintptr_t)addr, access), (uintptr_t)addr);
}

struct ibv_mr *dpk_verbs_reg_mr_iova(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
                                     int access)
{
    return reg_mr(pd, addr, length, iova, access);
}

struct ibv_mr *dpk_verbs_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
                                      unsigned int access)
{
    return for_windows(reg_mr(pd, addr, length, iova, (int)access), iova);
}

int dpk_verbs_dereg_mr(struct ibv_mr *mr)
{
    if (!mr)
        return EINVAL;
    dpk_memory_remove(mr->lkey);
    dpk_verbs_leave_pd(mr->pd);
    const struct region *r = (const struct region *)mr;
    if (r->view)
        munmap(r->view, r->view_size);
    free(mr);
    return 0;
}

/* Properties that `flags` does not name, and the keys, do not change. */
int dpk_verbs_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr, size_t length,
                       int access)
{
    const int known =
        IBV_REREG_MR_CHANGE_TRANSLATION | IBV_REREG_MR_CHANGE_PD | IBV_REREG_MR_CHANGE_ACCESS;
    if (!mr || !flags || flags & ~known ||
        (flags & IBV_REREG_MR_CHANGE_PD && (!pd || pd->context != mr->context))) {
        errno = EINVAL;
        return IBV_REREG_MR_ERR_INPUT;
    }
    struct region *r = (struct region *)mr, next = *r;
    if (flags & IBV_REREG_MR_CHANGE_TRANSLATION) {
        next.ib.addr = addr;
        next.host = reachable(addr);
        next.ib.length = length;
        next.iova = (uintptr_t)addr;
    }
    if (flags & IBV_REREG_MR_CHANGE_PD)
        next.ib.pd = pd;
    if (flags & IBV_REREG_MR_CHANGE_ACCESS)
        next.access = access;
    if (!put(mr->lkey, dpk_verbs_domain(next.ib.pd), next.host, next.ib.length, next.iova,
             next.access))
        return IBV_REREG_MR_ERR_CMD;
    dpk_verbs_use_pd(next.ib.pd);
    dpk_verbs_leave_pd(mr->pd);
    *r = next;
    return 0;
}
