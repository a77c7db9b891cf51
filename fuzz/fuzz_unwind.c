/* Any bytes as a program's call frame information and stack: callers, or no callers. The first
 * bytes are the registers and the size of .debug_frame; the stack follows .debug_frame. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "engine/debug/debug.h"
#include "engine/loader/image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char names[] = "\0.debug_frame\0.shstrtab";

static bool read_word(void *context, uint64_t address, uint64_t *out)
{
    const struct dpk_reader *stack = context;
    struct dpk_reader r = dpk_reader_slice(stack, address, 8);
    *out = dpk_read_le64(&r);
    return !r.failed;
}

static void walk(struct dpk_frames *frames, struct dpk_frame frame, struct dpk_reader *stack)
{
    unsigned depth = 0;
    uint64_t sp = frame.sp;
    while (depth++ < 1000 && dpk_frames_caller(frames, &frame, read_word, stack)) {
        if (frame.sp < sp || !frame.called)
            abort();
        sp = frame.sp;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { SECTIONS = 3 };
    struct dpk_reader r = dpk_reader(data, size);
    struct dpk_frame frame = {.pc = dpk_read_le32(&r),
                              .sp = dpk_read_u8(&r),
                              .fp = dpk_read_u8(&r),
                              .ra = dpk_read_le32(&r)};
    uint64_t table = dpk_read_le16(&r);
    const uint64_t left = dpk_reader_left(&r);
    if (r.failed)
        return 0;
    table = table < left ? table : left;
    const size_t text = sizeof(Elf64_Ehdr) + SECTIONS * sizeof(Elf64_Shdr);
    Elf64_Ehdr e = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB},
                    .e_shoff = sizeof e,
                    .e_shentsize = sizeof(Elf64_Shdr),
                    .e_shnum = SECTIONS,
                    .e_shstrndx = SECTIONS - 1};
    const Elf64_Shdr s[SECTIONS] = {
        {0},
        {.sh_name = 1, .sh_type = SHT_PROGBITS, .sh_offset = text, .sh_size = table},
        {.sh_name = 14, .sh_type = SHT_STRTAB, .sh_offset = text + left, .sh_size = sizeof names},
    };
    struct dpk_image *image = loader_image_create("fuzz");
    struct dpk_buf elf = {0};
    dpk_put(&elf, &e, sizeof e);
    dpk_put(&elf, s, sizeof s);
    dpk_put(&elf, r.pos, left);
    dpk_put(&elf, names, sizeof names);
    if (!image || elf.failed)
        abort();
    image->copy = elf.data;
    image->elf = dpk_elf(elf.data, elf.size);
    struct dpk_frames *frames = dpk_frames_create(image);
    struct dpk_reader stack = dpk_reader(r.pos + table, left - table);
    if (!frames)
        abort();
    walk(frames, frame, &stack);
    dpk_frames_free(frames);
    dpk_image_free(image);
    return 0;
}
