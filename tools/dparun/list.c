/* dparun without a function: which there are. */
#include <inttypes.h>

#include "dparun.h"

/* Bytes of the arguments of a function, which dpacc put into the program; false: it did not. */
static bool argument_size(const struct dpk_image *image, const char *name, uint64_t *size)
{
    char symbol[512];
    uint64_t at;
    int n = snprintf(symbol, sizeof symbol, "_dpacc_argsize_%s", name);
    if (n < 0 || (size_t)n >= sizeof symbol || !dpk_image_symbol(image, symbol, &at, NULL))
        return false;
    for (size_t i = 0; i < dpk_image_segment_count(image); i++) {
        const struct dpk_segment *s = dpk_image_segment(image, i);
        struct dpk_reader r = dpk_reader(s->data, (size_t)s->data_size);
        if (at < s->address || at - s->address >= s->data_size)
            continue;
        dpk_read_skip(&r, (size_t)(at - s->address));
        *size = dpk_read_le64(&r);
        return !r.failed;
    }
    return false;
}

enum dpk_status list_functions(const struct source *s, struct dpk_error *err)
{
    struct dpk_image *image = NULL;
    const char *name;
    char shown[512];
    size_t index = 0, count = 0;
    uint64_t size;
    enum dpk_status status =
        dpk_image_examine(s->load.app, NULL, s->load.elf, s->load.elf_size, &image, err);
    if (status != DPK_OK)
        return status;
    for (; (name = dpk_image_next_entry(image, &index)); count++) {
        snprintf(shown, sizeof shown, "%s", name);
        dpk_text_clean(shown);
        if (!argument_size(image, name, &size))
            printf("%s\n", shown);
        else if (size == 0)
            printf("%s: no arguments\n", shown);
        else
            printf("%s: %" PRIu64 " bytes of arguments\n", shown, size);
    }
    if (count == 0)
        status = dpk_fail(err, DPK_ERR_NOT_FOUND,
                          "program %s has no function that dpacc prepared for a host",
                          dpk_image_app(image));
    dpk_image_free(image);
    return status;
}
