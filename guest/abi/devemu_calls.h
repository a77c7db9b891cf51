/* Calls of the device library for emulated PCI functions, of family DPA_SYS_FAMILY_DOCA (dpa_abi.h), next
 * to those of comch_calls.h; and what the host writes for it into memory of the DPA. */
#ifndef DPK_GUEST_ABI_DEVEMU_CALLS_H
#define DPK_GUEST_ABI_DEVEMU_CALLS_H

#include <stdint.h>

#define DPA_DEVEMU_BIND                                                                            \
    0x50 /* (completion, doorbell) -> 0: it is of another completion, or bound */
#define DPA_DEVEMU_UNBIND     0x51 /* (completion, doorbell) -> 0: it is not bound */
#define DPA_DEVEMU_PROPERTIES 0x52 /* (completion, element, address of two numbers) */
#define DPA_DEVEMU_REQUEST    0x53 /* (doorbell) */
#define DPA_DEVEMU_VALUE      0x54 /* (doorbell) -> its value */
#define DPA_DEVEMU_RAISE      0x55 /* (vector) */
#define DPA_DEVEMU_DATA       0x56 /* (vector) -> its user data */

/* A doorbell completion is a completion queue whose elements tell by their user_data which doorbell was
 * rung. */
struct dpa_devemu_completion {
    uint64_t queue, handle;
};

#endif
