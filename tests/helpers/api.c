/*
 * Holds the public headers to the facts of tests/data/api (its README has the columns):
 *
 *     api TREE RESOURCES FACTS REASONS      TREE: as installed; RESOURCES: clang -print-resource-dir
 *
 * libclang reads the headers once for each release and side, as a program of that release does. A fact
 * that the headers contradict, or a name that they lack, is a line on stdout, unless a reason names it;
 * so is a reason that nothing needs. The last line counts. The exit code is 1 if there was a line.
 */
#include <clang-c/Index.h>
#include <dirent.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 5

/* ---- Tables: lines of words between tabs ---- */

struct row {
    char *at[COLUMNS_MAX];
    bool used;
};
struct table {
    struct row *rows;
    size_t count;
};

static void *grow(void *at, size_t count, size_t size)
{
    at = count & (count - 1) ? at : realloc(at, (count ? count * 2 : 1) * size);
    if (!at)
        exit(2);
    return at;
}

static struct table read_table(const char *path, size_t columns)
{
    struct table t = {0};
    FILE *f = fopen(path, "re");
    char *line = NULL;
    size_t room = 0;
    if (!f) {
        perror(path);
        exit(2);
    }
    while (getline(&line, &room, f) >= 0) {
        line[strcspn(line, "\n")] = '\0';
        if (*line == '#' || !*line || strncmp(line, "name\t", 5) == 0)
            continue;
        t.rows = grow(t.rows, t.count, sizeof *t.rows);
        struct row *r = &t.rows[t.count++];
        char *rest = strdup(line);
        *r = (struct row){0};
        for (size_t i = 0; i < columns; i++)
            if (!(r->at[i] = strsep(&rest, "\t"))) {
                fprintf(stderr, "%s: a line has fewer than %zu columns: %s\n", path, columns, line);
                exit(2);
            }
    }
    free(line);
    fclose(f);
    return t;
}

enum { NAME, KIND, VALUE, SIDE, RELEASES };          /* of facts */
enum { R_RELEASES, R_NAMES, R_KIND, R_WHAT, R_WHY }; /* of reasons */

/* Whether a word of `list`, between spaces, is `word`; "*" is any. */
static bool has_word(const char *list, const char *word)
{
    size_t length = strlen(word);
    if (strcmp(list, "*") == 0)
        return true;
    for (const char *at = list; (at = strstr(at, word)); at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

/* ---- Declarations: what the headers have ---- */

struct declared {
    char *name, *value;
    const char *kind;
};
static struct declared *found;
static size_t found_count;

static void add_found(const char *kind, const char *name, const char *value)
{
    found = grow(found, found_count, sizeof *found);
    found[found_count++] = (struct declared){strdup(name), strdup(value), kind};
}

static void forget_found(void)
{
    for (size_t i = 0; i < found_count; i++) {
        free(found[i].name);
        free(found[i].value);
    }
    free(found);
    found = NULL;
    found_count = 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct declared *)a)->name, ((const struct declared *)b)->name);
}

static void put(char *to, size_t size, const char *format, ...)
{
    size_t used = strlen(to);
    va_list args;
    va_start(args, format);
    vsnprintf(to + used, size - used, format, args);
    va_end(args);
}

/* Takes `what` out of the text, wherever it is, and puts `with` there, which is not longer. */
static void replace(char *text, const char *what, const char *with)
{
    size_t from = strlen(what), to = strlen(with);
    for (char *at = text; (at = strstr(at, what)); at += to) {
        memcpy(at, with, to);
        memmove(at + to, at + from, strlen(at + from) + 1);
    }
}

/* A type as the facts write it: canonical, C's word for truth is bool. */
static void put_type(char *to, size_t size, CXType type)
{
    CXString text = clang_getTypeSpelling(clang_getCanonicalType(type));
    put(to, size, "%s", clang_getCString(text));
    clang_disposeString(text);
    replace(to, " restrict", "");
    replace(to, "*restrict", "*");
    replace(to, "_Bool", "bool");
    replace(to, "(void)", "()");
    replace(to, "[]", " *");
    replace(to, " __attribute__((noreturn))", "");
}

struct layout {
    char text[8192];
};

static enum CXVisitorResult put_field(CXCursor c, CXClientData data)
{
    struct layout *l = data;
    CXString name = clang_getCursorSpelling(c);
    const char *text = clang_getCString(name);
    long long bits = clang_Cursor_isBitField(c) ? clang_getFieldDeclBitWidth(c)
                                                : clang_Type_getSizeOf(clang_getCursorType(c)) * 8;
    /* LLVM 14 has no name for an unnamed member; LLVM 19 has "OUTER::(anonymous at ...)". */
    put(l->text, sizeof l->text, " %s@%lld:%lld;", *text && !strchr(text, '(') ? text : "(anon)",
        clang_Cursor_getOffsetOfField(c), bits);
    clang_disposeString(name);
    return CXVisit_Continue;
}

