#ifndef TESTS_SAMPLES_NVQUAL_DEFS_H
#define TESTS_SAMPLES_NVQUAL_DEFS_H

#include <stdint.h>

struct dpa_nvqual_tls {
    uint64_t eu;
    uint64_t data_ptr;
    uint64_t data_size;
    uint64_t num_ops;
    uint64_t cycles;
    uint64_t completion_event;
} __attribute__((__packed__, aligned(8)));

#endif
