/* Probe packets of notification points. */
#include <inttypes.h>
#include <string.h>

#include "api/pcc/private.h"

static enum dpk_status check(const struct dpk_pcc *pcc, unsigned thread,
                             const struct dpk_pcc_request *r, struct dpk_error *err)
{
    if (pcc->options.role != DPK_PCC_NP)
        return dpk_fail(err, DPK_ERR_RANGE, "a reaction point gets no probe packets");
    if (thread >= pcc->options.threads)
        return dpk_fail(err, DPK_ERR_RANGE, "thread %u; there are %u", thread,
                        pcc->options.threads);
    if (r->port >= pcc->options.ports)
        return dpk_fail(err, DPK_ERR_RANGE, "port %u; there are %u", r->port, pcc->options.ports);
    if (r->size > DPK_PCC_PACKET_MAX || r->l4 > r->size || r->payload > r->size)
        return dpk_fail(err, DPK_ERR_RANGE, "a packet of %zu bytes with its header at %zu", r->size,
                        r->l4);
    return DPK_OK;
}

/* `at`: guest address of *w. */
static void fill(struct packet_work *w, uint64_t at, const struct dpk_pcc_request *r)
{
    memcpy(w->packet, r->packet, r->size);
    memset(w->data, 0, sizeof w->data);
    w->request = (struct doca_pcc_np_dev_request_packet){
        .raw = at + offsetof(struct packet_work, packet),
        .raw_size = (uint32_t)r->size,
        .l4_offset = (uint32_t)r->l4,
        .payload_offset = (uint32_t)r->payload,
        .port_num = r->port,
        .plane_num = r->plane,
        .slot = r->slot,
        .has_vlan = r->has_vlan,
        .vlan_tci = r->vlan_tci,
    };
    w->answer = (struct dpa_pcc_answer){.size = sizeof w->data,
                                        .data = at + offsetof(struct packet_work, data),
                                        .in = at + offsetof(struct packet_work, request)};
}

enum dpk_status dpk_pcc_packet(struct dpk_pcc *pcc, unsigned thread,
                               const struct dpk_pcc_request *request,
                               struct dpk_pcc_response *response, struct dpk_error *err)
{
    uint64_t returned = 0, instructions = 0;
    enum dpk_status status = check(pcc, thread, request, err);
    if (status != DPK_OK)
        return status;
    struct pcc_thread *t = &pcc->threads[thread];
    struct packet_work *w = t->work;
    fill(w, t->arguments.a[2], request);
    const struct dpk_call call = pcc_call(pcc, pcc->program.packet);
    t->stats.events++;
    status = dpk_direct_call(t->direct, &call, &t->arguments, sizeof t->arguments, &returned,
                             &instructions, err);
    t->stats.instructions += instructions;
    if (instructions > t->stats.longest)
        t->stats.longest = instructions;
    const uint64_t size = w->answer.size; /* copied before it is checked */
    *response = (struct dpk_pcc_response){
        .send = (uint32_t)returned == 0,
        .priority = w->answer.priority,
        .instructions = instructions > UINT32_MAX ? UINT32_MAX : (uint32_t)instructions,
    };
    if (status == DPK_OK && size > sizeof w->data)
        status =
            dpk_fail(err, DPK_ERR_FORMAT, "a response of %" PRIu64 " bytes; there is room for %zu",
                     size, sizeof w->data);
    if (status != DPK_OK) {
        dpk_error_prefix(err, "packet %" PRIu64 " of thread %u, %zu bytes on port %u",
                         t->stats.events, thread, request->size, request->port);
        return status;
    }
    memcpy(response->data, w->data, size);
    response->size = size;
    return DPK_OK;
}
