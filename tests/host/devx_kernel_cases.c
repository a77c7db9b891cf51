/* A queue pair by commands whose rings a kernel fills, as NVIDIA's open GPUNetIO library makes them; host_devx.bats runs
 * this with devx_kernel.cu. */
#include "devx_world.h"

void *kernel_memory(size_t size);
int kernel_writes(uint8_t *memory, uint32_t sends_at, uint32_t record_at, uint32_t data_at,
                  uint32_t number, uint32_t local, uint64_t to, uint32_t remote, void *uar,
                  uint32_t count);

int main(void)
{
    static struct side a, b;
    uint64_t last;
    CHECK((a.memory = kernel_memory(MEMORY)) && (b.memory = kernel_memory(MEMORY)));
    side_make(&a, "mlx5_0");
    side_make(&b, "mlx5_1");
    side_connect(&a, &b);
    side_connect(&b, &a);
    CHECK(kernel_writes(a.memory, SENDS_AT, RECORD, DATA, a.number, a.mr->lkey,
                        address_of(&b, DATA), b.mr->rkey, a.uar->reg_addr, 1000) == 0);
    memcpy(&last, b.memory + DATA, sizeof last);
    CHECK(last == 1000);
    side_end(&a);
    side_end(&b);
    return 0;
}
