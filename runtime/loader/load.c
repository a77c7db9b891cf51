/* The decision whether a program may run, and the image that comes of it. */
#include "loader/loader.h"

#include <stdlib.h>
#include <string.h>

#include "fat/fat.h"
#include "loader/image.h"

#define CRYPTO_MAX ((size_t)64 << 20) /* far above any real crypto data */

/* What may not change between looking and running. */
struct private_copy {
    uint8_t *program, *crypto, *manifest; /* crypto NULL: unsigned; manifest NULL: none */
    size_t program_size, crypto_size, manifest_size;
    const char *target; /* of a fat program's member, else NULL */
    struct dpk_elf elf; /* describes `program`: this is verified, and this is mapped */
};

static enum dpk_status copy_part(const void *from, size_t size, uint8_t **to, size_t *to_size,
                                 struct dpk_error *err)
{
    if (!from || size == 0)
        return DPK_OK;
    *to = malloc(size);
    if (!*to)
        return dpk_fail_nomem(err);
    memcpy(*to, from, size);
    *to_size = size;
    return DPK_OK;
}

static enum dpk_status copy_in(const struct dpk_load_request *ask, struct private_copy *copy,
                               struct dpk_error *err)
{
    if (!ask->elf || ask->elf_size == 0)
        return dpk_fail(err, DPK_ERR_FORMAT, "empty, not an ELF");
    if (ask->elf_size > DPK_PROGRAM_END || ask->crypto_size > CRYPTO_MAX ||
        ask->manifest_size > CRYPTO_MAX)
        return dpk_fail(err, DPK_ERR_RANGE,
                        "%zu bytes with %zu of crypto data and %zu of attributes: too large",
                        ask->elf_size, ask->crypto_size, ask->manifest_size);
    enum dpk_status status =
        copy_part(ask->elf, ask->elf_size, &copy->program, &copy->program_size, err);
    if (status == DPK_OK)
        status = copy_part(ask->crypto, ask->crypto_size, &copy->crypto, &copy->crypto_size, err);
    if (status == DPK_OK)
        status = copy_part(ask->manifest, ask->manifest_size, &copy->manifest, &copy->manifest_size,
                           err);
    return status;
}

/* The id of the device's processor, as fat files have it; of no device, the generic one. */
static enum dpk_status device_target(struct dpk_device *device, uint32_t *target,
                                     struct dpk_error *err)
{
    *target = DPK_TARGET_GENERIC;
    if (!device)
        return DPK_OK;
    struct dpk_device_info info;
    enum dpk_status status = dpk_device_info(device, &info, err);
    if (status == DPK_OK && !dpk_target_find(info.hw_target, target))
        status = dpk_fail(err, DPK_ERR_UNSUPPORTED, "the device's target is '%s'", info.hw_target);
    return status;
}

/* Describes the program. Of a fat one the member for this device stays, with its crypto data. */
static enum dpk_status choose_member(struct dpk_device *device, struct private_copy *copy,
                                     struct dpk_error *err)
{
    struct dpk_fat fat;
    const struct dpk_fat_member *member = NULL;
    struct dpk_buf elf = {0};
    uint32_t target = DPK_TARGET_GENERIC;
    copy->elf = dpk_elf(copy->program, copy->program_size);
    if (!dpk_fat_is(copy->program, copy->program_size))
        return DPK_OK;
    enum dpk_status status = dpk_fat_parse(copy->program, copy->program_size, &fat, err);
    if (status == DPK_OK)
        status = device_target(device, &target, err);
    if (status != DPK_OK)
        return status;
    if (dpk_fat_find(&fat, target, &member, NULL) != DPK_OK &&
        dpk_fat_find(&fat, DPK_TARGET_GENERIC, &member, NULL) != DPK_OK && device)
        return dpk_fail(err, DPK_ERR_UNSUPPORTED, "compiled for other targets, not for %s",
                        dpk_target_name(target));
    if (!member)
        member = &fat.members[0];
    target = member->target;
    if ((status = dpk_fat_elf(member, &elf, err)) != DPK_OK) {
        dpk_buf_free(&elf);
        return status;
    }
    free(copy->program);
    copy->program = elf.data;
    copy->program_size = elf.size;
    copy->target = dpk_target_name(target);
    copy->elf = dpk_elf(elf.data, elf.size);
    if (!copy->crypto || !dpk_fat_sigs_is(copy->crypto, copy->crypto_size))
        return DPK_OK; /* verification says what is wrong with it */
    const uint8_t *crypto = NULL;
    size_t size = 0;
    status = dpk_fat_crypto(copy->crypto, copy->crypto_size, target, &crypto, &size, err);
    if (status != DPK_OK && status != DPK_ERR_NOT_FOUND)
        return status;
    if (status == DPK_OK)
        memmove(copy->crypto, crypto, size);
    copy->crypto_size = status == DPK_OK ? size : 0; /* none for this target: unsigned */
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
    enum dpk_status status =
        dpk_device_dpa_authentication(device, DPK_VIEW_CURRENT, &result->authentication, err);
    if (status == DPK_OK)
        status = dpk_device_ca_list(device, &cas, err);
    if (status == DPK_OK) {
        struct dpk_trust trust = {.roots = cas.roots, .count = cas.count};
        const struct dpk_subject subject = {.target = copy->target,
                                            .elf = copy->elf,
                                            .manifest = copy->manifest,
                                            .manifest_size = copy->manifest_size,
                                            .crypto = copy->crypto,
                                            .crypto_size = copy->crypto_size,
                                            .threads = 1};
        result->verdict = dpk_verify(&subject, &trust, &result->report);
    }
    dpk_ca_list_free(&cas);
    return status;
}

/* Writes the event log; with authentication on, what cannot be logged does not run. */
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

/* Refuses or records; after DPK_OK the program may run. */
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
        status = choose_member(ask->device, &copy, &why);
    if (status == DPK_OK)
        status = verify(ask->device, &copy, &found, &why);
    /* What nobody vouches for is not looked into when the device wants a signature. */
    if (status == DPK_OK && (!found.authentication || found.verdict == DPK_VERDICT_OK))
        status = image_fill(image, &copy.program, &copy.elf, &why);
    if (status != DPK_OK) {
        record(ask->device, &found, image->app, "NOT_LOADED", why.message, NULL);
        dpk_fail(err, status, "program %s: %s", image->app, why.message);
        goto out;
    }
    if ((status = judge(ask->device, &found, image->app, err)) != DPK_OK)
        goto out;
    snprintf(image->device, sizeof image->device, "%s", dpk_device_name(ask->device));
    *out = image;
    image = NULL;
out:
    if (result)
        *result = found;
    dpk_image_free(image);
    free(copy.manifest);
    free(copy.crypto);
    free(copy.program);
    return status;
}

enum dpk_status dpk_image_examine(const char *app, struct dpk_device *device, const void *elf,
                                  size_t size, struct dpk_image **out, struct dpk_error *err)
{
    const struct dpk_load_request ask = {.elf = elf, .elf_size = size};
    struct private_copy copy = {0};
    *out = NULL;
    struct dpk_image *image = image_create(app);
    if (!image)
        return dpk_fail_nomem(err);
    enum dpk_status status = copy_in(&ask, &copy, err);
    if (status == DPK_OK)
        status = choose_member(device, &copy, err);
    if (status == DPK_OK)
        status = image_fill(image, &copy.program, &copy.elf, err);
    if (status == DPK_OK) {
        *out = image;
        image = NULL;
    }
    free(copy.program);
    dpk_image_free(image);
    return status;
}
