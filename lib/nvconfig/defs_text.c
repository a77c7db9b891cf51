/* Parses definitions as text (share/nvconfig/README has the syntax). */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tlv.h"

#define PARAMS_MAX  128
#define CHOICES_MAX 512
#define WORDS_MAX   10
#define TEXT_MAX    ((size_t)4 << 20)

/* The TLV being read; names are borrowed from the text. */
struct pending {
    struct dpk_nv_def def;
    bool open;
    struct dpk_nv_param params[PARAMS_MAX];
    struct dpk_nv_choice choices[CHOICES_MAX];
    size_t choice_count;
};

static const char *const type_names[] = {
    [DPK_NV_BOOL] = "bool",      [DPK_NV_UNSIGNED] = "unsigned", [DPK_NV_BINARY] = "binary",
    [DPK_NV_ENUM] = "enum",      [DPK_NV_STRING] = "string",     [DPK_NV_BYTES] = "bytes",
    [DPK_NV_INTEGER] = "integer"};

static bool number(const char **at, unsigned long max, unsigned long *out)
{
    char *end = NULL;
    if (!isdigit((unsigned char)**at))
        return false;
    errno = 0;
    *out = strtoul(*at, &end, 0);
    if (errno || end == *at || *out > max)
        return false;
    *at = end;
    return true;
}

static bool take(const char **at, char c)
{
    if (**at != c)
        return false;
    ++*at;
    return true;
}

/* Parses the text after "0x8[": "31:16]", "31]", "31:24]*8". */
static bool parse_bits(const char *at, struct dpk_nv_param *p)
{
    unsigned long high, low, count = 0;
    if (!number(&at, 31, &high))
        return false;
    low = high;
    if (take(&at, ':') && !number(&at, high, &low))
        return false;
    if (!take(&at, ']') || (take(&at, '*') && (!number(&at, DPK_NV_DATA_MAX, &count) || !count)))
        return false;
    p->low_bit = (unsigned)low;
    p->bits = (unsigned)(high - low + 1);
    p->count = count;
    return !*at;
}

/* Parses "0x8[31:16]" or "0x0[31]" (bits of a dword), "0x4[31:24]*8" (first of eight numbers), or
 * "0x10+16" (bytes). */
static enum dpk_status parse_place(const char *text, struct dpk_nv_param *p, struct dpk_error *err)
{
    unsigned long offset, bytes;
    const char *at = text;
    if (number(&at, DPK_NV_DATA_MAX, &offset)) {
        p->offset = offset;
        if (take(&at, '[') && parse_bits(at, p))
            return DPK_OK;
        if (take(&at, '+') && number(&at, DPK_NV_DATA_MAX, &bytes) && !*at) {
            p->bytes = bytes;
            return DPK_OK;
        }
    }
    return dpk_fail(err, DPK_ERR_FORMAT,
                    "'%s' is not a place like 0x8[31:16], 0x4[31:24]*8 or 0x10+16", text);
}

/* Parses "0..31". */
static enum dpk_status parse_range(const char *text, struct dpk_nv_param *p, struct dpk_error *err)
{
    unsigned long min, max;
    const char *at = text;
    if (!number(&at, UINT32_MAX, &min) || !take(&at, '.') || !take(&at, '.') ||
        !number(&at, UINT32_MAX, &max) || *at)
        return dpk_fail(err, DPK_ERR_FORMAT, "'%s' is not a range like 0..31", text);
    p->has_min = p->has_max = true;
    p->min = (int64_t)min;
    p->max = (int64_t)max;
    return DPK_OK;
}

static enum dpk_status parse_choices(char *text, struct pending *now, struct dpk_nv_param *p,
                                     struct dpk_error *err)
{
    char *save = NULL;
    p->choices = now->choices + now->choice_count;
    for (char *one = strtok_r(text, ",", &save); one; one = strtok_r(NULL, ",", &save)) {
        char *equals = strchr(one, '=');
        const char *at = equals ? equals + 1 : one;
        unsigned long value;
        if (!equals || equals == one || !number(&at, UINT32_MAX, &value) || *at)
            return dpk_fail(err, DPK_ERR_FORMAT, "'%s' is not NAME=NUMBER", one);
        if (now->choice_count == CHOICES_MAX)
            return dpk_fail(err, DPK_ERR_RANGE, "more than %d values in one TLV", CHOICES_MAX);
        *equals = 0;
        now->choices[now->choice_count++] =
            (struct dpk_nv_choice){.name = one, .value = (uint32_t)value};
        p->choice_count++;
    }
    return DPK_OK;
}

