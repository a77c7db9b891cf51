/* Transfers that name memory of another process: UCX moves bytes between the network and a buffer of
 * this process, and this file copies between the buffer and the memory. */
#if __has_include(<ucp/api/ucp.h>)
#include <ucp/api/ucp.h>
#endif

#if defined UCP_API_VERSION && UCP_API_VERSION >= UCP_VERSION(1, 16)
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "private.h"

/* What calls the program when a transfer has ended. UCX has one type for each kind of transfer. */
enum kind { SEND, RECEIVE_MESSAGE, RECEIVE_TAG };

struct transfer {
    struct memh_import *memory;
    uint64_t place; /* in the memory */
    size_t size;
    bool writes;                 /* into the memory */
    ucp_request_param_t program; /* what the program gave */
    ucp_request_param_t ucx;     /* what UCX gets */
    uint8_t bytes[];
};

/* ---- Failed requests ---- */

/* UCX has ended these transfers well, but the memory could not be written. The program asks by
 * ucp_request_check_status if it gave no callback. */
struct failed {
    struct failed *next;
    void *request;
};

static struct {
    pthread_mutex_t lock;
    struct failed *first;
    _Atomic size_t count;
} failures = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void put_failure(void *request)
{
    struct failed *f = calloc(1, sizeof *f);
    if (!f)
        abort(); /* else the program would believe that its bytes have arrived */
    f->request = request;
    pthread_mutex_lock(&failures.lock);
    f->next = failures.first;
    failures.first = f;
    atomic_fetch_add(&failures.count, 1);
    pthread_mutex_unlock(&failures.lock);
}

/* Returns whether the request has failed. */
static bool find_failure(const void *request, bool remove)
{
    if (atomic_load(&failures.count) == 0)
        return false;
    pthread_mutex_lock(&failures.lock);
    struct failed **at = &failures.first;
    while (*at && (*at)->request != request)
        at = &(*at)->next;
    struct failed *f = *at;
    if (f && remove) {
        *at = f->next;
        atomic_fetch_sub(&failures.count, 1);
        free(f);
    }
    pthread_mutex_unlock(&failures.lock);
    return f;
}

ucs_status_t memh_front_ucp_request_check_status(void *request)
{
    const ucs_status_t status = memh_real.ucp_request_check_status(request);
    return status == UCS_OK && find_failure(request, false) ? UCS_ERR_IO_ERROR : status;
}

void memh_front_ucp_request_free(void *request)
{
    find_failure(request, true);
    memh_real.ucp_request_free(request);
}

/* NVIDIA's plugin worker_rdmo releases the result of closing an endpoint. The result is NULL if the
 * endpoint closes at once. */
void memh_front_ucp_request_release(void *request)
{
    if (!request)
        return;
    find_failure(request, true);
    memh_real.ucp_request_release(request);
}

/* ---- Ends ---- */

/* Copies received bytes to the memory, and forgets the transfer. Returns how the transfer ended. */
static ucs_status_t end(struct transfer *t, ucs_status_t status, size_t received)
{
    if (status == UCS_OK && t->writes &&
        (received > t->size || !dpk_import_write(t->memory->import, t->place, t->bytes, received)))
        status = UCS_ERR_IO_ERROR;
    memh_import_unpin(t->memory);
    free(t);
    return status;
}

static ucs_status_t end_request(struct transfer *t, void *request, ucs_status_t status,
                                size_t received)
{
    const ucs_status_t ended = end(t, status, received);
    if (ended != status)
        put_failure(request);
    return ended;
}

static bool has(const ucp_request_param_t *p, uint32_t field)
{
    return p->op_attr_mask & field;
}

static void *user_data(const ucp_request_param_t *p)
{
    return has(p, UCP_OP_ATTR_FIELD_USER_DATA) ? p->user_data : NULL;
}

static void on_sent(void *request, ucs_status_t status, void *arg)
{
    struct transfer *t = arg;
    const ucp_request_param_t program = t->program;
    status = end_request(t, request, status, t->size);
    if (has(&program, UCP_OP_ATTR_FIELD_CALLBACK))
        program.cb.send(request, status, user_data(&program));
}

static void on_message(void *request, ucs_status_t status, size_t length, void *arg)
{
    struct transfer *t = arg;
    const ucp_request_param_t program = t->program;
    status = end_request(t, request, status, length);
    if (has(&program, UCP_OP_ATTR_FIELD_CALLBACK))
        program.cb.recv_am(request, status, length, user_data(&program));
}

static void on_tag(void *request, ucs_status_t status, const ucp_tag_recv_info_t *info, void *arg)
{
    struct transfer *t = arg;
    const ucp_request_param_t program = t->program;
    status = end_request(t, request, status, info->length);
    if (has(&program, UCP_OP_ATTR_FIELD_CALLBACK))
        program.cb.recv(request, status, info, user_data(&program));
}

/* ---- Starts ---- */

