/* What host and device know of each other. */
#ifndef INITIATOR_TARGET_H
#define INITIATOR_TARGET_H

#include <doca_dpa_types.h>
#include <stddef.h>

#define MESSAGES 4

/* The argument of the thread that receives. Packed: `length` is not aligned. */
struct thread1_arg {
    doca_dpa_dev_t dpa;
    doca_dpa_dev_rdma_t rdma;
    doca_dpa_dev_completion_t completion;
    doca_dpa_dev_notification_completion_t notification;
    doca_dpa_dev_mmap_t map;
    doca_dpa_dev_uintptr_t address;
    size_t length;
} __attribute__((__packed__, aligned(8)));

/* That of the thread that is told when all have come. */
struct thread2_arg {
    doca_dpa_dev_sync_event_t event;
    uint64_t expected;
} __attribute__((__packed__, aligned(8)));

#endif