/* Returns true if one of the pairs of a word and its text has this word. */
static bool has_word(char **pairs, size_t count, const char *word)
{
    for (size_t i = 0; i < count; i += 2)
        if (strcmp(pairs[i], word) == 0)
            return true;
    return false;
}

/* Parses NAME TYPE PLACE [as CONFIG_NAME] [values A=0,B=1] [range 0..31]. */
static enum dpk_status parse_param(struct pending *now, char **words, size_t count,
                                   struct dpk_error *err)
{
    if (!now->open)
        return dpk_fail(err, DPK_ERR_FORMAT, "a parameter before the first tlv line");
    if (count < 3 || count % 2 == 0)
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "a parameter is NAME TYPE PLACE [as CONFIG_NAME] [values A=0,B=1] "
                        "[range 0..31]");
    if (now->def.param_count == PARAMS_MAX)
        return dpk_fail(err, DPK_ERR_RANGE, "more than %d parameters in one TLV", PARAMS_MAX);
    struct dpk_nv_param *p = &now->params[now->def.param_count];
    *p = (struct dpk_nv_param){.name = words[0]};
    size_t type = 0;
    while (type < sizeof type_names / sizeof *type_names && strcmp(type_names[type], words[1]) != 0)
        type++;
    if (type == sizeof type_names / sizeof *type_names)
        return dpk_fail(err, DPK_ERR_FORMAT, "unknown type %s", words[1]);
    p->type = (enum dpk_nv_type)type;
    enum dpk_status status = parse_place(words[2], p, err);
    for (size_t i = 3; status == DPK_OK && i < count; i += 2) {
        if (has_word(words + 3, i - 3, words[i]))
            status = dpk_fail(err, DPK_ERR_FORMAT, "%s is given twice", words[i]);
        else if (strcmp(words[i], "as") == 0)
            p->config_name = words[i + 1];
        else if (strcmp(words[i], "values") == 0)
            status = parse_choices(words[i + 1], now, p, err);
        else if (strcmp(words[i], "range") == 0)
            status = parse_range(words[i + 1], p, err);
        else
            status = dpk_fail(err, DPK_ERR_FORMAT, "unknown word %s", words[i]);
    }
    if (status == DPK_OK)
        now->def.param_count++;
    return status;
}

static enum dpk_status finish_tlv(struct dpk_nv_defs *defs, struct pending *now,
                                  struct dpk_error *err)
{
    if (!now->open)
        return DPK_OK;
    now->open = false;
    now->def.params = now->params;
    return dpk_nv_defs_add(defs, &now->def, err);
}

/* Parses tlv NAME CLASS INDEX SIZE. */
static enum dpk_status parse_tlv(struct dpk_nv_defs *defs, struct pending *now, char **words,
                                 size_t count, struct dpk_error *err)
{
    enum dpk_status status = finish_tlv(defs, now, err);
    if (status != DPK_OK)
        return status;
    static const char form[] = "a TLV is: tlv NAME CLASS INDEX SIZE";
    if (count != 5)
        return dpk_fail(err, DPK_ERR_FORMAT, form);
    unsigned long index, size;
    const char *index_at = words[3], *size_at = words[4];
    if (!number(&index_at, 0xffffff, &index) || *index_at ||
        !number(&size_at, DPK_NV_DATA_MAX, &size) || *size_at)
        return dpk_fail(err, DPK_ERR_FORMAT, form);
    now->def = (struct dpk_nv_def){.name = words[1], .index = (uint32_t)index, .size = size};
    while (now->def.class_id <= DPK_NV_MODULE &&
           (!dpk_nv_class_name(now->def.class_id) ||
            strcmp(dpk_nv_class_name(now->def.class_id), words[2]) != 0))
        now->def.class_id++;
    if (now->def.class_id > DPK_NV_MODULE)
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "class %s is not global, port, function, file, host, switch or module",
                        words[2]);
    now->choice_count = 0;
    now->open = true;
    return DPK_OK;
}

