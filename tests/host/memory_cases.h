/* What host and device code of the DOCA 2.2 memory tests share. */
#ifndef TESTS_HOST_MEMORY_CASES_H
#define TESTS_HOST_MEMORY_CASES_H

#include <stdint.h>

struct widths {
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    int32_t i32;
    int64_t i32_as_64;
};

#endif
