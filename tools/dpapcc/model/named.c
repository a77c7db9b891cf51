/* Parses topologies and workloads in one line: "incast:senders=16,rate=25G". */
#include <stdlib.h>
#include <string.h>

#include "keys.h"
#include "shapes.h"

#define LINE_MAX_BYTES 1024

void model_cc_topology_free(struct cc_topology *net)
{
    free(net->nodes);
    free(net->links);
    free(net->failures);
    *net = (struct cc_topology){0};
}

void model_cc_workload_free(struct cc_workload *work)
{
    for (uint32_t i = 0; i < work->count; i++) {
        free(work->items[i].points);
        free(work->items[i].demands);
    }
    free(work->items);
    *work = (struct cc_workload){0};
}

/* Sets each "key=value" of a comma list, which it splits in place. */
static enum dpk_status set_all(char *list,
                               enum dpk_status (*set)(void *object, const char *key,
                                                      const char *value, struct dpk_error *err),
                               void *object, struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    char *rest = NULL;
    for (char *one = strtok_r(list, ",", &rest); one && status == DPK_OK;
         one = strtok_r(NULL, ",", &rest)) {
        char *value = strchr(one, '=');
        if (!value)
            return dpk_fail(err, DPK_ERR_FORMAT, "\"%.40s\" is not KEY=VALUE", one);
        *value++ = '\0';
        status = set(object, one, value, err);
    }
    return status;
}

static enum dpk_status set_topology(void *net, const char *key, const char *value,
                                    struct dpk_error *err)
{
    return model_keys_set_topology(net, key, value, err);
}

static enum dpk_status set_work(void *work, const char *key, const char *value,
                                struct dpk_error *err)
{
    return model_keys_set_work(work, key, value, err);
}

static enum dpk_status copy_line(const char *text, char copy[LINE_MAX_BYTES], struct dpk_error *err)
{
    const size_t size = strlen(text) + 1;
    if (size > LINE_MAX_BYTES)
        return dpk_fail(err, DPK_ERR_RANGE, "\"%.40s...\" is too long", text);
    memcpy(copy, text, size);
    return DPK_OK;
}

/* Copies the line and splits it at the first colon; *rest is "" if there is no colon. */
static enum dpk_status split(const char *text, char copy[LINE_MAX_BYTES], char **rest,
                             struct dpk_error *err)
{
    enum dpk_status status = copy_line(text, copy, err);
    if (status != DPK_OK)
        return status;
    *rest = copy + strcspn(copy, ":");
    if (**rest)
        *(*rest)++ = '\0';
    return DPK_OK;
}

enum dpk_status model_cc_named(const char *text, struct cc_topology *net, struct cc_workload *work,
                               struct dpk_error *err)
{
    char copy[LINE_MAX_BYTES], *rest;
    enum dpk_status status = split(text, copy, &rest, err);
    if (status == DPK_OK)
        status = model_keys_default_topology(copy, net, err);
    if (status == DPK_OK && net->shape == CC_CUSTOM)
        status = dpk_fail(err, DPK_ERR_NOT_FOUND, "a custom topology needs a file");
    if (status == DPK_OK)
        status = set_all(rest, set_topology, net, err);
    if (status == DPK_OK)
        status = model_shape_build(net, err);
    if (status == DPK_OK)
        status = model_shape_check(net, err);
    if (status == DPK_OK)
        status = model_keys_add_work(work, &(struct cc_work){.kind = CC_LONG}, err);
    if (status != DPK_OK)
        model_cc_topology_free(net);
    return status;
}

static enum dpk_status set_failure(void *failure, const char *key, const char *value,
                                   struct dpk_error *err)
{
    return model_keys_set_failure(failure, key, value, err);
}

enum dpk_status model_cc_failure_named(const char *text, struct cc_topology *net,
                                       struct dpk_error *err)
{
    char copy[LINE_MAX_BYTES], *rest = NULL;
    struct cc_failure failure = {0};
    enum dpk_status status = split(text, copy, &rest, err);
    char *to = status == DPK_OK ? strchr(copy, ',') : NULL;
    if (status != DPK_OK)
        return status;
    if (!to || !*rest)
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "\"%.60s\" is not NODE,NODE:down=TIME or NODE,NODE:down=TIME,up=TIME",
                        text);
    *to++ = '\0';
    status = set_all(rest, set_failure, &failure, err);
    if (status == DPK_OK)
        status = model_shape_add_failure(net, copy, to, &failure, err);
    return status == DPK_OK ? model_shape_check(net, err) : status;
}

enum dpk_status model_cc_workload_named(const char *text, struct cc_workload *work,
                                        struct dpk_error *err)
{
    char line[LINE_MAX_BYTES], *rest;
    enum dpk_status status = copy_line(text, line, err);
    char *next = NULL;
    for (char *one = status == DPK_OK ? strtok_r(line, "+", &next) : NULL; one && status == DPK_OK;
         one = strtok_r(NULL, "+", &next)) {
        char copy[LINE_MAX_BYTES];
        struct cc_work item;
        status = split(one, copy, &rest, err);
        if (status == DPK_OK)
            status = model_keys_default_work(copy, &item, err);
        if (status == DPK_OK)
            status = set_all(rest, set_work, &item, err);
        if (status == DPK_OK)
            status = model_keys_add_work(work, &item, err);
    }
    if (status == DPK_OK && !work->count)
        status = dpk_fail(err, DPK_ERR_FORMAT, "no workload");
    if (status != DPK_OK)
        model_cc_workload_free(work);
    return status;
}