static void add_layout(const char *name, CXType type)
{
    struct layout l = {0};
    long long size = clang_Type_getSizeOf(type);
    if (size < 0)
        return; /* not defined here */
    put(l.text, sizeof l.text, "size %lld:", size);
    clang_Type_visitFields(type, put_field, &l);
    l.text[strlen(l.text) - 1] = '\0';
    add_found("struct", name, l.text);
}

static void add_type(const char *kind, const char *name, CXType type)
{
    char text[4096] = "";
    put_type(text, sizeof text, type);
    add_found(kind, name, text);
}

static void add_number(const char *name, long long value)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", value);
    add_found("value", name, text);
}

#define VALUE_OF "value_of_" /* before the name of a macro: a variable with its value */

static void add_variable(CXCursor c, const char *name)
{
    if (strncmp(name, VALUE_OF, strlen(VALUE_OF)) != 0)
        return;
    CXEvalResult value = clang_Cursor_Evaluate(c);
    if (value && clang_EvalResult_getKind(value) == CXEval_Int)
        add_number(name + strlen(VALUE_OF), clang_EvalResult_getAsLongLong(value));
    clang_EvalResult_dispose(value);
}

static enum CXChildVisitResult see(CXCursor c, CXCursor parent, CXClientData data)
{
    (void)parent, (void)data;
    CXString spelled = clang_getCursorSpelling(c);
    const char *name = clang_getCString(spelled);
    const enum CXCursorKind kind = clang_getCursorKind(c);
    CXType type = clang_getCursorType(c), real = clang_getCanonicalType(type);
    if (kind == CXCursor_FunctionDecl)
        add_type("func", name, type);
    else if (kind == CXCursor_EnumConstantDecl)
        add_number(name, clang_getEnumConstantDeclValue(c));
    else if (kind == CXCursor_StructDecl || kind == CXCursor_UnionDecl)
        add_layout(name, type);
    else if (kind == CXCursor_VarDecl)
        add_variable(c, name);
    else if (kind == CXCursor_TypedefDecl) {
        add_type("typedef", name, real);
        if (real.kind == CXType_Record)
            add_layout(name, real);
    }
    clang_disposeString(spelled);
    return kind == CXCursor_EnumDecl || kind == CXCursor_StructDecl || kind == CXCursor_UnionDecl ||
                   kind == CXCursor_LinkageSpec
               ? CXChildVisit_Recurse
               : CXChildVisit_Continue;
}

/* ---- Views: the headers of a release on one side ---- */

struct view {
    const char *releases, *side, *folders, *defines;
};
#define RELEASE(major, minor)                                                                      \
    "-DDOCA_VERSION_MAJOR=" #major " -DDOCA_VERSION_MINOR=" #minor " -DDOCA_VERSION_PATCH=0 "      \
    "-DDOCA_VERSION_STRING=\"" #major "." #minor ".0\""
static const struct view views[] = {
    {"2.2", "host", "doca-2.2", RELEASE(2, 2)},
    {"2.2", "dev", "doca-2.2", RELEASE(2, 2)},
    {"2.5", "host", "doca-2.5", RELEASE(2, 5)},
    {"2.5", "dev", "doca-2.5", RELEASE(2, 5)},
    {"2.6", "host", "doca-2.5", RELEASE(2, 6)},
    {"2.6", "dev", "doca-2.5", RELEASE(2, 6)},
    {"2.10", "host", "doca", RELEASE(2, 10)},
    {"2.10", "dev", "doca", RELEASE(2, 10)},
    {"3.0", "host", "doca", RELEASE(3, 0)},
    {"3.0", "dev", "doca", RELEASE(3, 0)},
    {"verbs3.3", "host", "doca", ""},
    {"dpadev3.3", "dev", "doca", ""},
    {"pcc3.3", "dev", "doca", ""},
    {"flexio24.01", "host", "libflexio", "-DFLEXIO_VER_USED=FLEXIO_VER(24,1,0)"},
    {"flexio24.01", "dev", "libflexio-dev libflexio-libc libflexio-os",
     "-DFLEXIO_DEV_VER_USED=FLEXIO_DEV_VER(24,1,0)"},
    {"flexio25.1", "dev", "libflexio-dev libflexio-os",
     "-DFLEXIO_DEV_VER_USED=FLEXIO_DEV_VER(25,1,0)"},
    {"dpaintrin3.0", "dev", ".", ""},
};
#define DEVICE                                                                                     \
    "--target=riscv64-unknown-elf -ffreestanding -nostdlibinc -D__DPA__=1 -D__NV_DPA_CX7=1 "       \
    "-D__NV_DPA_BF3=2 -D__NV_DPA_CX8=3 -D__NV_DPA_CX9=4 -D__NV_DPA=2 -D__dpa_global__= "           \
    "-D__dpa_rpc__= "

