/* What the CUDA programs of the tests share. */
#pragma once
#include <stdio.h>
#include <stdlib.h>

#define OK(call)                                                                                   \
    do {                                                                                           \
        const cudaError_t error_ = (call);                                                         \
        if (error_ != cudaSuccess) {                                                               \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(error_));        \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)
#define CHECK(what)                                                                                \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #what);                            \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

template <class T> static inline T *on_device(const T *from, size_t count)
{
    T *at;
    OK(cudaMalloc(&at, count * sizeof(T)));
    if (from)
        OK(cudaMemcpy(at, from, count * sizeof(T), cudaMemcpyHostToDevice));
    return at;
}
template <class T> static inline T *from_device(const T *at, size_t count)
{
    T *to = (T *)malloc(count * sizeof(T));
    OK(cudaMemcpy(to, at, count * sizeof(T), cudaMemcpyDeviceToHost));
    return to;
}
static inline unsigned next_random(unsigned *state)
{
    return *state = *state * 1664525u + 1013904223u;
}
