/* Values of parameters, from a JSON file. */
#include <ctype.h>

#include <cjson/cJSON.h>

#include "private.h"

#define FILE_MAX (1u << 20) /* bytes of a configuration */

static doca_error_t add_object(struct parser *p, struct param *a, const cJSON *item)
{
    char *text = cJSON_PrintUnformatted(item);
    const doca_error_t result = text ? argp_add_object(p, a, text) : DOCA_ERROR_NO_MEMORY;
    cJSON_free(text);
    return result;
}

static doca_error_t add_item(struct parser *p, struct param *a, const cJSON *item)
{
    char title[80];
    if (cJSON_IsString(item)) {
        if (a->type != DOCA_ARGP_TYPE_STRING)
            return argp_complain(p, "%s: not a value of its type", argp_param_title(a, title));
        return argp_add_text(p, a, item->valuestring);
    }
    if (cJSON_IsBool(item))
        return argp_add_bool(p, a, cJSON_IsTrue(item));
    if (cJSON_IsNumber(item))
        return argp_add_number(p, a, item->valuedouble);
    if (cJSON_IsObject(item))
        return add_object(p, a, item);
    return argp_complain(p, "%s: not a value of its type", argp_param_title(a, title));
}

/* Adds an item, or each item of an array, for a parameter that the command line does not give. */
static doca_error_t add_items(struct parser *p, struct param *a, const cJSON *item)
{
    if (!cJSON_IsArray(item))
        return add_item(p, a, item);
    const cJSON *each;
    cJSON_ArrayForEach(each, item)
    {
        doca_error_t result = add_item(p, a, each);
        if (result != DOCA_SUCCESS)
            return result;
    }
    return DOCA_SUCCESS;
}

/* Returns a key that occurs twice in an object, or NULL: cJSON keeps both, so a value would be
 * lost. */
static const char *key_twice(const cJSON *object)
{
    for (const cJSON *item = object->child; item; item = item->next)
        for (const cJSON *other = item->next; other; other = other->next)
            if (strcmp(item->string, other->string) == 0)
                return item->string;
    return NULL;
}

static doca_error_t add_section(struct parser *p, const char *path, const cJSON *section)
{
    if (!cJSON_IsObject(section))
        return argp_complain(p, "%s: %s is not an object", path, section->string);
    const char *twice = key_twice(section);
    if (twice)
        return argp_complain(p, "%s: %s has \"%s\" twice: keep one", path, section->string, twice);
    const cJSON *item;
    cJSON_ArrayForEach(item, section)
    {
        struct param *a = argp_find_in_file(p, item->string);
        if (!a && p->lenient)
            continue;
        if (!a)
            return argp_complain(p, "%s: unknown option %s", path, item->string);
        bool on_command_line = false;
        for (size_t i = 0; i < p->count; i++)
            on_command_line |= p->values[i].param == a;
        doca_error_t result = on_command_line ? DOCA_SUCCESS : add_items(p, a, item);
        if (result != DOCA_SUCCESS)
            return result;
    }
    return DOCA_SUCCESS;
}

static doca_error_t add_document(struct parser *p, const char *path, const cJSON *document)
{
    if (!cJSON_IsObject(document))
        return argp_complain(p, "%s: not a JSON object", path);
    const char *twice = key_twice(document);
    if (twice)
        return argp_complain(p, "%s: has \"%s\" twice: keep one", path, twice);
    const cJSON *section;
    cJSON_ArrayForEach(section, document)
    {
        doca_error_t result = DOCA_SUCCESS;
        if (strcmp(section->string, "doca_general_flags") == 0 ||
            strcmp(section->string, "doca_program_flags") == 0)
            result = add_section(p, path, section);
        else if (strcmp(section->string, "doca_dpdk_flags") != 0 && /* DPDK is not used */
                 !p->lenient)
            result = argp_complain(p, "%s: unknown section %s", path, section->string);
        if (result != DOCA_SUCCESS)
            return result;
    }
    return DOCA_SUCCESS;
}

