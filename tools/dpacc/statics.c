#include "ifgen.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_MAX ((size_t)1 << 30)

enum dpk_status dpacc_ifgen_take_statics(struct ifgen_unit *unit, struct ifgen_unit *other,
                                         struct dpk_error *err)
{
    bool taken = true;
    for (size_t i = 0; i < other->static_count; i++) {
        taken &= dpacc_ifgen_add_static(unit, other->statics[i].path, other->statics[i].offset);
        other->statics[i].path = NULL;
    }
    return taken ? DPK_OK : dpk_fail_nomem(err);
}

/* ---- Files without the word "static" ---- */

static void put_quoted(struct dpk_buf *out, const char *text)
{
    dpk_put_u8(out, '"');
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte == '"' || byte == '\\')
            dpk_put_format(out, "\\%c", byte);
        else if (byte < 0x20)
            dpk_put_format(out, "\\x%02x", byte);
        else
            dpk_put_u8(out, byte);
    }
    dpk_put_u8(out, '"');
}

static void put_absolute(struct dpk_buf *out, const char *here, const char *path)
{
    char *whole = NULL;
    if (asprintf(&whole, "%s%s%s", *path == '/' ? "" : here, *path == '/' ? "" : "/", path) < 0)
        out->failed = true;
    else
        put_quoted(out, whole);
    free(whole);
}

/* Reads the file of statics[first], and replaces the word at each of its places by spaces. */
static enum dpk_status blank(const struct ifgen_unit *unit, size_t first, struct dpk_buf *text,
                             struct dpk_error *err)
{
    const char *path = unit->statics[first].path;
    enum dpk_status status = dpk_file_read(path, FILE_MAX, text, err);
    for (size_t i = first; i < unit->static_count && status == DPK_OK; i++) {
        size_t offset = unit->statics[i].offset;
        if (strcmp(unit->statics[i].path, path) != 0)
            continue;
        if (offset > text->size || text->size - offset < strlen(IFGEN_STATIC) ||
            memcmp(text->data + offset, IFGEN_STATIC, strlen(IFGEN_STATIC)) != 0)
            return dpk_fail(err, DPK_ERR_IO, "%s: the file changes while it is compiled", path);
        memset(text->data + offset, ' ', strlen(IFGEN_STATIC));
    }
    return status;
}

static bool is_first_of_file(const struct ifgen_unit *unit, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(unit->statics[i].path, unit->statics[index].path) == 0)
            return false;
    return true;
}

enum dpk_status dpacc_ifgen_write_statics(const struct ifgen_unit *unit, const char *base,
                                          struct dpk_error *err)
{
    struct dpk_buf overlay = {0}, text = {0};
    char *here = get_current_dir_name(), *path = NULL; /* the name that the compiler uses */
    enum dpk_status status = here ? DPK_OK : dpk_fail_errno(err, "the current directory");
    dpk_put_format(&overlay, "{ \"version\": 0, \"use-external-names\": false, \"roots\": [");
    for (size_t i = 0; i < unit->static_count && status == DPK_OK; i++) {
        if (!is_first_of_file(unit, i))
            continue;
        if (asprintf(&path, "%s.dpa.%zu.inc", base, i) < 0)
            path = NULL;
        status = path ? blank(unit, i, &text, err) : dpk_fail_nomem(err);
        if (status == DPK_OK)
            status = text.failed ? dpk_fail_nomem(err)
                                 : dpk_file_replace(path, text.data, text.size, 0666, err);
        if (status == DPK_OK) {
            dpk_put_format(&overlay, "%s\n  { \"type\": \"file\", \"name\": ", i ? "," : "");
            put_absolute(&overlay, here, unit->statics[i].path);
            dpk_put_format(&overlay, ", \"external-contents\": ");
            put_absolute(&overlay, here, path);
            dpk_put_format(&overlay, " }");
        }
        dpk_buf_free(&text);
        free(path);
        path = NULL;
    }
    dpk_put_format(&overlay, "\n] }\n");
    if (status == DPK_OK && (overlay.failed || asprintf(&path, "%s" IFGEN_OVERLAY, base) < 0))
        status = dpk_fail_nomem(err);
    if (status == DPK_OK)
        status = dpk_file_replace(path, overlay.data, overlay.size, 0666, err);
    free(path);
    free(here);
    dpk_buf_free(&overlay);
    return status;
}
