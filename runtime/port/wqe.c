/* Decoding of WQEs. */
#include "wqe.h"

#include <stddef.h>
#include <string.h>

#include "port.h"

#define INLINE       0x80000000u
#define LIST_END_KEY 0x100u
#define ATOMIC_SIZE  8u
#define BYTES_2G     0x80000000u /* what a byte count of 0 means */

/* Of the flags in the control segment (MLX5_WQE_CTRL_*). */
enum { FLAGS_AT = 11, SOLICITED = 2, FENCE_SHIFT = 5, FENCE = 2 };

bool control_parse(const uint8_t *bytes, size_t size, struct control *out)
{
    struct dpk_reader r = dpk_reader(bytes, size);
    uint32_t index_opcode = dpk_read_be32(&r), queue_segments = dpk_read_be32(&r);
    uint32_t flags = dpk_read_be32(&r);
    *out = (struct control){.opcode = (uint8_t)index_opcode,
                            .index = (uint16_t)(index_opcode >> 8),
                            .modifier = (uint8_t)(index_opcode >> 24),
                            .segments = queue_segments & WQE_SEGMENTS_MAX,
                            .queue = queue_segments >> 8,
                            .completion = flags >> 2 & 3,
                            .immediate = dpk_read_be32(&r)};
    return !r.failed;
}

/* Most WQEs have one of the many pieces that there is room for. */
static void pieces_begin(struct pieces *p)
{
    p->count = 0;
    p->total = 0;
}

/* Adds a piece, unless it is empty. */
static void add(struct pieces *p, const uint8_t *bytes, const struct dpk_memory_access *memory)
{
    if (memory->size == 0)
        return;
    p->list[p->count++] = (struct dpk_rc_piece){bytes, *memory};
    p->total += memory->size;
}

static bool add_inline(struct dpk_reader *r, struct pieces *out, uint32_t size)
{
    const uint8_t *bytes = dpk_read_bytes(r, size);
    if (r->failed)
        return false;
    add(out, bytes, &(struct dpk_memory_access){.size = size});
    size_t over = dpk_reader_offset(r) % WQE_SEGMENT;
    if (over)
        dpk_read_skip(r, WQE_SEGMENT - over);
    return !r->failed;
}

static enum dpk_rc_status data_parse(struct dpk_reader *r, bool receives, struct pieces *out)
{
    while (dpk_reader_left(r) >= WQE_SEGMENT) {
        uint32_t count = dpk_read_be32(r);
        if (count & INLINE && count != INLINE && !receives) {
            if (!add_inline(r, out, count & ~INLINE))
                return DPK_RC_LOCAL_LENGTH;
            continue;
        }
        struct dpk_memory_access memory = {.key = dpk_read_be32(r), .address = dpk_read_be64(r)};
        if (memory.key == LIST_END_KEY)
            break;
        /* In a receive a count of 0 means no bytes. Otherwise the unused segments of a ring would
         * be buffers of 2 GiB. */
        memory.size = count == 0 && !receives ? BYTES_2G : count & ~INLINE;
        add(out, NULL, &memory);
    }
    return DPK_RC_OK;
}

enum { INSERT_VLAN = 0x8000, SERVICE_TAG = 1, HEADERS_MAX = 0x3ff }; /* type and size of headers */

/* The Ethernet segment, and headers that it has inside: the first two bytes, then whole segments. In
 * place of headers it may have a tag. */
static enum dpk_rc_status ethernet_parse(struct dpk_reader *r, struct wqe *out)
{
    dpk_read_skip(r, 4);
    out->checksums = dpk_read_be16(r);
    out->mss = dpk_read_be16(r);
    out->metadata = dpk_read_be32(r);
    uint16_t headers = dpk_read_be16(r);
    if (headers == 0 || headers == INSERT_VLAN || headers == (INSERT_VLAN | SERVICE_TAG)) {
        out->has_tag = headers != 0;
        out->service_tag = headers & SERVICE_TAG;
        out->tci = dpk_read_be16(r);
        return r->failed ? DPK_RC_LOCAL_OPERATION : DPK_RC_OK;
    }
    if (headers < 2 || headers > HEADERS_MAX)
        return DPK_RC_LOCAL_OPERATION;
    out->headers = headers;
    return add_inline(r, &out->data, headers) ? DPK_RC_OK : DPK_RC_LOCAL_LENGTH;
}

static void remote_parse(struct dpk_reader *r, struct wqe *out)
{
    out->address = dpk_read_be64(r);
    out->key = dpk_read_be32(r);
    dpk_read_skip(r, 4);
}