/* Which headers of a folder are those of a side. */
static bool is_of_side(const char *folder, const char *name, const char *side)
{
    bool dev = strcmp(side, "dev") == 0;
    if (strcmp(folder, ".") == 0)
        return strcmp(name, "dpaintrin.h") == 0;
    if (!strstr(name, ".h"))
        return false;
    if (strncmp(folder, "doca", 4) != 0)
        return true;
    bool is_dev = strstr(name, "_dev.h") || strstr(name, "_dev_");
    return dev ? is_dev : !is_dev;
}

static void include_folder(FILE *to, const char *include, const char *folder, const char *side)
{
    char path[8192];
    struct dirent **names = NULL;
    snprintf(path, sizeof path, "%s/%s", include, folder);
    int count = scandir(path, &names, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        if (is_of_side(folder, names[i]->d_name, side))
            fprintf(to, "#include \"%s/%s\"\n", folder, names[i]->d_name);
        free(names[i]);
    }
    free(names);
}

/* A source that includes the headers of a view, and evaluates what may be a macro. */
static char *make_source(const struct view *v, const char *include, const struct table *facts)
{
    char *text = NULL, *folders = strdup(v->folders), *rest = folders, *folder;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to || !folders)
        exit(2);
    fputs("#define DOCA_ALLOW_EXPERIMENTAL_API\n", to);
    while ((folder = strsep(&rest, " ")))
        include_folder(to, include, folder, v->side);
    for (size_t i = 0; i < facts->count; i++) {
        char *const *f = facts->rows[i].at;
        if (strcmp(f[KIND], "value") == 0 && strcmp(f[SIDE], v->side) == 0 &&
            has_word(f[RELEASES], v->releases))
            fprintf(to,
                    "#ifdef %s\nstatic const long long " VALUE_OF "%s = (long long)(%s);\n#endif\n",
                    f[NAME], f[NAME], f[NAME]);
    }
    fclose(to);
    free(folders);
    return text;
}

static size_t split(char *text, const char **words, size_t count)
{
    for (char *word; (word = strsep(&text, " "));)
        if (*word)
            words[count++] = word;
    return count;
}

static int complain(CXTranslationUnit unit, const struct view *v)
{
    int errors = 0;
    for (unsigned i = 0; i < clang_getNumDiagnostics(unit); i++) {
        CXDiagnostic d = clang_getDiagnostic(unit, i);
        if (clang_getDiagnosticSeverity(d) >= CXDiagnostic_Error) {
            CXString text = clang_formatDiagnostic(d, clang_defaultDiagnosticDisplayOptions());
            printf("%s %s: %s\n", v->releases, v->side, clang_getCString(text));
            clang_disposeString(text);
            errors++;
        }
        clang_disposeDiagnostic(d);
    }
    return errors;
}

/* Fills `found`, in the order of names. Returns how many errors the headers have. */
static int parse(const struct view *v, const char *tree, const char *resources,
                 const struct table *facts)
{
    const bool dev = strcmp(v->side, "dev") == 0;
    char options[2048], include[4096], folder[8192], libc[4096];
    const char *words[64] = {"-x",      "c",  "-std=gnu11", "-w", "-resource-dir",
                             resources, "-I", include,      "-I", folder};
    size_t count = 10;
    snprintf(include, sizeof include, "%s/include", tree);
    char *source = make_source(v, include, facts);
    /* A release's folder is searched alone: what it lacks is not there. */
    snprintf(folder, sizeof folder, "%s/%s", include,
             strncmp(v->folders, "doca", 4) == 0 ? v->folders : "doca");
    snprintf(libc, sizeof libc, "-isystem%s/share/dpakit/libc", tree);
    snprintf(options, sizeof options, "%s%s", dev ? DEVICE : "", v->defines);
    count = split(options, words, count);
    if (dev)
        words[count++] = libc;
    struct CXUnsavedFile file = {"api.c", source, strlen(source)};
    CXIndex index = clang_createIndex(0, 0);
    CXTranslationUnit unit = NULL;
    if (clang_parseTranslationUnit2(index, "api.c", words, (int)count, &file, 1,
                                    CXTranslationUnit_KeepGoing, &unit) != CXError_Success)
        exit(2);
    int errors = complain(unit, v);
    clang_visitChildren(clang_getTranslationUnitCursor(unit), see, NULL);
    qsort(found, found_count, sizeof *found, by_name);
    clang_disposeTranslationUnit(unit);
    clang_disposeIndex(index);
    free(source);
    return errors;
}

