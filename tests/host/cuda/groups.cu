/* groups: atomic variables with scopes, and groups of threads. */
#include "check.cuh"
#include <cooperative_groups.h>
#include <cuda/atomic>

namespace cg = cooperative_groups;

struct pair {
    int low, high;
};

__global__ void count(unsigned *total, long *most, float *sum, pair *both, unsigned *least)
{
    __shared__ cuda::atomic<unsigned, cuda::thread_scope_block> here;
    if (threadIdx.x == 0)
        here.store(0, cuda::memory_order_relaxed);
    __syncthreads();
    const unsigned me = blockIdx.x * blockDim.x + threadIdx.x;
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> all(*total), low(*least);
    cuda::atomic_ref<long> high(*most);
    cuda::atomic_ref<float> real(*sum);
    cuda::atomic_ref<pair> two(*both);
    here++;
    high.fetch_max((long)me, cuda::memory_order_relaxed);
    low.fetch_min(1000 - me);
    real += 0.5f;
    for (pair old = two.load(); !two.compare_exchange_weak(old, pair{old.low + 1, old.high - 1},
                                                           cuda::memory_order_acq_rel);)
        ;
    __syncthreads();
    if (threadIdx.x == 0)
        all.fetch_add(here.load(), cuda::memory_order_relaxed);
}

static void atomic_variables_lose_nothing()
{
    const unsigned first = 5000;
    unsigned *total = on_device<unsigned>(nullptr, 1), *least = on_device<unsigned>(&first, 1);
    long *most = on_device<long>(nullptr, 1);
    float *sum = on_device<float>(nullptr, 1);
    pair *both = on_device<pair>(nullptr, 1);
    count<<<6, 100>>>(total, most, sum, both, least);
    CHECK(*from_device(total, 1) == 600 && *from_device(most, 1) == 599);
    CHECK(*from_device(least, 1) == 401 && *from_device(sum, 1) == 300);
    CHECK(from_device(both, 1)->low == 600 && from_device(both, 1)->high == -600);
}

/* Host and kernel hand a number to each other. */
__global__ void answer(cuda::atomic<int> *flag, int *data)
{
    flag->wait(0, cuda::memory_order_acquire);
    *data *= 2;
    flag->exchange(2, cuda::memory_order_acq_rel);
    flag->notify_all();
}

static void host_and_kernel_wait_for_each_other()
{
    cuda::atomic<int> *flag;
    int *data;
    OK(cudaMallocManaged(&flag, sizeof *flag));
    OK(cudaMallocManaged(&data, sizeof *data));
    flag->store(0);
    answer<<<1, 1>>>(flag, data);
    *data = 21;
    *flag = 1;
    while (flag->load(cuda::memory_order_acquire) != 2)
        ;
    cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_system);
    CHECK(*data == 42 && ++*flag == 3 && (*flag)-- == 3 && (*flag |= 5) == 7 && (*flag &= 6) == 6);
    int *places[2] = {data, data};
    cuda::atomic_ref<int *> place(places[0]);
    CHECK(place.fetch_add(1) == data && places[0] == data + 1 && place.fetch_sub(1) == data + 1);
    int wrong = 5;
    CHECK(!flag->compare_exchange_strong(wrong, 9) && wrong == 6);
    OK(cudaDeviceSynchronize());
}

__global__ void group(unsigned *out)
{
    const cg::thread_block block = cg::this_thread_block();
    const auto tile = cg::tiled_partition<8>(block);
    const auto half = cg::tiled_partition<4>(tile);
    unsigned *mine = out + block.thread_rank() * 8, sum = block.thread_rank();
    for (unsigned i = tile.size() / 2; i; i /= 2)
        sum += tile.shfl_xor(sum, i);
    mine[0] = sum;
    mine[1] = tile.ballot(tile.thread_rank() % 2);
    mine[2] = half.shfl(block.thread_rank(), 1);
    mine[3] = tile.meta_group_rank() * 100 + tile.meta_group_size();
    mine[4] = (unsigned)tile.any(block.thread_rank() == 9) * 2 + (unsigned)half.all(1);
    mine[5] = tile.match_any(tile.thread_rank() / 4);
    tile.sync();
    cg::sync(block);
    mine[6] = block.size() + block.group_index().x + block.thread_index().y;
    mine[7] = tile.shfl_down(tile.shfl_up(tile.thread_rank(), 1), 1);
}

static void groups_know_their_threads()
{
    unsigned *out = on_device<unsigned>(nullptr, 48 * 8);
    group<<<1, dim3(16, 3)>>>(out);
    const unsigned *v = from_device(out, 48 * 8);
    for (unsigned i = 0; i < 48; i++, v += 8) {
        const unsigned first = i / 8 * 8;
        CHECK(v[0] == 8 * first + 28 && v[1] == 0xaa && v[2] == i / 4 * 4 + 1);
        CHECK(v[3] == i / 8 * 100 + 6 && v[4] == (i / 8 == 1 ? 3 : 1));
        CHECK(v[5] == (i % 8 < 4 ? 0x0f : 0xf0) && v[6] == 48 + i / 16);
        CHECK(v[7] == (i % 8 < 7 ? i % 8 : 6));
    }
}

__global__ void pass_round(unsigned *out)
{
    const cg::grid_group grid = cg::this_grid();
    const unsigned me = (unsigned)grid.thread_rank(), all = (unsigned)grid.size();
    out[me] = me + 1;
    grid.sync();
    const unsigned next = out[(me + 64) % all];
    grid.sync();
    out[me] = next + (unsigned)grid.num_blocks() * 1000;
}

static void a_grid_meets()
{
    unsigned *out = on_device<unsigned>(nullptr, 128);
    void *arguments[] = {&out};
    OK(cudaLaunchCooperativeKernel(pass_round, 4, 32, arguments));
    const unsigned *v = from_device(out, 128);
    for (unsigned i = 0; i < 128; i++)
        CHECK(v[i] == (i + 64) % 128 + 1 + 4000);
}

int main()
{
    atomic_variables_lose_nothing();
    host_and_kernel_wait_for_each_other();
    groups_know_their_threads();
    a_grid_meets();
    puts("good");
    return 0;
}
