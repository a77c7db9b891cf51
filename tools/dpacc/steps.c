#include "steps.h"

#include "cli/cli.h"
#include "config.h"
#include "coverage.h"
#include "dpaobject.h"
#include "embed.h"
#include "fat/fat.h"
#include "ifgen.h"
#include "labels.h"
#include "library_name.h"
#include "target_section.h"

#include <stdlib.h>
#include <string.h>

#define INPUT_MAX ((size_t)1 << 30)

bool dpacc_step_is(size_t count, char *const *words)
{
    return count > 2 && strcmp(words[1], "-step") == 0;
}

/* ---- Files ---- */

/* Writes the text to a file, and frees it. */
static enum dpk_status write_file(const char *base, const char *suffix, struct dpk_buf *text,
                                  struct dpk_error *err)
{
    char *path = NULL;
    enum dpk_status status;
    if (asprintf(&path, "%s%s", base, suffix) < 0 || text->failed)
        status = dpk_fail_nomem(err);
    else
        status = dpk_file_replace(path, text->data, text->size, 0666, err);
    free(path);
    dpk_buf_free(text);
    return status;
}

/* Files of targets, given as words "bf3=path". */
struct members {
    struct dpk_buf files[TARGETS_MAX];
    struct dpk_fat_member at[TARGETS_MAX];
    size_t count;
};

static void members_free(struct members *m)
{
    for (size_t i = 0; i < m->count; i++)
        dpk_buf_free(&m->files[i]);
}

/* Reads the files. Free `out` also after failures. */
static enum dpk_status members_read(size_t count, char *const *words, struct members *out,
                                    struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    if (count == 0 || count > TARGETS_MAX)
        return dpk_fail(err, DPK_ERR_USAGE, "%zu files, not 1 to %d", count, TARGETS_MAX);
    for (size_t i = 0; i < count && status == DPK_OK; i++) {
        const char *equals = strchr(words[i], '=');
        char *name = equals ? strndup(words[i], (size_t)(equals - words[i])) : NULL;
        const struct target *target = name ? dpacc_target_find(name) : NULL;
        struct dpk_buf *file = &out->files[out->count++];
        free(name);
        if (!target)
            return dpk_fail(err, DPK_ERR_USAGE, "'%s' is not TARGET=FILE", words[i]);
        status = dpk_file_read(equals + 1, INPUT_MAX, file, err);
        out->at[i] =
            (struct dpk_fat_member){.target = target->id, .data = file->data, .size = file->size};
    }
    return status;
}

/* Joins several files to an area. A single file is copied, unless `area` is set. */
static enum dpk_status members_join(const struct members *m, bool area, struct dpk_buf *out,
                                    struct dpk_error *err)
{
    if (m->count > 1 || area)
        return dpk_fat_build(m->at, m->count, out, err);
    dpk_put(out, m->at[0].data, m->at[0].size);
    return out->failed ? dpk_fail_nomem(err) : DPK_OK;
}

/* ---- interface ---- */

struct sides {
    struct dpk_buf device, host;
};

static void sides_free(struct sides *s)
{
    dpk_buf_free(&s->device);
    dpk_buf_free(&s->host);
}

