/*
 * doca_pcc_dev_common: ports and their counters, for programs of both roles of congestion control.
 *
 *     void doca_pcc_dev_user_port_info_changed(uint32_t portid)
 *     {
 *         static uint32_t ids[1], bytes[1];
 *         ids[0] = DOCA_PCC_DEV_GET_PORT_COUNTER_ID(portid, DOCA_PCC_DEV_NIC_COUNTER_TYPE_TX_BYTES, 0);
 *         doca_pcc_dev_nic_counters_config(ids, 1, bytes);
 *         doca_pcc_dev_nic_counters_sample();       // bytes[0]: what the port has sent so far
 *     }
 */
#ifndef DOCA_PCC_DEV_COMMON_H
#define DOCA_PCC_DEV_COMMON_H

#ifndef DOCA_DPA_DEVICE
#define DOCA_DPA_DEVICE
#endif

#include <stddef.h>
#include <stdint.h>

#include "doca_pcc_dev_data_structures.h"
#include "doca_pcc_dev_services.h"
#include "doca_pcc_dev_utils.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Largest number of ports; ConnectX-8 and later have twice as many. */
#if defined(__NV_DPA) && defined(__NV_DPA_CX8)
#define DOCA_PCC_DEV_MAX_NUM_PORTS (__NV_DPA >= __NV_DPA_CX8 ? 8 : 4)
#else
#define DOCA_PCC_DEV_MAX_NUM_PORTS (4)
#endif

/* The id of a counter of a port: port, doca_pcc_dev_nic_port_counter_types_t and plane, 4 bits each. */
#define DOCA_PCC_DEV_GET_PORT_COUNTER_ID(port, type, plane)                                        \
    (((port)&0xFu) | (((type)&0xFu) << 4) | (((plane)&0xFu) << 8) | (1u << 24))

typedef enum {
    DOCA_PCC_DEV_NIC_COUNTER_TYPE_RX_BYTES = 0x1,
    DOCA_PCC_DEV_NIC_COUNTER_TYPE_TX_BYTES = 0x2,
} doca_pcc_dev_nic_port_counter_types_t;

/* Ids of counters as DOCA 2.6 has them: type and port. */
typedef enum {
    DOCA_PCC_DEV_NIC_COUNTER_PORT0_RX_BYTES = 0x10,
    DOCA_PCC_DEV_NIC_COUNTER_PORT1_RX_BYTES = 0x11,
    DOCA_PCC_DEV_NIC_COUNTER_PORT2_RX_BYTES = 0x12,
    DOCA_PCC_DEV_NIC_COUNTER_PORT3_RX_BYTES = 0x13,
    DOCA_PCC_DEV_NIC_COUNTER_PORT0_TX_BYTES = 0x20,
    DOCA_PCC_DEV_NIC_COUNTER_PORT1_TX_BYTES = 0x21,
    DOCA_PCC_DEV_NIC_COUNTER_PORT2_TX_BYTES = 0x22,
    DOCA_PCC_DEV_NIC_COUNTER_PORT3_TX_BYTES = 0x23,
} doca_pcc_dev_nic_counter_ids_t;

/* Sets the counters for doca_pcc_dev_nic_counters_sample(): `num_counters` ids, and an array for their
 * values. The caller owns both arrays and keeps them. At most 32 counters are read. */
void doca_pcc_dev_nic_counters_config(uint32_t *counter_ids, uint32_t num_counters,
                                      uint32_t *values);
/* Reads the counters: the lower 32 bits of each, in bytes. An invalid id gives 0. */
void doca_pcc_dev_nic_counters_sample(void);

/* Returns the existing ports: bit n is port n. */
uint32_t doca_pcc_dev_get_logical_ports(void);
/* Returns the number of planes of a port: 1, or 0 if the port does not exist. */
uint32_t doca_pcc_dev_get_port_planes(uint32_t portid);
/* Returns the speed of a port in Gbit/s, or 0 if the port does not exist. */
uint32_t doca_pcc_dev_get_port_speed(uint32_t portid);

/* Optional function of the program: called for each port when the program starts, and when a port's
 * speed or state changes. */
void doca_pcc_dev_user_port_info_changed(uint32_t portid) __attribute__((weak));

#ifdef __cplusplus
}
#endif

#endif
