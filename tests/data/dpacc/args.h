/* Types that cross from host to DPA by value, seen by both compilers. */
#ifndef ARGS_H
#define ARGS_H
#include <stdbool.h>
#include <stdint.h>
#ifndef __DPA__
#define __dpa_global__
#define __dpa_rpc__
#endif

enum color { RED = 1, GREEN = 2, BLUE = 0x70000000 };
enum __attribute__((packed)) small { NONE, ONE };

struct big {
    uint64_t words[9];
    uint32_t a, b;
} __dpa_global__;

struct tight {
    uint8_t tag;
    uint64_t value;
    uint16_t tail;
} __attribute__((packed)) __dpa_global__;

struct inner {
    uint16_t x;
    struct tight t;
};
struct nested {
    struct inner pair[2];
    union {
        uint32_t word;
        uint8_t bytes[4];
    };
    enum color color;
    bool flag;
    uint8_t grid[2][3];
} __dpa_global__;

struct tiny {
    uint8_t r, g, b;
} __dpa_global__;

struct bits {
    uint32_t low : 5, : 3, high : 20;
    int32_t negative : 4;
} __dpa_global__;

#pragma pack(push, 4)
struct pragma4 {
    uint32_t first;
    uint64_t second;
} __dpa_global__;
#pragma pack(pop)

#pragma pack(push, 1)
struct close {
    uint8_t low : 3;
    uint32_t word;
    uint16_t some : 9;
    uint64_t last;
} __dpa_global__;
#pragma pack(pop)
#pragma pack(push, 2)
struct near {
    uint32_t low : 30;
    uint16_t half;
    uint64_t last;
} __dpa_global__;
#pragma pack(pop)
struct far {
    uint32_t low : 4;
    uint64_t big __attribute__((aligned(32)));
    uint8_t end;
} __dpa_global__;
struct sixteen {
    int8_t minus : 2;
    uint64_t big : 60;
    uint32_t last : 4;
} __dpa_global__;

struct wide {
    uint32_t at0;
    uint64_t at16 __attribute__((aligned(16)));
} __dpa_global__;

__dpa_global__ typedef struct {
    int32_t left;
    int32_t right;
} anonymous_t;

__dpa_global__ typedef uint64_t handle_t;
#endif
