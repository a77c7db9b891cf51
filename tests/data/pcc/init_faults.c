/* A reaction point whose initialization faults. */
#include "nothing.h"

void doca_pcc_dev_user_init(uint32_t *disable_event_bitmask)
{
    (void)disable_event_bitmask;
    *(volatile uint32_t *)8 = 1;
}
