/*
 * flow: layouts of DOCA Flow's structures in earlier releases. The sources of these releases include this
 * header, which has no structure of DOCA Flow, because the structures differ.
 */
#ifndef DPK_API_DOCA_2_5_FLOW_H
#define DPK_API_DOCA_2_5_FLOW_H

struct flow_layout;
extern const struct flow_layout *const generation_flow_2_7;  /* of DOCA 2.7 and 2.8 */
extern const struct flow_layout *const generation_flow_2_10; /* of DOCA 2.9 and 2.10 */

#endif
