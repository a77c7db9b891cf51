/* What guide_flexio.c and its DPA side both know. */
#ifndef TESTS_GUIDE_FLEXIO_H
#define TESTS_GUIDE_FLEXIO_H

#include <stdint.h>

#define LOG_DEPTH 2
#define DEPTH     (1u << LOG_DEPTH)

#ifndef __dpa_global__
#define __dpa_global__
#endif

struct my_db {
    uint64_t flag;
    uint64_t ring, record; /* of a completion queue */
    uint32_t myCq, consumed, outbox;
};

/* A send queue and its CQ. */
struct queue_data {
    uint64_t ring, frame;
    uint32_t key;
    uint16_t posted;
    struct my_db db;
};

struct my_app_data {
    uint64_t answer, host, seen;
    uint32_t mkey, uar;
    struct my_db db;
};

#define DEFAULTS_RAN   1
#define DEFAULT_OUTBOX 2
#define DEFAULT_WINDOW 4

struct pair {
    uint32_t x, y;
} __dpa_global__;

#endif
