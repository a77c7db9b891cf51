/* Keys of topology files and of named topologies, from one table. */
#ifndef DPK_DPAPCC_MODEL_KEYS_H
#define DPK_DPAPCC_MODEL_KEYS_H

#include "dpapcc/model/model.h"

/* Set a key; points join its parts ("ecn.kmin"). Errors: DPK_ERR_NOT_FOUND, with a suggestion, for
 * an unknown key; DPK_ERR_RANGE and DPK_ERR_FORMAT for a wrong value. */
enum dpk_status model_keys_set_topology(struct cc_topology *net, const char *key, const char *value,
                                        struct dpk_error *err);
enum dpk_status model_keys_set_work(struct cc_work *work, const char *key, const char *value,
                                    struct dpk_error *err);
/* Sets rate or delay of a link. */
enum dpk_status model_keys_set_link(struct cc_link *link, const char *key, const char *value,
                                    struct dpk_error *err);
/* Sets the time at which a link goes down or up. */
enum dpk_status model_keys_set_failure(struct cc_failure *failure, const char *key,
                                       const char *value, struct dpk_error *err);
/* Set the defaults. Errors: DPK_ERR_NOT_FOUND for an unknown shape or kind of work. */
enum dpk_status model_keys_default_topology(const char *shape, struct cc_topology *net,
                                            struct dpk_error *err);
enum dpk_status model_keys_default_work(const char *kind, struct cc_work *work,
                                        struct dpk_error *err);
/* Appends an item to a workload. */
enum dpk_status model_keys_add_work(struct cc_workload *work, const struct cc_work *item,
                                    struct dpk_error *err);

#endif
