/* image: a program image, and the steps that fill it, for the files of the loader. */
#ifndef DPK_ENGINE_LOADER_IMAGE_H
#define DPK_ENGINE_LOADER_IMAGE_H

#include <pthread.h>
#include <stdatomic.h>

#include "elf/elf.h"
#include "engine/loader/loader.h"

#define IMAGE_SEGMENTS_MAX 128 /* program headers, of any type */

struct image_symbol {
    const char *name; /* inside the private copy, NUL-terminated there */
    uint64_t address, size;
};

/* The contents of a compressed section. */
struct image_plain {
    struct image_plain *next;
    unsigned section;
    void *data; /* NULL if it cannot be inflated */
    uint64_t size;
};

struct dpk_image {
    atomic_uint references;
    char app[256];
    char device[DPK_DEVICE_NAME_MAX + 1]; /* device that accepted the image; "" if no device was
                                           * asked */
    uint32_t target;                      /* target of that device; DPK_TARGET_GENERIC if no device
                                           * was asked */
    char card[PATH_MAX];                  /* directory of its card, or "" */
    unsigned vhca;                        /* the device's function */
    uint8_t *copy;                        /* the private copy of the bytes */
    struct dpk_elf elf;                   /* describes the copy; verification used the same
                                           * description */
    uint64_t entry;
    struct dpk_segment segments[IMAGE_SEGMENTS_MAX]; /* sorted by address */
    size_t segment_count;
    struct image_symbol *globals; /* sorted by name */
    size_t global_count;
    struct image_symbol *functions; /* sorted by address */
    size_t function_count;
    pthread_mutex_t plain_lock;
    struct image_plain *plain;
};

/* Makes an empty image. `app` may be NULL. Returns NULL if there is no memory. */
struct dpk_image *loader_image_create(const char *app);
/* Fills the image from `elf`, which describes the allocated bytes `*copy`. The image owns them from
 * now on and `*copy` becomes NULL, also on failure. There is no other way from bytes to an
 * image. */
enum dpk_status loader_image_fill(struct dpk_image *image, uint8_t **copy,
                                  const struct dpk_elf *elf, struct dpk_error *err);

/* Checks the file header and the program headers of image->elf; fills segments and entry. */
enum dpk_status loader_image_read_elf(struct dpk_image *image, struct dpk_error *err);

/* Counts sections: e_shnum, or the extended number if e_shnum is 0. Refuses an invalid table
 * (section.c). */
enum dpk_status loader_image_count_sections(const struct dpk_image *image, unsigned *count,
                                            struct dpk_error *err);
void loader_image_free_plain(struct dpk_image *image);

/* Reads .symtab, if it exists, and fills globals and functions. Call this after the segments are
 * read. */
enum dpk_status loader_image_read_symbols(struct dpk_image *image, struct dpk_error *err);

/* Returns the executable segment that contains `address`, or NULL. */
const struct dpk_segment *loader_image_text_at(const struct dpk_image *image, uint64_t address);

#endif