/* ---- DOCA's extensions of JSON ----
 *
 * Comments, a comma after the last value, and hexadecimal numbers. */

struct text {
    const char *path;
    const char *counted; /* lines before this are counted */
    size_t line;
};

static size_t line_at(struct text *t, const char *at)
{
    for (; t->counted < at; t->counted++)
        t->line += *t->counted == '\n';
    return t->line;
}

/* Returns the end of the string that starts at `c`. */
static char *skip_string(char *c)
{
    for (c++; *c && *c != '"'; c++)
        if (*c == '\\' && c[1])
            c++;
    return *c ? c + 1 : c;
}

/* Replaces the comment that starts at `c` by blanks, except its line feeds, and returns its end.
 * One without an end stays. */
static char *blank_comment(char *c)
{
    char *end = c[1] == '*' ? strstr(c + 2, "*/") : c + strcspn(c, "\n");
    if (!end)
        return c + 1;
    end += c[1] == '*' ? 2 : 0;
    for (; c < end; c++)
        if (*c != '\n')
            *c = ' ';
    return end;
}

/* Replaces a hexadecimal number of up to eight digits by its decimal digits, which never need more
 * room. Returns its end. */
static char *write_decimal(char *c)
{
    size_t digits = strspn(c + 2, "0123456789abcdefABCDEF");
    char number[16];
    if (digits == 0 || digits > 8)
        return c + 1;
    int length = snprintf(number, sizeof number, "%lu", strtoul(c, NULL, 16));
    memset(c, ' ', digits + 2);
    memcpy(c, number, (size_t)length);
    return c + digits + 2;
}

static void blank_comma(struct text *t, char *comma)
{
    dpk_doca_log(DOCA_LOG_LEVEL_WARNING,
                 "%s: line %zu: a comma after the last value, which JSON does not have: remove it",
                 t->path, line_at(t, comma));
    *comma = ' ';
}

/* Converts the text to JSON in place. Line numbers do not change. */
static void make_json(struct text *t, char *c)
{
    char *comma = NULL; /* the last comma after a value, with no token after it yet */
    char before = '{';  /* the last character that is not a blank */
    while (*c) {
        if (*c == '/' && (c[1] == '/' || c[1] == '*')) {
            c = blank_comment(c);
            continue;
        }
        if (isspace((unsigned char)*c)) {
            c++;
            continue;
        }
        if ((*c == '}' || *c == ']') && comma)
            blank_comma(t, comma);
        comma = *c == ',' && !strchr("{[,:", before) ? c : NULL;
        bool hexadecimal = *c == '0' && (c[1] == 'x' || c[1] == 'X') && strchr("[,:", before);
        before = *c;
        c = *c == '"' ? skip_string(c) : hexadecimal ? write_decimal(c) : c + 1;
    }
}

doca_error_t argp_parse_json(struct parser *p, const char *path)
{
    struct dpk_error err = {0};
    struct dpk_buf file = {0};
    const char *end = NULL;
    if (dpk_file_read(path, FILE_MAX, &file, &err) != DPK_OK)
        return argp_complain(p, "%s", err.message);
    dpk_put_u8(&file, 0);
    if (file.failed) {
        dpk_buf_free(&file);
        return DOCA_ERROR_NO_MEMORY;
    }
    char *text = (char *)file.data;
    struct text lines = {.path = path, .counted = text, .line = 1};
    make_json(&lines, text);
    cJSON *document = NULL;
    if (strlen(text) == file.size - 1)
        document = cJSON_ParseWithOpts(text, &end, true);
    else
        end = text + strlen(text);
    lines = (struct text){.counted = text, .line = 1};
    doca_error_t result = document ? add_document(p, path, document)
                                   : argp_complain(p, "%s: line %zu: not JSON", path,
                                                   line_at(&lines, end ? end : text));
    cJSON_Delete(document);
    dpk_buf_free(&file);
    return result;
}
