/* What devemu_cases.c and its device program share. */
#ifndef TESTS_HOST_DEVEMU_H
#define TESTS_HOST_DEVEMU_H

#include <stdint.h>

struct bell {
    uint64_t completion, data;
    uint32_t value, rings;
};

#endif
