/* ptx: inline PTX does what its instructions say. */
#include "check.cuh"
#include <stdint.h>
#include <string.h>

/* ---- Loads and stores: each size, order and scope ---- */

#define LOAD(name, form, T, letter, R)                                                             \
    static __device__ T name(const void *at)                                                       \
    {                                                                                              \
        R value;                                                                                   \
        asm volatile(form " %0, [%1];" : "=" letter(value) : "l"(at) : "memory");                  \
        return (T)value;                                                                           \
    }
LOAD(load_b8, "ld.relaxed.sys.global.L1::no_allocate.b8", uint8_t, "h", uint16_t)
LOAD(load_b16, "ld.relaxed.gpu.global.b16", uint16_t, "h", uint16_t)
LOAD(load_b32, "ld.acquire.cta.b32", uint32_t, "r", uint32_t)
LOAD(load_b64, "ld.acquire.sys.global.b64", uint64_t, "l", uint64_t)
LOAD(load_mmio, "ld.mmio.relaxed.sys.global.u64", uint64_t, "l", uint64_t)
LOAD(load_volatile, "ld.volatile.global.u32", uint32_t, "r", uint32_t)
LOAD(load_signed, "ld.global.nc.L1::no_allocate.s8", int32_t, "r", int32_t)
LOAD(load_weak, "ld.weak.global.L2::128B.f64", double, "d", double)

#define STORE(name, form, T, letter)                                                               \
    static __device__ void name(void *at, T value)                                                 \
    {                                                                                              \
        asm volatile(form " [%0], %1;" ::"l"(at), letter(value) : "memory");                       \
    }
STORE(store_b8, "st.relaxed.cta.global.L1::no_allocate.b8", uint16_t, "h")
STORE(store_b16, "st.release.gpu.b16", uint16_t, "h")
STORE(store_b32, "st.release.sys.global.b32", uint32_t, "r")
STORE(store_b64, "st.mmio.relaxed.sys.global.b64", uint64_t, "l")
STORE(store_async, "st.async.mmio.release.sys.global.b64", uint64_t, "l")
STORE(store_volatile, "st.volatile.global.f32", float, "f")

__global__ void load_and_store(const uint8_t *from, uint8_t *to)
{
    uint64_t low, high;
    uint32_t w[4];
    store_b8(to, load_b8(from));
    store_b16(to + 2, load_b16(from + 2));
    store_b32(to + 4, load_b32(from + 4) + 1);
    store_b64(to + 8, load_b64(from + 8) + load_mmio(from + 8));
    store_async(to + 16, (uint64_t)(int64_t)load_signed(from + 1));
    store_volatile(to + 24, (float)load_volatile(from + 4));
    store_b64(to + 32, (uint64_t)(load_weak(from + 16) * 4));
    asm volatile("ld.relaxed.sys.global.L1::no_allocate.v2.b64 {%0, %1}, [%2];"
                 : "=l"(low), "=l"(high)
                 : "l"(from));
    asm volatile("st.global.L1::no_allocate.v2.u64 [%0+16], {%1, %2};" ::"l"(to + 32), "l"(high),
                 "l"(low)
                 : "memory");
    asm volatile("ld.global.v4.u32 {%0, %1, _, %2}, [%3 + 0];"
                 : "=r"(w[0]), "=r"(w[1]), "=r"(w[3])
                 : "l"(from));
    asm volatile("st.global.v4.b32 [%0], {%3, %2, 7, %1};" ::"l"(to + 64), "r"(w[0]), "r"(w[1]),
                 "r"(w[3]));
}

static void loads_and_stores_have_their_sizes()
{
    alignas(16) uint8_t given[32] = {0x11, 0xf0, 0x33, 0x44};
    const uint32_t word = 41;
    const uint64_t big = 0x100000002ull;
    const double real = 2.5;
    memcpy(given + 4, &word, 4);
    memcpy(given + 8, &big, 8);
    memcpy(given + 16, &real, 8);
    uint8_t *to = on_device<uint8_t>(nullptr, 80);
    load_and_store<<<1, 1>>>(on_device<uint8_t>(given, sizeof given), to);
    const uint8_t *out = from_device(to, 80);
    uint32_t w[20];
    memcpy(w, out, sizeof w);
    CHECK(out[0] == 0x11 && out[2] == 0x33 && out[3] == 0x44 && w[1] == 42);
    CHECK(w[2] == 4 && w[3] == 2 && w[4] == 0xfffffff0u && w[5] == 0xffffffffu);
    float f;
    memcpy(&f, out + 24, 4);
    CHECK(f == 41 && w[8] == 10 && w[9] == 0);
    CHECK(w[12] == 2 && w[13] == 1 && w[14] == 0x4433f011u && w[15] == 41);
    CHECK(w[16] == 1 && w[17] == 41 && w[18] == 7 && w[19] == 0x4433f011u);
}

