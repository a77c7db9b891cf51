/* A reaction point's other functions, which do nothing. */
#ifndef PCC_NOTHING_H
#define PCC_NOTHING_H

#include <doca_pcc_dev.h>

void doca_pcc_dev_user_algo(doca_pcc_dev_algo_ctxt_t *algo_ctxt, doca_pcc_dev_event_t *event,
                            const doca_pcc_dev_attr_t *attr, doca_pcc_dev_results_t *results)
{
    (void)algo_ctxt;
    (void)event;
    (void)attr;
    (void)results;
}

doca_pcc_dev_error_t doca_pcc_dev_user_set_algo_params(uint32_t port_num, uint32_t algo_slot,
                                                       uint32_t param_id_base, uint32_t param_num,
                                                       const uint32_t *new_param_values,
                                                       uint32_t *params)
{
    (void)port_num;
    (void)algo_slot;
    (void)param_id_base;
    (void)param_num;
    (void)new_param_values;
    (void)params;
    return DOCA_PCC_DEV_STATUS_OK;
}

#endif
