/* Decides whether a program may run, and makes its image. */
#include "engine/loader/loader.h"

#include "engine/loader/judge.h"

/* Writes a verdict as text, such as "DIGEST_MISMATCH (segment 2)". */
static void describe(const struct dpk_load_result *result, char *out, size_t size)
{
    const struct dpk_check *last =
        result->report.count ? &result->report.checks[result->report.count - 1] : NULL;
    if (result->verdict != DPK_VERDICT_OK && last && last->verdict == result->verdict &&
        last->detail[0])
        snprintf(out, size, "%s (%s)", dpk_verdict_name(result->verdict), last->detail);
    else
        snprintf(out, size, "%s", dpk_verdict_name(result->verdict));
}

/* Writes the event log. With authentication on, a program is refused if its load cannot be
 * logged. */
static enum dpk_status record(struct dpk_device *device, const struct dpk_load_result *result,
                              const char *app, const char *outcome, const char *text,
                              struct dpk_error *err)
{
    char detail[1400];
    struct dpk_error why = {0};
    snprintf(detail, sizeof detail, "app %s: %s%s", app, text,
             result->authentication ? "" : "; DPA_AUTHENTICATION is off");
    if (dpk_device_log(device, "load", outcome, detail, &why) == DPK_OK || !result->authentication)
        return DPK_OK;
    return dpk_fail(err, DPK_ERR_REFUSED,
                    "program %s refused: cannot write the event log of %s: %s", app,
                    dpk_device_name(device), why.message);
}

/* Refuses the program or records its load. Returns DPK_OK if the program may run. */
static enum dpk_status judge(struct dpk_device *device, const struct dpk_load_result *result,
                             const char *app, struct dpk_error *err)
{
    char text[400];
    describe(result, text, sizeof text);
    if (result->authentication && result->verdict != DPK_VERDICT_OK) {
        enum dpk_status status =
            record(device, result, app, dpk_verdict_name(result->verdict), text, err);
        if (status != DPK_OK)
            return status;
        return dpk_fail(err, DPK_ERR_REFUSED, "program %s refused: %s", app, text);
    }
    bool warn = result->verdict != DPK_VERDICT_OK && result->verdict != DPK_VERDICT_UNSIGNED;
    return record(device, result, app, warn ? "WARNING" : "OK", text, err);
}

int dpk_load_exit_code(enum dpk_status status, const struct dpk_load_result *result)
{
    bool told = status == DPK_ERR_REFUSED || result->verdict == DPK_VERDICT_NOT_LOADED;
    return status != DPK_OK && told ? dpk_verdict_exit_code(result->verdict) : 0;
}

enum dpk_status dpk_load(const struct dpk_load_request *ask, struct dpk_image **out,
                         struct dpk_load_result *result, struct dpk_error *err)
{
    struct private_copy copy = {0};
    struct dpk_load_terms terms = {0};
    struct dpk_load_result found = {.verdict = DPK_VERDICT_UNSIGNED, .authentication = true};
    struct dpk_error why = {0};
    enum dpk_status status;
    *out = NULL;
    struct dpk_image *image = loader_image_create(ask->app);
    if (!image)
        return dpk_fail_nomem(err);

    if ((status = loader_judge_copy(&ask->sections, &copy, &why)) == DPK_OK)
        status = dpk_load_terms(ask->device, &terms, &why);
    found.authentication = terms.authentication || status != DPK_OK;
    bool asked = status == DPK_OK;
    if (asked)
        status =
            loader_judge_program(&terms, terms.authentication, NULL, &copy, image, &found, &why);
    if (status != DPK_OK) {
        if (asked && status != DPK_ERR_NOMEM)
            found.verdict = DPK_VERDICT_NOT_LOADED;
        record(ask->device, &found, image->app, "NOT_LOADED", why.message, NULL);
        dpk_fail(err, status, "program %s: %s", image->app, why.message);
        goto out;
    }
    if ((status = judge(ask->device, &found, image->app, err)) != DPK_OK)
        goto out;
    snprintf(image->device, sizeof image->device, "%s", dpk_device_name(ask->device));
    if ((status = dpk_device_card_directory(ask->device, image->card, err)) != DPK_OK)
        goto out;
    image->vhca = dpk_device_vhca(ask->device);
    *out = image;
    image = NULL;
out:
    if (result)
        *result = found;
    dpk_image_free(image);
    dpk_load_terms_free(&terms);
    loader_judge_free(&copy);
    return status;
}
