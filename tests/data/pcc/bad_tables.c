/* A reaction point that changes the tables of its library to nonsense. */
#include "guest/abi/doca_pcc.h"

#include "nothing.h"

void doca_pcc_dev_user_init(uint32_t *disable_event_bitmask)
{
    (void)disable_event_bitmask;
    _dpa_pcc_state.algorithms[0].known = 1;
    _dpa_pcc_state.algorithms[0].parameter_count = 0x7fffffff;
    _dpa_pcc_state.ports[0].slots[0].known = 1;
}
