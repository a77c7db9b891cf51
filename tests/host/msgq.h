/* What msgq_cases.c and its device program share. */
#ifndef TESTS_HOST_MSGQ_H
#define TESTS_HOST_MSGQ_H

#include <stdint.h>

struct echo_arg {
    uint64_t consumer, completion, producer;
    uint64_t left; /* messages until the thread fails; 0: it does not */
};

#define NOTHING UINT64_MAX

#endif
