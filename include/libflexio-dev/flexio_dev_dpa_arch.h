/*
 * flexio_dev_dpa_arch: words and registers of the DPA's outbox and windows, and its intrinsics
 * (dpaintrin.h).
 *
 * The names of the registers are there for programs that mention them. An emulated outbox has no memory,
 * so no address leads to a page of registers: device code calls functions of flexio_dev.h and
 * flexio_dev_queue_access.h, which ring the same doorbells.
 */
#ifndef FLEXIO_DEV_DPA_ARCH_H
#define FLEXIO_DEV_DPA_ARCH_H

#include <dpaintrin.h>
#include <stdint.h>

typedef uint64_t dpa_outbox_value_t;
typedef uint64_t dpa_window_value_t;

/* The page of an outbox. */
typedef struct dpa_outbox9_u_page_le {
    uint64_t UCTL;
    uint8_t reserved_at_40[0x38];
    uint64_t BUFFER;
    uint8_t reserved_at_240[0xb8];
    uint64_t CQ_DB;
    uint8_t reserved_at_840[0x38];
    uint64_t EQ_DB_REARM;
    uint8_t reserved_at_a40[0x38];
    uint64_t EQ_DB_NO_REARM;
    uint8_t reserved_at_c40[0x38];
    uint64_t SXD_DB;
    uint8_t reserved_at_e40[0x38];
    uint64_t EMU_CAP;
    uint8_t reserved_at_1040[0x38];
    uint64_t EMU_CAP_TRIGGER;
    uint8_t reserved_at_1240[0x38];
    uint64_t RXT_DB;
    uint8_t reserved_at_1440[0x38];
    uint64_t RXT_DONE0;
    uint64_t RXT_DONE1;
    uint8_t reserved_at_1680[0x30];
    uint64_t RXC_RD;
    uint8_t reserved_at_1840[0x38];
    uint64_t CC_DB;
    uint8_t reserved_at_1a40[0xc78];
    uint64_t SW_RESERVE;
    uint8_t reserved_at_7e40[0x38];
} dpa_outbox_u_page_t;

/* Registers: a byte stands for a bit, so that sizes and offsets of fields count bits. */
typedef uint8_t pseudo_bit_t;
struct dpa_outbox_v9_reg_CQ_DB_rbits {
    pseudo_bit_t cqn[24];
    pseudo_bit_t reserved_at_18[8];
    pseudo_bit_t cq_ci[24];
    pseudo_bit_t reserved_at_38[8];
};
struct dpa_outbox_v9_reg_EQ_DB_NO_REARM_rbits {
    pseudo_bit_t eqn[24];
    pseudo_bit_t reserved_at_18[8];
    pseudo_bit_t eq_ci[26];
    pseudo_bit_t reserved_at_3a[6];
};
struct dpa_outbox_v9_reg_SXD_DB_rbits {
    pseudo_bit_t wqe_index[16];
    pseudo_bit_t reserved_at_10[16];
    pseudo_bit_t qp_or_sq[24];
    pseudo_bit_t reserved_at_38[8];
};
struct dpa_outbox_v9_reg_EMU_CAP_rbits {
    pseudo_bit_t dummy_qpn[24];
    pseudo_bit_t reserved_at_18[8];
    pseudo_bit_t emulation_index[26];
    pseudo_bit_t reserved_at_3a[6];
};
struct dpa_outbox_v9_reg_EMU_CAP_TRIGGER_rbits {
    pseudo_bit_t dummy_qpn[24];
    pseudo_bit_t reserved_at_18[8];
    pseudo_bit_t emulation_index[26];
    pseudo_bit_t reserved_at_3a[6];
};
struct dpa_outbox_v9_reg_RXT_DB_rbits {
    pseudo_bit_t cqn[24];
    pseudo_bit_t reserved_at_18[8];
    pseudo_bit_t reserved_at_20[32];
};
struct dpa_outbox_v9_reg_CC_DB_rbits {
    pseudo_bit_t ccq_res[32];
    pseudo_bit_t rttrq[1];
    pseudo_bit_t reserved_at_21[1];
    pseudo_bit_t nxt_act[2];
    pseudo_bit_t reserved_at_24[12];
    pseudo_bit_t ccq_id[16];
};

/* Writes a register. Here the address is that of memory, or the write is a fault. */
static inline void __outbox_write(uint64_t *reg, uint64_t value)
{
    *(volatile uint64_t *)reg = value;
}

#endif
