/* Reads app metadata from YAML with libyaml. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <yaml.h>

#include "items.h"

enum kind { KIND_BYTE, KIND_DWORD, KIND_TEXT };

static const struct field {
    const char *name;
    enum kind kind;
    size_t offset; /* in struct dpk_app_metadata */
} fields[] = {
    {"type", KIND_BYTE, offsetof(struct dpk_app_metadata, type)},
    {"dpa_app_subtype", KIND_BYTE, offsetof(struct dpk_app_metadata, subtype)},
    {"dpa_app_version", KIND_DWORD, offsetof(struct dpk_app_metadata, app_version)},
    {"dpa_os_api_version", KIND_DWORD, offsetof(struct dpk_app_metadata, os_api_version)},
    {"dpa_fw_api_version", KIND_DWORD, offsetof(struct dpk_app_metadata, fw_api_version)},
    {"dpa_app_description_string", KIND_TEXT, offsetof(struct dpk_app_metadata, description)},
};
#define FIELDS (sizeof fields / sizeof *fields)

static unsigned long line_of(const yaml_event_t *event)
{
    return (unsigned long)event->start_mark.line + 1;
}

/* Copies the scalar's text, cleaned for a message. Returns false if the text holds a NUL. */
static bool scalar(const yaml_event_t *event, char *out, size_t size)
{
    const char *value = (const char *)event->data.scalar.value;
    snprintf(out, size, "%s", value);
    dpk_text_clean_in(out, size);
    return strlen(value) == event->data.scalar.length;
}

static const struct field *find_field(const char *name)
{
    for (size_t i = 0; i < FIELDS; i++)
        if (strcasecmp(name, fields[i].name) == 0)
            return &fields[i];
    return NULL;
}

