/* Functions for congestion control programs of both roles. */
#include "guest/abi/doca_pcc.h"
#include "message.h"

#include <doca_pcc_dev_common.h>
#include <libflexio-dev/flexio_dev.h>
#include <stdarg.h>

#define CONFIGURED_MAX 32

struct dpa_pcc_state _dpa_pcc_state;

uint64_t _dpa_pcc_call(const struct dpa_pcc_arguments *arguments, _dpa_pcc_function *function)
{
    const uint64_t *a = arguments->a;
    return function(a[0], a[1], a[2], a[3], a[4], a[5]);
}

static uint64_t call6(uint64_t number, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e,
                      uint64_t f)
{
    register uint64_t a0 __asm__("a0") = a;
    register uint64_t a1 __asm__("a1") = b;
    register uint64_t a2 __asm__("a2") = c;
    register uint64_t a3 __asm__("a3") = d;
    register uint64_t a4 __asm__("a4") = e;
    register uint64_t a5 __asm__("a5") = f;
    register uint64_t a7 __asm__("a7") = number;
    __asm__ volatile("ecall"
                     : "+r"(a0)
                     : "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5), "r"(a7)
                     : "memory");
    return a0;
}

/* ---- Services ---- */

void doca_pcc_dev_printf(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    _dpa_vmessage(FLEXIO_MSG_DEV_DEFAULT_STREAM_ID, FLEXIO_MSG_DEV_INFO, format, values);
    va_end(values);
}

void doca_pcc_dev_trace_5(int format_id, uint64_t arg1, uint64_t arg2, uint64_t arg3, uint64_t arg4,
                          uint64_t arg5)
{
    call6(DPA_SYS_CALL(DPA_SYS_FAMILY_PCC, DPA_PCC_TRACE), (uint64_t)format_id, arg1, arg2, arg3,
          arg4, arg5);
}

void doca_pcc_dev_trace_flush(void)
{
    dpa_call0(DPA_SYS_CALL(DPA_SYS_FAMILY_PCC, DPA_PCC_FLUSH));
}

unsigned int doca_pcc_dev_thread_rank(void)
{
    return (unsigned int)dpa_call0(DPA_SYS_THREAD_RANK);
}

/* ---- Ports ---- */

static struct {
    const uint32_t *ids;
    uint32_t *values;
    uint32_t count;
} configured;

void doca_pcc_dev_nic_counters_config(uint32_t *counter_ids, uint32_t num_counters,
                                      uint32_t *values)
{
    configured.count = 0;
    configured.ids = counter_ids;
    configured.values = values;
    configured.count = num_counters < CONFIGURED_MAX ? num_counters : CONFIGURED_MAX;
}

/* An id of DOCA 2.6, doca_pcc_dev_nic_counter_ids_t, as later releases write it. */
static uint32_t later_id(uint32_t id)
{
    const uint32_t port = id & 0xf, type = id >> 4;
    return type == DOCA_PCC_DEV_NIC_COUNTER_TYPE_RX_BYTES ||
                   type == DOCA_PCC_DEV_NIC_COUNTER_TYPE_TX_BYTES
               ? DOCA_PCC_DEV_GET_PORT_COUNTER_ID(port, type, 0)
               : id;
}

void doca_pcc_dev_nic_counters_sample(void)
{
    for (uint32_t i = 0; i < configured.count; i++)
        configured.values[i] =
            (uint32_t)dpa_call4(DPA_SYS_CALL(DPA_SYS_FAMILY_PCC, DPA_PCC_COUNTER),
                                later_id(configured.ids[i]), 0, 0, 0);
}

uint32_t doca_pcc_dev_get_logical_ports(void)
{
    uint32_t mask = 0;
    for (uint32_t i = 0; i < DPA_PCC_PORTS; i++)
        mask |= (uint32_t)(_dpa_pcc_state.ports[i].speed != 0) << i;
    return mask;
}

uint32_t doca_pcc_dev_get_port_speed(uint32_t portid)
{
    return portid < DPA_PCC_PORTS ? _dpa_pcc_state.ports[portid].speed : 0;
}

uint32_t doca_pcc_dev_get_port_planes(uint32_t portid)
{
    return doca_pcc_dev_get_port_speed(portid) != 0;
}
