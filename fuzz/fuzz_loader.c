/* Device ELFs on a device without authentication: an error, or an image with sound segments. */
#include "engine/loader/loader.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct dpk_device *device(void)
{
    static struct dpk_device *dev; /* one device for all inputs */
    struct dpk_error err = {0};
    if (!dev && dpk_device_open(getenv("FUZZ_DEVICE"), &dev, &err) != DPK_OK)
        abort();
    return dev;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dpk_error err = {0};
    struct dpk_image *image = NULL;
    struct dpk_load_request ask = {
        .device = device(), .app = "fuzz", .sections = {.elf = data, .elf_size = size}};
    if (dpk_load(&ask, &image, NULL, &err) != DPK_OK)
        return 0;
    bool entry = false;
    for (size_t i = 0; i < dpk_image_segment_count(image); i++) {
        const struct dpk_segment *s = dpk_image_segment(image, i);
        if (s->data_size > s->memory_size || s->address + s->memory_size < s->address ||
            (s->writable && s->executable) || s->address < 4096)
            abort();
        entry |= s->executable && dpk_image_entry(image) >= s->address &&
                 dpk_image_entry(image) - s->address < s->memory_size;
    }
    if (!entry)
        abort();
    dpk_image_free(image);
    return 0;
}
