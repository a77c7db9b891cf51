/* Nodes and links of a shape. */
#ifndef DPK_DPAPCC_MODEL_SHAPES_H
#define DPK_DPAPCC_MODEL_SHAPES_H

#include "dpapcc/model/model.h"

/* Makes room for element number `count` in an array that grows by powers of two. */
bool model_shape_has_room(void **array, uint32_t count, size_t size);
/* Makes nodes and links of every shape except CC_CUSTOM. */
enum dpk_status model_shape_build(struct cc_topology *net, struct dpk_error *err);
/* Returns the number of host pairs for long flows; model_shape_pair gets the i-th pair. */
uint32_t model_shape_pairs(const struct cc_topology *net);
void model_shape_pair(const struct cc_topology *net, uint32_t i, uint32_t *from, uint32_t *to);
/* Append a node or a link. Links between switches get core rate and delay. */
enum dpk_status model_shape_add_node(struct cc_topology *net, const char *name, bool is_switch,
                                     struct dpk_error *err);
enum dpk_status model_shape_add_link(struct cc_topology *net, uint32_t from, uint32_t to,
                                     struct dpk_error *err);
/* Appends the failure of a link between two named nodes. */
enum dpk_status model_shape_add_failure(struct cc_topology *net, const char *from, const char *to,
                                        const struct cc_failure *failure, struct dpk_error *err);
/* Checks everything that model_cc_run relies on. */
enum dpk_status model_shape_check(const struct cc_topology *net, struct dpk_error *err);

#endif