static bool same_text(const struct dpk_buf *a, const struct dpk_buf *b)
{
    return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

static void put_line(struct dpk_buf *out, const char *kind, const char *text)
{
    char *clean = strdup(text);
    if (clean)
        dpk_put_format(out, "%s %s\n", kind, dpk_text_clean(clean));
    else
        out->failed = true;
    free(clean);
}

static void put_summary(const struct ifgen_unit *unit, struct dpk_buf *out)
{
    for (size_t i = 0; i < unit->complaints.count; i++)
        put_line(out, "complaint", unit->complaints.at[i]);
    if (unit->syntax_errors)
        put_line(out, "error", unit->first_error ? unit->first_error : "syntax error");
    if (unit->static_count)
        put_line(out, "overlay", IFGEN_OVERLAY);
    for (size_t i = 0; i < unit->function_count; i++) {
        const struct ifgen_function *f = &unit->functions[i];
        char where[24];
        snprintf(where, sizeof where, ":%u", f->line);
        dpk_put_format(out, "entry %s ", f->name);
        char *file = strdup(f->file);
        if (!file)
            out->failed = true;
        dpk_put_format(out, "%s%s\n", file ? dpk_text_clean(file) : "", where);
        free(file);
    }
}

/* Reads the source as compiled for one target. `file`: its name in symbols. */
static enum dpk_status look(const char *source, const char *file, const struct target *target,
                            size_t count, char *const *words, struct ifgen_unit *unit,
                            struct sides *sides, struct dpk_error *err)
{
    struct words arguments = {0};
    dpk_words_addf(&arguments, "-march=%s", target->march);
    dpk_words_addf(&arguments, "-D__NV_DPA=%u", target->id);
    for (size_t i = 0; i < count; i++)
        dpk_words_add(&arguments, words[i]);
    /* This warning reports annotations after a definition. */
    dpk_words_add(&arguments, "-Wignored-attributes");
    dpk_words_add(&arguments, "-Wno-error=ignored-attributes");
    __typeof__(ifgen_parse) *parse = dpacc_ifgen_load(err);
    enum dpk_status status = !parse             ? err->status
                             : arguments.failed ? dpk_fail_nomem(err)
                                                : parse(source, &arguments, unit, err);
    dpk_words_free(&arguments);
    if (status == DPK_OK && !unit->syntax_errors && !unit->complaints.count) {
        dpacc_ifgen_device(unit, file, &sides->device);
        dpacc_ifgen_host(unit, file, &sides->host);
    }
    return status;
}

/* Reads the source for each target; the host's code must be the same for all. */
static enum dpk_status look_for_all(const char *source, const char *file, const char *targets,
                                    size_t count, char *const *words, struct ifgen_unit *first,
                                    struct sides *sides, struct dpk_error *err)
{
    struct words names = {0};
    enum dpk_status status = DPK_OK;
    dpk_words_split(&names, targets);
    for (size_t i = 0; i < names.count && status == DPK_OK; i++) {
        const struct target *target = dpacc_target_find(names.at[i]);
        struct ifgen_unit unit = {0};
        struct sides more = {0};
        if (!target) {
            status = dpk_fail(err, DPK_ERR_USAGE, "unknown target '%s'", names.at[i]);
        } else if (i == 0) {
            status = look(source, file, target, count, words, first, sides, err);
        } else if (!first->syntax_errors && !first->complaints.count) {
            status = look(source, file, target, count, words, &unit, &more, err);
            if (unit.syntax_errors) { /* the compile for that target reports more */
                first->syntax_errors = true;
                first->first_error = unit.first_error;
                unit.first_error = NULL;
            }
            dpk_words_append(&first->complaints, &unit.complaints);
            if (status == DPK_OK)
                status = dpacc_ifgen_take_statics(first, &unit, err);
            if (status == DPK_OK && !first->syntax_errors && !unit.complaints.count &&
                (!same_text(&sides->device, &more.device) || !same_text(&sides->host, &more.host)))
                dpk_words_addf(&first->complaints,
                               "%s: annotated functions or their types differ between %s and %s; "
                               "the host has one side for all targets",
                               source, names.at[0], names.at[i]);
        }
        dpacc_ifgen_free(&unit);
        sides_free(&more);
    }
    dpk_words_free(&names);
    return status;
}

static enum dpk_status step_interface(size_t count, char *const *words, bool driven,
                                      struct dpk_error *err)
{
    struct ifgen_unit unit = {0};
    struct sides sides = {0};
    struct dpk_buf summary = {0};
    if (count < 4 || strcmp(words[3], "--") != 0)
        return dpk_fail(err, DPK_ERR_USAGE, "needs SOURCE BASE TARGETS -- ARGUMENTS");
    const char *base = words[1];
    char file[IFGEN_FILE_MAX];
    dpacc_ifgen_file(base, file);
    enum dpk_status status =
        look_for_all(words[0], file, words[2], count - 4, words + 4, &unit, &sides, err);
    if (status == DPK_OK) {
        put_summary(&unit, &summary);
        status = write_file(base, ".dpa.entries", &summary, err);
    }
    if (status == DPK_OK && !unit.syntax_errors && !unit.complaints.count) {
        status = write_file(base, ".dpa.device.c", &sides.device, err);
        if (status == DPK_OK)
            status = write_file(base, ".dpa.host.c", &sides.host, err);
        if (status == DPK_OK && unit.static_count)
            status = dpacc_ifgen_write_statics(&unit, base, err);
    } else if (status == DPK_OK && !driven) {
        status = dpk_fail(err, DPK_ERR_FORMAT, "%s",
                          unit.complaints.count ? unit.complaints.at[0] : unit.first_error);
    }
    dpk_buf_free(&summary);
    sides_free(&sides);
    dpacc_ifgen_free(&unit);
    return status;
}

/* ---- Other steps ---- */

static enum dpk_status step_object_stub(size_t count, char *const *words, bool driven,
                                        struct dpk_error *err)
{
    struct members members = {0};
    struct dpk_buf object = {0}, text = {0};
    char file[IFGEN_FILE_MAX];
    (void)driven;
    if (count < 2)
        return dpk_fail(err, DPK_ERR_USAGE, "needs BASE TARGET=OBJECT...");
    enum dpk_status status = members_read(count - 1, words + 1, &members, err);
    /* Bitcode does not name its target, so it goes into an area. */
    if (status == DPK_OK)
        status = members_join(&members, !dpacc_dpaobject_is_elf(&members.files[0]), &object, err);
    if (status == DPK_OK) {
        dpk_put_format(&text, "/* Generated by dpacc. */\n");
        dpacc_embed_bytes(".dpa_obj", NULL, false, &object, &text);
        dpacc_ifgen_file(words[0], file);
        dpacc_embed_length(file, "dev_obj", object.size, &text);
        status = write_file(words[0], ".stub.inc", &text, err);
    }
    dpk_buf_free(&object);
    members_free(&members);
    return status;
}

static enum dpk_status step_extract(size_t count, char *const *words, bool driven,
                                    struct dpk_error *err)
{
    struct dpk_buf file = {0}, found = {0};
    (void)driven;
    if (count < 4)
        return dpk_fail(err, DPK_ERR_USAGE, "needs INPUT BASE SUFFIX TARGET...");
    enum dpk_status status = dpk_file_read(words[0], INPUT_MAX, &file, err);
    for (size_t i = 3; i < count && status == DPK_OK; i++) {
        const struct target *target = dpacc_target_find(words[i]);
        char *path = NULL;
        if (!target)
            status = dpk_fail(err, DPK_ERR_USAGE, "unknown target '%s'", words[i]);
        else
            status = dpacc_dpaobject_member(words[0], &file, target, &found, err);
        if (status == DPK_OK && asprintf(&path, "%s.%s", words[1], words[i]) < 0)
            status = dpk_fail_nomem(err);
        else if (status == DPK_OK)
            status = write_file(path, words[2], &found, err);
        free(path);
        dpk_buf_free(&found);
    }
    dpk_buf_free(&file);
    return status;
}

/* Makes the contents of the program's sections. `path` is the file of its attributes, or "". `area`:
 * of a program for one target, too. */
static enum dpk_status make_sections(const struct members *m, const char *path, bool area,
                                     struct embedded *out, struct dpk_error *err)
{
    struct members rooms = {.count = m->count};
    struct dpk_buf blob = {0}, room = {0};
    uint32_t targets[TARGETS_MAX];
    enum dpk_status status = members_join(m, area, &out->program, err);
    dpk_put_fill(&room, 0, EMBED_ROOM_SIZE + (area || m->count > 1 ? DPK_ROOM_PREFIX : 0));
    for (size_t i = 0; i < m->count; i++) {
        targets[i] = m->at[i].target;
        rooms.at[i] = (struct dpk_fat_member){
            .target = targets[i], .kind = DPK_FAT_ROOM, .data = room.data, .size = room.size};
    }
    if (status == DPK_OK && room.failed)
        status = dpk_fail_nomem(err);
    if (status == DPK_OK)
        status = members_join(&rooms, area, &out->room, err);
    if (status == DPK_OK && *path)
        status = dpk_file_read(path, INPUT_MAX, &blob, err);
    if (status == DPK_OK && *path)
        status =
            dpk_attributes_build(targets, m->count, blob.data, blob.size, &out->attributes, err);
    dpk_buf_free(&room);
    dpk_buf_free(&blob);
    return status;
}

static enum dpk_status step_program_stub(size_t count, char *const *words, bool driven,
                                         struct dpk_error *err)
{
    struct members members = {0};
    struct embedded embedded = {0};
    struct dpk_buf text = {0};
    (void)driven;
    if (count < 5)
        return dpk_fail(err, DPK_ERR_USAGE,
                        "needs OUT APP ATTRIBUTES area|bare TARGET=EXECUTABLE...");
    enum dpk_status status = members_read(count - 4, words + 4, &members, err);
    if (status == DPK_OK)
        status = make_sections(&members, words[2], strcmp(words[3], "bare") != 0, &embedded, err);
    if (status == DPK_OK) {
        dpacc_embed_program(words[1], &embedded, &text);
        status = write_file(words[0], "", &text, err);
    }
    dpk_buf_free(&embedded.program);
    dpk_buf_free(&embedded.room);
    dpk_buf_free(&embedded.attributes);
    members_free(&members);
    return status;
}

static enum dpk_status step_meta(size_t count, char *const *words, bool driven,
                                 struct dpk_error *err)
{
    struct dpk_buf text = {0};
    (void)driven;
    if (count < 2)
        return dpk_fail(err, DPK_ERR_USAGE, "needs OUT APP FILE.ENTRY...");
    dpacc_embed_meta(words[1], count - 2, words + 2, &text);
    return write_file(words[0], "", &text, err);
}

static enum dpk_status step_library(size_t count, char *const *words, bool driven,
                                    struct dpk_error *err)
{
    struct members members = {0};
    struct dpk_buf library = {0};
    (void)driven;
    if (count < 2)
        return dpk_fail(err, DPK_ERR_USAGE, "needs OUT TARGET=ARCHIVE...");
    enum dpk_status status = members_read(count - 1, words + 1, &members, err);
    for (size_t i = 0; i < members.count; i++)
        members.at[i].kind = DPK_FAT_ARCHIVE;
    if (status == DPK_OK)
        status = members_join(&members, true, &library, err);
    if (status == DPK_OK)
        status = write_file(words[0], "", &library, err);
    dpk_buf_free(&library);
    members_free(&members);
    return status;
}

static enum dpk_status step_library_name(size_t count, char *const *words, bool driven,
                                         struct dpk_error *err)
{
    struct dpk_buf made = {0};
    (void)driven;
    if (count != 2 && count != 3)
        return dpk_fail(err, DPK_ERR_USAGE, "needs OUT LIBRARY [TARGET]");
    const struct target *target = count == 3 ? dpacc_target_find(words[2]) : NULL;
    if (count == 3 && !target)
        return dpk_fail(err, DPK_ERR_USAGE, "unknown target '%s'", words[2]);
    if (target)
        dpacc_library_name_object(words[1], target->id, &made);
    else
        dpacc_library_name_source(words[1], &made);
    return write_file(words[0], "", &made, err);
}

static enum dpk_status step_finish(size_t count, char *const *words, bool driven,
                                   struct dpk_error *err)
{
    struct dpk_buf executable = {0};
    (void)driven;
    const struct target *target = count == 2 ? dpacc_target_find(words[1]) : NULL;
    if (!target)
        return dpk_fail(err, DPK_ERR_USAGE, "needs EXECUTABLE TARGET");
    enum dpk_status status = dpk_file_read(words[0], INPUT_MAX, &executable, err);
    if (status != DPK_OK)
        return status;
    dpacc_labels_remove(&executable, IFGEN_REGISTRAR);
    dpacc_target_section_fill(&executable, target->id);
    return write_file(words[0], "", &executable, err);
}

static enum dpk_status step_coverage(size_t count, char *const *words, bool driven,
                                     struct dpk_error *err)
{
    struct dpk_buf in = {0}, text = {0};
    (void)driven;
    if (count != 2)
        return dpk_fail(err, DPK_ERR_USAGE, "needs IN OUT");
    enum dpk_status status = dpk_file_read(words[0], INPUT_MAX, &in, err);
    dpk_put_u8(&in, '\0');
    if (status == DPK_OK && in.failed)
        status = dpk_fail_nomem(err);
    if (status == DPK_OK) {
        dpacc_coverage_edit((const char *)in.data, &text);
        status = write_file(words[1], "", &text, err);
    }
    dpk_buf_free(&in);
    return status;
}

static const struct {
    const char *name;
    enum dpk_status (*run)(size_t count, char *const *words, bool driven, struct dpk_error *err);
} steps[] = {
    {"interface", step_interface},
    {"object-stub", step_object_stub},
    {"extract", step_extract},
    {"program-stub", step_program_stub},
    {"meta", step_meta},
    {"library", step_library},
    {"library-name", step_library_name},
    {"finish", step_finish},
    {"coverage", step_coverage},
};

int dpacc_step_run(size_t count, char *const *words, bool driven)
{
    struct dpk_error err = {0};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (strcmp(words[2], steps[i].name) != 0)
            continue;
        enum dpk_status status = steps[i].run(count - 3, words + 3, driven, &err);
        if (status == DPK_OK)
            return 0;
        if (status == DPK_ERR_USAGE)
            dpk_error_prefix(&err, "-step %s", words[2]);
        dpk_tool_fail(&err);
        return status == DPK_ERR_NOMEM || status == DPK_ERR_TOOL ? 2 : 1;
    }
    dpk_fail(&err, DPK_ERR_USAGE, "unknown step %s", words[2]);
    dpk_tool_fail(&err);
    return 1;
}
