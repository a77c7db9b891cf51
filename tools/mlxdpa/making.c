/* Facts about a device ELF's build. */
#include "making.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "fat/fat.h"

/* ---- Compilers ---- */

cJSON *mlxdpa_making_compilers(const struct dpk_elf *elf)
{
    cJSON *list = cJSON_CreateArray();
    struct dpk_reader r = dpk_elf_find(elf, ".comment");
    while (!r.failed && dpk_reader_left(&r) > 0) {
        char text[256];
        size_t length = strnlen((const char *)r.pos, dpk_reader_left(&r));
        snprintf(text, sizeof text, "%.*s", (int)(length < 255 ? length : 255),
                 (const char *)r.pos);
        dpk_read_skip(&r, length < dpk_reader_left(&r) ? length + 1 : length);
        if (text[0])
            cJSON_AddItemToArray(list, cJSON_CreateString(dpk_text_clean(text)));
    }
    return list;
}

/* ---- Symbols ---- */

#define NAME_BYTES 512 /* maximum length of a name */

struct symbols {
    struct dpk_reader table, texts;
};

/* Returns the first symbol table; empty if it cannot be read. */
static struct symbols symbols_of(const struct dpk_elf *elf)
{
    struct symbols s = {.table = dpk_reader(NULL, 0), .texts = dpk_reader(NULL, 0)};
    for (size_t i = 0; i < elf->section_count; i++) {
        struct dpk_elf_section table = dpk_elf_section(elf, i);
        if (table.type != SHT_SYMTAB)
            continue;
        struct dpk_elf_section names = dpk_elf_section(elf, table.link);
        s.table = dpk_elf_content(elf, &table);
        s.texts = dpk_elf_content(elf, &names);
        break;
    }
    return s;
}

/* Returns the name of the next defined symbol with a readable name, or NULL at the end. */
static const char *next_symbol(struct symbols *s, struct dpk_elf_symbol *y)
{
    while (!s->table.failed && !s->texts.failed && dpk_reader_left(&s->table) > 0) {
        *y = dpk_elf_read_symbol(&s->table);
        if (s->table.failed || !y->section || y->name >= dpk_reader_left(&s->texts))
            continue;
        const char *name = (const char *)s->texts.pos + y->name;
        size_t room = dpk_reader_left(&s->texts) - y->name;
        if (memchr(name, 0, room < NAME_BYTES ? room : NAME_BYTES))
            return name;
    }
    return NULL;
}

/* ---- Libraries ---- */

const char *const mlxdpa_making_library_names[MAKING_LIBRARIES] = {
    "libflexio_dev",        "libdoca_pcc_dev",       "libdoca_dpa_dev",
    "libdoca_dpa_dev_comm", "libdoca_dpa_dev_verbs", "libflexio-libc"};

/* Maps prefixes of function names to libraries. An entry without '_' at its end is a whole name.
 * The first match counts. */
static const struct library {
    const char *prefix;
    size_t library;
} libraries[] = {
    {"flexio_", 0},
    {"doca_pcc_", 1},
    {"doca_dpa_dev_rdma_", 3},
    {"doca_dpa_dev_comch_", 3},
    {"doca_dpa_dev_devemu_", 3},
    {"doca_dpa_dev_verbs_", 4},
    {"doca_dpa_", 2},
    {"doca_buf_", 2},
    {"printf", 5},
    {"vprintf", 5},
    {"memcpy", 5},
    {"memset", 5},
    {"strlen", 5},
};

void mlxdpa_making_libraries(const struct dpk_elf *elf, bool found[MAKING_LIBRARIES])
{
    struct symbols s = symbols_of(elf);
    struct dpk_elf_symbol y;
    memset(found, 0, MAKING_LIBRARIES * sizeof *found);
    for (const char *name; (name = next_symbol(&s, &y));) {
        if (ELF64_ST_TYPE(y.info) != STT_FUNC)
            continue;
        for (size_t k = 0; k < sizeof libraries / sizeof *libraries; k++) {
            size_t length = strlen(libraries[k].prefix);
            bool whole = libraries[k].prefix[length - 1] != '_';
            if (strncmp(name, libraries[k].prefix, length) != 0 || (whole && name[length]))
                continue;
            found[libraries[k].library] = true;
            break;
        }
    }
}

/* ---- Entry functions ---- */

/* Symbols of dpacc for each function that a host may start. */
enum mark_kind { MARK_ENTRY, MARK_KERNEL, MARK_SIZE };
static const char *const mark_prefixes[] = {"_dpacc_unpack_", "_dpacc_kernel_", "_dpacc_argsize_"};
struct mark {
    const char *name; /* name of the function */
    enum mark_kind kind;
    uint64_t size; /* size of its arguments */
    bool has_size;
};
struct marks {
    struct mark *at;
    size_t count, capacity;
    bool kernels; /* kernels are marked, so other functions are not kernels */
};

