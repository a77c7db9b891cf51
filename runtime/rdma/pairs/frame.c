/* Encodes and decodes the heads of frames. */
#include <string.h>

#include "frame.h"

enum {
    FLAG_FIRST = 1,
    FLAG_LAST = 2,
    FLAG_IMMEDIATE = 4,
    FLAG_SOLICITED = 8,
    SERVICE_AT = 4,
    SERVICE_MASK = 3,
    FLAG_OFFER = 64,
    FLAG_REFERENCE = 128
};

/* Uses fields that a response does not need otherwise. */
static void write_reason(const struct refused *why, uint8_t out[FRAME_SIZE])
{
    out[2] = (uint8_t)why->reason; /* replaced by the bits about direct copies on success */
    out[3] = (uint8_t)why->memory.why;
    dpk_store_be64(out + 8, why->memory.address);
    dpk_store_be64(out + 16, why->memory.size);
    dpk_store_be32(out + 24, why->memory.rights);
    dpk_store_be32(out + 28, (uint32_t)why->memory.kind);
}

/* Unknown reasons become DPK_RC_UNTOLD: the peer may have another version. */
static struct refused read_reason(struct dpk_reader *in, unsigned reason, unsigned why)
{
    struct refused r = {.reason = reason < DPK_RC_REASONS ? reason : DPK_RC_UNTOLD,
                        .memory.why = why < DPK_MEMORY_WHYS ? why : DPK_MEMORY_ALLOWED};
    r.memory.address = dpk_read_be64(in);
    r.memory.size = dpk_read_be64(in);
    r.memory.rights = dpk_read_be32(in);
    r.memory.kind = dpk_read_be32(in);
    return r;
}

void pairs_frame_write(const struct frame *f, uint8_t out[FRAME_SIZE])
{
    const struct request *r = &f->request;
    bool request = f->kind == FRAME_REQUEST;
    memset(out, 0, FRAME_SIZE);
    out[0] = (uint8_t)f->kind;
    out[1] = (uint8_t)(request ? (unsigned)r->opcode : (unsigned)f->response.status);
    out[2] =
        (uint8_t)((r->first ? FLAG_FIRST : 0) | (r->last ? FLAG_LAST : 0) |
                  (r->has_immediate ? FLAG_IMMEDIATE : 0) | (r->solicited ? FLAG_SOLICITED : 0) |
                  (r->offers ? FLAG_OFFER : 0) | (r->by_reference ? FLAG_REFERENCE : 0) |
                  (request ? (unsigned)r->service << SERVICE_AT : 0));
    out[3] = (uint8_t)r->rnr_retries;
    dpk_store_be32(out + 4, request ? r->size : f->response.size);
    dpk_store_be64(out + 8, r->total);
    dpk_store_be64(out + 16, r->key);
    dpk_store_be64(out + 24, r->address);
    dpk_store_be64(out + 32, request ? r->value : f->response.value);
    dpk_store_be64(out + 40, r->compare);
    dpk_store_be32(out + 48, r->immediate);
    if (!request)
        write_reason(&f->response.why, out);
    if (!request && f->response.status == DPK_RC_OK)
        out[2] = (uint8_t)f->response.direct;
}

static bool read_request(struct dpk_reader *in, unsigned opcode, unsigned flags, unsigned retries,
                         uint32_t size, struct frame *out)
{
    out->request = (struct request){.opcode = opcode,
                                    .first = flags & FLAG_FIRST,
                                    .last = flags & FLAG_LAST,
                                    .has_immediate = flags & FLAG_IMMEDIATE,
                                    .solicited = flags & FLAG_SOLICITED,
                                    .rnr_retries = retries,
                                    .service = flags >> SERVICE_AT & SERVICE_MASK,
                                    .offers = flags & FLAG_OFFER,
                                    .by_reference = flags & FLAG_REFERENCE,
                                    .size = size};
    const bool writes = opcode == DPK_RC_WRITE;
    out->request.total = dpk_read_be64(in);
    out->request.key = dpk_read_be64(in);
    out->request.address = dpk_read_be64(in);
    out->request.value = dpk_read_be64(in);
    out->request.compare = dpk_read_be64(in);
    out->request.immediate = dpk_read_be32(in);
    out->payload = request_payload(&out->request);
    return opcode < DPK_RC_OPCODES && retries <= DPK_RC_RNR_FOREVER &&
           size <= (out->request.by_reference ? REFERENCED : SEGMENT) &&
           (writes || !(out->request.offers || out->request.by_reference)) &&
           !(out->request.offers && out->request.by_reference) &&
           out->request.service <= DPK_RC_DATAGRAM && size <= out->request.total;
}

/* Returns whether a responder may answer with this status. The requester itself sets the other
 * statuses. */
static bool is_answer(unsigned status)
{
    return status == DPK_RC_OK || status == DPK_RC_REMOTE_INVALID ||
           status == DPK_RC_REMOTE_ACCESS || status == DPK_RC_REMOTE_OPERATION ||
           status == DPK_RC_RNR_EXCEEDED;
}

bool pairs_frame_read(const uint8_t bytes[FRAME_SIZE], struct frame *out)
{
    struct dpk_reader in = dpk_reader(bytes, FRAME_SIZE);
    unsigned kind = dpk_read_u8(&in), what = dpk_read_u8(&in), flags = dpk_read_u8(&in);
    unsigned retries = dpk_read_u8(&in);
    uint32_t size = dpk_read_be32(&in);
    *out = (struct frame){.kind = kind};
    switch (kind) {
    case FRAME_REQUEST:
        return read_request(&in, what, flags, retries, size, out);
    case FRAME_RESPONSE:
        out->response = (struct response){
            .status = what, .size = size, .why = read_reason(&in, flags, retries)};
        out->response.value = dpk_read_be64(&in);
        out->response.direct = what == DPK_RC_OK ? flags & DIRECT_ALL : 0;
        out->payload = response_payload(&out->response);
        return is_answer(what) && size <= SEGMENT;
    default:
        return false;
    }
}
