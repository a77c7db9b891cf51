/* Declarations shared by the two files that read XML. */
#ifndef DPK_NVCONFIG_XML_H
#define DPK_NVCONFIG_XML_H

#include <libxml/tree.h>

#include "tlv.h"

#define NV_ARRAY_MAX DPK_NV_DATA_MAX /* maximum size of an array: each number has at least a byte */

/* Reads the attributes of a TLV's element: the target, and the header except class and index. */
enum dpk_status dpk_nv_xml_attributes(const xmlNode *node, const struct dpk_nv_def *def,
                                      struct dpk_nv_tlv *tlv, struct dpk_nv_target *target,
                                      struct dpk_error *err);

/* Gets the numbers of a parameter that an element sets: "index" of an array, as 3, 0..3 or 1,2;
 * number 0 of another parameter. */
enum dpk_status dpk_nv_xml_index(const xmlNode *node, const struct dpk_nv_param *param,
                                 size_t indexes[NV_ARRAY_MAX], size_t *count,
                                 struct dpk_error *err);

#endif
