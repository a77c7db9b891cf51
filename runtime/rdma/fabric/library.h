/* The functions of libucp.so.0. Private to the room. */
#ifndef DPK_RDMA_FABRIC_LIBRARY_H
#define DPK_RDMA_FABRIC_LIBRARY_H

#include <ucp/api/ucp.h>

#include "fabric.h"

/* Each line: a function of libucp. */
#define FABRIC_CALLS(X)                                                                            \
    X(ucp_config_read)                                                                             \
    X(ucp_config_modify)                                                                           \
    X(ucp_config_release)                                                                          \
    X(ucp_init_version)                                                                            \
    X(ucp_cleanup)                                                                                 \
    X(ucp_worker_create)                                                                           \
    X(ucp_worker_destroy)                                                                          \
    X(ucp_worker_get_efd)                                                                          \
    X(ucp_worker_arm)                                                                              \
    X(ucp_worker_signal)                                                                           \
    X(ucp_worker_progress)                                                                         \
    X(ucp_worker_set_am_recv_handler)                                                              \
    X(ucp_listener_create)                                                                         \
    X(ucp_listener_query)                                                                          \
    X(ucp_listener_destroy)                                                                        \
    X(ucp_listener_reject)                                                                         \
    X(ucp_conn_request_query)                                                                      \
    X(ucp_ep_create)                                                                               \
    X(ucp_ep_close_nbx)                                                                            \
    X(ucp_am_send_nbx)                                                                             \
    X(ucp_request_free)

struct fabric_library {
#define MEMBER(name) __typeof__(name) *name;
    FABRIC_CALLS(MEMBER)
#undef MEMBER
    const char *(*ucs_status_string)(ucs_status_t status);
};

/* Loads the library once. It stays loaded. Errors: UNSUPPORTED. */
enum dpk_status fabric_library_load(const struct fabric_library **out, struct dpk_error *err);

#endif
