/* Registers huge pages that a container may not have: 0 if the device accepts them, or refuses them
 * with EFAULT. Accepted pages can be touched. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>

#include <infiniband/verbs.h>

/* 0 as promised, else what main returns. */
static int register_huge(struct ibv_pd *pd)
{
    const size_t size = 2 << 20;
    /* Without reservation: pages are promised, and there are none when they are touched. */
    volatile char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        perror("mmap");
        return 77;
    }
    struct ibv_mr *mr = ibv_reg_mr(pd, (void *)memory, size, IBV_ACCESS_LOCAL_WRITE);
    int result = mr || errno == EFAULT ? 0 : 3;
    if (mr) {
        puts("registered");
        memory[size - 1] = 1;
        result = ibv_dereg_mr(mr);
    } else {
        perror("ibv_reg_mr");
    }
    munmap((void *)memory, size);
    return result;
}

int main(void)
{
    struct ibv_device **devices = ibv_get_device_list(NULL);
    struct ibv_context *context = devices && devices[0] ? ibv_open_device(devices[0]) : NULL;
    struct ibv_pd *pd = context ? ibv_alloc_pd(context) : NULL;
    if (!pd)
        return 2;
    int result = register_huge(pd);
    ibv_dealloc_pd(pd);
    ibv_close_device(context);
    ibv_free_device_list(devices);
    return result;
}
