/* Any bytes as a recording: it is refused, or replayed, and going back to the middle and forward
 * again leads to the same state. The fuzzer sets the checksums, because few inputs would have two
 * valid records otherwise. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "engine/replay/machine.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TICKS_MAX = 5000, BYTES_MAX = 1 << 20 };

/* Writes magic and checksums. *most is the largest memory that a record names. */
static void repair(uint8_t *bytes, size_t size, uint64_t *most)
{
    memcpy(bytes, "DPKREC01", size < 8 ? size : 8);
    for (size_t at = DPK_RECORD_HEADER; at < size && size - at >= 8;) {
        struct dpk_reader r = dpk_reader(bytes + at, size - at);
        const size_t length = dpk_read_le32(&r);
        dpk_read_skip(&r, 4);
        const uint8_t *payload = dpk_read_bytes(&r, length);
        if (!payload)
            break;
        const uint32_t crc = (uint32_t)crc32(0, payload, (uInt)length);
        for (unsigned i = 0; i < 4; i++)
            bytes[at + 4 + i] = (uint8_t)(crc >> 8 * i);
        struct dpk_reader fields = dpk_reader(payload, length);
        const uint8_t kind = dpk_read_u8(&fields);
        dpk_read_skip(&fields, 17);
        const uint64_t number = dpk_read_le64(&fields);
        if ((kind == DPK_RECORD_MAP || kind == DPK_RECORD_FILL) && number > *most)
            *most = number;
        at += 8 + length;
    }
}

static void check(struct dpk_replay *r)
{
    char before[65], after[65];
    uint64_t at;
    if (!replay_states_begin(r) || !replay_machine_forward(r, r->ticks / 2))
        return;
    const uint64_t tick = machine_tick(r);
    if (!dpk_replay_digest(r, before) || !replay_machine_forward(r, UINT64_MAX))
        return;
    if (!replay_states_restore(r, tick, &at) || !replay_machine_forward(r, tick) ||
        !dpk_replay_digest(r, after))
        abort();
    if (strcmp(before, after) != 0 || machine_tick(r) != tick)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dpk_replay *r = NULL;
    struct dpk_error err = {0};
    uint64_t most = 0;
    uint8_t *bytes = malloc(size + 1);
    if (!bytes)
        return 0;
    if (size)
        memcpy(bytes, data, size);
    repair(bytes, size, &most);
    if (most <= BYTES_MAX) {
        if (dpk_replay_open_bytes(bytes, size, 1, &r, &err) == DPK_OK && r->ticks <= TICKS_MAX)
            check(r);
        else if (!r && err.status == DPK_OK)
            abort();
        dpk_replay_close(r);
    }
    free(bytes);
    return 0;
}
