/* The decision whether a program may run, and the image that comes of it. */
#include "loader/loader.h"

#include <stdlib.h>
#include <string.h>

#include "loader/image.h"

#define CRYPTO_MAX ((size_t)64 << 20) /* far above any real crypto data */

/* What may not change between looking and running. */
struct private_copy {
    uint8_t *elf, *crypto; /* crypto NULL: unsigned */
    size_t elf_size, crypto_size;
};

static enum dpk_status copy_in(const struct dpk_load_request *ask, struct private_copy *copy,
                               struct dpk_error *err)
{
    if (!ask->elf || ask->elf_size == 0)
        return dpk_fail(err, DPK_ERR_FORMAT, "empty, not an ELF");
    if (ask->elf_size > DPK_PROGRAM_END || ask->crypto_size > CRYPTO_MAX)
        return dpk_fail(err, DPK_ERR_RANGE, "%zu bytes with %zu of crypto data: too large",
                        ask->elf_size, ask->crypto_size);
    copy->elf = malloc(ask->elf_size);
    if (!copy->elf)
        return dpk_fail_nomem(err);
    memcpy(copy->elf, ask->elf, ask->elf_size);
    copy->elf_size = ask->elf_size;
    if (!ask->crypto || ask->crypto_size == 0)
        return DPK_OK;
    copy->crypto = malloc(ask->crypto_size);
    if (!copy->crypto)
        return dpk_fail_nomem(err);
    memcpy(copy->crypto, ask->crypto, ask->crypto_size);
    copy->crypto_size = ask->crypto_size;
    return DPK_OK;
}

/* "DIGEST_MISMATCH (segment 2)" */
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

static enum dpk_status verify(struct dpk_device *device, const struct private_copy *copy,
                              struct dpk_load_result *result, struct dpk_error *err)
{
    struct dpk_ca_list cas = {0};
    enum dpk_status status = dpk_device_dpa_authentication(device, &result->authentication, err);
    if (status == DPK_OK)
        status = dpk_device_ca_list(device, &cas, err);
    if (status == DPK_OK) {
        struct dpk_trust trust = {.roots = cas.roots, .count = cas.count};
        result->verdict = dpk_verify(copy->elf, copy->elf_size, copy->crypto, copy->crypto_size,
                                     &trust, &result->report);
    }
    dpk_ca_list_free(&cas);
    return status;
}

/* Writes the event log; with authentication on, what cannot be logged does not run. */
static enum dpk_status record(struct dpk_device *device, const struct dpk_load_result *result,
                              const char *app, const char *outcome, const char *story,
                              struct dpk_error *err)
{
    char detail[1400];
    struct dpk_error why = {0};
    snprintf(detail, sizeof detail, "app %s: %s%s", app, story,
             result->authentication ? "" : "; DPA_AUTHENTICATION is off");
    if (dpk_device_log(device, "load", outcome, detail, &why) == DPK_OK || !result->authentication)
        return DPK_OK;
    return dpk_fail(err, DPK_ERR_REFUSED,
                    "program %s refused: cannot write the event log of %s: %s", app,
                    dpk_device_name(device), why.message);
}

/* Refuses or records; after DPK_OK the program may run. */
static enum dpk_status judge(struct dpk_device *device, const struct dpk_load_result *result,
                             const char *app, struct dpk_error *err)
{
    char story[400];
    describe(result, story, sizeof story);
    if (result->authentication && result->verdict != DPK_VERDICT_OK) {
        enum dpk_status status =
            record(device, result, app, dpk_verdict_name(result->verdict), story, err);
        if (status != DPK_OK)
            return status;
        return dpk_fail(err, DPK_ERR_REFUSED, "program %s refused: %s", app, story);
    }
    bool warn = result->verdict != DPK_VERDICT_OK && result->verdict != DPK_VERDICT_UNSIGNED;
    return record(device, result, app, warn ? "WARNING" : "OK", story, err);
}

enum dpk_status dpk_load(const struct dpk_load_request *ask, struct dpk_image **out,
                         struct dpk_load_result *result, struct dpk_error *err)
{
    struct private_copy copy = {0};
    struct dpk_load_result found = {.verdict = DPK_VERDICT_UNSIGNED, .authentication = true};
    struct dpk_error why = {0};
    enum dpk_status status;
    *out = NULL;
    struct dpk_image *image = image_create(ask->app);
    if (!image)
        return dpk_fail_nomem(err);

    if ((status = copy_in(ask, &copy, &why)) == DPK_OK)
        status = verify(ask->device, &copy, &found, &why);
    /* Bytes that nobody vouches for are not even parsed when the device wants a signature. */
    if (status == DPK_OK && (!found.authentication || found.verdict == DPK_VERDICT_OK))
        status = image_fill(image, &copy.elf, copy.elf_size, &why);
    if (status != DPK_OK) {
        record(ask->device, &found, image->app, "NOT_LOADED", why.message, NULL);
        dpk_fail(err, status, "program %s: %s", image->app, why.message);
        goto out;
    }
    if ((status = judge(ask->device, &found, image->app, err)) != DPK_OK)
        goto out;
    *out = image;
    image = NULL;
out:
    if (result)
        *result = found;
    dpk_image_free(image);
    free(copy.crypto);
    free(copy.elf);
    return status;
}