/* ---- Order: a message is seen after its flag ---- */

__global__ void pass_messages(uint32_t *flag, uint64_t *data, uint64_t *seen, int rounds)
{
    for (int i = 1; i <= rounds; i++) {
        uint32_t now;
        if (blockIdx.x == 0) {
            asm volatile("st.weak.b64 [%0], %1;" ::"l"(data), "l"((uint64_t)i));
            if (i % 2) {
                asm volatile("fence.release.gpu;");
                asm volatile("st.relaxed.gpu.b32 [%0], %1;" ::"l"(flag), "r"(i));
            } else {
                asm volatile("st.release.gpu.b32 [%0], %1;" ::"l"(flag), "r"(i));
            }
            do
                asm volatile("ld.acquire.gpu.b32 %0, [%1];" : "=r"(now) : "l"(flag + 1));
            while (now != (uint32_t)i);
        } else {
            do
                asm volatile("ld.relaxed.gpu.b32 %0, [%1];" : "=r"(now) : "l"(flag));
            while (now != (uint32_t)i);
            asm volatile("fence.acquire.gpu;");
            *seen += *data;
            asm volatile("membar.gl;");
            asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(flag + 1));
        }
    }
}

static void messages_are_seen_after_their_flags()
{
    uint32_t *flag = on_device<uint32_t>(nullptr, 2);
    uint64_t *data = on_device<uint64_t>(nullptr, 2);
    pass_messages<<<2, 1>>>(flag, data, data + 1, 1000);
    CHECK(from_device(data, 2)[1] == 500500 && from_device(flag, 2)[1] == 1000);
}

/* ---- Atomic instructions ---- */

#define ATOM(form, letter, T, place, ...)                                                          \
    {                                                                                              \
        T old;                                                                                     \
        asm volatile(form : "=" letter(old) : "l"(place), __VA_ARGS__ : "memory");                 \
        place[1] += old;                                                                           \
    }

__global__ void change_atomically(uint32_t *u, uint64_t *l, int32_t *s, float *f, uint32_t *wraps)
{
    const uint32_t me = threadIdx.x + blockIdx.x * blockDim.x;
    uint32_t old;
    asm volatile("atom.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(u), "r"(1u));
    asm volatile("atom.relaxed.gpu.global.max.u32 %0, [%1], %2;" : "=r"(old) : "l"(u + 1), "r"(me));
    asm volatile("red.or.b64 [%0], %1;" ::"l"(l), "l"(1ull << (me % 64)));
    asm volatile("red.relaxed.sys.global.add.u64 [%0], %1;" ::"l"(l + 1), "l"((uint64_t)me));
    asm volatile("red.min.s32 [%0], %1;" ::"l"(s), "r"(-(int)me));
    asm volatile("red.add.f32 [%0], %1;" ::"l"(f), "f"(0.5f));
    asm volatile("atom.inc.u32 %0, [%1], 9;" : "=r"(old) : "l"(wraps));
    asm volatile("atom.acq_rel.sys.dec.u32 _, [%0], 9;" ::"l"(wraps + 1));
    for (;;) { /* a lock */
        asm volatile("atom.acquire.gpu.cas.b32 %0, [%1], 0, 1;"
                     : "=r"(old)
                     : "l"(u + 2)
                     : "memory");
        if (!old)
            break;
    }
    u[3]++;
    asm volatile("atom.release.gpu.exch.b32 %0, [%1], 0;" : "=r"(old) : "l"(u + 2) : "memory");
}

static void atomic_instructions_lose_nothing()
{
    uint32_t *u = on_device<uint32_t>(nullptr, 4), *wraps = on_device<uint32_t>(nullptr, 2);
    uint64_t *l = on_device<uint64_t>(nullptr, 2);
    int32_t *s = on_device<int32_t>(nullptr, 1);
    float *f = on_device<float>(nullptr, 1);
    change_atomically<<<8, 64>>>(u, l, s, f, wraps);
    const uint32_t *v = from_device(u, 4);
    CHECK(v[0] == 512 && v[1] == 511 && v[2] == 0 && v[3] == 512);
    CHECK(from_device(l, 2)[0] == ~0ull && from_device(l, 2)[1] == 511 * 256);
    CHECK(*from_device(s, 1) == -511 && *from_device(f, 1) == 256);
    CHECK(from_device(wraps, 2)[0] == 512 % 10 && from_device(wraps, 2)[1] == 10 - 512 % 10);
}

/* ---- Registers, bytes, arithmetic ---- */

__global__ void compute(uint64_t *out)
{
    uint32_t lane, sm, mask, word, low, high, wide;
    uint64_t clock, time, later, swapped, sum;
    uint16_t half;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm("mov.u32 %0, %%smid;" : "=r"(sm));
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(clock)::"memory");
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time)::"memory");
    asm volatile("nanosleep.u32 %0;" ::"r"(1000u));
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(later)::"memory");
    asm("{\n\t.reg .b32 lo, hi, ign, new_lo, new_hi; // halves\n\t"
        "mov.b64 {lo, hi}, %1;\n\t"
        "prmt.b32 new_hi, lo, ign, 0x0123;\n\t"
        "prmt.b32 new_lo, hi, ign, 0x0123;\n\t"
        "mov.b64 %0, {new_lo, new_hi};\n\t}"
        : "=l"(swapped)
        : "l"(0x0102030405060708ull));
    asm("{.reg .b8 hi, lo; mov.b16 {hi, lo}, %1; mov.b16 %0, {lo, hi};}"
        : "=h"(half)
        : "h"((uint16_t)0x1234));
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(word) : "r"(0x80u), "r"(0x01020304u), "r"(0x8674u));
    asm("{ .reg .pred p; .reg .u32 t;\n setp.lt.u32 p, %1, 20; mad.lo.u32 t, %1, 3, 4;\n"
        " selp.u32 %0, t, 0, p; }"
        : "=r"(low)
        : "r"(lane));
    asm("shr.s32 %0, %1, 40; /* only the sign */" : "=r"(high) : "r"(0x80000000u));
    asm("{ .reg .u64 t; mul.wide.u32 t, %1, %1; cvt.u32.u64 %0, t; }" : "=r"(wide) : "r"(7u));
    sum = 40;
    asm("add.u64 %0, %0, %1;" : "+l"(sum) : "n"(2));
    out += threadIdx.x * 12;
    out[0] = lane == threadIdx.x % 32 && mask == (1u << lane) - 1 && sm < 1024;
    out[1] = clock != 0 && later - time >= 1000 && later - time < 1000000000000ull;
    out[2] = swapped;
    out[3] = half;
    out[4] = word;
    out[5] = low;
    out[6] = high;
    out[7] = wide + sum;
}

