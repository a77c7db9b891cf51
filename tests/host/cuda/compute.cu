/* compute [bench]: runs ten kernels and the same in C, and compares the results. With "bench" it prints
 * the processor time of both, in microseconds: NAME KERNEL C. */
#include "kernels.cuh"
#include "reference.h"
#include <algorithm>
#include <math.h>
#include <time.h>

static unsigned state = 1;
static bool bench;

static double now_us()
{
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* Takes the best of several times. */
template <class Kernel, class C> static void compare(const char *name, Kernel kernel, C c)
{
    double best[2] = {1e12, 1e12};
    for (int i = 0; i < (bench ? 7 : 1); i++) {
        const double begin = now_us();
        kernel();
        OK(cudaDeviceSynchronize());
        const double middle = now_us();
        c();
        const double end = now_us();
        best[0] = std::min(best[0], middle - begin);
        best[1] = std::min(best[1], end - middle);
    }
    if (bench)
        printf("%s %.1f %.1f\n", name, best[0], best[1]);
    else
        printf("%s\n", name);
}

template <class T> static T *numbers(size_t count)
{
    T *at = (T *)malloc(count * sizeof(T));
    for (size_t i = 0; i < count; i++)
        at[i] = (T)(next_random(&state) >> 16);
    return at;
}

static bool near(const float *a, const float *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (fabsf(a[i] - b[i]) > 1e-4f * (1 + fabsf(b[i])))
            return false;
    return true;
}

static void add(int n)
{
    float *a = numbers<float>(n), *b = numbers<float>(n), *sum = numbers<float>(n);
    float *da = on_device(a, n), *db = on_device(b, n), *dsum = on_device(sum, n);
    compare("vector_add", [&] { vector_add<<<(n + 255) / 256, 256>>>(da, db, dsum, n); },
            [&] { c_vector_add(a, b, sum, n); });
    CHECK(memcmp(from_device(dsum, n), sum, n * sizeof *sum) == 0);
}

static void sum_up(int n)
{
    int *in = numbers<int>(n);
    long long expected = 0, zero = 0, *sum = on_device(&zero, 1);
    int *din = on_device(in, n);
    compare("reduce",
            [&] {
                OK(cudaMemsetAsync(sum, 0, sizeof *sum));
                reduce<<<16, 256>>>(din, n, sum);
            },
            [&] { expected = c_reduce(in, n); });
    CHECK(*from_device(sum, 1) == expected);
}

static void prefix(int blocks)
{
    const int piece = 256 * EACH, n = blocks * piece;
    int *in = numbers<int>(n), *out = numbers<int>(n);
    int *din = on_device(in, n), *dout = on_device(out, n);
    compare("scan", [&] { scan<<<blocks, 256, 256 * sizeof(int)>>>(din, dout, nullptr); },
            [&] {
                for (int i = 0; i < blocks; i++)
                    c_scan(in + i * piece, out + i * piece, piece);
            });
    CHECK(memcmp(from_device(dout, n), out, n * sizeof *out) == 0);
}

static void count(int n)
{
    unsigned char *in = numbers<unsigned char>(n);
    unsigned expected[256] = {0}, *counts = on_device(expected, 256);
    unsigned char *din = on_device(in, n);
    compare("histogram",
            [&] {
                OK(cudaMemsetAsync(counts, 0, sizeof expected));
                histogram<<<16, 256>>>(din, n, counts);
            },
            [&] {
                memset(expected, 0, sizeof expected);
                c_histogram(in, n, expected);
            });
    CHECK(memcmp(from_device(counts, 256), expected, sizeof expected) == 0);
}

static void crcs(int packets)
{
    const int size = 256;
    unsigned table[256];
    unsigned char *in = numbers<unsigned char>((size_t)size * packets);
    unsigned *out = numbers<unsigned>(packets), *dout = on_device(out, packets);
    unsigned char *din = on_device(in, (size_t)size * packets);
    c_crc_table(table);
    OK(cudaMemcpyToSymbol(crc_table, table, sizeof table));
    compare("crc", [&] { crc<<<(packets + 63) / 64, 64>>>(din, size, packets, dout); },
            [&] { c_crc(table, in, size, packets, out); });
    CHECK(memcmp(from_device(dout, packets), out, packets * sizeof *out) == 0);
}

static void matrices(int n)
{
    const size_t all = (size_t)n * n;
    float *a = numbers<float>(all), *b = numbers<float>(all), *out = numbers<float>(all);
    float *da = on_device(a, all), *db = on_device(b, all), *dout = on_device(out, all);
    compare("matrix",
            [&] { multiply<<<dim3(n / TILE, n / TILE), dim3(TILE, ROWS)>>>(da, db, dout, n); },
            [&] { c_multiply(a, b, out, n); });
    CHECK(near(from_device(dout, all), out, all));
}

static void join(int n)
{
    unsigned mask = 1;
    while (mask < 2u * n)
        mask = 2 * mask + 1;
    c_row *left = (c_row *)numbers<unsigned>(2 * n), *right = (c_row *)numbers<unsigned>(2 * n);
    for (int i = 0; i < n; i++) {
        left[i].key = i * 7 + 1;
        right[i].key = next_random(&state) % (14u * n) + 1;
    }
    c_row *table = (c_row *)calloc(mask + 1, sizeof *table);
    unsigned long long expected = 0, *sum = on_device(&expected, 1);
    row *dleft = on_device((row *)left, n), *dright = on_device((row *)right, n);
    row *dtable = on_device((row *)table, mask + 1);
    compare("join",
            [&] {
                OK(cudaMemsetAsync(dtable, 0, (mask + 1) * sizeof *dtable));
                OK(cudaMemsetAsync(sum, 0, sizeof *sum));
                join_build<<<(n + 255) / 256, 256>>>(dleft, n, dtable, mask);
                join_probe<<<(n + 255) / 256, 256>>>(dright, n, dtable, mask, sum);
            },
            [&] {
                memset(table, 0, (mask + 1) * sizeof *table);
                expected = c_join(left, n, right, n, table, mask);
            });
    CHECK(*from_device(sum, 1) == expected && expected);
}

static void stencils(int width, int height)
{
    const size_t all = (size_t)width * height;
    float *in = numbers<float>(all), *out = numbers<float>(all);
    float *din = on_device(in, all), *dout = on_device(out, all);
    compare("stencil",
            [&] {
                stencil<<<dim3((width + 63) / 64, (height + 3) / 4), dim3(64, 4)>>>(din, dout, width,
                                                                                    height);
            },
            [&] { c_stencil(in, out, width, height); });
    CHECK(near(from_device(dout, all), out, all));
}

static void sorts(int pieces)
{
    const int n = pieces * PIECE;
    unsigned *in = numbers<unsigned>(n), *out = numbers<unsigned>(n), *dout = on_device(in, n);
    for (int i = 0; i < n; i++)
        in[i] = next_random(&state);
    compare("sort",
            [&] {
                OK(cudaMemcpyAsync(dout, in, n * sizeof *in, cudaMemcpyHostToDevice));
                bitonic_sort<<<pieces, 128>>>(dout);
            },
            [&] {
                memcpy(out, in, n * sizeof *in);
                for (int i = 0; i < pieces; i++)
                    c_bitonic_sort(out + i * PIECE, PIECE);
            });
    CHECK(memcmp(from_device(dout, n), out, n * sizeof *out) == 0);
    CHECK(std::is_sorted(out, out + PIECE));
}

static void checksums(int packets)
{
    const int words = 720;
    unsigned short *in = numbers<unsigned short>((size_t)words * packets);
    unsigned short *out = numbers<unsigned short>(packets), *dout = on_device(out, packets);
    unsigned short *din = on_device(in, (size_t)words * packets);
    compare("checksum", [&] { checksum<<<(packets + 7) / 8, 256>>>(din, words, packets, dout); },
            [&] { c_checksum(in, words, packets, out); });
    CHECK(memcmp(from_device(dout, packets), out, packets * sizeof *out) == 0);
}

int main(int argc, char **argv)
{
    bench = argc > 1 && strcmp(argv[1], "bench") == 0;
    const int size = bench ? 16 : 1;
    add(65536 * size + 3);
    sum_up(65536 * size + 5);
    prefix(4 * size);
    count(65536 * size + 7);
    crcs(256 * size + 1);
    matrices(bench ? 256 : 64);
    join(4096 * size);
    stencils(256 * (bench ? 4 : 1) + 1, 64 * (bench ? 4 : 1) + 3);
    sorts(2 * size);
    checksums(64 * size + 1);
    return 0;
}
