/* Declarations that the files of memh share. */
#ifndef DPK_API_MEMH_PRIVATE_H
#define DPK_API_MEMH_PRIVATE_H

#include <ucp/api/ucp.h>

#include "handle.h"

/* ---- UCX's own functions: real.c ---- */

/* Functions that get another one in front: all that take a memory handle or end a request. */
#define MEMH_CALLS(X)                                                                              \
    X(ucp_memh_pack)                                                                               \
    X(ucp_memh_buffer_release)                                                                     \
    X(ucp_mem_map)                                                                                 \
    X(ucp_mem_unmap)                                                                               \
    X(ucp_mem_query)                                                                               \
    X(ucp_mem_advise)                                                                              \
    X(ucp_rkey_pack)                                                                               \
    X(ucp_am_send_nbx)                                                                             \
    X(ucp_am_recv_data_nbx)                                                                        \
    X(ucp_put_nbx)                                                                                 \
    X(ucp_get_nbx)                                                                                 \
    X(ucp_tag_send_nbx)                                                                            \
    X(ucp_tag_recv_nbx)                                                                            \
    X(ucp_tag_send_sync_nbx)                                                                       \
    X(ucp_tag_msg_recv_nbx)                                                                        \
    X(ucp_stream_send_nbx)                                                                         \
    X(ucp_stream_recv_nbx)                                                                         \
    X(ucp_atomic_op_nbx)                                                                           \
    X(ucp_request_check_status)                                                                    \
    X(ucp_request_release)                                                                         \
    X(ucp_request_free)

struct memh_real {
#define MEMH_MEMBER(name) __typeof__(name) *name;
    MEMH_CALLS(MEMH_MEMBER)
#undef MEMH_MEMBER
};
extern struct memh_real memh_real;

/* Fills memh_real. Returns false if UCX is not loaded, or lacks one of the functions. */
bool memh_real_find(void);

/* The functions in front: memh_front_NAME. */
#define MEMH_FRONT(name) __typeof__(name) memh_front_##name;
MEMH_CALLS(MEMH_FRONT)
#undef MEMH_FRONT

/* ---- Memory of other processes: imports.c ---- */

struct memh_import {
    struct memh_import *next;
    struct dpk_import *import;
    struct dpk_export what;
    unsigned users; /* the program's handle, and transfers */
};

/* Returns the import of a handle, with one more user; NULL if the handle is UCX's. */
struct memh_import *memh_import_pin(ucp_mem_h memh);
void memh_import_unpin(struct memh_import *in);
/* Returns whether the handle is of an import. */
bool memh_is_import(ucp_mem_h memh);

/* ---- Memory of this process: exports.c ---- */

/* Ends the export of memory that is unmapped. */
void memh_export_end(ucp_mem_h memh);

#endif
