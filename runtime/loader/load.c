/* Decides whether a program may run, and makes its image. */
#include "loader/loader.h"

#include <stdlib.h>
#include <string.h>

#include "loader/image.h"

#define SIGNED_MAX ((size_t)64 << 20) /* far above any real crypto data, or attributes */

/* The bytes that must not change between verification and execution. */
struct private_copy {
    uint8_t *parts[4]; /* the allocated bytes of `sections`; the device ELF is the first */
    struct dpk_sections sections;
    struct dpk_subject subject; /* describes parts[0], for verification and for the image */
};

static enum dpk_status copy_part(uint8_t **part, const uint8_t **from, size_t size,
                                 struct dpk_error *err)
{
    const uint8_t *theirs = *from;
    *from = NULL;
    if (!theirs || size == 0)
        return DPK_OK;
    *part = malloc(size);
    if (!*part)
        return dpk_fail_nomem(err);
    memcpy(*part, theirs, size);
    *from = *part;
    return DPK_OK;
}

static enum dpk_status copy_in(const struct dpk_sections *from, struct private_copy *copy,
                               struct dpk_error *err)
{
    struct dpk_sections *s = &copy->sections;
    *s = *from;
    if (!s->elf || s->elf_size == 0)
        return dpk_fail(err, DPK_ERR_FORMAT, "empty, not an ELF");
    if (s->elf_size > DPK_PROGRAM_END || s->crypto_size > SIGNED_MAX || s->room_size > SIGNED_MAX ||
        s->attributes_size > SIGNED_MAX)
        return dpk_fail(err, DPK_ERR_RANGE,
                        "%zu bytes with %zu of crypto data and %zu of attributes: too large",
                        s->elf_size, s->crypto_size + s->room_size, s->attributes_size);
    enum dpk_status status = copy_part(&copy->parts[0], &s->elf, s->elf_size, err);
    if (status == DPK_OK)
        status = copy_part(&copy->parts[1], &s->crypto, s->crypto_size, err);
    if (status == DPK_OK)
        status = copy_part(&copy->parts[2], &s->room, s->room_size, err);
    if (status == DPK_OK)
        status = copy_part(&copy->parts[3], &s->attributes, s->attributes_size, err);
    return status;
}

static void free_copy(struct private_copy *copy)
{
    for (size_t i = 0; i < sizeof copy->parts / sizeof *copy->parts; i++)
        free(copy->parts[i]);
}

/* Gets the id of the device's processor, as programs have it. Without a device: the generic id. */
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

static const struct dpk_subject *find_target(const struct dpk_subject *subjects, size_t count,
                                             uint32_t target)
{
    for (size_t i = 0; i < count; i++)
        if (subjects[i].target_id == target)
            return &subjects[i];
    return NULL;
}

/* Replaces the copy of all targets' ELFs by that of the chosen one. */
static enum dpk_status keep_elf(struct private_copy *copy, struct dpk_error *err)
{
    struct dpk_elf *elf = &copy->subject.elf;
    size_t size = dpk_reader_left(&elf->file);
    const uint8_t *from = elf->file.begin;
    if (size == 0)
        return dpk_fail(err, DPK_ERR_FORMAT, "target %s: empty, not an ELF", copy->subject.target);
    uint8_t *own = NULL;
    enum dpk_status status = copy_part(&own, &from, size, err);
    if (status != DPK_OK)
        return status;
    free(copy->parts[0]);
    copy->parts[0] = own;
    *elf = dpk_elf(own, size);
    return DPK_OK;
}

/* Sets the subject: the program, or its ELF for this device if it has several targets. */
static enum dpk_status choose_target(struct dpk_device *device, struct private_copy *copy,
                                     struct dpk_error *err)
{
    struct dpk_subject subjects[DPK_FAT_MAX];
    size_t count = dpk_subjects(&copy->sections, subjects);
    uint32_t target = DPK_TARGET_GENERIC;
    copy->subject = subjects[0];
    if (!subjects[0].target[0] && dpk_fat_is(copy->sections.elf, copy->sections.elf_size))
        return dpk_fail(err, DPK_ERR_FORMAT, "%s", subjects[0].fault.detail);
    if (!subjects[0].target[0])
        return DPK_OK;
    enum dpk_status status = device_target(device, &target, err);
    if (status != DPK_OK)
        return status;
    const struct dpk_subject *found = find_target(subjects, count, target);
    if (!found)
        found = find_target(subjects, count, DPK_TARGET_GENERIC);
    if (!found && device)
        return dpk_fail(err, DPK_ERR_UNSUPPORTED, "compiled for other targets, not for %s",
                        dpk_target_name(target));
    if (found)
        copy->subject = *found;
    return keep_elf(copy, err);
}

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
        struct dpk_subject subject = copy->subject;
        subject.threads = 1;
        memcpy(result->target, subject.target, sizeof result->target);
        result->verdict = dpk_verify(&subject, &trust, &result->report);
    }
    dpk_ca_list_free(&cas);
    return status;
}

/* Writes the event log. With authentication on, a program whose load cannot be logged is
 * refused. */
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

/* Refuses the program or records its load. DPK_OK: the program may run. */
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

    if ((status = copy_in(&ask->sections, &copy, &why)) == DPK_OK)
        status = choose_target(ask->device, &copy, &why);
    if (status == DPK_OK)
        status = verify(ask->device, &copy, &found, &why);
    /* When the device requires a signature, nothing else of a program without one is read. */
    if (status == DPK_OK && (!found.authentication || found.verdict == DPK_VERDICT_OK))
        status = image_fill(image, &copy.parts[0], &copy.subject.elf, &why);
    if (status != DPK_OK) {
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
    free_copy(&copy);
    return status;
}

enum dpk_status dpk_image_examine(const char *app, struct dpk_device *device, const void *elf,
                                  size_t size, struct dpk_image **out, struct dpk_error *err)
{
    const struct dpk_sections sections = {.elf = elf, .elf_size = size};
    struct private_copy copy = {0};
    *out = NULL;
    struct dpk_image *image = image_create(app);
    if (!image)
        return dpk_fail_nomem(err);
    enum dpk_status status = copy_in(&sections, &copy, err);
    if (status == DPK_OK)
        status = choose_target(device, &copy, err);
    if (status == DPK_OK)
        status = image_fill(image, &copy.parts[0], &copy.subject.elf, err);
    if (status == DPK_OK) {
        *out = image;
        image = NULL;
    }
    free_copy(&copy);
    dpk_image_free(image);
    return status;
}
