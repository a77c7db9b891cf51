/* Keys of topology files and of named topologies: one table for both. */
#ifndef DPK_DPAPCC_MODEL_KEYS_H
#define DPK_DPAPCC_MODEL_KEYS_H

#include "dpapcc/model/model.h"

/* Sets a key, whose parts are joined by points ("ecn.kmin"). DPK_ERR_NOT_FOUND: there is none, with
 * a suggestion; DPK_ERR_RANGE, DPK_ERR_FORMAT: its value. */
enum dpk_status keys_set_topology(struct cc_topology *net, const char *key, const char *value,
                                  struct dpk_error *err);
enum dpk_status keys_set_work(struct cc_work *work, const char *key, const char *value,
                              struct dpk_error *err);
/* rate and delay of one link of a file. */
enum dpk_status keys_set_link(struct cc_link *link, const char *key, const char *value,
                              struct dpk_error *err);
/* down and up of a link that fails. */
enum dpk_status keys_set_failure(struct cc_failure *failure, const char *key, const char *value,
                                 struct dpk_error *err);
/* What holds when a file says nothing. DPK_ERR_NOT_FOUND: no such shape, or kind of work. */
enum dpk_status keys_default_topology(const char *shape, struct cc_topology *net,
                                      struct dpk_error *err);
enum dpk_status keys_default_work(const char *kind, struct cc_work *work, struct dpk_error *err);
/* Puts an item to a workload. */
enum dpk_status keys_add_work(struct cc_workload *work, const struct cc_work *item,
                              struct dpk_error *err);

#endif
