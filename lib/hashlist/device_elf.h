/* Parts of a device ELF for a hash list, and reasons to refuse the ELF; private to this room. */
#ifndef DPK_HASHLIST_DEVICE_ELF_H
#define DPK_HASHLIST_DEVICE_ELF_H

#include "elf/elf.h"

struct span {
    const uint8_t *data; /* NULL with size 0 */
    size_t size;
};
struct span hashlist_span_of(struct dpk_reader r);

/* Checks that the ELF can be hashed; its machine does not matter. Errors: not ELF64, another byte
 * order, header sizes that differ from the specification's, tables outside the file. */
enum dpk_status hashlist_device_elf_check(const struct dpk_elf *elf, struct dpk_error *err);

/* Gets the file bytes of segment `index`. */
enum dpk_status hashlist_device_elf_segment(const struct dpk_elf *elf, unsigned index,
                                            struct span *out, struct dpk_error *err);
/* Gets the file bytes of section `index`, which has content. */
enum dpk_status hashlist_device_elf_section(const struct dpk_elf *elf, unsigned index,
                                            struct span *out, struct dpk_error *err);

#endif
