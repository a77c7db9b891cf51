/* target_section: section .dpa.attributes, in which NVIDIA's device files name their target. */
#ifndef DPK_DPACC_TARGET_SECTION_H
#define DPK_DPACC_TARGET_SECTION_H

#include "base/base.h"

/* Type of the section, and of its program header. Only RISC-V's own attributes have it otherwise. */
#define RISCV_ATTRIBUTES 0x70000003

/* Appends the section's content. `target`: an id (enum dpk_target). */
void dpacc_target_section_put(uint32_t target, struct dpk_buf *out);
/* Names the target in an executable, in place: the linker script (guest/dpa.ld) leaves room in a
 * plain section. Newer linkers also make a program header for RISC-V's own attributes, which
 * NVIDIA's programs do not have: it is removed. A file without this room stays as it is. */
void dpacc_target_section_fill(struct dpk_buf *executable, uint32_t target);

#endif
