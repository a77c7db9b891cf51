/* Declarations that the files of pcc share. */
#ifndef DPK_API_PCC_PRIVATE_H
#define DPK_API_PCC_PRIVATE_H

#include <doca_pcc_dev_data_structures.h>

#include "api/pcc/pcc.h"
#include "guest/abi/pcc_abi.h"

/* The data of one event in the program's memory. Both guards hold PCC_GUARD: a program that writes
 * outside its context changes them. */
#define PCC_GUARD       0xc5
#define PCC_GUARD_BYTES 208
struct event_work {
    uint8_t before[64];
    doca_pcc_dev_algo_ctxt_t context;
    uint8_t behind[PCC_GUARD_BYTES];
    uint8_t event[DPA_PCC_EVENT];
    doca_pcc_dev_attr_t attr;
    struct dpa_pcc_results results;
};
/* The data of one packet. */
struct packet_work {
    struct dpa_pcc_answer answer;
    struct doca_pcc_np_dev_request_packet request;
    uint8_t data[DPA_PCC_RESPONSE];
    uint8_t packet[DPK_PCC_PACKET_MAX];
};

/* A thread of the program. Each has its own cache lines. */
struct pcc_thread {
    _Alignas(64) struct dpk_direct *direct;
    void *work; /* in memory of the host; the program can write to it at any time */
    struct dpa_pcc_arguments arguments;
    struct dpk_pcc_stats stats;
};

/* Names and descriptions of an algorithm: its own, then its parameters', then its counters'. */
#define PCC_TEXTS (1 + DPA_PCC_PARAMETERS + DPA_PCC_COUNTERS)
struct pcc_text {
    char name[DPK_PCC_NAME_MAX], description[DPK_PCC_NAME_MAX];
};

struct dpk_pcc {
    struct dpk_process *process;
    struct dpk_pcc_options options;
    struct dpa_pcc_program program;
    enum dpa_pcc_layout layout;  /* of a reaction point's events */
    struct dpa_pcc_state *state; /* the program's, in memory of the host */
    uint32_t disabled;           /* types of events that the program has masked out */
    struct pcc_thread *threads;
    pthread_mutex_t lock;       /* for the following */
    struct dpk_direct *control; /* runs all functions except events and packets */
    struct pcc_text *texts[DPA_PCC_ALGORITHMS];
};

/* The call of one of the program's functions. */
static inline struct dpk_call pcc_call(const struct dpk_pcc *pcc, uint64_t function)
{
    return (struct dpk_call){function, pcc->program.call, sizeof(struct dpa_pcc_arguments)};
}
/* Runs a function on the control thread, with its lock. */
enum dpk_status pcc_control(struct dpk_pcc *pcc, uint64_t function,
                            const struct dpa_pcc_arguments *arguments, uint32_t *result,
                            struct dpk_error *err);
/* Reads the texts of all registered algorithms. */
enum dpk_status pcc_read_texts(struct dpk_pcc *pcc, struct dpk_error *err);
void pcc_free_texts(struct dpk_pcc *pcc);

#endif
