/* Writes the folder of results. */
#include <string.h>
#include <sys/stat.h>

#include "dpapcc.h"

static void put_json(const struct report *r, struct dpk_buf *out)
{
    cJSON *json = dpapcc_report_json(r);
    char *text = json ? cJSON_Print(json) : NULL;
    if (text)
        dpk_put_format(out, "%s\n", text);
    out->failed |= !text;
    cJSON_free(text);
    cJSON_Delete(json);
}

static void put_file(const void *context, const char *name, struct dpk_buf *out)
{
    const struct report *r = context;
    if (strcmp(name, "summary.json") == 0)
        put_json(r, out);
    else if (strcmp(name, "flows.csv") == 0)
        dpapcc_csv_flows(r, out);
    else if (strcmp(name, "series.csv") == 0)
        dpapcc_csv_series(r, out);
    else if (strcmp(name, "report.html") == 0)
        dpapcc_page_put(r, out);
    else if (strcmp(name, "trace.json") == 0)
        dpapcc_trace_json(r, out);
    else
        for (unsigned i = 0; i < PICTURES; i++)
            if (strncmp(dpapcc_picture_names[i], name, strlen(dpapcc_picture_names[i])) == 0)
                dpapcc_picture_put(r, i, 720, NULL, out, NULL);
}

static const char *const names[] = {"summary.json", "flows.csv",   "series.csv",
                                    "rates.svg",    "queue.svg",   "rtt.svg",
                                    "fct.svg",      "report.html", "trace.json"};
enum { FILES = sizeof names / sizeof *names };

/* `r` may be NULL if the files are not written. */
static void list(struct dpk_folder_file files[FILES], const struct report *r, unsigned mode)
{
    for (size_t i = 0; i < FILES; i++)
        files[i] =
            (struct dpk_folder_file){.name = names[i], .mode = mode, .put = put_file, .context = r};
}

enum dpk_status dpapcc_folder_check(const char *path, struct dpk_error *err)
{
    struct dpk_folder_file files[FILES];
    list(files, NULL, 0);
    return dpk_folder_replaceable(path, files, FILES, err);
}

enum dpk_status dpapcc_folder_write(const char *path, const struct report *r, struct dpk_error *err)
{
    struct dpk_folder_file files[FILES];
    const mode_t mask = umask(0);
    umask(mask);
    list(files, r, 0666 & ~mask);
    return dpk_folder_replace(path, 0777 & ~mask, files, FILES, err);
}
