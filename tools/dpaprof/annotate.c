/* dpaprof annotate: prints source lines with their instructions. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/source.h"
#include "dpaprof.h"
#include "engine/debug/debug.h"
#include "profile/profile.h"

enum { SOURCE_MAX = 64 << 20 }; /* maximum size of a source file, bytes */

/* A line with code, or a line of a profile. */
struct line {
    char *file;
    unsigned number;
    uint64_t sampled, exact;
};

struct listing {
    struct line *lines;
    size_t count, room;
    uint64_t sampled, exact; /* sums over all lines, including unknown ones */
    bool has_exact;
};

static bool add_line(struct listing *l, const char *file, unsigned number, uint64_t sampled,
                     uint64_t exact)
{
    if (l->count == l->room) {
        const size_t room = l->room ? 2 * l->room : 256;
        struct line *lines = realloc(l->lines, room * sizeof *lines);
        if (!lines)
            return false;
        l->lines = lines;
        l->room = room;
    }
    char *copy = strdup(file);
    if (!copy)
        return false;
    l->lines[l->count++] =
        (struct line){.file = copy, .number = number, .sampled = sampled, .exact = exact};
    return true;
}

static void listing_free(struct listing *l)
{
    for (size_t i = 0; i < l->count; i++)
        free(l->lines[i].file);
    free(l->lines);
}

/* ---- Lines ---- */

/* Parses the name of a frame like "prime.c:14". Returns false for a function. */
static bool parse_line(const char *name, char file[DPK_PROFILE_NAME], unsigned *number)
{
    const char *colon = strrchr(name, ':');
    char *end;
    if (!colon || colon[1] < '1' || colon[1] > '9')
        return false;
    const unsigned long value = strtoul(colon + 1, &end, 10);
    if (*end || value > UINT32_MAX)
        return false;
    snprintf(file, DPK_PROFILE_NAME, "%.*s", (int)(colon - name), name);
    *number = (unsigned)value;
    return true;
}

/* Adds the lines of one program in a profile. The program is a child of the root. */
static enum dpk_status add_profile(struct listing *l, const char *path, const char *app, bool exact,
                                   struct dpk_error *err)
{
    char file[DPK_PROFILE_NAME];
    unsigned number, root;
    struct dpk_profile *p = dpk_profile_create();
    enum dpk_status status = p ? dpk_profile_read(p, path, err) : dpk_fail_nomem(err);
    if (status != DPK_OK)
        goto out;
    dpk_profile_settle(p);
    root = dpk_profile_frame(p, DPK_PROFILE_ROOT)->first;
    while (root != DPK_PROFILE_NONE && strcmp(dpk_profile_frame(p, root)->name, app) != 0)
        root = dpk_profile_frame(p, root)->next;
    if (root == DPK_PROFILE_NONE) {
        status = dpk_profile_frames(p) == 1
                     ? dpk_fail(err, DPK_ERR_NOT_FOUND, "%s: the profile has no samples", path)
                     : dpk_fail(err, DPK_ERR_NOT_FOUND,
                                "%s: the profile has no samples of program %s", path, app);
        goto out;
    }
    *(exact ? &l->exact : &l->sampled) = dpk_profile_frame(p, root)->total;
    for (unsigned i = 0; i < dpk_profile_frames(p) && status == DPK_OK; i++) {
        const struct dpk_profile_frame *f = dpk_profile_frame(p, i);
        unsigned top = i;
        while (dpk_profile_frame(p, top)->depth > 1)
            top = dpk_profile_frame(p, top)->parent;
        if (top == root && f->self && parse_line(f->name, file, &number) &&
            !add_line(l, file, number, exact ? 0 : f->self, exact ? f->self : 0))
            status = dpk_fail_nomem(err);
    }
out:
    dpk_profile_free(p);
    return status;
}

/* Adds the lines for which the program has code. */
static enum dpk_status add_code(struct listing *l, const struct dpk_image *image,
                                struct dpk_error *err)
{
    struct dpk_lines *lines = dpk_lines_create(image);
    struct dpk_line at, before = {.line = 0};
    bool done = lines != NULL, any = false;
    for (size_t i = 0; i < dpk_image_segment_count(image); i++) {
        const struct dpk_segment *s = dpk_image_segment(image, i);
        for (uint64_t a = 0; s->executable && done && a < s->data_size; a += 2) {
            if (!dpk_lines_find(lines, s->address + a, &at))
                continue;
            any = true;
            if (at.line != before.line || strcmp(at.file, before.file) != 0)
                done = add_line(l, at.file, at.line, 0, 0);
            before = at;
        }
    }
    dpk_lines_free(lines);
    if (!done)
        return dpk_fail_nomem(err);
    return any ? DPK_OK
               : dpk_fail(err, DPK_ERR_NOT_FOUND,
                          "program %s has no table of lines: it was stripped",
                          dpk_image_app(image));
}

static int by_place(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    const int files = strcmp(x->file, y->file);
    return files ? files : x->number < y->number ? -1 : x->number > y->number;
}

