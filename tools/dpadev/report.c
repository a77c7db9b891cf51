/* dpadev report: everything about a device at one time, as a page or as JSON. */
#include "dpadev.h"

#include "device/admin/admin.h"
#include "nvconfig/nvconfig.h"

/* Number of latest events; a log may be long. */
enum { EVENTS = 500 };

struct report_options {
    struct dpadev_options shared;
    unsigned seconds; /* time to sample execution units; 0 if absent */
    const char *profile;
};

/* ---- Parts ---- */

static cJSON *json_views(const struct dpk_views *views)
{
    static const char *const keys[DPK_VIEWS] = {"default", "current", "next_boot"};
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < views->count; i++) {
        const struct dpk_view_row *row = &views->rows[i];
        cJSON *o = cJSON_CreateObject();
        cJSON_AddItemToArray(list, o);
        dpk_json_text(o, "name", row->name);
        for (size_t view = 0; view < DPK_VIEWS; view++)
            dpk_json_text(o, keys[view], (const char *)row->text[view].data);
        cJSON_AddBoolToObject(o, "read_only", row->read_only);
        cJSON_AddBoolToObject(o, "changes", row->changes);
    }
    return list;
}

static enum dpk_status configuration(struct dpk_device *dev, cJSON **out, struct dpk_error *err)
{
    struct dpk_nv_defs *defs = NULL;
    struct dpk_shown shown = {0};
    struct dpk_views views = {0};
    enum dpk_status status = dpk_nv_defs_load(NULL, &defs, err);
    if (status == DPK_OK)
        status = dpk_shown_choose(defs, NULL, 0, false, &shown, err);
    if (status == DPK_OK)
        status = dpk_views_read(dev, defs, &shown, false, &views, err);
    if (status == DPK_OK)
        *out = json_views(&views);
    dpk_views_free(&views);
    dpk_shown_free(&shown);
    dpk_nv_defs_free(defs);
    return status;
}

static const cJSON *get(const cJSON *o, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(o, key);
}

/* Adds a sentence about which programs load in the view "current" or "next_boot". */
static void add_reason(cJSON *reasons, const cJSON *device, const char *view)
{
    const bool on = cJSON_IsTrue(get(get(device, "dpa_authentication"), view));
    const int count = cJSON_GetArraySize(get(device, "ca_certificates"));
    char text[160];
    if (!on)
        snprintf(text, sizeof text, "Any program loads: DPA_AUTHENTICATION is False.");
    else if (count == 0)
        snprintf(text, sizeof text,
                 "No program loads: DPA_AUTHENTICATION is True, and there is no CA certificate.");
    else
        snprintf(text, sizeof text,
                 "A program loads if it is signed and its certificate chain ends in %s: "
                 "DPA_AUTHENTICATION is True.",
                 count == 1 ? "the CA certificate" : "one of the CA certificates");
    cJSON_AddStringToObject(reasons, view, text);
}

/* ---- Command ---- */

static enum dpk_status collect(struct dpk_device *dev, const struct report_options *r, cJSON *o,
                               struct dpk_error *err)
{
    const char *name = dpk_device_name(dev);
    char text[DPK_TOOL_TIME];
    int64_t now;
    cJSON *part = NULL;
    enum dpk_status status = dpk_tool_date(&now, err);
    if (status == DPK_OK)
        status = dpadev_json_show(dev, &part, err);
    if (status != DPK_OK)
        return status;
    cJSON_AddStringToObject(o, "dpakit", dpk_version);
    cJSON_AddStringToObject(o, "made", dpk_tool_time(now, text));
    cJSON_AddItemToObject(o, "device", part);
    cJSON *reasons = cJSON_AddObjectToObject(o, "reasons");
    add_reason(reasons, part, "current");
    add_reason(reasons, part, "next_boot");
    status = configuration(dev, &part, err);
    if (status == DPK_OK) {
        cJSON_AddItemToObject(o, "configuration", part);
        status = dpadev_json_ps(name, &part, err);
    }
    if (status == DPK_OK) {
        cJSON_AddItemToObject(o, "processes", part);
        status = dpadev_json_heat(dev, r->seconds, &part, err);
    }
    if (status == DPK_OK) {
        cJSON_AddItemToObject(o, "units", part);
        status = dpadev_json_stats(name, &part, err);
    }
    if (status == DPK_OK) {
        cJSON_AddItemToObject(o, "counters", part);
        status = dpadev_json_log(dev, EVENTS, &part, err);
    }
    if (status == DPK_OK) {
        cJSON_AddItemToObject(o, "log", part);
        if (r->profile)
            status = dpadev_json_profile(r->profile, &part, err);
    }
    if (status == DPK_OK && r->profile)
        cJSON_AddItemToObject(o, "profile", part);
    return status;
}

static enum dpk_status write_page(const cJSON *report, const char *path, struct dpk_error *err)
{
    struct dpk_buf page = {0};
    enum dpk_status status = DPK_OK;
    dpadev_put_page(&page, report);
    if (page.failed)
        status = dpk_fail_nomem(err);
    else if (path)
        status = dpk_file_replace(path, page.data, page.size, 0644, err);
    else
        fwrite(page.data, 1, page.size, stdout);
    dpk_buf_free(&page);
    return status;
}

static enum dpk_status report(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    const struct report_options *r = options;
    const struct dpadev_options *o = &r->shared;
    struct dpk_device *dev = NULL;
    cJSON *all = NULL;
    enum dpk_status status = DPK_OK;
    if (o->json && o->output)
        status = dpk_fail(err, DPK_ERR_USAGE, "--json prints; it takes no -o");
    if (status == DPK_OK)
        status = dpadev_open(args, &dev, err);
    if (status == DPK_OK) {
        all = cJSON_CreateObject();
        status = collect(dev, r, all, err);
    }
    if (status == DPK_OK && o->json) {
        status = dpk_json_print(all, err);
        all = NULL;
    } else if (status == DPK_OK) {
        status = write_page(all, o->output, err);
    }
    cJSON_Delete(all);
    dpk_device_close(dev);
    return status;
}

static const struct dpk_option report_options[] = {
    {"for", DPK_NUMBER, "SECONDS", offsetof(struct report_options, seconds), 1, 3600,
     .help = "sample execution units for this time (default: 1 if a process runs)"},
    {"profile", DPK_FILE, "FILE", offsetof(struct report_options, profile),
     .help = "also show a profile: folded stacks, as written with DPAKIT_PROFILE"},
    {0},
};

const struct dpk_command dpadev_report = {"report",
                                          "[NAME]",
                                          "make one page with everything about a device, for a "
                                          "browser ([-o])",
                                          .takes = "json,o",
                                          .options = report_options,
                                          .size = sizeof(struct report_options),
                                          .run = report};
