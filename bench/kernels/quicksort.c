/* Quicksort of 2^16 numbers, with insertion sort of the small parts: recursion, branches that
 * nobody predicts. */
#include "kernel.h"

enum { ROUNDS = 100, COUNT = 1 << 16, SMALL = 12 };

static uint32_t numbers[COUNT];

static void swap(uint32_t *a, uint32_t *b)
{
    uint32_t t = *a;
    *a = *b;
    *b = t;
}

static __attribute__((noinline)) void insertion_sort(uint32_t *at, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        uint32_t v = at[i];
        size_t j = i;
        for (; j > 0 && at[j - 1] > v; j--)
            at[j] = at[j - 1];
        at[j] = v;
    }
}

static uint32_t median_of_three(uint32_t *at, size_t count)
{
    uint32_t *low = at, *middle = at + count / 2, *high = at + count - 1;
    if (*low > *middle)
        swap(low, middle);
    if (*middle > *high)
        swap(middle, high);
    if (*low > *middle)
        swap(low, middle);
    return *middle;
}

static __attribute__((noinline)) void quicksort(uint32_t *at, size_t count)
{
    while (count > SMALL) {
        uint32_t pivot = median_of_three(at, count);
        uint32_t *low = at, *high = at + count - 1;
        for (;; low++, high--) {
            while (*low < pivot)
                low++;
            while (*high > pivot)
                high--;
            if (low >= high)
                break;
            swap(low, high);
        }
        size_t smaller = (size_t)(low - at);
        quicksort(at, smaller);
        at = low;
        count -= smaller;
    }
    insertion_sort(at, count);
}

uint64_t kernel(void)
{
    uint64_t seed = 7, sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < COUNT; i++)
            numbers[i] = (uint32_t)(next_number(&seed) >> 32);
        quicksort(numbers, COUNT);
        for (size_t i = 1; i < COUNT; i += 61)
            sum = add_to_checksum(sum, numbers[i] - numbers[i - 1]);
    }
    return sum;
}
