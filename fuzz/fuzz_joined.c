/* Any frame as a large send of the machine's TCP: it is cut into segments, which must be complete,
 * correct, at most a frame long, and contain all data. The first bytes are the length of a segment
 * and the place of an unfinished checksum. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "net/frame/frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 9234 };

static void check(const struct segments *s)
{
    static uint8_t out[MOST];
    uint64_t all = 0;
    for (uint64_t i = 0; i < frame_segments_count(s); i++) {
        const size_t size = frame_segments_make(s, i, out);
        struct layers l;
        frame_layers_find(out, size, &l);
        if (size > MOST || l.end != size || l.l4 + l.l4_size != s->headers_size ||
            frame_sum_l4(out, &l) != 0xffff ||
            (l.version == 4 && frame_sum_l3(out, &l) != 0xffff) ||
            memcmp(out + s->headers_size, s->headers + s->headers_size + all,
                   size - s->headers_size) != 0)
            abort();
        all += size - s->headers_size;
    }
    if (all != s->data)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dpk_reader r = dpk_reader(data, size);
    struct segments s;
    const uint16_t mss = dpk_read_be16(&r), start = dpk_read_be16(&r), offset = dpk_read_be16(&r);
    if (r.failed)
        return 0;
    /* A separate allocation lets the sanitizer find reads beyond the frame. */
    const size_t left = dpk_reader_left(&r);
    uint8_t *frame = malloc(left ? left : 1);
    if (!frame)
        return 0;
    memcpy(frame, r.pos, left);
    if (frame_segments_of_joined(frame, left, mss, MOST, &s))
        check(&s);
    frame_checksum_finish(frame, left, start, offset);
    free(frame);
    return 0;
}
