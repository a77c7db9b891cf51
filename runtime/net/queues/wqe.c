/* Decoding of WQEs. */
#include "wqe.h"

#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include "queues.h"

#define INLINE        0x80000000u
#define LIST_END_KEY  0x100u
#define ATOMIC_SIZE   8u
#define BYTES_2G      0x80000000u /* meaning of a byte count of 0 */
#define NS_PER_SECOND 1000000000u

/* Of a WQE that waits for a time (MLX5_OPC_MOD_WAIT_TIME, MLX5_WAIT_COND_CYCLIC_SMALLER). */
enum { WAIT_FOR_TIME = 2, WAIT_CYCLIC_SMALLER = 5 };

/* Flags in the control segment (MLX5_WQE_CTRL_*). */
enum { FLAGS_AT = 11, SOLICITED = 2, FENCE_SHIFT = 5, FENCE = 2 };

enum dpk_rc_status queues_wqe_refuse(struct why *why, enum dpk_rc_status status, const char *format,
                                     ...)
{
    va_list ap;
    if (!why)
        return status;
    va_start(ap, format);
    vsnprintf(why->text, sizeof why->text, format, ap);
    va_end(ap);
    return status;
}

bool queues_control_parse(const uint8_t *bytes, size_t size, struct control *out)
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

/* Clears only the counts, because most WQEs use one of many pieces. */
static void pieces_begin(struct pieces *p)
{
    p->count = 0;
    p->total = 0;
}

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

static enum dpk_rc_status refuse_inline(struct why *why)
{
    return queues_wqe_refuse(why, DPK_RC_LOCAL_LENGTH, "inline data go beyond its segments");
}

