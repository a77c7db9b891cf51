/* Compresses and decompresses the ELF as an xz stream. */
#include <lzma.h>

#include "items.h"

#define PRESET     9 /* the reference tool's preset; its 64 MiB dictionary changes the bytes */
#define CHUNK      ((size_t)1 << 16)
#define MEMORY_MAX ((uint64_t)192 << 20) /* a decoder of preset 9 needs 65 MiB */

static enum dpk_status fail_lzma(lzma_ret code, struct dpk_error *err)
{
    switch (code) {
    case LZMA_MEM_ERROR:
        return dpk_fail_nomem(err);
    case LZMA_MEMLIMIT_ERROR:
        return dpk_fail(err, DPK_ERR_RANGE, "the compressed ELF asks for a dictionary too large");
    case LZMA_FORMAT_ERROR:
        return dpk_fail(err, DPK_ERR_FORMAT, "the compressed ELF is not an xz stream");
    case LZMA_BUF_ERROR:
        return dpk_fail(err, DPK_ERR_FORMAT, "the compressed ELF is truncated");
    default:
        return dpk_fail(err, DPK_ERR_FORMAT, "the compressed ELF is damaged (liblzma: %d)", code);
    }
}

/* Runs the stream to its end and appends at most `max` bytes to `out`. */
static enum dpk_status run(lzma_stream *s, size_t max, struct dpk_buf *out, struct dpk_error *err)
{
    size_t start = out->size;
    lzma_ret code = LZMA_OK;
    while (code == LZMA_OK) {
        if (!dpk_buf_reserve(out, CHUNK))
            return dpk_fail_nomem(err);
        s->next_out = out->data + out->size;
        s->avail_out = CHUNK;
        code = lzma_code(s, LZMA_FINISH);
        out->size += CHUNK - s->avail_out;
        if (out->size - start > max)
            return dpk_fail(err, DPK_ERR_RANGE,
                            "the compressed ELF grows beyond the limit of %zu bytes", max);
    }
    return code == LZMA_STREAM_END ? DPK_OK : fail_lzma(code, err);
}

enum dpk_status appcontainer_xz_encode(const uint8_t *data, size_t size, struct dpk_buf *out,
                                       struct dpk_error *err)
{
    lzma_stream s = LZMA_STREAM_INIT;
    lzma_ret code = lzma_easy_encoder(&s, PRESET, LZMA_CHECK_CRC64);
    s.next_in = data;
    s.avail_in = size;
    enum dpk_status status = code == LZMA_OK ? run(&s, SIZE_MAX, out, err) : fail_lzma(code, err);
    lzma_end(&s);
    return status;
}

enum dpk_status appcontainer_xz_decode(const uint8_t *data, size_t size, size_t max,
                                       struct dpk_buf *out, struct dpk_error *err)
{
    lzma_stream s = LZMA_STREAM_INIT;
    lzma_ret code = lzma_stream_decoder(&s, MEMORY_MAX, 0);
    s.next_in = data;
    s.avail_in = size;
    enum dpk_status status = code == LZMA_OK ? run(&s, max, out, err) : fail_lzma(code, err);
    if (status == DPK_OK && s.avail_in > 0)
        status = dpk_fail(err, DPK_ERR_FORMAT, "%zu bytes after the compressed ELF", s.avail_in);
    lzma_end(&s);
    return status;
}
