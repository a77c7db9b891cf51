/* Any bytes as what a peer says: an address, or frames with requests and responses for a connection
 * that is up. */
#include <stdlib.h>
#include <string.h>

#include "nic/frame.h"

#define MEMORY 4096u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* One piece of memory with key 1 at address 0. */
static bool has(void *context, const struct dpk_nic_range *r, enum dpk_nic_access access)
{
    (void)context, (void)access;
    return r->key == 1 && r->size <= MEMORY && r->address <= MEMORY - r->size;
}

static bool copy_out(void *context, const struct dpk_nic_range *r, enum dpk_nic_access access,
                     void *to)
{
    if (has(context, r, access))
        memcpy(to, (uint8_t *)context + r->address, r->size);
    return has(context, r, access);
}

static bool copy_in(void *context, const struct dpk_nic_range *r, enum dpk_nic_access access,
                    const void *from)
{
    if (has(context, r, access))
        memcpy((uint8_t *)context + r->address, from, r->size);
    return has(context, r, access);
}

static bool add(void *context, const struct dpk_nic_range *r, uint64_t value, uint64_t *before)
{
    *before = value;
    return copy_in(context, r, DPK_NIC_REMOTE_ATOMIC, before);
}

static bool swap(void *context, const struct dpk_nic_range *r, uint64_t compare, uint64_t value,
                 uint64_t *before)
{
    return add(context, r, compare ^ value, before);
}

static bool signal_event(void *context, uint64_t key, uint64_t value, bool adds)
{
    (void)context, (void)value, (void)adds;
    return key == 1;
}

static void told(void *context, const struct dpk_nic_completion *c)
{
    (void)context, (void)c;
}

static const struct dpk_nic_ops ops = {has, copy_out, copy_in, add, swap, signal_event, told};

/* False: nonsense, or not yet. */
static bool take(struct dpk_nic_qp *qp, const struct frame *f, const uint8_t *payload)
{
    struct response answer;
    const uint8_t *bytes;
    if (f->kind == FRAME_RESPONSE)
        return requester_response(qp, &f->response, payload);
    return f->kind == FRAME_REQUEST &&
           responder_run(qp, &f->request, payload, &answer, &bytes) == ANSWERED;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct address address;
    struct frame f;
    struct dpk_nic *nic = NULL;
    struct dpk_nic_end *end = NULL;
    struct dpk_nic_qp *qp = NULL;
    const struct dpk_uuid identity = {{1}};
    uint8_t *memory = calloc(1, MEMORY);
    const struct dpk_nic_end_options options = {&ops, memory, ~0u, 8, 8};
    struct dpk_reader r = dpk_reader(data, size);
    address_parse(data, size, &address, NULL);
    dpk_nic_open(&identity, &nic, NULL);
    dpk_nic_end_create(nic, &options, &end, NULL);
    dpk_nic_qp_create(end, 0, &qp, NULL);
    qp->transport = &transport_local;
    for (uint64_t i = 0; i < 4; i++) {
        dpk_nic_post_receive(end, &(struct dpk_nic_range){1, i * 64, 64 << i});
        dpk_nic_post(qp, &(struct dpk_nic_work){.opcode = DPK_NIC_READ, .local = {1, 0, i}});
    }
    qp->state = QP_READY;
    qp->unanswered = 4;
    for (;;) {
        const uint8_t *head = dpk_read_bytes(&r, FRAME_SIZE);
        const uint8_t *payload =
            head && frame_read(head, &f) ? dpk_read_bytes(&r, f.payload) : NULL;
        if (!payload || !take(qp, &f, payload))
            break;
    }
    dpk_nic_end_destroy(end);
    dpk_nic_close(nic);
    free(memory);
    return 0;
}
