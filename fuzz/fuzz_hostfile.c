/* Host files: opening gives an error, or programs that are inside the file and do not verify
 * without a trusted root. A stripped file opens again, with the same programs, unsigned. */
#include "fat/fat.h"
#include "hostfile/hostfile.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum dpk_status look(void *context, const struct dpk_tbs *tbs, struct dpk_buf *signature,
                            struct dpk_error *err)
{
    (void)context, (void)err;
    if (signature || tbs->size < 64)
        abort();
    return DPK_OK;
}

static void strip(const struct dpk_hostfile *host)
{
    struct dpk_edited *edited = NULL;
    struct dpk_hostfile *again = NULL;
    struct dpk_buf out = {0};
    size_t pieces = 0;
    if (dpk_hostfile_stripped(host, NULL, 0, &edited, NULL) != DPK_OK)
        return;
    const struct dpk_piece *piece = dpk_edited_pieces(edited, &pieces);
    for (size_t i = 0; i < pieces; i++)
        dpk_put(&out, piece[i].data, piece[i].size);
    if (!out.failed) {
        if (dpk_hostfile_borrow("stripped", out.data, out.size, &again, NULL) != DPK_OK ||
            dpk_hostfile_count(again) != dpk_hostfile_count(host))
            abort();
        for (size_t i = 0; i < dpk_hostfile_count(again); i++)
            if (dpk_hostfile_program(again, i)->is_signed)
                abort();
    }
    dpk_hostfile_close(again);
    dpk_edited_free(edited);
    dpk_buf_free(&out);
}

/* No program, and no target of a program, verifies without a trusted root. */
static void verify(const struct dpk_hostfile *host)
{
    const struct dpk_trust nobody = {0};
    struct dpk_result *results = NULL;
    size_t count = 0;
    if (dpk_hostfile_verify(host, &nobody, 1, &results, &count, NULL) != DPK_OK)
        return;
    for (size_t i = 0; i < count; i++)
        if (results[i].verdict == DPK_VERDICT_OK)
            abort();
    free(results);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dpk_hostfile *host = NULL;
    const struct dpk_hostfile_options how = {.crypto = {.profile = DPK_PROFILE_FULL, .proof = look},
                                             .threads = 1};
    if (dpk_hostfile_parse("fuzz", data, size, &host, NULL) != DPK_OK)
        return 0;
    for (size_t i = 0; i < dpk_hostfile_count(host); i++) {
        const struct dpk_program *p = dpk_hostfile_program(host, i);
        if (p->offset > size || p->sections.elf_size > size - p->offset)
            abort();
    }
    verify(host);
    (void)dpk_hostfile_tbs(host, &how, NULL);
    strip(host);
    dpk_hostfile_close(host);
    return 0;
}
