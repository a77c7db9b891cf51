/* A reaction point for events that there are not. */
#define _DOCA_PCC_DEV_LIBRARY
#include "nothing.h"

const uint32_t _doca_pcc_dev_event_layout = 4;

void doca_pcc_dev_user_init(uint32_t *disable_event_bitmask)
{
    (void)disable_event_bitmask;
}
