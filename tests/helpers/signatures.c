/*
 * Prints random function signatures for dpacc as C. The same seed gives the same text.
 *
 *     signatures SEED types            types and their hashes, for host and DPA (types.h)
 *     signatures SEED device FILE      entry functions of one of the source files
 *     signatures SEED host             a host that calls each with random values and compares
 *
 * A function hashes what it received, member by member, and returns the hash; the host hashes what
 * it sent. Padding is not hashed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RECORDS = 30,
    FILES = 5,
    PER_FILE = 25,
    ARGUMENTS_MAX = 32,
    MEMBERS_MAX = 6,
    RECORD_MAX = 96
};

static uint64_t state;

/* splitmix64 */
static uint64_t next(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static unsigned below(unsigned n)
{
    return (unsigned)(next() % n);
}

/* ---- Types ---- */

static const struct scalar {
    const char *name;
    unsigned size;
} scalars[] = {
    {"bool", 1},        {"char", 1},
    {"signed char", 1}, {"unsigned char", 1},
    {"short", 2},       {"unsigned short", 2},
    {"int", 4},         {"unsigned", 4},
    {"long", 8},        {"unsigned long", 8},
    {"long long", 8},   {"unsigned long long", 8},
    {"int8_t", 1},      {"uint8_t", 1},
    {"int16_t", 2},     {"uint16_t", 2},
    {"int32_t", 4},     {"uint32_t", 4},
    {"int64_t", 8},     {"uint64_t", 8},
    {"size_t", 8},      {"uintptr_t", 8},
    {"__int128", 16},   {"unsigned __int128", 16},
    {"handle_t", 8},    {"handle_of_handle_t", 8},
    {"enum color", 4},  {"color_t", 4},
    {"enum level", 4},
};
enum { SCALARS = sizeof scalars / sizeof *scalars, COLOR = SCALARS - 3 };

struct type {
    unsigned scalar; /* index of scalars, or SCALARS for a record */
    unsigned record;
};

struct member {
    struct type type;
    unsigned count; /* elements of an array, or 0 */
    unsigned bits;  /* bits of a bit-field, or 0 */
};

static struct record {
    struct member members[MEMBERS_MAX];
    unsigned count, most; /* most: maximum size, bytes */
    int is_union, packed, typedefed;
} records[RECORDS];

static unsigned most_of(struct type t)
{
    return t.scalar == SCALARS ? records[t.record].most : scalars[t.scalar].size;
}

static struct member choose_member(unsigned index, unsigned room)
{
    struct member m = {.type = {below(SCALARS), 0}};
    if (index && below(3) == 0)
        m.type = (struct type){SCALARS, below(index)};
    if (most_of(m.type) > room)
        m.type = (struct type){1, 0};
    unsigned fit = room / most_of(m.type);
    if (fit > 1 && below(3) == 0)
        m.count = 1 + below(fit > 5 ? 5 : fit);
    else if (below(6) == 0)
        m = (struct member){.type = {7, 0}, .bits = 1 + below(31)}; /* unsigned x : bits */
    return m;
}

static void choose_records(void)
{
    for (unsigned i = 0; i < RECORDS; i++) {
        struct record *r = &records[i];
        unsigned room = below(4) ? 40 : 80, count = 1 + below(MEMBERS_MAX);
        r->is_union = below(6) == 0;
        r->packed = below(5) == 0;
        r->typedefed = below(3) == 0;
        for (; r->count < count && room; r->count++) {
            struct member m = choose_member(i, room);
            unsigned size = (m.count ? m.count : 1) * most_of(m.type);
            if (r->is_union && m.bits) /* unions are hashed by their first member */
                m.bits = 0;
            r->members[r->count] = m;
            room -= size < room ? size : room;
        }
        r->most = RECORD_MAX;
    }
}

static void put_type(struct type t)
{
    if (t.scalar < SCALARS)
        printf("%s", scalars[t.scalar].name);
    else if (records[t.record].typedefed)
        printf("r%u_t", t.record);
    else
        printf("%s r%u", records[t.record].is_union ? "union" : "struct", t.record);
}

static void put_record(unsigned index)
{
    const struct record *r = &records[index];
    printf("%s%s r%u {\n", r->typedefed ? "typedef " : "", r->is_union ? "union" : "struct", index);
    for (unsigned i = 0; i < r->count; i++) {
        const struct member *m = &r->members[i];
        printf("    ");
        put_type(m->type);
        printf(" m%u", i);
        if (m->count)
            printf("[%u]", m->count);
        if (m->bits)
            printf(" : %u", m->bits);
        puts(";");
    }
    printf("} %s__dpa_global__", r->packed ? "__attribute__((packed)) " : "");
    printf(r->typedefed ? " r%u_t;\n" : ";\n", index);
}

/* Prints code that hashes or fills the value `where`. */
static void put_value_call(const char *what, struct type t, const char *where)
{
    int hash = strcmp(what, "hash") == 0;
    if (t.scalar == SCALARS)
        printf(hash ? "h = hash_r%u(h, &%s);" : "fill_r%u(&%s);", t.record, where);
    else if (hash)
        printf("{ __typeof__(%s) v = %s; h = hash(h, &v, sizeof v); }", where, where);
    else if (t.scalar >= COLOR)
        printf("%s = (enum %s)(random_bits() %% 3);", where,
               t.scalar == SCALARS - 1 ? "level" : "color");
    else if (t.scalar == 0)
        printf("%s = random_bits() & 1;", where);
    else
        printf("%s = (__typeof__(%s))((unsigned __int128)random_bits() << 64 | random_bits());",
               where, where);
}

static void put_member_call(const char *what, const struct member *m, unsigned index)
{
    char where[32];
    if (m->bits) {
        if (strcmp(what, "hash") == 0)
            printf("    { unsigned v = p->m%u; h = hash(h, &v, sizeof v); }\n", index);
        else
            printf("    p->m%u = (unsigned)(random_bits() & %#x);\n", index, (1u << m->bits) - 1);
        return;
    }
    snprintf(where, sizeof where, m->count ? "p->m%u[i]" : "p->m%u", index);
    printf("    ");
    if (m->count)
        printf("for (int i = 0; i < %u; i++) { ", m->count);
    /* Members of a packed structure may be unaligned, so copy them. */
    if (m->type.scalar == SCALARS) {
        put_type(m->type);
        printf(" c; memcpy(&c, &%s, sizeof c); ", where);
        put_value_call(what, m->type, "c");
        printf(" memcpy((void *)&%s, &c, sizeof c);", strcmp(what, "hash") ? where : "c");
    } else {
        put_value_call(what, m->type, where);
    }
    puts(m->count ? " }" : "");
}

static void put_record_functions(unsigned index)
{
    const struct record *r = &records[index];
    unsigned count = r->is_union ? 1 : r->count;
    struct type t = {SCALARS, index};
    printf("static inline uint64_t hash_r%u(uint64_t h, const ", index);
    put_type(t);
    puts(" *p)\n{");
    for (unsigned i = 0; i < count; i++) {
        puts("    {");
        put_member_call("hash", &r->members[i], i);
        puts("    }");
    }
    puts("    return h;\n}\n#ifndef __DPA__");
    printf("static inline void fill_r%u(", index);
    put_type(t);
    puts(" *p)\n{\n    memset((void *)p, 0xa5, sizeof *p);");
    for (unsigned i = 0; i < count; i++) {
        puts("    {");
        put_member_call("fill", &r->members[i], i);
        puts("    }");
    }
    puts("}\n#endif\n");
}

static void put_types(void)
{
    puts("#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <string.h>\n"
         "#ifndef __DPA__\n#define __dpa_global__\n"
         "static uint64_t random_state = 88172645463325252u;\n"
         "static inline uint64_t random_bits(void)\n{\n"
         "    random_state ^= random_state << 13;\n    random_state ^= random_state >> 7;\n"
         "    return random_state ^= random_state << 17;\n}\n#endif\n"
         "__attribute__((noinline, unused)) static uint64_t hash(uint64_t h, const void *data, "
         "size_t size)\n{\n"
         "    for (size_t i = 0; i < size; i++)\n"
         "        h = (h ^ ((const unsigned char *)data)[i]) * 1099511628211u;\n"
         "    return h;\n}\n"
         "__dpa_global__ typedef uint64_t handle_t;\ntypedef handle_t handle_of_handle_t;\n"
         "enum color { RED, GREEN, BLUE };\ntypedef enum color color_t;\n"
         "enum level { LOW = -1, HIGH = 0x7fffffff };\n");
    for (unsigned i = 0; i < RECORDS; i++) {
        put_record(i);
        put_record_functions(i);
    }
}

/* ---- Functions ---- */

static struct function {
    struct type arguments[ARGUMENTS_MAX];
    unsigned count, annotated; /* 0: definition, 1: prototype before, 2: after */
} functions[FILES * PER_FILE];

static void choose_functions(void)
{
    for (unsigned i = 0; i < FILES * PER_FILE; i++) {
        struct function *f = &functions[i];
        f->count = i % PER_FILE == 0 ? ARGUMENTS_MAX : below(below(4) ? 8 : ARGUMENTS_MAX + 1);
        f->annotated = below(3);
        for (unsigned n = 0; n < f->count; n++)
            f->arguments[n] = below(3) ? (struct type){below(SCALARS), 0}
                                       : (struct type){SCALARS, below(RECORDS)};
    }
}

static void put_prototype(unsigned index, const char *before)
{
    const struct function *f = &functions[index];
    printf("%suint64_t f%u(", before, index);
    for (unsigned i = 0; i < f->count; i++) {
        printf(i ? ", " : "");
        put_type(f->arguments[i]);
        printf(" a%u", i);
    }
    printf("%s)", f->count ? "" : "void");
}

static void put_device(unsigned file)
{
    puts("#include \"types.h\"");
    for (unsigned index = file * PER_FILE; index < (file + 1) * PER_FILE; index++) {
        const struct function *f = &functions[index];
        if (f->annotated == 1) {
            put_prototype(index, "__dpa_rpc__ ");
            puts(";");
        }
        put_prototype(index, f->annotated == 0 ? "__dpa_rpc__ " : "");
        printf("\n{\n    uint64_t h = %u;\n", index);
        for (unsigned i = 0; i < f->count; i++) {
            char where[16];
            snprintf(where, sizeof where, "a%u", i);
            printf("    ");
            put_value_call("hash", f->arguments[i], where);
            puts("");
        }
        puts("    return h;\n}");
        if (f->annotated == 2) {
            put_prototype(index, "__dpa_rpc__ ");
            puts(";");
        }
    }
}

static void put_host(void)
{
    puts("#include <libflexio/flexio.h>\n#include <stdio.h>\n#include \"types.h\"\n"
         "#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
         "extern struct flexio_app *random_app;");
    for (unsigned i = 0; i < FILES * PER_FILE; i++)
        printf("extern flexio_func_t f%u;\n", i);
    puts("#ifdef __cplusplus\n}\n#endif\nstatic int bad;\n"
         "static void compare(const char *name, int failed, uint64_t got, uint64_t want)\n{\n"
         "    if (failed || got != want) {\n"
         "        printf(\"%s: %s\\n\", name, failed ? \"not called\" : \"not what was sent\");\n"
         "        bad = 1;\n    }\n}");
    for (unsigned index = 0; index < FILES * PER_FILE; index++) {
        const struct function *f = &functions[index];
        printf("static void call%u(struct flexio_process *process)\n{\n"
               "    uint64_t h = %u, got = 0;\n",
               index, index);
        for (unsigned i = 0; i < f->count; i++) {
            char where[16];
            snprintf(where, sizeof where, "a%u", i);
            printf("    ");
            put_type(f->arguments[i]);
            printf(" a%u; ", i);
            put_value_call("fill", f->arguments[i], where);
            printf(" ");
            put_value_call("hash", f->arguments[i], where);
            puts("");
        }
        printf("    int failed = flexio_process_call(process, f%u, &got", index);
        for (unsigned i = 0; i < f->count; i++)
            printf(", a%u", i);
        printf(") != FLEXIO_STATUS_SUCCESS;\n    compare(\"f%u\", failed, got, h);\n}\n", index);
    }
    puts("int main(void)\n{\n"
         "    struct ibv_device **list = ibv_get_device_list(NULL);\n"
         "    struct ibv_context *ctx = list && list[0] ? ibv_open_device(list[0]) : NULL;\n"
         "    struct flexio_process *process = NULL;\n"
         "    if (!ctx || flexio_process_create(ctx, random_app, NULL, &process) !=\n"
         "        FLEXIO_STATUS_SUCCESS)\n        return 2;");
    for (unsigned i = 0; i < FILES * PER_FILE; i++)
        printf("    call%u(process);\n", i);
    puts("    flexio_process_destroy(process);\n    ibv_close_device(ctx);\n"
         "    ibv_free_device_list(list);\n    return bad;\n}");
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    state = strtoull(argv[1], NULL, 0);
    choose_records();
    choose_functions();
    if (strcmp(argv[2], "types") == 0)
        put_types();
    else if (strcmp(argv[2], "device") == 0 && argc == 4)
        put_device((unsigned)strtoul(argv[3], NULL, 0));
    else if (strcmp(argv[2], "host") == 0)
        put_host();
    else
        return 2;
    return 0;
}