static enum dpk_rc_status data_parse(struct dpk_reader *r, bool receives, struct pieces *out,
                                     struct why *why)
{
    while (dpk_reader_left(r) >= WQE_SEGMENT) {
        uint32_t count = dpk_read_be32(r);
        if (count & INLINE && count != INLINE && !receives) {
            if (!add_inline(r, out, count & ~INLINE))
                return refuse_inline(why);
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

/* Parses the Ethernet segment with its inline headers: two bytes in the segment, then whole
 * segments. A VLAN tag may replace the headers. */
static enum dpk_rc_status ethernet_parse(struct dpk_reader *r, struct wqe *out, struct why *why)
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
        return DPK_RC_OK;
    }
    if (headers < 2 || headers > HEADERS_MAX)
        return queues_wqe_refuse(why, DPK_RC_LOCAL_OPERATION,
                                 "its Ethernet segment has headers of %u bytes, not 2 to %u",
                                 headers, (unsigned)HEADERS_MAX);
    out->headers = headers;
    return add_inline(r, &out->data, headers) ? DPK_RC_OK : refuse_inline(why);
}

static void remote_parse(struct dpk_reader *r, struct wqe *out)
{
    out->address = dpk_read_be64(r);
    out->key = dpk_read_be32(r);
    dpk_read_skip(r, 4);
}

static bool is_atomic(uint8_t opcode)
{
    return opcode == WQE_COMPARE_SWAP || opcode == WQE_FETCH_ADD;
}

static bool is_remote(uint8_t opcode)
{
    return is_atomic(opcode) || opcode == WQE_WRITE || opcode == WQE_WRITE_IMMEDIATE ||
           opcode == WQE_READ;
}

/* Parses the segment of a wait for a time: condition, key, address, value, mask. The value has
 * seconds in its upper half and nanoseconds in its lower half, as real-time clocks of ConnectX devices
 * do. The address and the mask are not used. */
static enum dpk_rc_status wait_parse(struct dpk_reader *r, struct wqe *out, struct why *why)
{
    const uint32_t condition = dpk_read_be32(r);
    dpk_read_skip(r, 4 + 8);
    const uint64_t seconds = dpk_read_be32(r), nanoseconds = dpk_read_be32(r);
    dpk_read_skip(r, 8);
    out->time = seconds * NS_PER_SECOND + nanoseconds;
    if (r->failed)
        return queues_wqe_refuse(why, DPK_RC_LOCAL_OPERATION,
                                 "it has %u segments, too few for a wait", out->control.segments);
    if (condition != WAIT_CYCLIC_SMALLER || nanoseconds >= NS_PER_SECOND)
        return queues_wqe_refuse(why, DPK_RC_LOCAL_OPERATION,
                                 "its wait has the condition %u and %u nanoseconds", condition,
                                 (unsigned)nanoseconds);
    return DPK_RC_OK;
}

/* Parses the segment of a wait for completions: 8 reserved bytes, the index, the CQ's number. */
static enum dpk_rc_status await_parse(struct dpk_reader *r, struct wqe *out, struct why *why)
{
    dpk_read_skip(r, 8);
    out->until = dpk_read_be32(r);
    out->awaited = dpk_read_be32(r);
    return r->failed
               ? queues_wqe_refuse(why, DPK_RC_LOCAL_OPERATION,
                                   "it has %u segments, too few for a wait", out->control.segments)
               : DPK_RC_OK;
}

static bool has_opcode(uint8_t opcode, bool ethernet)
{
    if (opcode == WQE_NOP || opcode == WQE_SEND)
        return true;
    return ethernet ? opcode == WQE_LARGE_SEND || opcode == WQE_MULTI_SEND
                    : opcode == WQE_SEND_IMMEDIATE || opcode == WQE_DUMP || is_remote(opcode);
}

/* Parses the segments between the control segment and the data. */
static enum dpk_rc_status middle_parse(struct dpk_reader *r, bool ethernet, struct wqe *out,
                                       struct why *why)
{
    const uint8_t opcode = out->control.opcode;
    enum dpk_rc_status wrong = DPK_RC_OK;
    if (ethernet)
        wrong = ethernet_parse(r, out, why);
    if (is_remote(opcode))
        remote_parse(r, out);
    if (is_atomic(opcode)) {
        out->operand = dpk_read_be64(r);
        out->compare = dpk_read_be64(r);
    }
    if (wrong == DPK_RC_OK && r->failed)
        wrong = queues_wqe_refuse(why, DPK_RC_LOCAL_OPERATION, "it has %u segments, too few for it",
                                  out->control.segments);
    if (opcode == WQE_MULTI_SEND && (out->headers > 0 || out->has_tag))
        wrong = queues_wqe_refuse(why, DPK_RC_LOCAL_OPERATION,
                                  "headers or a tag of a VLAN, which one frame alone can have");
    return wrong;
}

enum dpk_rc_status queues_wqe_parse(const uint8_t *bytes, size_t size, bool ethernet,
                                    struct wqe *out, struct why *why)
{
    memset(out, 0, offsetof(struct wqe, data));
    pieces_begin(&out->data);
    if (!queues_control_parse(bytes, size, &out->control) || out->control.segments == 0 ||
        (size_t)out->control.segments * WQE_SEGMENT > size)
        return queues_wqe_refuse(why, DPK_RC_LOCAL_OPERATION, "it has %u segments",
                                 out->control.segments);
    const bool waits = out->control.opcode == WQE_WAIT;
    if (out->control.modifier != (waits && ethernet ? WAIT_FOR_TIME : 0) ||
        !(waits || has_opcode(out->control.opcode, ethernet)))
        return queues_wqe_refuse(why, DPK_RC_LOCAL_OPERATION,
                                 "this queue has no such operation (modifier 0x%02x)",
                                 out->control.modifier);
    struct dpk_reader r = dpk_reader(bytes, (size_t)out->control.segments * WQE_SEGMENT);
    dpk_read_skip(&r, WQE_SEGMENT);
    if (out->control.opcode == WQE_NOP)
        return DPK_RC_OK;
    if (waits)
        return ethernet ? wait_parse(&r, out, why) : await_parse(&r, out, why);
    const enum dpk_rc_status wrong = middle_parse(&r, ethernet, out, why);
    return wrong != DPK_RC_OK ? wrong : data_parse(&r, false, &out->data, why);
}

enum dpk_rc_status queues_rwqe_parse(const uint8_t *bytes, size_t size, struct pieces *out)
{
    struct dpk_reader r = dpk_reader(bytes, size);
    pieces_begin(out);
    return data_parse(&r, true, out, NULL);
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
    case WQE_DUMP:
    case WQE_WAIT:
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

void queues_wqe_describe(const struct wqe *wqe, struct dpk_rc_work *out)
{
    out->opcode = opcode_of(wqe->control.opcode);
    out->wrong = check(wqe, out->opcode);
    out->has_immediate =
        wqe->control.opcode == WQE_SEND_IMMEDIATE || wqe->control.opcode == WQE_WRITE_IMMEDIATE;
    out->immediate = out->has_immediate ? wqe->control.immediate : 0;
    out->pieces = wqe->data.list;
    out->count = out->opcode == DPK_RC_NOP ? 0 : wqe->data.count;
    out->key = wqe->key;
    out->address = wqe->address;
    out->value = wqe->operand;
    out->compare = wqe->compare;
}

void dpk_wqe_describe(const uint8_t *bytes, size_t size, struct dpk_wqe_work *out)
{
    struct wqe wqe;
    *out = (struct dpk_wqe_work){.work.opcode = DPK_RC_NOP};
    out->work.wrong = queues_wqe_parse(bytes, size, false, &wqe, NULL);
    if (wqe.control.opcode == WQE_WAIT)
        out->work.wrong = DPK_RC_LOCAL_OPERATION; /* waits are of rings alone */
    if (out->work.wrong != DPK_RC_OK)
        return;
    queues_wqe_describe(&wqe, &out->work);
    memcpy(out->pieces, wqe.data.list, wqe.data.count * sizeof *out->pieces);
    out->work.pieces = NULL;
    out->work.silent = wqe.control.completion != 2;
    out->work.solicited = bytes[FLAGS_AT] & SOLICITED;
    out->waits = bytes[FLAGS_AT] >> FENCE_SHIFT >= FENCE;
}
