/* What host and device code of the DOCA 3.x tests share. */
#ifndef TESTS_HOST_DOCA3_H
#define TESTS_HOST_DOCA3_H

#include <stdint.h>

/* A structure of 80 bytes that goes to an RPC by value, with the annotation after the brace. */
struct big {
    uint64_t first;
    uint32_t small;
    uint8_t bytes[60];
    uint64_t last;
} __dpa_global__;

/* What a thread's argument points to, packed as in programs for the real thing. */
struct thread_arg {
    uint32_t kind;
    uint64_t event;
    uint64_t notify;
    uint64_t queue;
    uint64_t asked;
} __attribute__((__packed__, aligned(8)));

/* What rdma_one posts. */
enum {
    RDMA_RECEIVE,
    RDMA_SEND,
    RDMA_WRITE,
    RDMA_WRITE_IMMEDIATE,
    RDMA_READ,
    RDMA_ADD,
    RDMA_SIGNAL_ADD,
    RDMA_SIGNAL_SET,
    RDMA_SEND_IMMEDIATE
};

enum { THEN_RESCHEDULE, THEN_FINISH, THEN_RETURN, THEN_NOTIFY, THEN_POLL, THEN_RETRIGGER };

#endif
