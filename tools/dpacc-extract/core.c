#include "core.h"

#include "descriptor.h"
#include "elf/elf.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROGRAMS_MAX 1024
#define TOTAL_MAX    ((uint64_t)1 << 30) /* bytes of all programs; hostile ones may overlap */
#define PROBE_SIZE   4096 /* bytes that are compared to recognise the host file */

struct segment {
    uint64_t address, offset, size;
};

struct mapping {
    uint64_t begin, end, offset; /* bytes; offset in the file */
    const char *path;            /* in the core's bytes */
};

struct memory {
    const char *core;
    struct dpk_reader file;
    struct segment *segments;
    size_t segment_count;
    struct mapping *mappings;
    size_t mapping_count;
    uint64_t total; /* bytes that were read of all programs */
};

bool extract_core_is(const struct dpk_buf *file)
{
    const struct dpk_elf elf = dpk_elf(file->data, file->size);
    return elf.flaw == DPK_ELF_SOUND && elf.type == ET_CORE;
}

/* ---- Mappings ---- */

/* Reads NT_FILE: count and page size, then (begin, end, page) for each mapping, then the paths. */
static enum dpk_status read_mappings(struct memory *m, struct dpk_reader note,
                                     struct dpk_error *err)
{
    uint64_t count = dpk_read_le64(&note), page = dpk_read_le64(&note);
    if (note.failed || count > dpk_reader_left(&note) / 24 || m->mappings)
        return dpk_fail(err, DPK_ERR_FORMAT, "%s: damaged list of mapped files", m->core);
    m->mappings = calloc((size_t)count + 1, sizeof *m->mappings);
    if (!m->mappings)
        return dpk_fail_nomem(err);
    struct dpk_reader names = note;
    dpk_read_skip(&names, (size_t)count * 24);
    for (uint64_t i = 0; i < count; i++) {
        struct mapping *map = &m->mappings[m->mapping_count];
        map->begin = dpk_read_le64(&note);
        map->end = dpk_read_le64(&note);
        uint64_t pages = dpk_read_le64(&note);
        const uint8_t *nul = memchr(names.pos, 0, dpk_reader_left(&names));
        if (!nul || map->end < map->begin || (page && pages > UINT64_MAX / 2 / page))
            return dpk_fail(err, DPK_ERR_FORMAT, "%s: damaged list of mapped files", m->core);
        map->offset = pages * page;
        map->path = (const char *)names.pos;
        names.pos = nul + 1;
        m->mapping_count++;
    }
    return DPK_OK;
}

static enum dpk_status read_notes(struct memory *m, struct dpk_reader segment,
                                  struct dpk_error *err)
{
    struct dpk_elf_note note;
    while (dpk_elf_read_note(&segment, &note))
        if (note.type == NT_FILE && note.name_size == 5 && memcmp(note.name, "CORE", 5) == 0)
            return read_mappings(m, note.content, err);
    return DPK_OK;
}

static enum dpk_status read_segments(struct memory *m, struct dpk_error *err)
{
    const struct dpk_elf elf = dpk_elf(m->file.begin, dpk_reader_left(&m->file));
    if (elf.phentsize != sizeof(Elf64_Phdr))
        return dpk_fail(err, DPK_ERR_FORMAT, "%s: damaged core file: its header", m->core);
    if (elf.segments_flaw != DPK_ELF_SOUND)
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "%s: truncated core file: segment 0 lies after its end", m->core);
    m->segments = calloc(elf.segment_count + 1, sizeof *m->segments);
    if (!m->segments)
        return dpk_fail_nomem(err);
    for (unsigned i = 0; i < elf.segment_count; i++) {
        struct dpk_elf_segment s = dpk_elf_segment(&elf, i);
        struct dpk_reader content = dpk_reader_slice(&m->file, s.offset, s.file_size);
        if (content.failed && (s.type == PT_LOAD || s.type == PT_NOTE))
            return dpk_fail(err, DPK_ERR_FORMAT,
                            "%s: truncated core file: segment %u lies after its end", m->core, i);
        if (s.type == PT_LOAD && s.file_size)
            m->segments[m->segment_count++] = (struct segment){s.address, s.offset, s.file_size};
        enum dpk_status status = s.type == PT_NOTE ? read_notes(m, content, err) : DPK_OK;
        if (status != DPK_OK)
            return status;
    }
    return DPK_OK;
}