static void values_are_computed()
{
    uint64_t *out = on_device<uint64_t>(nullptr, 40 * 12);
    compute<<<1, 40>>>(out);
    const uint64_t *v = from_device(out, 40 * 12);
    for (unsigned i = 0; i < 40; i++, v += 12) {
        CHECK(v[0] == 1 && v[1] == 1 && v[2] == 0x0807060504030201ull && v[3] == 0x3412);
        CHECK(v[4] == 0xff020104u);
        CHECK(v[5] == (i % 32 < 20 ? i % 32 * 3 + 4 : 0) && v[6] == 0xffffffffu && v[7] == 91);
    }
}

/* ---- Shared memory, copies, barriers ---- */

__global__ void copy_by_shared(const uint32_t *from, uint32_t *to)
{
    __shared__ __align__(16) uint32_t words[64];
    const uint32_t at = static_cast<uint32_t>(__cvta_generic_to_shared(words)), me = threadIdx.x;
    uint32_t next;
    if (me % 4 == 0)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at + me * 4),
                     "l"(from + me));
    asm volatile("cp.async.commit_group; cp.async.wait_group 0;");
    asm volatile("bar.sync 0;" ::: "memory");
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(next) : "r"(at + (me ^ 1) * 4));
    asm volatile("barrier.sync 1, %0;" ::"r"(blockDim.x) : "memory");
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(at + me * 4), "r"(next + 1) : "memory");
    asm volatile("bar.warp.sync %0;" ::"r"(0xffffffffu));
    asm volatile("fence.proxy.async.shared::cta; bar.sync 0;" ::: "memory");
    if (me % 16 == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 64;\n"
                     "cp.async.bulk.commit_group;\n"
                     "cp.async.bulk.wait_group 0;" ::"l"(to + me),
                     "r"(at + me * 4)
                     : "memory");
        asm volatile("prefetch.global.L2 [%0];" ::"l"(to));
    }
}

static void shared_memory_is_copied()
{
    uint32_t given[64];
    for (uint32_t i = 0; i < 64; i++)
        given[i] = i * 10;
    uint32_t *to = on_device<uint32_t>(nullptr, 3 * 64);
    copy_by_shared<<<3, 64>>>(on_device<uint32_t>(given, 64), to);
    const uint32_t *v = from_device(to, 64);
    for (uint32_t i = 0; i < 64; i++)
        CHECK(v[i] == (i ^ 1) * 10 + 1);
}

/* Old headers fence so: with a load into what is no result. */
__global__ void fence_by_loads(uint32_t *out)
{
    uint32_t dummy = 3;
    const uint32_t val = 0;
    asm volatile("ld.acquire.cta.b32 %0, [%1];" : : "r"(val), "l"(&dummy));
    asm volatile("st.release.sys.u32 [%0], %1;" : : "l"(&dummy), "r"(val));
    asm volatile("" ::: "memory");
    *out = dummy + val + 5;
}