/* Reads the 8-byte number at a symbol. */
static bool read_size(const struct dpk_elf *elf, const struct dpk_elf_symbol *y, uint64_t *size)
{
    struct dpk_elf_section section = dpk_elf_section(elf, y->section);
    struct dpk_reader content = dpk_elf_content(elf, &section);
    if (content.failed || y->value < section.address)
        return false;
    struct dpk_reader r = dpk_reader_slice(&content, y->value - section.address, 8);
    *size = dpk_read_le64(&r);
    return !r.failed;
}

static bool add_mark(struct marks *m, const struct mark *mark)
{
    if (m->count == m->capacity) {
        size_t capacity = m->capacity ? 2 * m->capacity : 16;
        struct mark *more = reallocarray(m->at, capacity, sizeof *more);
        if (!more)
            return false;
        m->at = more;
        m->capacity = capacity;
    }
    m->at[m->count++] = *mark;
    m->kernels |= mark->kind == MARK_KERNEL;
    return true;
}

static int by_name(const void *a, const void *b)
{
    const struct mark *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (int)x->kind - (int)y->kind;
}

/* Returns all marks, sorted by name; fewer if memory runs out. */
static struct marks marks_of(const struct dpk_elf *elf)
{
    struct marks m = {.at = NULL};
    struct symbols s = symbols_of(elf);
    struct dpk_elf_symbol y;
    bool room = true;
    for (const char *name; room && (name = next_symbol(&s, &y));)
        for (size_t k = 0; k < sizeof mark_prefixes / sizeof *mark_prefixes; k++) {
            size_t length = strlen(mark_prefixes[k]);
            struct mark mark = {.name = name + length, .kind = (enum mark_kind)k};
            if (strncmp(name, mark_prefixes[k], length) != 0)
                continue;
            if (mark.kind == MARK_SIZE)
                mark.has_size = read_size(elf, &y, &mark.size);
            room = add_mark(&m, &mark);
        }
    if (m.count > 0)
        qsort(m.at, m.count, sizeof *m.at, by_name);
    return m;
}

/* An event handler is marked as a kernel with 8 bytes of arguments, so only its use by the host
 * distinguishes it. Compilers that mark no kernels do not distinguish kernels from RPCs. */
static const char *entry_kind(const struct marks *m, bool kernel, bool has_size, uint64_t size)
{
    if (kernel)
        return has_size && size == 8 ? "kernel or event handler" : "kernel";
    return m->kernels ? "RPC" : "RPC or kernel";
}

static void show_entries(const struct dpk_elf *elf, cJSON *o)
{
    struct marks m = marks_of(elf);
    cJSON *list = cJSON_AddArrayToObject(o, "entry_functions");
    for (size_t i = 0; i < m.count;) {
        const struct mark *first = &m.at[i];
        bool entry = false, kernel = false, has_size = false;
        uint64_t size = 0;
        for (; i < m.count && strcmp(m.at[i].name, first->name) == 0; i++) {
            entry |= m.at[i].kind == MARK_ENTRY;
            kernel |= m.at[i].kind == MARK_KERNEL;
            if (m.at[i].has_size)
                size = m.at[i].size;
            has_size |= m.at[i].has_size;
        }
        if (!entry)
            continue;
        cJSON *item = cJSON_CreateObject();
        dpk_json_text(item, "name", first->name);
        cJSON_AddStringToObject(item, "type", entry_kind(&m, kernel, has_size, size));
        if (has_size)
            cJSON_AddNumberToObject(item, "argument_bytes", (double)size);
        cJSON_AddItemToArray(list, item);
    }
    free(m.at);
}

/* ---- All facts ---- */

/* Adds the targets that have all instructions of the instruction set. */
static void show_targets(const char *isa, cJSON *o)
{
    cJSON *list = cJSON_AddArrayToObject(o, "targets_possible");
    for (uint32_t t = DPK_TARGET_CX7; t <= DPK_TARGET_CX9; t++)
        if (dpk_target_has_zba(t) || !dpk_isa_has(isa, "zba"))
            cJSON_AddItemToArray(list, cJSON_CreateString(dpk_target_name(t)));
}

void mlxdpa_making_show(const struct dpk_elf *elf, bool for_target, cJSON *o)
{
    bool found[MAKING_LIBRARIES];
    const char *isa = dpk_isa_of(elf);
    show_entries(elf, o);
    if (isa && !for_target)
        show_targets(isa, o);
    if (isa)
        dpk_json_text(o, "instruction_set", isa);
    cJSON_AddItemToObject(o, "compilers", mlxdpa_making_compilers(elf));
    mlxdpa_making_libraries(elf, found);
    cJSON *list = cJSON_AddArrayToObject(o, "libraries");
    for (size_t i = 0; i < MAKING_LIBRARIES; i++)
        if (found[i])
            cJSON_AddItemToArray(list, cJSON_CreateString(mlxdpa_making_library_names[i]));
}
