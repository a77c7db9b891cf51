/* Core files: ET_CORE as Linux writes it for riscv64 (elf_prstatus). GDB also reads them for
 * programs without an operating system. There is no NT_PRPSINFO: GDB would compare its name with
 * that of the file that dpacc-extract has made. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/elf.h"
#include "engine/debug/debug.h"

enum {
    PRSTATUS_SIZE = 376, /* struct elf_prstatus: cursig at 12, pid at 32, pc and x1 to x31 at 112 */
    PRSTATUS_CURSIG = 12,
    PRSTATUS_PID = 32,
    PRSTATUS_REGISTERS = 112,
};

/* ---- Notes ---- */

static void put_note_header(struct dpk_buf *b, uint32_t type, uint32_t size)
{
    dpk_put_le32(b, 5);
    dpk_put_le32(b, size);
    dpk_put_le32(b, type);
    dpk_put(b, "CORE\0\0\0", 8);
}

static void put_zeros_to(struct dpk_buf *b, size_t begin, size_t offset)
{
    dpk_put_fill(b, 0, begin + offset - b->size);
}

static void put_prstatus(struct dpk_buf *b, const struct dpk_core_thread *t)
{
    put_note_header(b, NT_PRSTATUS, PRSTATUS_SIZE);
    size_t begin = b->size;
    dpk_put_le32(b, (uint32_t)t->signal); /* si_signo */
    put_zeros_to(b, begin, PRSTATUS_CURSIG);
    dpk_put_le16(b, (uint16_t)t->signal);
    put_zeros_to(b, begin, PRSTATUS_PID);
    dpk_put_le32(b, t->id);
    put_zeros_to(b, begin, PRSTATUS_REGISTERS);
    dpk_put_le64(b, t->pc);
    for (unsigned i = 1; i < 32; i++)
        dpk_put_le64(b, t->x[i]);
    put_zeros_to(b, begin, PRSTATUS_SIZE);
}

static void put_notes(struct dpk_buf *b, const struct dpk_core *core)
{
    for (size_t i = 0; i < core->count; i++)
        put_prstatus(b, &core->threads[i]);
}

/* ---- Headers ---- */

static void put_elf_header(struct dpk_buf *b, unsigned phnum)
{
    static const uint8_t ident[EI_NIDENT] = {ELFMAG0,    ELFMAG1,     ELFMAG2,   ELFMAG3,
                                             ELFCLASS64, ELFDATA2LSB, EV_CURRENT};
    const struct dpk_elf header = {.ident = ident,
                                   .type = ET_CORE,
                                   .machine = EM_RISCV,
                                   .version = EV_CURRENT,
                                   .phoff = sizeof(Elf64_Ehdr),
                                   .ehsize = sizeof(Elf64_Ehdr),
                                   .phentsize = sizeof(Elf64_Phdr),
                                   .phnum = (uint16_t)phnum};
    dpk_elf_put_file_header(b, &header);
}

struct ranges {
    struct dpk_elf_segment *headers;
    size_t count;
};

static enum dpk_status find_ranges(const struct rv64_memory *memory, struct ranges *r,
                                   struct dpk_error *err)
{
    uint64_t from = 0, address, size;
    unsigned access;
    size_t capacity = 0;
    for (; rv64_memory_next(memory, from, &address, &size, &access); from = address + size) {
        if (r->count == capacity) {
            capacity = capacity ? capacity * 2 : 64;
            struct dpk_elf_segment *more = reallocarray(r->headers, capacity, sizeof *more);
            if (!more)
                return dpk_fail_nomem(err);
            r->headers = more;
        }
        r->headers[r->count++] = (struct dpk_elf_segment){
            .type = PT_LOAD,
            .flags = (access & RV64_R ? PF_R : 0u) | (access & RV64_W ? PF_W : 0u) |
                     (access & RV64_X ? PF_X : 0u),
            .address = address,
            .file_size = size,
            .memory_size = size,
            .alignment = RV64_PAGE,
        };
    }
    if (r->count >= PN_XNUM - 1)
        return dpk_fail(err, DPK_ERR_RANGE, "too many pieces of memory for a core file");
    return DPK_OK;
}

/* Writes headers and notes, up to the first page. */
static void put_head(struct dpk_buf *b, const struct dpk_core *core, struct ranges *r)
{
    struct dpk_buf notes = {0};
    put_notes(&notes, core);
    uint64_t at = sizeof(Elf64_Ehdr) + (r->count + 1) * sizeof(Elf64_Phdr);
    const struct dpk_elf_segment note = {.type = PT_NOTE,
                                         .offset = at,
                                         .file_size = notes.size,
                                         .memory_size = notes.size,
                                         .alignment = 4};
    at = (at + notes.size + RV64_PAGE - 1) / RV64_PAGE * RV64_PAGE;
    put_elf_header(b, (unsigned)r->count + 1);
    dpk_elf_put_segment(b, &note);
    for (size_t i = 0; i < r->count; i++) {
        r->headers[i].offset = at;
        at += r->headers[i].file_size;
        dpk_elf_put_segment(b, &r->headers[i]);
    }
    dpk_put(b, notes.data, notes.size);
    b->failed |= notes.failed;
    dpk_buf_free(&notes);
}

/* ---- The file ---- */

static bool is_zero(const uint8_t *page)
{
    return page[0] == 0 && memcmp(page, page + 1, RV64_PAGE - 1) == 0;
}

static bool write_range(int fd, const uint8_t *bytes, const struct dpk_elf_segment *h)
{
    for (uint64_t at = 0; at < h->file_size; at += RV64_PAGE)
        if (!is_zero(bytes + at) && dpk_pwrite_all(fd, bytes + at, RV64_PAGE, h->offset + at) != 0)
            return false;
    return true;
}

static bool write_file(int fd, const struct dpk_core *core, const struct dpk_buf *head,
                       const struct ranges *r)
{
    bool good = dpk_pwrite_all(fd, head->data, head->size, 0) == 0;
    for (size_t i = 0; good && i < r->count; i++) {
        const struct dpk_elf_segment *h = &r->headers[i];
        const uint8_t *bytes = rv64_memory_at(core->memory, h->address, h->file_size, 0);
        good = bytes && write_range(fd, bytes, h);
    }
    const struct dpk_elf_segment *last = r->count ? &r->headers[r->count - 1] : NULL;
    return good && (!last || ftruncate(fd, (off_t)(last->offset + last->file_size)) == 0) &&
           fsync(fd) == 0;
}

static enum dpk_status create_file(const char *path, const struct dpk_core *core,
                                   const struct dpk_buf *head, const struct ranges *r,
                                   struct dpk_error *err)
{
    struct dpk_new_file file;
    enum dpk_status status = dpk_new_file_open(&file, path, 0600, err);
    if (status == DPK_OK && !write_file(file.fd, core, head, r)) {
        status = dpk_fail_errno(err, "%s", path);
        dpk_new_file_drop(&file);
    } else if (status == DPK_OK) {
        status = dpk_new_file_put(&file, err);
    }
    if (status != DPK_OK)
        dpk_error_prefix(err, "cannot write the core file");
    return status;
}

enum dpk_status dpk_core_write(const char *path, const struct dpk_core *core, struct dpk_error *err)
{
    struct dpk_buf head = {0};
    struct ranges r = {0};
    enum dpk_status status = find_ranges(core->memory, &r, err);
    if (status != DPK_OK)
        goto out;
    put_head(&head, core, &r);
    status = head.failed ? dpk_fail_nomem(err) : create_file(path, core, &head, &r, err);
out:
    free(r.headers);
    dpk_buf_free(&head);
    return status;
}
