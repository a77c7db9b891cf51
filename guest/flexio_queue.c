/* Doorbells. The host library carries them out. */
#include "guest/abi/flexio_abi.h"
#include "guest/abi/syscall.h"

#include <libflexio-dev/flexio_dev_queue_access.h>

void _flexio_dev_ring(uint32_t queue, uint32_t posted)
{
    dpa_call3(DPA_FLEXIO_CALL(DPA_FLEXIO_RING), queue, posted, 0);
}

void _flexio_dev_arm(uint32_t cq, uint32_t consumed)
{
    dpa_call3(DPA_FLEXIO_CALL(DPA_FLEXIO_ARM), cq, consumed, 0);
}

void _flexio_dev_complete(uint32_t cq)
{
    dpa_call3(DPA_FLEXIO_CALL(DPA_FLEXIO_COMPLETE), cq, 0, 0);
}

void _flexio_dev_eq_consumed(uint32_t eq, uint32_t consumed)
{
    dpa_call3(DPA_FLEXIO_CALL(DPA_FLEXIO_EQ_CONSUMED), eq, consumed, 0);
}

void flexio_dev_event_handler_activate(uint32_t activation_id)
{
    dpa_call3(DPA_FLEXIO_CALL(DPA_FLEXIO_ACTIVATE), activation_id, 0, 0);
}

void _flexio_dev_posted(void)
{
    dpa_call0(DPA_FLEXIO_CALL(DPA_FLEXIO_POSTED));
}

void _flexio_dev_no_hardware(enum _flexio_dev_missing what)
{
    dpa_call3(DPA_FLEXIO_CALL(DPA_FLEXIO_NO_HARDWARE), what, 0, 0);
    __builtin_trap();
}
