/* Reasons why works and receives fail, as text for people. */
#include <inttypes.h>
#include <stdio.h>

#include "transport.h"

/* ---- Finding the reason ---- */

void pairs_why_describe(struct dpk_rc_why *why, const struct dpk_rc_work *w, uint64_t size)
{
    why->opcode = w->opcode;
    why->size = size;
    if (why->remote)
        why->access = (struct dpk_memory_access){
            .key = (uint32_t)w->key, .address = w->address, .size = size};
}

void pairs_why_of_message(struct dpk_rc_why *why, const struct dpk_memory_domain *domain,
                          const struct dpk_rc_message *m, uint64_t size, unsigned rights)
{
    *why = (struct dpk_rc_why){.reason = DPK_RC_UNTOLD};
    if (!dpk_rc_message_refused(domain, m, size, rights, &why->access))
        return;
    why->reason = DPK_RC_MEMORY;
    why->memory = dpk_memory_refusal(&why->access);
}

static enum dpk_rc_reason reason_of_local(struct dpk_rc_qp *qp)
{
    const struct dpk_rc_qp *peer = pairs_qp_find(qp->end->rc, &qp->peer);
    if (!peer)
        return qp->peer.secret == 0 ? DPK_RC_NO_PEER : DPK_RC_PEER_DESTROYED;
    if (peer->state == QP_FAILED)
        return DPK_RC_PEER_DESTROYED;
    return peer->state == QP_NEW ? DPK_RC_NOT_CONNECTED : DPK_RC_OTHERS_PEER;
}

void pairs_why_no_peer(struct dpk_rc_qp *qp)
{
    qp->why = (struct dpk_rc_why){
        .remote = true,
        .reason = dpk_uuid_equal(&qp->peer.process, &qp->end->rc->identity) ? reason_of_local(qp)
                  : qp->transport && qp->transport->find                    ? DPK_RC_NO_PEER
                                                         : DPK_RC_PEER_DESTROYED};
}

/* ---- Text ---- */

/* The kinds are reasons, then reasons of memory for both sides, then statuses. */
unsigned dpk_rc_kind(enum dpk_rc_status status, const struct dpk_rc_why *why)
{
    const unsigned of_memory = DPK_RC_REASONS, others = of_memory + 2 * DPK_MEMORY_WHYS;
    _Static_assert(DPK_RC_REASONS + 2 * DPK_MEMORY_WHYS + DPK_RC_RNR_EXCEEDED < DPK_TOLD_KINDS,
                   "each kind has a bit");
    if (!why || why->reason == DPK_RC_UNTOLD)
        return others + status;
    if (why->reason == DPK_RC_MEMORY)
        return of_memory + 2 * why->memory.why + why->remote;
    return why->reason;
}

static const char *text_of_status(enum dpk_rc_status status)
{
    switch (status) {
    case DPK_RC_LOCAL_LENGTH:
        return "it has not the length of such an operation, or of its memory";
    case DPK_RC_LOCAL_OPERATION:
        return "it is invalid";
    case DPK_RC_LOCAL_PROTECTION:
        return "its own memory may not be accessed so";
    case DPK_RC_REMOTE_INVALID:
        return "the peer takes no such request";
    case DPK_RC_REMOTE_ACCESS:
        return "the peer does not permit the access";
    case DPK_RC_REMOTE_OPERATION:
        return "the peer could not carry it out";
    case DPK_RC_RETRY_EXCEEDED:
        return "there is no peer, or it does not answer";
    case DPK_RC_RNR_EXCEEDED:
        return "the peer has posted no receive";
    default:
        return "it was flushed";
    }
}

static void put_reason(enum dpk_rc_status status, const struct dpk_rc_why *why, char *text,
                       size_t size)
{
    static const char *const texts[DPK_RC_REASONS] = {
        [DPK_RC_OTHERS_KEY] = "the memory or event is of another process than the peer",
        [DPK_RC_NO_EVENT] = "there is no such event for peers",
        [DPK_RC_NO_RECEIVE] = "the peer has posted no receive, and all retries have failed",
        [DPK_RC_OTHERS_PEER] = "the peer is connected to another queue pair",
        [DPK_RC_NOT_CONNECTED] = "the peer was not connected in time",
        [DPK_RC_NO_PEER] = "no queue pair has the number of the peer, or not any more",
        [DPK_RC_PEER_DESTROYED] =
            "the peer was destroyed or is in the error state, or its process has ended",
        [DPK_RC_NO_SUCH_SERVICE] = "queue pairs of this type have no such operation",
    };
    const char *whose = why->remote ? "the peer's" : "the";
    char more[DPK_MEMORY_REASON_MAX];
    switch (why->reason) {
    case DPK_RC_MEMORY:
        dpk_memory_reason(&why->access, &why->memory, more);
        if (why->remote)
            snprintf(text, size, "%s", more);
        else
            snprintf(text, size, "%" PRIu64 " bytes at 0x%" PRIx64 ": %s", why->access.size,
                     why->access.address, more);
        break;
    case DPK_RC_NOT_PERMITTED:
        snprintf(text, size, "%s queue pair permits no %s", whose,
                 dpk_memory_right_names(why->memory.rights, more, sizeof more));
        break;
    case DPK_RC_RECEIVE_SHORT:
        snprintf(text, size, "%s receive has %" PRIu64 " bytes", whose, why->memory.size);
        break;
    case DPK_RC_TAKES_NONE:
        snprintf(text, size, "%s queue pair is in the error state, or takes no receives", whose);
        break;
    default:
        snprintf(text, size, "%s",
                 why->reason < DPK_RC_REASONS && texts[why->reason] ? texts[why->reason]
                                                                    : text_of_status(status));
    }
}

const char *dpk_rc_reason(enum dpk_rc_status status, const struct dpk_rc_why *why,
                          char text[DPK_RC_REASON_MAX])
{
    static const char *const names[] = {[DPK_RC_SEND] = "send",
                                        [DPK_RC_WRITE] = "write",
                                        [DPK_RC_READ] = "read",
                                        [DPK_RC_FETCH_ADD] = "fetch and add",
                                        [DPK_RC_COMPARE_SWAP] = "compare and swap",
                                        [DPK_RC_SIGNAL_ADD] = "addition to an event",
                                        [DPK_RC_SIGNAL_SET] = "setting of an event"};
    const bool known = why && why->opcode < sizeof names / sizeof *names;
    const bool placed =
        known && why->remote && why->opcode >= DPK_RC_WRITE && why->opcode <= DPK_RC_COMPARE_SWAP;
    const bool sized = known && why->opcode <= DPK_RC_READ;
    char size[32] = "", place[48] = "", reason[DPK_MEMORY_REASON_MAX + 60];
    if (!why) {
        snprintf(text, DPK_RC_REASON_MAX, "%s", text_of_status(status));
        return text;
    }
    put_reason(status, why, reason, sizeof reason);
    if (sized)
        snprintf(size, sizeof size, " of %" PRIu64 " byte%s", why->size, why->size == 1 ? "" : "s");
    if (placed)
        snprintf(place, sizeof place, " at 0x%" PRIx64 " of the peer", why->access.address);
    snprintf(text, DPK_RC_REASON_MAX, "%s%s%s: %s", known ? names[why->opcode] : "work request",
             size, place, reason);
    return text;
}
