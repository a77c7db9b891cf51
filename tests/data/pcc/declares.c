/* A reaction point that declares its memory (DOCA 3.3), and prints how many calls answered wrongly. */
#include <doca_pcc_dev_algo_access.h>

#include "nothing.h"

static unsigned bad;

void doca_pcc_dev_user_declare_memory(void)
{
    bad += doca_pcc_dev_declare_num_counter_groups(0) == 0;
    bad += doca_pcc_dev_declare_num_counter_groups(9) == 0;
    bad += doca_pcc_dev_declare_num_counter_groups(8) != 0;
    bad += doca_pcc_dev_declare_algo(1, 2, 1) == 0; /* no slot yet */
    bad += doca_pcc_dev_declare_slot_algo(99, 2, 1) == 0;
    bad += doca_pcc_dev_declare_slot_algo(0, 8, 1) == 0;
    bad += doca_pcc_dev_declare_slot_algo(0, 2, 8) == 0;
    bad += doca_pcc_dev_declare_slot_algo(0, 2, 1) != 0;
    bad += doca_pcc_dev_declare_slot_algo(0, 3, 1) != 0;
    bad += doca_pcc_dev_declare_slot_algo(0, 3, DOCA_PCC_DEV_SLOT_UNASSIGNED) != 0;
    bad += doca_pcc_dev_declare_algo(8, 2, 1) == 0;
    bad += doca_pcc_dev_declare_algo(1, 0x27, 1) == 0;
    bad += doca_pcc_dev_declare_algo(1, 2, 0x40) == 0;
    bad += doca_pcc_dev_declare_algo(1, 2, 1) != 0;
}

void doca_pcc_dev_user_init(uint32_t *disable_event_bitmask)
{
    const struct doca_pcc_dev_algo_meta_data def = {.algo_id = 1};
    (void)disable_event_bitmask;
    bad += doca_pcc_dev_declare_num_counter_groups(8) == 0; /* too late */
    bad += doca_pcc_dev_declare_slot_algo(0, 4, 1) == 0;
    bad += doca_pcc_dev_declare_algo(1, 3, 1) == 0;
    bad += doca_pcc_dev_algo_init_metadata(0, &def, 0, 0) == 0; /* not declared */
    bad += doca_pcc_dev_algo_init_metadata(1, &def, 3, 1) == 0;
    bad += doca_pcc_dev_algo_init_metadata(1, &def, 2, 2) == 0;
    bad += doca_pcc_dev_algo_init_metadata(1, &def, 2, 1) != 0;
    bad += doca_pcc_dev_init_algo_slot(0, 3, 1, 1) == 0;
    bad += doca_pcc_dev_init_algo_slot(1, 2, 1, 1) == 0;
    bad += doca_pcc_dev_init_algo_slot(0, 2, 1, 1) != 0;
    bad += doca_pcc_dev_get_dscp(NULL) != 0 || doca_pcc_dev_get_cc_hint_id(NULL) != 0;
    bad += doca_pcc_dev_get_cc_hint_usn(NULL, 1) != 0 || doca_pcc_dev_get_cc_hint(NULL, 1) != NULL;
    doca_pcc_dev_printf("%s: %u\n", __func__, bad);
}