static enum dpk_status parse_line(struct dpk_nv_defs *defs, struct pending *now, char *line,
                                  struct dpk_error *err)
{
    char *words[WORDS_MAX] = {NULL};
    size_t count = 0;
    char *save = NULL;
    line[strcspn(line, "#")] = 0;
    for (char *w = strtok_r(line, " \t\r", &save); w; w = strtok_r(NULL, " \t\r", &save)) {
        if (count == WORDS_MAX)
            return dpk_fail(err, DPK_ERR_FORMAT, "too many words");
        words[count++] = w;
    }
    if (count == 0)
        return DPK_OK;
    if (strcmp(words[0], "tlv") == 0)
        return parse_tlv(defs, now, words, count, err);
    return parse_param(now, words, count, err);
}

enum dpk_status dpk_nv_defs_parse(struct dpk_nv_defs *defs, const char *path, const char *text,
                                  size_t size, struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    const size_t mark = dpk_text_mark(text, size);
    char *copy = strndup(text + mark, size - mark);
    struct pending *now = calloc(1, sizeof *now);
    if (!copy || !now) {
        status = dpk_fail_nomem(err);
        goto out;
    }
    unsigned line = 0;
    for (char *at = copy; at && status == DPK_OK;) {
        char *end = strchr(at, '\n');
        if (end)
            *end = 0;
        line++;
        status = parse_line(defs, now, at, err);
        at = end ? end + 1 : NULL;
    }
    if (status == DPK_OK)
        status = finish_tlv(defs, now, err);
    if (status != DPK_OK)
        dpk_error_prefix(err, "%s:%u", path, line);
out:
    free(now);
    free(copy);
    return status;
}

static int is_definition_file(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 4 && strcmp(entry->d_name + length - 4, ".tlv") == 0;
}

/* Finds share/dpakit for bin/tool and for obj/tests/test_x of one tree. */
static enum dpk_status builtin_directory(char *out, size_t size, struct dpk_error *err)
{
    static const char *const up[] = {"", "/..", "/../.."};
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0)
        return dpk_fail_errno(err, "/proc/self/exe");
    self[length] = 0;
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = 0;
    for (size_t i = 1; i < sizeof up / sizeof *up; i++) {
        int n = snprintf(out, size, "%s%s/share/dpakit/nvconfig", self, up[i]);
        if (n > 0 && (size_t)n < size && access(out, R_OK | X_OK) == 0)
            return DPK_OK;
    }
    return dpk_fail(err, DPK_ERR_NOT_FOUND, "%s/../share/dpakit/nvconfig: no TLV definitions there",
                    self);
}

static enum dpk_status load_file(struct dpk_nv_defs *defs, const char *directory, const char *name,
                                 struct dpk_error *err)
{
    char path[PATH_MAX];
    struct dpk_buf text = {0};
    int n = snprintf(path, sizeof path, "%s/%s", directory, name);
    if (n < 0 || (size_t)n >= sizeof path)
        return dpk_fail(err, DPK_ERR_RANGE, "%s: path too long", directory);
    enum dpk_status status = dpk_file_read(path, TEXT_MAX, &text, err);
    if (status == DPK_OK)
        status =
            dpk_nv_defs_parse(defs, path, text.data ? (const char *)text.data : "", text.size, err);
    dpk_buf_free(&text);
    return status;
}

enum dpk_status dpk_nv_defs_load(const char *directory, struct dpk_nv_defs **out,
                                 struct dpk_error *err)
{
    char builtin[PATH_MAX];
    enum dpk_status status = DPK_OK;
    struct dirent **entries = NULL;
    struct dpk_nv_defs *defs = NULL;
    *out = NULL;
    if (!directory) {
        status = builtin_directory(builtin, sizeof builtin, err);
        if (status != DPK_OK)
            return status;
        directory = builtin;
    }
    int count = scandir(directory, &entries, is_definition_file, alphasort);
    if (count < 0)
        return dpk_fail_errno(err, "%s", directory);
    if (count == 0)
        status = dpk_fail(err, DPK_ERR_NOT_FOUND, "%s: no .tlv file there", directory);
    else
        status = dpk_nv_defs_new(&defs, err);
    for (int i = 0; i < count; i++) {
        if (status == DPK_OK)
            status = load_file(defs, directory, entries[i]->d_name, err);
        free(entries[i]);
    }
    free(entries);
    if (status != DPK_OK) {
        dpk_nv_defs_free(defs);
        return status;
    }
    *out = defs;
    return DPK_OK;
}
