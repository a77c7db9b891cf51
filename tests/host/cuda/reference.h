/* The same computations in C. */
#pragma once
#include <stddef.h>
#include <string.h>

static inline void c_vector_add(const float *a, const float *b, float *sum, int n)
{
    for (int i = 0; i < n; i++)
        sum[i] = a[i] + b[i];
}
static inline long long c_reduce(const int *in, int n)
{
    long long sum = 0;
    for (int i = 0; i < n; i++)
        sum += in[i];
    return sum;
}
static inline void c_scan(const int *in, int *out, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        out[i] = sum += in[i];
}
static inline void c_histogram(const unsigned char *in, int n, unsigned *counts)
{
    for (int i = 0; i < n; i++)
        counts[in[i]]++;
}
static inline void c_crc_table(unsigned *table)
{
    for (unsigned i = 0; i < 256; i++) {
        unsigned value = i;
        for (int k = 0; k < 8; k++)
            value = value & 1 ? 0xedb88320u ^ value >> 1 : value >> 1;
        table[i] = value;
    }
}
static inline void c_crc(const unsigned *table, const unsigned char *packets, int size, int count,
                         unsigned *out)
{
    for (int i = 0; i < count; i++) {
        unsigned value = 0xffffffffu;
        for (int k = 0; k < size; k++)
            value = table[(value ^ packets[(size_t)i * size + k]) & 0xff] ^ value >> 8;
        out[i] = ~value;
    }
}
static inline void c_multiply(const float *a, const float *b, float *out, int n)
{
    memset(out, 0, sizeof(float) * n * n);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                out[i * n + j] += a[i * n + k] * b[k * n + j];
}
struct c_row {
    unsigned key, value;
};
static inline unsigned long long c_join(const struct c_row *left, int count,
                                        const struct c_row *right, int others, struct c_row *table,
                                        unsigned mask)
{
    unsigned long long sum = 0;
    for (int i = 0; i < count; i++) {
        unsigned slot = left[i].key * 2654435761u >> 8 & mask;
        while (table[slot].key)
            slot = (slot + 1) & mask;
        table[slot] = left[i];
    }
    for (int i = 0; i < others; i++) {
        unsigned slot = right[i].key * 2654435761u >> 8 & mask;
        while (table[slot].key && table[slot].key != right[i].key)
            slot = (slot + 1) & mask;
        if (table[slot].key)
            sum += (unsigned long long)table[slot].value * right[i].value;
    }
    return sum;
}
static inline void c_stencil(const float *in, float *out, int width, int height)
{
    for (int y = 1; y < height - 1; y++)
        for (int x = 1; x < width - 1; x++) {
            const int i = y * width + x;
            out[i] =
                0.5f * in[i] + 0.125f * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
        }
}
static inline void c_bitonic_sort(unsigned *piece, unsigned n)
{
    for (unsigned size = 2; size <= n; size *= 2)
        for (unsigned step = size / 2; step > 0; step /= 2)
            for (unsigned k = 0; k < n / 2; k++) {
                const unsigned i = 2 * k - (k & (step - 1)), j = i + step;
                const unsigned a = piece[i], b = piece[j];
                if ((a > b) == ((i & size) == 0)) {
                    piece[i] = b;
                    piece[j] = a;
                }
            }
}
static inline void c_checksum(const unsigned short *packets, int words, int count,
                              unsigned short *out)
{
    for (int i = 0; i < count; i++) {
        unsigned sum = 0;
        for (int k = 0; k < words; k++)
            sum += packets[(size_t)i * words + k];
        sum = (sum & 0xffff) + (sum >> 16);
        sum = (sum & 0xffff) + (sum >> 16);
        out[i] = (unsigned short)~sum;
    }
}