/* Returns false if the program's buffer is a list, or not within the memory. */
static bool find_place(const struct memh_import *in, const void *buffer, size_t count,
                       const ucp_request_param_t *p, size_t *size)
{
    const uint64_t place = (uintptr_t)buffer;
    size_t each = 1;
    if (has(p, UCP_OP_ATTR_FIELD_DATATYPE)) {
        if ((p->datatype & UCP_DATATYPE_CLASS_MASK) != UCP_DATATYPE_CONTIG)
            return false;
        each = p->datatype >> UCP_DATATYPE_SHIFT;
    }
    return !__builtin_mul_overflow(count, each, size) && place >= in->what.address &&
           place - in->what.address <= in->what.size &&
           *size <= in->what.size - (place - in->what.address);
}

/* Prepares a transfer. Returns NULL and the reason if the transfer cannot start. */
static struct transfer *start(struct memh_import *in, const void *buffer, size_t count,
                              const ucp_request_param_t *p, enum kind kind, bool writes,
                              ucs_status_t *why)
{
    size_t size;
    struct transfer *t = NULL;
    *why = UCS_ERR_INVALID_PARAM;
    if (find_place(in, buffer, count, p, &size)) {
        *why = UCS_ERR_NO_MEMORY;
        t = size <= SIZE_MAX - sizeof *t ? malloc(sizeof *t + size) : NULL;
    }
    if (t && !writes && !dpk_import_read(in->import, (uintptr_t)buffer, t->bytes, size)) {
        *why = UCS_ERR_IO_ERROR;
        free(t);
        t = NULL;
    }
    if (!t) {
        memh_import_unpin(in);
        return NULL;
    }
    t->memory = in;
    t->place = (uintptr_t)buffer;
    t->size = size;
    t->writes = writes;
    t->program = t->ucx = *p;
    t->ucx.op_attr_mask &= ~(uint32_t)UCP_OP_ATTR_FIELD_MEMH;
    t->ucx.op_attr_mask |= UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
    t->ucx.user_data = t;
    if (kind == SEND)
        t->ucx.cb.send = on_sent;
    else if (kind == RECEIVE_MESSAGE)
        t->ucx.cb.recv_am = on_message;
    else
        t->ucx.cb.recv = on_tag;
    return t;
}

/* UCX has taken the transfer. A request ends by its callback; without one, the transfer has ended. */
static ucs_status_ptr_t started(struct transfer *t, ucs_status_ptr_t request, size_t received)
{
    return UCS_PTR_IS_PTR(request) ? request
                                   : UCS_STATUS_PTR(end(t, UCS_PTR_STATUS(request), received));
}

static struct memh_import *named(const ucp_request_param_t *p)
{
    return has(p, UCP_OP_ATTR_FIELD_MEMH) ? memh_import_pin(p->memh) : NULL;
}

ucs_status_ptr_t memh_front_ucp_am_send_nbx(ucp_ep_h ep, unsigned id, const void *header,
                                            size_t header_length, const void *buffer, size_t count,
                                            const ucp_request_param_t *param)
{
    ucs_status_t why;
    struct memh_import *in = named(param);
    if (!in)
        return memh_real.ucp_am_send_nbx(ep, id, header, header_length, buffer, count, param);
    struct transfer *t = start(in, buffer, count, param, SEND, false, &why);
    return t ? started(t,
                       memh_real.ucp_am_send_nbx(ep, id, header, header_length, t->bytes, count,
                                                 &t->ucx),
                       t->size)
             : UCS_STATUS_PTR(why);
}

ucs_status_ptr_t memh_front_ucp_put_nbx(ucp_ep_h ep, const void *buffer, size_t count,
                                        uint64_t remote_addr, ucp_rkey_h rkey,
                                        const ucp_request_param_t *param)
{
    ucs_status_t why;
    struct memh_import *in = named(param);
    if (!in)
        return memh_real.ucp_put_nbx(ep, buffer, count, remote_addr, rkey, param);
    struct transfer *t = start(in, buffer, count, param, SEND, false, &why);
    return t ? started(t, memh_real.ucp_put_nbx(ep, t->bytes, count, remote_addr, rkey, &t->ucx),
                       t->size)
             : UCS_STATUS_PTR(why);
}

ucs_status_ptr_t memh_front_ucp_get_nbx(ucp_ep_h ep, void *buffer, size_t count,
                                        uint64_t remote_addr, ucp_rkey_h rkey,
                                        const ucp_request_param_t *param)
{
    ucs_status_t why;
    struct memh_import *in = named(param);
    if (!in)
        return memh_real.ucp_get_nbx(ep, buffer, count, remote_addr, rkey, param);
    struct transfer *t = start(in, buffer, count, param, SEND, true, &why);
    return t ? started(t, memh_real.ucp_get_nbx(ep, t->bytes, count, remote_addr, rkey, &t->ucx),
                       t->size)
             : UCS_STATUS_PTR(why);
}