static enum dpk_status take_number(const struct field *f, const char *text, unsigned long line,
                                   struct dpk_app_metadata *out, struct dpk_error *err)
{
    const unsigned long long max = f->kind == KIND_BYTE ? 0xFF : 0xFFFFFFFF;
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = hex ? text + 2 : text;
    if (!*digits || digits[strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789")])
        return dpk_fail(err, DPK_ERR_FORMAT, "line %lu: %s: '%.60s' is not a number", line, f->name,
                        text);
    if (!hex && digits[0] == '0' && digits[1])
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "line %lu: %s: %.60s: NVIDIA's tool reads a leading zero as octal; write "
                        "the number without it",
                        line, f->name, text);
    errno = 0;
    unsigned long long v = strtoull(digits, NULL, hex ? 16 : 10);
    if (errno || v > max)
        return dpk_fail(err, DPK_ERR_RANGE, "line %lu: %s: %.60s is more than %llu", line, f->name,
                        text, max);
    if (f->kind == KIND_BYTE) {
        uint8_t byte = (uint8_t)v;
        memcpy((char *)out + f->offset, &byte, sizeof byte);
    } else {
        uint32_t dword = (uint32_t)v;
        memcpy((char *)out + f->offset, &dword, sizeof dword);
    }
    return DPK_OK;
}

static enum dpk_status take_text(const struct field *f, const yaml_event_t *value,
                                 unsigned long line, struct dpk_app_metadata *out,
                                 struct dpk_error *err)
{
    const uint8_t *text = value->data.scalar.value;
    size_t length = value->data.scalar.length;
    if (length == 0)
        return dpk_fail(err, DPK_ERR_FORMAT, "line %lu: %s: it is empty", line, f->name);
    if (length >= DPK_APP_DESCRIPTION)
        return dpk_fail(err, DPK_ERR_RANGE, "line %lu: %s: %zu characters, at most %d are stored",
                        line, f->name, length, DPK_APP_DESCRIPTION - 1);
    for (size_t i = 0; i < length; i++)
        if (text[i] < 0x20 || text[i] > 0x7e)
            return dpk_fail(err, DPK_ERR_FORMAT, "line %lu: %s: only printable ASCII is stored",
                            line, f->name);
    memcpy((char *)out + f->offset, text, length);
    return DPK_OK;
}

struct parsing {
    yaml_parser_t parser;
    yaml_event_t event;
    bool held; /* `event` must be deleted */
};

/* Fetches the next event, which must have this type. */
static enum dpk_status next(struct parsing *p, yaml_event_type_t want, const char *what,
                            struct dpk_error *err)
{
    if (p->held)
        yaml_event_delete(&p->event);
    p->held = yaml_parser_parse(&p->parser, &p->event);
    if (!p->held && p->parser.error == YAML_MEMORY_ERROR)
        return dpk_fail_nomem(err);
    if (!p->held)
        return dpk_fail(err, DPK_ERR_FORMAT, "line %lu: not YAML: %s",
                        (unsigned long)p->parser.problem_mark.line + 1,
                        p->parser.problem ? p->parser.problem : "cannot be read");
    if (want != YAML_NO_EVENT && p->event.type != want)
        return dpk_fail(err, DPK_ERR_FORMAT, "line %lu: %s", line_of(&p->event), what);
    return DPK_OK;
}

/* Reads one "name: value" pair; `p->event` is the name. */
static enum dpk_status take_pair(struct parsing *p, bool *seen, struct dpk_app_metadata *out,
                                 struct dpk_error *err)
{
    char name[64], text[64], what[128];
    unsigned long line = line_of(&p->event);
    if (p->event.type != YAML_SCALAR_EVENT)
        return dpk_fail(err, DPK_ERR_FORMAT, "line %lu: the name of a field must be here", line);
    bool sound = scalar(&p->event, name, sizeof name);
    const struct field *f = sound ? find_field(name) : NULL;
    if (!f)
        return dpk_fail(err, DPK_ERR_FORMAT, "line %lu: %s: no such field of app metadata", line,
                        name);
    if (seen[f - fields])
        return dpk_fail(err, DPK_ERR_FORMAT, "line %lu: %s: it is there already", line, f->name);
    seen[f - fields] = true;
    snprintf(what, sizeof what, "%s: one plain value must be here", f->name);
    enum dpk_status status = next(p, YAML_SCALAR_EVENT, what, err);
    if (status != DPK_OK)
        return status;
    line = line_of(&p->event);
    if (f->kind == KIND_TEXT)
        return take_text(f, &p->event, line, out, err);
    if (!scalar(&p->event, text, sizeof text))
        return dpk_fail(err, DPK_ERR_FORMAT, "line %lu: %s: not a number", line, f->name);
    return take_number(f, text, line, out, err);
}

static enum dpk_status take_all(struct parsing *p, struct dpk_app_metadata *out,
                                struct dpk_error *err)
{
    static const char mapping[] = "a mapping of fields to values must be here";
    bool seen[FIELDS] = {false};
    enum dpk_status status = next(p, YAML_STREAM_START_EVENT, mapping, err);
    if (status == DPK_OK)
        status = next(p, YAML_DOCUMENT_START_EVENT, mapping, err);
    if (status == DPK_OK)
        status = next(p, YAML_MAPPING_START_EVENT, mapping, err);
    for (;;) {
        if (status == DPK_OK)
            status = next(p, YAML_NO_EVENT, NULL, err);
        if (status != DPK_OK)
            return status;
        if (p->event.type == YAML_MAPPING_END_EVENT)
            break;
        status = take_pair(p, seen, out, err);
    }
    unsigned long line = line_of(&p->event);
    status = next(p, YAML_DOCUMENT_END_EVENT, mapping, err);
    if (status == DPK_OK)
        status = next(p, YAML_STREAM_END_EVENT, "only one document may be here", err);
    for (size_t i = 0; i < FIELDS && status == DPK_OK; i++)
        if (!seen[i])
            status = dpk_fail(err, DPK_ERR_FORMAT, "line %lu: %s is missing", line, fields[i].name);
    return status;
}

enum dpk_status dpk_app_metadata_yaml(const void *yaml, size_t size, struct dpk_app_metadata *out,
                                      struct dpk_error *err)
{
    struct dpk_app_metadata m = {0};
    struct parsing p = {.held = false};
    if (!yaml_parser_initialize(&p.parser))
        return dpk_fail_nomem(err);
    yaml_parser_set_input_string(&p.parser, yaml, size);
    enum dpk_status status = take_all(&p, &m, err);
    if (p.held)
        yaml_event_delete(&p.event);
    yaml_parser_delete(&p.parser);
    if (status == DPK_OK)
        *out = m;
    return status;
}