/* ---- Comparison ---- */

static struct {
    size_t facts, same, differs, missing, lines;
} counts;

/* The first declaration of that name, or NULL. */
static const struct declared *first(const char *name)
{
    const struct declared key = {(char *)name, NULL, NULL};
    const struct declared *at = bsearch(&key, found, found_count, sizeof *found, by_name);
    while (at && at > found && strcmp(at[-1].name, name) == 0)
        at--;
    return at;
}

static const struct declared *next(const struct declared *at)
{
    return at + 1 < found + found_count && strcmp(at->name, at[1].name) == 0 ? at + 1 : NULL;
}

/* What our headers call an enumeration that has no tag there, and so the name of its typedef. */
static const char *tagged(const char *word)
{
    for (const struct declared *d = first(word); d; d = next(d))
        if (strcmp(d->kind, "typedef") == 0 && strncmp(d->value, "enum ", 5) == 0)
            return d->value;
    return word;
}

/* The fact's value with our names for enumerations without tags. */
static void put_tagged(char *to, size_t size, const char *value)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    char word[256];
    for (; *value; value += strlen(word)) {
        size_t length = strspn(value, letters);
        bool after_tag = strlen(to) > 1 && to[strlen(to) - 1] == ' ' && to[strlen(to) - 2] != ',';
        snprintf(word, sizeof word, "%.*s", (int)(length ? length : 1), value);
        put(to, size, "%s", length && !after_tag ? tagged(word) : word);
    }
}

/* The declaration that agrees with the fact, or else any of that name, or NULL. */
static const struct declared *find(char *const *fact, bool *agrees)
{
    const struct declared *any = NULL;
    char value[8192] = "";
    *agrees = false;
    if (strcmp(fact[KIND], "func") == 0)
        put_tagged(value, sizeof value, fact[VALUE]);
    for (const struct declared *at = first(fact[NAME]); at; at = next(at))
        if (strcmp(at->kind, fact[KIND]) == 0) {
            any = at;
            if ((*agrees = strcmp(at->value, fact[VALUE]) == 0 || strcmp(at->value, value) == 0))
                break;
        }
    return any;
}

static bool explained(struct table *reasons, const char *release, char *const *fact,
                      const char *what)
{
    for (size_t i = 0; i < reasons->count; i++) {
        struct row *r = &reasons->rows[i];
        if (has_word(r->at[R_RELEASES], release) && has_word(r->at[R_KIND], fact[KIND]) &&
            strcmp(r->at[R_WHAT], what) == 0 && fnmatch(r->at[R_NAMES], fact[NAME], 0) == 0)
            return r->used = true;
    }
    return false;
}

static void compare(const struct view *v, char *const *fact, struct table *reasons)
{
    bool agrees = false;
    const struct declared *d = find(fact, &agrees);
    counts.facts++;
    if (agrees) {
        counts.same++;
        return;
    }
    if (explained(reasons, v->releases, fact, d ? "differs" : "missing")) {
        (*(d ? &counts.differs : &counts.missing))++;
        return;
    }
    counts.lines++;
    if (d)
        printf("%s %s %s differs: '%s', there '%s'\n", v->releases, fact[KIND], fact[NAME],
               d->value, fact[VALUE]);
    else
        printf("%s %s %s is missing: '%s'\n", v->releases, fact[KIND], fact[NAME], fact[VALUE]);
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    struct table facts = read_table(argv[3], RELEASES + 1),
                 reasons = read_table(argv[4], R_WHY + 1);
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        const struct view *v = &views[i];
        counts.lines += (size_t)parse(v, argv[1], argv[2], &facts);
        for (size_t n = 0; n < facts.count; n++)
            if (strcmp(facts.rows[n].at[SIDE], v->side) == 0 &&
                has_word(facts.rows[n].at[RELEASES], v->releases))
                compare(v, facts.rows[n].at, &reasons);
        forget_found();
    }
    for (size_t i = 0; i < reasons.count; i++)
        if (!reasons.rows[i].used && ++counts.lines)
            printf("the reason for '%s' (%s, %s) is no longer needed: take it away\n",
                   reasons.rows[i].at[R_NAMES], reasons.rows[i].at[R_RELEASES],
                   reasons.rows[i].at[R_WHAT]);
    printf("%zu facts: %zu agree, %zu differ and %zu are missing for a reason, %zu are wrong\n",
           counts.facts, counts.same, counts.differs, counts.missing, counts.lines);
    return counts.lines > 0;
}
