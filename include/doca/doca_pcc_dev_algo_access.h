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

/* The target of a slot in the calls below: 0, a reaction point; or a notification point, which has no
 * algorithms. */
#define DOCA_PCC_DEV_TARGET_APP_RP (0)
#define DOCA_PCC_DEV_TARGET_APP_NP (1)
#define DOCA_PCC_DEV_ALGO_SLOT(target_app, ppcc_algo_slot)                                         \
    (((target_app) << 16) | ((ppcc_algo_slot)&0xffff))

/* The description of an algorithm. */
struct doca_pcc_dev_algo_meta_data {
    uint32_t algo_id;
    uint32_t algo_major_version;
    uint32_t algo_minor_version;
    uint32_t algo_desc_size; /* bytes of its description, with the NUL */
    uint64_t algo_desc_addr; /* address of its description; keep the text */
};

/* Call these four functions in doca_pcc_dev_user_init. They return DOCA_PCC_DEV_STATUS_FAIL if a number
 * is out of range, and change nothing then. */

/* Registers algorithm `algo_idx` (less than DOCA_PCC_DEV_MAX_NUM_ALGOS) with its number of parameters
 * and counters. */
doca_pcc_dev_error_t
doca_pcc_dev_algo_init_metadata(uint32_t algo_idx,
                                const struct doca_pcc_dev_algo_meta_data *user_def,
                                uint32_t param_num, uint32_t counter_num);
/* Defines a parameter. `permissions` 1: the host may set it. */
doca_pcc_dev_error_t doca_pcc_dev_algo_init_param(uint32_t algo_idx, uint32_t param_id,
                                                  uint32_t default_value, uint32_t max_value,
                                                  uint32_t min_value, uint32_t permissions,
                                                  uint32_t param_desc_size,
                                                  uint64_t param_desc_addr);
/* Defines a counter. */
doca_pcc_dev_error_t doca_pcc_dev_algo_init_counter(uint32_t algo_idx, uint32_t counter_id,
                                                    uint32_t max_value, uint32_t permissions,
                                                    uint32_t counter_desc_size,
                                                    uint64_t counter_desc_addr);
/* Puts a registered algorithm into a slot of a port, with the default parameters. `algo_en` 1: the slot
 * is enabled. The first enabled slot gets the port's events. */
doca_pcc_dev_error_t doca_pcc_dev_init_algo_slot(uint32_t portid, uint32_t algo_slot,
                                                 uint32_t algo_idx, uint32_t algo_en);

/* For the algorithm in a slot of a port: return its values (NULL if the slot is empty), and their
 * number. */
uint32_t *doca_pcc_dev_get_counters(uint32_t port_num, uint32_t algo_slot);
uint32_t doca_pcc_dev_get_counters_num(uint32_t port_num, uint32_t algo_slot);
uint32_t *doca_pcc_dev_get_algo_params(uint32_t port_num, uint32_t algo_slot);
uint32_t doca_pcc_dev_get_algo_params_num(uint32_t port_num, uint32_t algo_slot);
/* Returns the algorithm's number; DOCA_PCC_DEV_ALGO_INDEX_INTERNAL if the slot is empty. */
uint32_t doca_pcc_dev_get_algo_index(uint32_t port_num, uint32_t algo_slot);

#ifdef __cplusplus
}
#endif

#endif