static const struct segment *find_segment(const struct memory *m, uint64_t address)
{
    for (size_t i = 0; i < m->segment_count; i++)
        if (address >= m->segments[i].address &&
            address - m->segments[i].address < m->segments[i].size)
            return &m->segments[i];
    return NULL;
}

static const struct mapping *find_mapping(const struct memory *m, uint64_t address)
{
    for (size_t i = 0; i < m->mapping_count; i++)
        if (address >= m->mappings[i].begin && address < m->mappings[i].end)
            return &m->mappings[i];
    return NULL;
}

/* ---- Memory ---- */

/* Opens a mapped file. The core names it, so it may be a FIFO now, which would block. Returns -1 and
 * sets *status on failure. */
static int open_mapped(const char *path, enum dpk_status *status, struct dpk_error *err)
{
    struct stat st;
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        return fd;
    *status = fd < 0 ? dpk_fail_errno(err, "%s", path)
                     : dpk_fail(err, DPK_ERR_FORMAT, "%s: not a regular file", path);
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Reads exactly `size` bytes of a file. */
static bool read_exactly(int fd, void *to, size_t size, uint64_t offset)
{
    uint8_t *at = to;
    while (size) {
        const ssize_t got = offset <= INT64_MAX ? pread(fd, at, size, (off_t)offset) : 0;
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        size -= (size_t)got;
        offset += (uint64_t)got;
    }
    return true;
}

/* Returns true if the first page of the file, as far as the core has it, is the same as in the
 * core. */
static bool is_same_file(const struct memory *m, const char *path, int fd)
{
    uint8_t here[PROBE_SIZE];
    for (size_t i = 0; i < m->mapping_count; i++) {
        const struct mapping *map = &m->mappings[i];
        const struct segment *s = find_segment(m, map->begin);
        if (map->offset != 0 || strcmp(map->path, path) != 0 || !s)
            continue;
        uint64_t skip = map->begin - s->address;
        uint64_t size = s->size - skip < PROBE_SIZE ? s->size - skip : PROBE_SIZE;
        struct dpk_reader there = dpk_reader_slice(&m->file, s->offset + skip, size);
        return !there.failed && read_exactly(fd, here, (size_t)size, 0) &&
               memcmp(there.begin, here, (size_t)size) == 0;
    }
    return true;
}

/* Reads memory of a mapped file that the core leaves out. */
static enum dpk_status read_mapped(const struct memory *m, const char *app, uint64_t address,
                                   uint64_t size, struct dpk_buf *out, struct dpk_error *err)
{
    const struct mapping *map = find_mapping(m, address);
    enum dpk_status status = DPK_OK;
    if (!map || size > map->end - address)
        return dpk_fail(err, DPK_ERR_NOT_FOUND,
                        "%s: program '%s' was left out of the core file: write 0x3f to "
                        "/proc/PID/coredump_filter before the process dies",
                        m->core, app);
    const int fd = open_mapped(map->path, &status, err);
    if (fd < 0) {
        dpk_error_prefix(err,
                         "%s: program '%s' was left out of the core file, and where it came from "
                         "cannot be read",
                         m->core, app);
        return status;
    }
    const uint64_t skip = address - map->begin;
    const size_t before = out->size;
    dpk_put_fill(out, 0, (size_t)size);
    if (!out->failed && (map->offset > UINT64_MAX - skip || !is_same_file(m, map->path, fd) ||
                         !read_exactly(fd, out->data + before, (size_t)size, map->offset + skip)))
        status = dpk_fail(err, DPK_ERR_FORMAT,
                          "%s: program '%s' was left out of the core file, and %s is not the file "
                          "any more that it came from",
                          m->core, app, map->path);
    close(fd);
    return status;
}

/* Reads memory from the core or from mapped files. A segment may end inside the range. */
static enum dpk_status read_memory(struct memory *m, const char *app, uint64_t address,
                                   uint64_t size, struct dpk_buf *out, struct dpk_error *err)
{
    if (address > UINT64_MAX - size)
        return dpk_fail(err, DPK_ERR_FORMAT, "%s: program '%s': impossible size", m->core, app);
    if (size > TOTAL_MAX - m->total)
        return dpk_fail(err, DPK_ERR_RANGE,
                        "%s: program '%s': more than 1 GiB, together with the programs before it",
                        m->core, app);
    m->total += size;
    while (size) {
        const struct segment *s = find_segment(m, address);
        uint64_t part = size;
        if (s) {
            uint64_t skip = address - s->address;
            part = s->size - skip < size ? s->size - skip : size;
            dpk_put(out, m->file.begin + s->offset + skip, (size_t)part);
        } else {
            const struct mapping *map = find_mapping(m, address);
            for (size_t i = 0; i < m->segment_count; i++) /* up to the next segment of the core */
                if (m->segments[i].address > address && m->segments[i].address - address < part)
                    part = m->segments[i].address - address;
            if (map && map->end - address < part)
                part = map->end - address;
            enum dpk_status status = read_mapped(m, app, address, part, out, err);
            if (status != DPK_OK)
                return status;
        }
        address += part;
        size -= part;
    }
    return out->failed ? dpk_fail_nomem(err) : DPK_OK;
}

/* ---- Programs ---- */

static enum dpk_status add_program(struct memory *m, struct dpk_reader r, struct core *core,
                                   struct dpk_error *err)
{
    dpk_read_skip(&r, 8);
    uint64_t elf = dpk_read_le64(&r), elf_size = dpk_read_le64(&r);
    uint64_t room = dpk_read_le64(&r), room_size = dpk_read_le64(&r);
    dpk_read_skip(&r, 8);
    size_t left = dpk_reader_left(&r);
    const uint8_t *name = dpk_read_bytes(&r, left);
    if (!name || !elf || !memchr(name, 0, left) || !*name)
        return DPK_OK; /* not a valid descriptor */
    if (core->count == PROGRAMS_MAX)
        return dpk_fail(err, DPK_ERR_RANGE, "%s: more than %d programs", m->core, PROGRAMS_MAX);
    for (size_t i = 0; i < core->count; i++)
        if (core->programs[i].address == elf)
            return DPK_OK;
    struct core_program *at = reallocarray(core->programs, core->count + 1, sizeof *at);
    if (!at)
        return dpk_fail_nomem(err);
    core->programs = at;
    struct core_program *p = &at[core->count++];
    *p = (struct core_program){.address = elf};
    snprintf(p->name, sizeof p->name, "%s", (const char *)name);
    dpk_text_clean(p->name);
    enum dpk_status status = read_memory(m, p->name, elf, elf_size, &p->elf, err);
    return status == DPK_OK ? read_memory(m, p->name, room, room_size, &p->room, err) : status;
}

static enum dpk_status find_programs(struct memory *m, struct core *core, struct dpk_error *err)
{
    for (size_t i = 0; i < m->segment_count; i++) {
        const struct segment *s = &m->segments[i];
        uint64_t skip =
            (DPK_DESCRIPTOR_SIZE - s->address % DPK_DESCRIPTOR_SIZE) % DPK_DESCRIPTOR_SIZE;
        for (; skip < s->size && s->size - skip >= DPK_DESCRIPTOR_SIZE;
             skip += DPK_DESCRIPTOR_SIZE) {
            const uint8_t *at = m->file.begin + s->offset + skip;
            if (memcmp(at, DPK_DESCRIPTOR_MAGIC, 8) != 0)
                continue;
            enum dpk_status status = add_program(m, dpk_reader(at, DPK_DESCRIPTOR_SIZE), core, err);
            if (status != DPK_OK)
                return status;
        }
    }
    if (!core->count)
        return dpk_fail(err, DPK_ERR_NOT_FOUND, "%s: no DPA program in this core file", m->core);
    return DPK_OK;
}

enum dpk_status extract_core_parse(const char *path, const struct dpk_buf *file, struct core *out,
                                   struct dpk_error *err)
{
    struct memory m = {.core = path, .file = dpk_reader(file->data, file->size)};
    enum dpk_status status = read_segments(&m, err);
    if (status == DPK_OK)
        status = find_programs(&m, out, err);
    if (status != DPK_OK)
        extract_core_free(out);
    free(m.segments);
    free(m.mappings);
    return status;
}

void extract_core_free(struct core *core)
{
    for (size_t i = 0; i < core->count; i++) {
        dpk_buf_free(&core->programs[i].elf);
        dpk_buf_free(&core->programs[i].room);
    }
    free(core->programs);
    *core = (struct core){0};
}