ucs_status_ptr_t memh_front_ucp_tag_send_nbx(ucp_ep_h ep, const void *buffer, size_t count,
                                             ucp_tag_t tag, const ucp_request_param_t *param)
{
    ucs_status_t why;
    struct memh_import *in = named(param);
    if (!in)
        return memh_real.ucp_tag_send_nbx(ep, buffer, count, tag, param);
    struct transfer *t = start(in, buffer, count, param, SEND, false, &why);
    return t ? started(t, memh_real.ucp_tag_send_nbx(ep, t->bytes, count, tag, &t->ucx), t->size)
             : UCS_STATUS_PTR(why);
}

ucs_status_ptr_t memh_front_ucp_am_recv_data_nbx(ucp_worker_h worker, void *data_desc, void *buffer,
                                                 size_t count, const ucp_request_param_t *param)
{
    ucs_status_t why;
    size_t length = 0;
    struct memh_import *in = named(param);
    if (!in)
        return memh_real.ucp_am_recv_data_nbx(worker, data_desc, buffer, count, param);
    struct transfer *t = start(in, buffer, count, param, RECEIVE_MESSAGE, true, &why);
    if (!t)
        return UCS_STATUS_PTR(why);
    if (!has(param, UCP_OP_ATTR_FIELD_RECV_INFO)) {
        t->ucx.op_attr_mask |= UCP_OP_ATTR_FIELD_RECV_INFO;
        t->ucx.recv_info.length = &length;
    }
    ucs_status_ptr_t request =
        memh_real.ucp_am_recv_data_nbx(worker, data_desc, t->bytes, count, &t->ucx);
    return UCS_PTR_IS_PTR(request) ? request : started(t, request, *t->ucx.recv_info.length);
}

ucs_status_ptr_t memh_front_ucp_tag_recv_nbx(ucp_worker_h worker, void *buffer, size_t count,
                                             ucp_tag_t tag, ucp_tag_t tag_mask,
                                             const ucp_request_param_t *param)
{
    ucs_status_t why;
    ucp_tag_recv_info_t info = {0};
    struct memh_import *in = named(param);
    if (!in)
        return memh_real.ucp_tag_recv_nbx(worker, buffer, count, tag, tag_mask, param);
    struct transfer *t = start(in, buffer, count, param, RECEIVE_TAG, true, &why);
    if (!t)
        return UCS_STATUS_PTR(why);
    if (!has(param, UCP_OP_ATTR_FIELD_RECV_INFO)) {
        t->ucx.op_attr_mask |= UCP_OP_ATTR_FIELD_RECV_INFO;
        t->ucx.recv_info.tag_info = &info;
    }
    ucs_status_ptr_t request =
        memh_real.ucp_tag_recv_nbx(worker, t->bytes, count, tag, tag_mask, &t->ucx);
    return UCS_PTR_IS_PTR(request) ? request
                                   : started(t, request, t->ucx.recv_info.tag_info->length);
}

/* ---- Transfers without such memory ---- */

/* Returns whether a transfer names memory of another process. */
static bool names_import(const ucp_request_param_t *p)
{
    return has(p, UCP_OP_ATTR_FIELD_MEMH) && memh_is_import(p->memh);
}

ucs_status_ptr_t memh_front_ucp_tag_send_sync_nbx(ucp_ep_h ep, const void *buffer, size_t count,
                                                  ucp_tag_t tag, const ucp_request_param_t *param)
{
    return names_import(param) ? UCS_STATUS_PTR(UCS_ERR_UNSUPPORTED)
                               : memh_real.ucp_tag_send_sync_nbx(ep, buffer, count, tag, param);
}

ucs_status_ptr_t memh_front_ucp_tag_msg_recv_nbx(ucp_worker_h worker, void *buffer, size_t count,
                                                 ucp_tag_message_h message,
                                                 const ucp_request_param_t *param)
{
    return names_import(param)
               ? UCS_STATUS_PTR(UCS_ERR_UNSUPPORTED)
               : memh_real.ucp_tag_msg_recv_nbx(worker, buffer, count, message, param);
}

ucs_status_ptr_t memh_front_ucp_stream_send_nbx(ucp_ep_h ep, const void *buffer, size_t count,
                                                const ucp_request_param_t *param)
{
    return names_import(param) ? UCS_STATUS_PTR(UCS_ERR_UNSUPPORTED)
                               : memh_real.ucp_stream_send_nbx(ep, buffer, count, param);
}

ucs_status_ptr_t memh_front_ucp_stream_recv_nbx(ucp_ep_h ep, void *buffer, size_t count,
                                                size_t *length, const ucp_request_param_t *param)
{
    return names_import(param) ? UCS_STATUS_PTR(UCS_ERR_UNSUPPORTED)
                               : memh_real.ucp_stream_recv_nbx(ep, buffer, count, length, param);
}

ucs_status_ptr_t memh_front_ucp_atomic_op_nbx(ucp_ep_h ep, ucp_atomic_op_t opcode,
                                              const void *buffer, size_t count,
                                              uint64_t remote_addr, ucp_rkey_h rkey,
                                              const ucp_request_param_t *param)
{
    return names_import(param)
               ? UCS_STATUS_PTR(UCS_ERR_UNSUPPORTED)
               : memh_real.ucp_atomic_op_nbx(ep, opcode, buffer, count, remote_addr, rkey, param);
}
#endif
