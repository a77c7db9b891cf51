/* Converts the arguments of options. */
#include "line.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static enum dpk_status set_number(const struct dpk_option *o, const char *value, unsigned *out,
                                  struct dpk_error *err)
{
    uint64_t n;
    if (!dpk_number(value, o->least, o->most, &n) && o->least == o->most)
        return dpk_fail(err, DPK_ERR_USAGE, "'%s' is not %u, the only value that there is", value,
                        o->least);
    if (!dpk_number(value, o->least, o->most, &n))
        return dpk_fail(err, DPK_ERR_USAGE, "'%s' is not a number from %u to %u", value, o->least,
                        o->most);
    *out = (unsigned)n;
    return DPK_OK;
}

static enum dpk_status set_choice(const struct dpk_option *o, const char *value, unsigned *out,
                                  struct dpk_error *err)
{
    const char *list = o->arg, *name;
    size_t length;
    struct dpk_buf names = {0};
    for (unsigned i = 1; cli_next_name(&list, "|", &name, &length); i++) {
        if (length == strlen(value) && memcmp(name, value, length) == 0) {
            dpk_buf_free(&names);
            *out = i;
            return DPK_OK;
        }
        dpk_put_format(&names, "%s%.*s", i == 1 ? "" : *list ? ", " : " or ", (int)length, name);
    }
    enum dpk_status status = names.failed ? dpk_fail_nomem(err)
                                          : dpk_fail(err, DPK_ERR_USAGE, "'%s' is not %.*s", value,
                                                     (int)names.size, (const char *)names.data);
    dpk_buf_free(&names);
    return status;
}

static enum dpk_status set_uuid(const char *value, struct dpk_uuid *out, struct dpk_error *err)
{
    struct dpk_uuid uuid;
    if (dpk_uuid_parse(value, &uuid, NULL) != DPK_OK)
        return dpk_fail(err, DPK_ERR_USAGE, "'%.64s' is not a UUID", value);
    if (dpk_uuid_is_zero(&uuid))
        return dpk_fail(err, DPK_ERR_USAGE, "the UUID must not be zero");
    *out = uuid;
    return DPK_OK;
}

static enum dpk_status add_text(const char *value, size_t most, struct dpk_list *list,
                                struct dpk_error *err)
{
    if (!list->at)
        list->at = calloc(most, sizeof *list->at);
    if (!list->at)
        return dpk_fail_nomem(err);
    list->at[list->count++] = value;
    return DPK_OK;
}

enum dpk_status cli_set(const struct dpk_option *o, const char *value, void *options, size_t most,
                        struct dpk_error *err)
{
    void *at = (char *)options + o->at;
    switch (o->type) {
    case DPK_FLAG:
        *(bool *)at = true;
        return DPK_OK;
    case DPK_TEXT:
    case DPK_FILE:
        *(const char **)at = value;
        return DPK_OK;
    case DPK_NUMBER:
        return set_number(o, value, at, err);
    case DPK_CHOICE:
        return set_choice(o, value, at, err);
    case DPK_UUID:
        return set_uuid(value, at, err);
    case DPK_TEXTS:
    case DPK_FILES:
        return add_text(value, most, at, err);
    case DPK_PARSED:
        return o->parse(at, value, err);
    }
    return dpk_fail(err, DPK_ERR_UNSUPPORTED, "an option without a type");
}

void cli_unset(const struct dpk_option *o, void *options)
{
    if (o->type != DPK_TEXTS && o->type != DPK_FILES)
        return;
    struct dpk_list *list = (struct dpk_list *)((char *)options + o->at);
    free(list->at);
    *list = (struct dpk_list){0};
}
