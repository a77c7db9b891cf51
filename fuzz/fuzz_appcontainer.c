/* Single-program containers: parsed parts are inside the bytes, decompression stays in bounds, and
 * no container verifies without a trusted root. */
#include "appcontainer/appcontainer.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void inside(const uint8_t *data, size_t size, const uint8_t *part, size_t part_size)
{
    if (part && (part < data || part_size > size || (size_t)(part - data) > size - part_size))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dpk_app app;
    struct dpk_buf elf = {0};
    struct dpk_report report;
    if (dpk_app_parse(data, size, &app, NULL) != DPK_OK)
        return 0;
    inside(data, size, app.signature, 512);
    inside(data, size, app.signed_bytes, app.signed_size);
    if (app.kind == DPK_APP_REMOVAL)
        return 0;
    inside(data, size, app.stored, app.stored_size);
    inside(data, size, app.metadata_bytes, DPK_APP_METADATA_SIZE);
    inside(data, size, app.manifest, app.manifest_size);
    inside(data, size, app.crypto, app.crypto_size);
    if (app.elf_end > size)
        abort();
    if (dpk_app_elf(&app, &elf, NULL) == DPK_OK && elf.size > DPK_APP_ELF_MAX)
        abort();
    if (dpk_app_verify(&app, NULL, &report) == DPK_VERDICT_OK)
        abort();
    dpk_buf_free(&elf);
    return 0;
}
