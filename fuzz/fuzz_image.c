/* Device executables: reading gives an error, or an image whose segments are inside the file and
 * inside the program's addresses, and whose symbols can be looked up. */
#include <stdlib.h>
#include <string.h>

#include "engine/loader/image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_segments(const struct dpk_image *image, size_t size)
{
    uint64_t free_from = DPK_PROGRAM_BEGIN;
    for (size_t i = 0; i < image->segment_count; i++) {
        const struct dpk_segment *s = &image->segments[i];
        size_t at = (size_t)(s->data - image->copy);
        if (at > size || s->data_size > size - at)
            abort();
        if (s->address < free_from || s->memory_size > DPK_PROGRAM_END - s->address ||
            s->data_size > s->memory_size || (s->writable && s->executable))
            abort();
        free_from = (s->address + s->memory_size + 0xfff) & ~0xfffull;
    }
}

/* Reads the whole section; a second look-up must find the same bytes. */
static void sum_section(const struct dpk_image *image, const char *name)
{
    size_t size = 0, again = 0;
    volatile uint8_t sum = 0;
    const uint8_t *bytes = dpk_image_section(image, name, &size);
    for (size_t i = 0; bytes && i < size; i++)
        sum = (uint8_t)(sum + bytes[i]);
    if (dpk_image_section(image, name, &again) != bytes || (bytes && again != size))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dpk_image *image = loader_image_create("fuzz");
    uint8_t *copy = malloc(size ? size : 1);
    if (!image || !copy)
        abort();
    if (size)
        memcpy(copy, data, size);
    const struct dpk_elf elf = dpk_elf(copy, size);
    if (loader_image_fill(image, &copy, &elf, NULL) == DPK_OK) {
        const char *name;
        check_segments(image, size);
        if (!loader_image_text_at(image, dpk_image_entry(image)))
            abort();
        for (size_t i = 0; (name = dpk_image_symbol_name(image, i)); i++)
            if (!dpk_image_symbol(image, name, NULL, NULL))
                abort();
        for (size_t i = 0; (name = dpk_image_next_entry(image, &i));) {
            uint64_t bytes;
            dpk_image_argument_size(image, name, &bytes);
        }
        dpk_image_function_at(image, dpk_image_entry(image), NULL);
        sum_section(image, ".debug_line");
        sum_section(image, ".text");
    }
    dpk_image_free(image);
    return 0;
}
