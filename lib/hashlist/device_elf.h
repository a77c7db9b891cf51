/* What a hash list needs of a device ELF, and when it refuses one; private to this room. */
#ifndef DPK_HASHLIST_DEVICE_ELF_H
#define DPK_HASHLIST_DEVICE_ELF_H

#include "elf/elf.h"

struct span {
    const uint8_t *data; /* NULL with size 0 */
    size_t size;
};
struct span span_of(struct dpk_reader r);

/* Can it be hashed? Of any machine. Errors: no ELF64, another byte order, sizes of headers that are
 * not the specification's, tables outside the file. */
enum dpk_status device_elf_check(const struct dpk_elf *elf, struct dpk_error *err);

/* File bytes of segment `index`. */
enum dpk_status device_elf_segment(const struct dpk_elf *elf, unsigned index, struct span *out,
                                   struct dpk_error *err);
/* File bytes of section `index`, which has content. */
enum dpk_status device_elf_section(const struct dpk_elf *elf, unsigned index, struct span *out,
                                   struct dpk_error *err);

#endif
