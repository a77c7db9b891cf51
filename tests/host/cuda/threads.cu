/* threads: what threads of a block and of a warp do together. */
#include "check.cuh"
#include <string.h>

struct facts {
    unsigned linear, lane, x, y, z;
};
__global__ void place(facts *out)
{
    const unsigned i = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const unsigned b = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    out[b * blockDim.x * blockDim.y * blockDim.z + i] =
        facts{i, __lane_id(), blockIdx.x, blockIdx.y, blockIdx.z};
}

static void threads_know_their_places()
{
    facts *out = on_device<facts>(nullptr, 12 * 105);
    place<<<dim3(2, 3, 2), dim3(5, 7, 3)>>>(out);
    const facts *f = from_device(out, 12 * 105);
    for (unsigned i = 0; i < 12 * 105; i++) {
        CHECK(f[i].linear == i % 105 && f[i].lane == i % 105 % 32);
        CHECK(f[i].x == i / 105 % 2 && f[i].y == i / 210 % 3 && f[i].z == i / 630);
    }
}

__global__ void vote(unsigned *out)
{
    const unsigned lane = threadIdx.x % 32, all = 0xffffffffu;
    unsigned *mine = out + threadIdx.x * 12;
    mine[0] = __ballot_sync(all, lane % 3 == 0);
    mine[1] = __all_sync(all, lane < 32);
    mine[2] = __any_sync(all, lane == 40);
    mine[3] = __shfl_sync(all, lane * 10, 7);
    mine[4] = __shfl_up_sync(all, lane, 2, 8);
    mine[5] = __shfl_xor_sync(all, lane, 1);
    mine[6] = __match_any_sync(all, lane / 8);
    mine[7] = __reduce_add_sync(all, lane);
    mine[8] = (unsigned)__reduce_min_sync(all, (int)lane - 5);
    mine[9] = __syncthreads_count(lane < 4);
    mine[10] = 0;
    if (lane < 16) { /* halves of a warp meet alone */
        const double half = __shfl_down_sync(0xffffu, (double)lane, 8);
        mine[10] = (unsigned)half;
        __syncwarp(0xffffu);
    }
    mine[11] = __activemask();
}

static void warps_vote_and_shuffle()
{
    unsigned *out = on_device<unsigned>(nullptr, 64 * 12);
    vote<<<1, 64>>>(out);
    const unsigned *v = from_device(out, 64 * 12);
    for (unsigned i = 0; i < 64; i++, v += 12) {
        const unsigned lane = i % 32;
        CHECK(v[0] == 0x49249249u && v[1] == 1 && v[2] == 0 && v[3] == 70);
        CHECK(v[4] == (lane % 8 < 2 ? lane : lane - 2) && v[5] == (lane ^ 1));
        CHECK(v[6] == 0xffu << lane / 8 * 8 && v[7] == 496 && (int)v[8] == -5 && v[9] == 8);
        CHECK(v[10] == (lane < 16 ? (lane < 8 ? lane + 8 : lane + 8 < 16 ? lane + 8 : v[10]) : 0));
        CHECK(v[11] == 0xffffffffu);
    }
}

struct wide {
    unsigned long long low, high;
};
__global__ void add_atomically(int *i, unsigned long long *l, float *f, double *d,
                               unsigned short *s, unsigned *wrapped, wide *w)
{
    atomicAdd(i, 1);
    atomicMax(i + 1, (int)threadIdx.x);
    atomicAdd(l, 3ull);
    atomicAdd(f, 0.5f);
    atomicAdd(d, 0.25);
    atomicInc(wrapped, 9);
    for (unsigned short old = *s, seen;; old = seen)
        if ((seen = atomicCAS(s, old, (unsigned short)(old + 1))) == old)
            break;
    for (wide old = {0, 0}, seen;; old = seen) {
        seen = atomicCAS128(w, old, wide{old.low + 1, old.high + 2});
        if (seen.low == old.low && seen.high == old.high)
            break;
    }
}

static void atomics_of_all_widths_lose_nothing()
{
    int *i = on_device<int>(nullptr, 2);
    unsigned long long *l = on_device<unsigned long long>(nullptr, 1);
    float *f = on_device<float>(nullptr, 1);
    double *d = on_device<double>(nullptr, 1);
    unsigned short *s = on_device<unsigned short>(nullptr, 1);
    unsigned *wrapped = on_device<unsigned>(nullptr, 1);
    wide *w = on_device<wide>(nullptr, 1);
    add_atomically<<<32, 128>>>(i, l, f, d, s, wrapped, w);
    CHECK(from_device(i, 2)[0] == 4096 && from_device(i, 2)[1] == 127);
    CHECK(*from_device(l, 1) == 12288 && *from_device(f, 1) == 2048 && *from_device(d, 1) == 1024);
    CHECK(*from_device(s, 1) == 4096 && *from_device(wrapped, 1) == 4096 % 10);
    CHECK(from_device(w, 1)->low == 4096 && from_device(w, 1)->high == 8192);
}

/* One thread waits for another that starts later, then blocks for blocks. */
__global__ void hand_over(volatile int *word, int *order)
{
    const int me = blockIdx.x * blockDim.x + threadIdx.x, last = gridDim.x * blockDim.x - 1;
    while (*word != last - me)
        ;
    order[last - me] = me;
    __threadfence();
    *word = last - me + 1;
}

static void threads_that_poll_let_others_run()
{
    int *word = on_device<int>(nullptr, 1), *order = on_device<int>(nullptr, 160);
    hand_over<<<5, 32>>>(word, order);
    const int *o = from_device(order, 160);
    for (int i = 0; i < 160; i++)
        CHECK(o[i] == 159 - i);
}

__device__ int counter = 5;
__constant__ double factors[2];
__global__ void use_variables(double *out)
{
    if (atomicAdd(&counter, 1) == 5)
        *out = factors[1];
}

static void variables_have_addresses()
{
    const double given[2] = {1.5, 2.5};
    double *out = on_device<double>(nullptr, 1);
    int seen = 0;
    void *at = nullptr;
    OK(cudaMemcpyToSymbol(factors, given, sizeof given));
    use_variables<<<1, 3>>>(out);
    OK(cudaMemcpyFromSymbol(&seen, counter, sizeof seen));
    CHECK(seen == 8 && *from_device(out, 1) == 2.5);
    OK(cudaGetSymbolAddress(&at, counter));
    OK(cudaMemcpy(&seen, at, sizeof seen, cudaMemcpyDeviceToHost));
    CHECK(seen == 8);
    CHECK(cudaMemcpyToSymbol(factors, given, 17) == cudaErrorInvalidValue);
}

struct big {
    long values[40];
};
__global__ void say(big b, bool yes, char c, float f)
{
    if (threadIdx.x == 0)
        printf("%ld %d %c %.2f %s %5u%% %llx\n", b.values[39], yes, c, f, "text", 7u, 1ull << 40);
}

static void arguments_and_printf()
{
    big b = {};
    b.values[39] = -9;
    say<<<1, 2>>>(b, true, 'q', 2.25f);
    OK(cudaDeviceSynchronize());
}

int main()
{
    threads_know_their_places();
    warps_vote_and_shuffle();
    atomics_of_all_widths_lose_nothing();
    threads_that_poll_let_others_run();
    variables_have_addresses();
    arguments_and_printf();
    puts("good");
    return 0;
}
