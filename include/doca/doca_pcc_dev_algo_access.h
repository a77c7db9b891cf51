/*
 * doca_pcc_dev_algo_access: algorithms of congestion control, their parameters and counters, which
 * the host reads and sets.
 *
 *     static const char name[] = "my algorithm", gain[] = "GAIN, what a CNP takes, in 1/65536";
 *     struct doca_pcc_dev_algo_meta_data def = {.algo_id = 0xBFFF, .algo_minor_version = 1,
 *         .algo_desc_size = sizeof name, .algo_desc_addr = (uint64_t)name};
 *     doca_pcc_dev_algo_init_metadata(0, &def, 1, 0);                  // 1 parameter, no counter
 *     doca_pcc_dev_algo_init_param(0, 0, 6553, 65536, 1, 1, sizeof gain, (uint64_t)gain);
 *     doca_pcc_dev_init_algo_slot(port, 0, 0, 1);
 *     ...
 *     uint32_t g = doca_pcc_dev_get_algo_params(port, 0)[0];
 */
#ifndef DOCA_PCC_DEV_ALGO_ACCESS_H
#define DOCA_PCC_DEV_ALGO_ACCESS_H

#include "doca_pcc_dev.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whose algorithm a slot means, in the calls below: 0, a reaction point's; or a notification point's,
 * of which there are none. */
#define DOCA_PCC_DEV_TARGET_APP_RP (0)
#define DOCA_PCC_DEV_TARGET_APP_NP (1)
#define DOCA_PCC_DEV_ALGO_SLOT(target_app, ppcc_algo_slot)                                         \
    (((target_app) << 16) | ((ppcc_algo_slot)&0xffff))

/* What an algorithm is called. */
struct doca_pcc_dev_algo_meta_data {
    uint32_t algo_id;
    uint32_t algo_major_version;
    uint32_t algo_minor_version;
    uint32_t algo_desc_size; /* bytes of its description, with the NUL */
    uint64_t algo_desc_addr; /* address of its description, which must stay */
};

/* These four are for doca_pcc_dev_user_init. They return DOCA_PCC_DEV_STATUS_FAIL for numbers that
 * are out of range, and change nothing then. */

/* Algorithm `algo_idx` (below DOCA_PCC_DEV_MAX_NUM_ALGOS) with so many parameters and counters. */
doca_pcc_dev_error_t
doca_pcc_dev_algo_init_metadata(uint32_t algo_idx,
                                const struct doca_pcc_dev_algo_meta_data *user_def,
                                uint32_t param_num, uint32_t counter_num);
/* One of its parameters; `permissions` 1: the host may set it. */
doca_pcc_dev_error_t doca_pcc_dev_algo_init_param(uint32_t algo_idx, uint32_t param_id,
                                                  uint32_t default_value, uint32_t max_value,
                                                  uint32_t min_value, uint32_t permissions,
                                                  uint32_t param_desc_size,
                                                  uint64_t param_desc_addr);
/* One of its counters. */
doca_pcc_dev_error_t doca_pcc_dev_algo_init_counter(uint32_t algo_idx, uint32_t counter_id,
                                                    uint32_t max_value, uint32_t permissions,
                                                    uint32_t counter_desc_size,
                                                    uint64_t counter_desc_addr);
/* Puts an algorithm that is known into a slot of a port, with its parameters as they are by default;
 * `algo_en` 1: it is enabled. The first slot that is enabled gets the port's events. */
doca_pcc_dev_error_t doca_pcc_dev_init_algo_slot(uint32_t portid, uint32_t algo_slot,
                                                 uint32_t algo_idx, uint32_t algo_en);

/* Of the algorithm in a slot of a port: its values, NULL if there is none, and how many there are. */
uint32_t *doca_pcc_dev_get_counters(uint32_t port_num, uint32_t algo_slot);
uint32_t doca_pcc_dev_get_counters_num(uint32_t port_num, uint32_t algo_slot);
uint32_t *doca_pcc_dev_get_algo_params(uint32_t port_num, uint32_t algo_slot);
uint32_t doca_pcc_dev_get_algo_params_num(uint32_t port_num, uint32_t algo_slot);
/* Its number; DOCA_PCC_DEV_ALGO_INDEX_INTERNAL if there is none. */
uint32_t doca_pcc_dev_get_algo_index(uint32_t port_num, uint32_t algo_slot);

#ifdef __cplusplus
}
#endif

#endif