/* The lowest bit that is set, by a loop; 99 without one, by a jump over it. */
static __device__ uint32_t lowest_bit(uint32_t word)
{
    uint32_t found;
    asm("{\n"
        ".reg .pred none, again;\n"
        ".reg .b32 bit<2>;\n"
        "mov.u32 %0, 99;\n"
        "setp.eq.u32 none, %1, 0;\n"
        "@none bra END;\n"
        "mov.u32 %0, 0;\n"
        "NEXT:\n"
        "shr.u32 bit0, %1, %0;\n"
        "and.b32 bit1, bit0, 1;\n"
        "setp.eq.u32 again, bit1, 0;\n"
        "@again add.u32 %0, %0, 1;\n"
        "@again bra NEXT;\n"
        "END:\n"
        "}"
        : "=&r"(found)
        : "r"(word));
    return found;
}
/* Thread 1 waits in a loop of PTX for thread 0 of another block. */
__global__ void jump(uint32_t *flag, uint32_t *out)
{
    uint32_t seen;
    out[threadIdx.x] = lowest_bit(threadIdx.x ? 1u << (threadIdx.x - 1) : 0);
    if (blockIdx.x == 0)
        asm volatile("{ .reg .pred ready;\n"
                     "WAIT_%=:\n"
                     "ld.acquire.gpu.global.u32 %0, [%1];\n"
                     "setp.ne.u32 ready, %0, 0;\n"
                     "@!ready bra.uni WAIT_%=; }"
                     : "=r"(seen)
                     : "l"(flag)
                     : "memory");
    else
        asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(flag) : "memory");
}

static void jumps_and_predicates_are_done()
{
    uint32_t *flag = on_device<uint32_t>(nullptr, 1), *out = on_device<uint32_t>(nullptr, 33);
    jump<<<2, 33>>>(flag, out);
    const uint32_t *v = from_device(out, 33);
    CHECK(v[0] == 99);
    for (uint32_t i = 1; i < 33; i++)
        CHECK(v[i] == i - 1);
}

/* Thread 0 copies to shared memory, and every thread waits for the bytes, twice. */
__global__ void copy_with_barrier(const uint32_t *from, uint32_t *out)
{
    __shared__ __align__(16) uint32_t words[64];
    __shared__ uint64_t barrier;
    const uint32_t at = static_cast<uint32_t>(__cvta_generic_to_shared(words)),
                   b = static_cast<uint32_t>(__cvta_generic_to_shared(&barrier));
    uint64_t state;
    uint32_t pending, sum = 0;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\n"
                     "fence.mbarrier_init.release.cluster;" ::"r"(b),
                     "r"(blockDim.x)
                     : "memory");
    __syncthreads();
    for (uint32_t phase = 0; phase < 2; phase++) {
        if (threadIdx.x == 0) {
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(b)
                         : "memory");
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                         "[%0], [%1], %2, [%3];" ::"r"(at),
                         "l"(from + 64 * phase), "r"(256), "r"(b)
                         : "memory");
        } else {
            asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%2];\n"
                         "mbarrier.pending_count.b64 %1, %0;"
                         : "=l"(state), "=r"(pending)
                         : "r"(b)
                         : "memory");
            if (pending > blockDim.x)
                sum = 1u << 31;
        }
        asm volatile("{\n"
                     ".reg .pred P1;\n"
                     "LAB_WAIT:\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n"
                     "@P1 bra DONE;\n"
                     "bra LAB_WAIT;\n"
                     "DONE:\n"
                     "}" ::"r"(b),
                     "r"(phase & 1)
                     : "memory");
        sum += words[threadIdx.x];
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}

static void barriers_in_memory_wait_for_threads_and_bytes()
{
    uint32_t given[128];
    for (uint32_t i = 0; i < 128; i++)
        given[i] = i;
    uint32_t *out = on_device<uint32_t>(nullptr, 64);
    copy_with_barrier<<<2, 64>>>(on_device<uint32_t>(given, 128), out);
    const uint32_t *v = from_device(out, 64);
    for (uint32_t i = 0; i < 64; i++)
        CHECK(v[i] == 2 * i + 64);
}

int main()
{
    barriers_in_memory_wait_for_threads_and_bytes();
    jumps_and_predicates_are_done();
    loads_and_stores_have_their_sizes();
    messages_are_seen_after_their_flags();
    atomic_instructions_lose_nothing();
    values_are_computed();
    shared_memory_is_copied();
    uint32_t *out = on_device<uint32_t>(nullptr, 1);
    fence_by_loads<<<1, 1>>>(out);
    CHECK(*from_device(out, 1) == 5);
    puts("good");
    return 0;
}
