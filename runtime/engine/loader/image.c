/* Images: creating, sharing, reading and freeing them. */
#include "engine/loader/image.h"

#include <stdlib.h>
#include <string.h>

static void name_image(char to[256], const char *app)
{
    size_t n = 0;
    for (; app && app[n] && n < 255; n++)
        to[n] = app[n] > ' ' && app[n] < 0x7f ? app[n] : '?';
    to[n] = '\0';
    if (n == 0)
        memcpy(to, "program", sizeof "program");
}

struct dpk_image *loader_image_create(const char *app)
{
    struct dpk_image *image = calloc(1, sizeof *image);
    if (!image)
        return NULL;
    atomic_init(&image->references, 1);
    pthread_mutex_init(&image->plain_lock, NULL);
    name_image(image->app, app);
    return image;
}

enum dpk_status loader_image_fill(struct dpk_image *image, uint8_t **copy,
                                  const struct dpk_elf *elf, struct dpk_error *err)
{
    image->copy = *copy;
    image->elf = *elf;
    *copy = NULL;
    enum dpk_status status = loader_image_read_elf(image, err);
    return status == DPK_OK ? loader_image_read_symbols(image, err) : status;
}

struct dpk_image *dpk_image_share(const struct dpk_image *image)
{
    struct dpk_image *same = (struct dpk_image *)image; /* only its count changes */
    atomic_fetch_add_explicit(&same->references, 1, memory_order_relaxed);
    return same;
}

void dpk_image_free(struct dpk_image *image)
{
    if (!image || atomic_fetch_sub_explicit(&image->references, 1, memory_order_acq_rel) != 1)
        return;
    loader_image_free_plain(image);
    pthread_mutex_destroy(&image->plain_lock);
    free(image->functions);
    free(image->globals);
    free(image->copy);
    free(image);
}

const void *dpk_image_file(const struct dpk_image *image, size_t *size)
{
    *size = (size_t)(image->elf.file.end - image->elf.file.begin);
    return image->elf.file.begin;
}

const char *dpk_image_app(const struct dpk_image *image)
{
    return image->app;
}

size_t dpk_image_segment_count(const struct dpk_image *image)
{
    return image->segment_count;
}

const struct dpk_segment *dpk_image_segment(const struct dpk_image *image, size_t index)
{
    return index < image->segment_count ? &image->segments[index] : NULL;
}

uint64_t dpk_image_entry(const struct dpk_image *image)
{
    return image->entry;
}
