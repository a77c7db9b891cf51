/* The TLV header as dwords (signing(7)), and functions shared by the files of this room. */
#ifndef DPK_NVCONFIG_TLV_H
#define DPK_NVCONFIG_TLV_H

#include "nvconfig.h"

#define TLV_HEADER_DWORDS 3
#define TLV_HEADER_SIZE   ((size_t)12)

void dpk_nv_put_tlv(struct dpk_buf *out, const struct dpk_nv_tlv *tlv);

/* Decodes the three header dwords, without the data. The error message has no offset. */
enum dpk_status dpk_nv_header_decode(const uint32_t header[TLV_HEADER_DWORDS],
                                     struct dpk_nv_tlv *out, struct dpk_error *err);

/* Appends a TLV. Errors: DPK_ERR_EXISTS if the list has a TLV of that class and index. */
enum dpk_status dpk_nv_list_add_new(struct dpk_nv_list *list, const struct dpk_nv_tlv *tlv,
                                    struct dpk_error *err);

/* Writes the legal values of a parameter for messages: "False, True", "0 to 15". */
void dpk_nv_value_legal(const struct dpk_nv_param *param, char *out, size_t size);

/* Flags of an identity TLV, which must not contradict each other. */
struct dpk_nv_flags {
    bool disable_override, keep_same_priority, per_tlv_priority, erase_lower_priority;
};
struct dpk_nv_flags dpk_nv_identity_flags(const struct dpk_nv_tlv *identity);
enum dpk_status dpk_nv_flags_check(const struct dpk_nv_flags *flags, struct dpk_error *err);

/* Maximum targets. Ports start at 1, other targets at 0. */
#define NV_PORT_MAX     255
#define NV_MODULE_MAX   1023
#define NV_HOST_MAX     63
#define NV_FUNCTION_MAX 255

/* "all" ports and modules in XML mean these, each in its own TLV, as with NVIDIA's tool. */
#define NV_ALL_PORTS   8 /* 1 to 8 */
#define NV_ALL_MODULES 2 /* 0 and 1 */
/* Number of TLVs of a target in XML, and the i-th of them. */
int dpk_nv_target_count(const struct dpk_nv_def *def, const struct dpk_nv_target *target);
struct dpk_nv_target dpk_nv_target_at(const struct dpk_nv_def *def,
                                      const struct dpk_nv_target *target, int i);

/* Returns true for a decimal number that other tools read as octal: 010. */
bool dpk_nv_is_octal(const char *text);

/* Returns "port", or NULL if it is not a class of definitions. */
const char *dpk_nv_class_name(unsigned class_id);
/* Returns true for a type other than string and bytes. */
bool dpk_nv_is_number(const struct dpk_nv_param *param);

#endif