/* Sorts the lines, and merges entries of the same line. */
static void join(struct listing *l)
{
    size_t kept = 0;
    if (l->count)
        qsort(l->lines, l->count, sizeof *l->lines, by_place);
    for (size_t i = 0; i < l->count; i++) {
        struct line *line = &l->lines[i];
        if (kept && by_place(&l->lines[kept - 1], line) == 0) {
            l->lines[kept - 1].sampled += line->sampled;
            l->lines[kept - 1].exact += line->exact;
            free(line->file);
        } else {
            l->lines[kept++] = *line;
        }
    }
    l->count = kept;
}

/* ---- Printing ---- */

static void print_counts(const struct listing *l, const struct line *line)
{
    char text[24] = "";
    if (!line) {
        printf("%8s %14s ", "", "");
    } else {
        if (line->sampled)
            snprintf(text, sizeof text, "%.2f %%",
                     100 * (double)line->sampled / (double)l->sampled);
        printf("%8s %14" PRIu64 " ", text, line->sampled);
    }
    if (l->has_exact && line)
        printf("%14" PRIu64 " ", line->exact);
    else if (l->has_exact)
        printf("%14s ", "");
}

/* Reads a source file and appends a NUL. Returns false if it cannot be read. */
static bool read_source(const char *folder, const char *file, struct dpk_buf *out)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s%s%s", folder && *file != '/' ? folder : "",
             folder && *file != '/' ? "/" : "", file);
    if (dpk_file_read(path, SOURCE_MAX, out, NULL) != DPK_OK)
        return false;
    dpk_put_u8(out, '\0');
    return !out->failed;
}

/* Prints a file's source, or if it is missing, its lines with code. */
static void print_file(const struct listing *l, const struct line *first, size_t count,
                       const char *folder)
{
    struct dpk_buf source = {0};
    uint64_t sampled = 0;
    size_t at = 0;
    for (size_t i = 0; i < count; i++)
        sampled += first[i].sampled;
    const bool there = read_source(folder, first->file, &source);
    printf("\n%s: %" PRIu64 " instructions, %.2f %%%s\n", first->file, sampled,
           l->sampled ? 100 * (double)sampled / (double)l->sampled : 0,
           there ? "" : " (its source is missing; name the folder with --source DIR)");
    char *text = there ? (char *)source.data : NULL;
    for (unsigned number = 1; text && *text; number++) {
        char *end = strchr(text, '\n');
        if (end)
            *end = '\0';
        while (at < count && first[at].number < number)
            at++;
        print_counts(l, at < count && first[at].number == number ? &first[at] : NULL);
        printf("%5u  ", number);
        for (char *tab; (tab = strchr(text, '\t')) != NULL; text = tab + 1)
            printf("%.*s        ", (int)(tab - text), text);
        printf("%s\n", dpk_text_clean(text));
        text = end ? end + 1 : NULL;
    }
    for (size_t i = 0; i < count && !there; i++) {
        print_counts(l, &first[i]);
        printf("%5u\n", first[i].number);
    }
    dpk_buf_free(&source);
}

/* Prints all files that used instructions, sorted by name. */
static void print_listing(const struct listing *l, const char *folder)
{
    printf("%8s %14s %s%5s\n", "part", "instructions", l->has_exact ? "         exact " : "",
           "line");
    uint64_t known = 0, known_exact = 0;
    for (size_t begin = 0, end; begin < l->count; begin = end) {
        uint64_t sampled = 0, exact = 0;
        for (end = begin; end < l->count && strcmp(l->lines[end].file, l->lines[begin].file) == 0;
             end++) {
            sampled += l->lines[end].sampled;
            exact += l->lines[end].exact;
        }
        if (sampled || exact)
            print_file(l, &l->lines[begin], end - begin, folder);
        known += sampled;
        known_exact += exact;
    }
    const struct line rest = {.sampled = l->sampled - known, .exact = l->exact - known_exact};
    printf("\n");
    print_counts(l, &rest);
    printf("       code without lines\n");
}

enum dpk_status dpaprof_annotate(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    const struct options *o = options;
    struct dpk_source source = {0};
    struct dpk_image *image = NULL;
    struct listing l = {.has_exact = o->exact != NULL};
    enum dpk_status status = dpk_source_open(args->words[1], o->app, NULL, &source, err);
    if (status == DPK_OK)
        status = dpk_image_examine(source.load.app, NULL, source.load.sections.elf,
                                   source.load.sections.elf_size, &image, err);
    if (status == DPK_OK)
        status = add_code(&l, image, err);
    if (status == DPK_OK)
        status = add_profile(&l, args->words[0], dpk_image_app(image), false, err);
    if (status == DPK_OK && o->exact)
        status = add_profile(&l, o->exact, dpk_image_app(image), true, err);
    if (status == DPK_OK) {
        join(&l);
        print_listing(&l, o->source);
    }
    listing_free(&l);
    dpk_image_free(image);
    dpk_source_close(&source);
    return status;
}
