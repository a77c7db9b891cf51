/* What the two files that read XML share. */
#ifndef DPK_NVCONFIG_XML_H
#define DPK_NVCONFIG_XML_H

#include <libxml/tree.h>

#include "tlv.h"

#define NV_ARRAY_MAX DPK_NV_DATA_MAX /* numbers of an array: each has a byte at least */

/* The attributes of a TLV's element: its header but class and index, and what it is about. */
enum dpk_status dpk_nv_xml_attributes(const xmlNode *node, const struct dpk_nv_def *def,
                                      struct dpk_nv_tlv *tlv, struct dpk_nv_target *target,
                                      struct dpk_error *err);

/* Which numbers of a parameter an element gives: "index" of an array's, as 3, 0..3 or 1,2; the one
 * value of another parameter is number 0. */
enum dpk_status dpk_nv_xml_index(const xmlNode *node, const struct dpk_nv_param *param,
                                 size_t indexes[NV_ARRAY_MAX], size_t *count,
                                 struct dpk_error *err);

#endif
