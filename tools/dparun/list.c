/* Lists functions, for dparun without a function. */
#include <inttypes.h>

#include "dparun.h"

enum dpk_status dparun_list_functions(const struct dpk_source *s, struct dpk_error *err)
{
    struct dpk_image *image = NULL;
    const char *name;
    char shown[512];
    size_t index = 0, count = 0;
    uint64_t size;
    enum dpk_status status = dpk_image_examine(s->load.app, NULL, s->load.sections.elf,
                                               s->load.sections.elf_size, &image, err);
    if (status != DPK_OK)
        return status;
    for (; (name = dpk_image_next_entry(image, &index)); count++) {
        snprintf(shown, sizeof shown, "%s", name);
        dpk_text_clean(shown);
        if (!dpk_image_argument_size(image, name, &size))
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
