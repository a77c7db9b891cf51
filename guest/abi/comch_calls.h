/* Arguments of the calls for message queues (doca_calls.h), and the data that the host writes for
 * the device library into memory of the DPA. */
#ifndef DPK_GUEST_ABI_COMCH_CALLS_H
#define DPK_GUEST_ABI_COMCH_CALLS_H

#include "doca_calls.h"

#define DPA_COMCH_IMM_MAX 32u

#define DPA_COMCH_REPORT         0
#define DPA_COMCH_REPORT_IF_ROOM 1 /* success is reported if the completion queue has room */
#define DPA_COMCH_SILENT         2 /* success is not reported */
struct dpa_comch_send {
    uint32_t consumer, report, imm_size;
    uint32_t to, from, reserved; /* memory maps of a copy before the message */
    uint64_t to_address, from_address, length;
    uint8_t imm[DPA_COMCH_IMM_MAX];
};

/* A received message. */
struct dpa_comch_message {
    uint8_t imm[DPA_COMCH_IMM_MAX];
    uint32_t imm_size, producer, user_data, reserved;
};

/* A consumer completion is a completion queue. The wqe_counter of an element is the index of the
 * received message here. */
struct dpa_comch_completion {
    uint64_t queue;
    uint64_t reserved;
    struct dpa_comch_message messages[];
};

#endif