enum dpk_rc_status wqe_parse(const uint8_t *bytes, size_t size, bool ethernet, struct wqe *out)
{
    memset(out, 0, offsetof(struct wqe, data));
    pieces_begin(&out->data);
    if (!control_parse(bytes, size, &out->control))
        return DPK_RC_LOCAL_OPERATION;
    if (out->control.segments == 0 || (size_t)out->control.segments * WQE_SEGMENT > size)
        return DPK_RC_LOCAL_OPERATION;
    struct dpk_reader r = dpk_reader(bytes, (size_t)out->control.segments * WQE_SEGMENT);
    enum dpk_rc_status wrong = DPK_RC_OK;
    dpk_read_skip(&r, WQE_SEGMENT);
    if (out->control.modifier != 0)
        return DPK_RC_LOCAL_OPERATION;
    switch (out->control.opcode) {
    case WQE_NOP:
        return DPK_RC_OK;
    case WQE_SEND:
        if (ethernet)
            wrong = ethernet_parse(&r, out);
        break;
    case WQE_LARGE_SEND:
        wrong = ethernet ? ethernet_parse(&r, out) : DPK_RC_LOCAL_OPERATION;
        break;
    case WQE_MULTI_SEND:
        wrong = ethernet ? ethernet_parse(&r, out) : DPK_RC_LOCAL_OPERATION;
        if (out->headers > 0 || out->has_tag) /* that one frame alone could have */
            return DPK_RC_LOCAL_OPERATION;
        break;
    case WQE_SEND_IMMEDIATE:
        wrong = ethernet ? DPK_RC_LOCAL_OPERATION : DPK_RC_OK;
        break;
    case WQE_COMPARE_SWAP:
    case WQE_FETCH_ADD:
    case WQE_WRITE:
    case WQE_WRITE_IMMEDIATE:
    case WQE_READ:
        if (ethernet)
            return DPK_RC_LOCAL_OPERATION;
        remote_parse(&r, out);
        break;
    default:
        return DPK_RC_LOCAL_OPERATION;
    }
    if (out->control.opcode == WQE_COMPARE_SWAP || out->control.opcode == WQE_FETCH_ADD) {
        out->operand = dpk_read_be64(&r);
        out->compare = dpk_read_be64(&r);
    }
    if (wrong != DPK_RC_OK || r.failed)
        return wrong != DPK_RC_OK ? wrong : DPK_RC_LOCAL_OPERATION;
    return data_parse(&r, false, &out->data);
}

enum dpk_rc_status rwqe_parse(const uint8_t *bytes, size_t size, struct pieces *out)
{
    struct dpk_reader r = dpk_reader(bytes, size);
    pieces_begin(out);
    return data_parse(&r, true, out);
}

/* ---- Works of connected queue pairs ---- */

static bool has_inline(const struct pieces *p)
{
    for (unsigned i = 0; i < p->count; i++)
        if (p->list[i].bytes)
            return true;
    return false;
}

static enum dpk_rc_opcode opcode_of(uint8_t opcode)
{
    switch (opcode) {
    case WQE_NOP:
        return DPK_RC_NOP;
    case WQE_WRITE:
    case WQE_WRITE_IMMEDIATE:
        return DPK_RC_WRITE;
    case WQE_READ:
        return DPK_RC_READ;
    case WQE_COMPARE_SWAP:
        return DPK_RC_COMPARE_SWAP;
    case WQE_FETCH_ADD:
        return DPK_RC_FETCH_ADD;
    default:
        return DPK_RC_SEND;
    }
}

static enum dpk_rc_status check(const struct wqe *wqe, enum dpk_rc_opcode opcode)
{
    const bool atomic = opcode == DPK_RC_FETCH_ADD || opcode == DPK_RC_COMPARE_SWAP;
    if (wqe->data.total > DPK_MESSAGE_MAX || (atomic && wqe->data.total != ATOMIC_SIZE))
        return DPK_RC_LOCAL_LENGTH;
    if ((atomic || opcode == DPK_RC_READ) && has_inline(&wqe->data))
        return DPK_RC_LOCAL_OPERATION;
    return DPK_RC_OK;
}

void wqe_describe(const struct wqe *wqe, struct dpk_rc_work *out)
{
    out->opcode = opcode_of(wqe->control.opcode);
    out->wrong = check(wqe, out->opcode);
    out->has_immediate =
        wqe->control.opcode == WQE_SEND_IMMEDIATE || wqe->control.opcode == WQE_WRITE_IMMEDIATE;
    out->immediate = out->has_immediate ? wqe->control.immediate : 0;
    out->pieces = wqe->data.list;
    out->count = wqe->data.count;
    out->key = wqe->key;
    out->address = wqe->address;
    out->value = wqe->operand;
    out->compare = wqe->compare;
}

void dpk_wqe_describe(const uint8_t *bytes, size_t size, struct dpk_wqe_work *out)
{
    struct wqe wqe;
    *out = (struct dpk_wqe_work){.work.opcode = DPK_RC_NOP};
    out->work.wrong = wqe_parse(bytes, size, false, &wqe);
    if (out->work.wrong != DPK_RC_OK)
        return;
    wqe_describe(&wqe, &out->work);
    memcpy(out->pieces, wqe.data.list, wqe.data.count * sizeof *out->pieces);
    out->work.pieces = NULL;
    out->work.silent = wqe.control.completion != 2;
    out->work.solicited = bytes[FLAGS_AT] & SOLICITED;
    out->waits = bytes[FLAGS_AT] >> FENCE_SHIFT >= FENCE;
}
