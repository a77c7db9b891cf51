/* Judges a program: steps that loading and asking share. */
#include <stdlib.h>
#include <string.h>

#include "engine/loader/judge.h"

#define PROGRAM_MAX ((size_t)1 << 30)  /* an ELF, or an area of several */
#define SIGNED_MAX  ((size_t)64 << 20) /* far above any real crypto data, or attributes */

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

enum dpk_status loader_judge_copy(const struct dpk_sections *from, struct private_copy *copy,
                                  struct dpk_error *err)
{
    struct dpk_sections *s = &copy->sections;
    *s = *from;
    if (!s->elf || s->elf_size == 0)
        return dpk_fail(err, DPK_ERR_FORMAT, "empty, not an ELF");
    if (s->elf_size > PROGRAM_MAX || s->crypto_size > SIGNED_MAX || s->room_size > SIGNED_MAX ||
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

void loader_judge_free(struct private_copy *copy)
{
    for (size_t i = 0; i < sizeof copy->parts / sizeof *copy->parts; i++)
        free(copy->parts[i]);
}

static const struct dpk_subject *find_target(const struct dpk_subject *subjects, size_t count,
                                             uint32_t target)
{
    for (size_t i = 0; i < count; i++)
        if (subjects[i].target_id == target)
            return &subjects[i];
    return NULL;
}

/* Keeps the chosen ELF of the copy, at its start. Gives memory back if there were other ELFs: malloc learns the
 * size of a freed block, and a block a page smaller would have the next one mapped anew. */
static enum dpk_status keep_elf(struct private_copy *copy, struct dpk_error *err)
{
    struct dpk_elf *elf = &copy->subject.elf;
    const size_t size = dpk_reader_left(&elf->file);
    if (size == 0)
        return dpk_fail(err, DPK_ERR_FORMAT, "target %s: empty, not an ELF", copy->subject.target);
    memmove(copy->parts[0], elf->file.begin, size);
    uint8_t *smaller = size < copy->sections.elf_size / 2 ? realloc(copy->parts[0], size) : NULL;
    if (smaller)
        copy->parts[0] = smaller;
    *elf = dpk_elf(copy->parts[0], size);
    return DPK_OK;
}

/* Sets the subject: the program or, if it has several ELFs, the ELF for `hw_target`. Without
 * `hw_target` the generic ELF, or the first. *target is its number. */
static enum dpk_status choose_target(const char *hw_target, struct private_copy *copy,
                                     uint32_t *target, struct dpk_error *err)
{
    struct dpk_subject subjects[DPK_FAT_MAX];
    size_t count = dpk_subjects(&copy->sections, subjects);
    *target = DPK_TARGET_GENERIC;
    if (hw_target && !dpk_target_find(hw_target, target))
        return dpk_fail(err, DPK_ERR_UNSUPPORTED, "the device's target is '%s'", hw_target);
    copy->subject = subjects[0];
    if (!subjects[0].target[0] && dpk_fat_is(copy->sections.elf, copy->sections.elf_size))
        return dpk_fail(err, DPK_ERR_FORMAT, "%s", subjects[0].fault.detail);
    if (!subjects[0].target[0])
        return DPK_OK;
    const struct dpk_subject *found = find_target(subjects, count, *target);
    if (!found)
        found = find_target(subjects, count, DPK_TARGET_GENERIC);
    if (!found && hw_target)
        return dpk_fail(err, DPK_ERR_UNSUPPORTED, "compiled for other targets, not for %s",
                        dpk_target_name(*target));
    if (found)
        copy->subject = *found;
    return keep_elf(copy, err);
}

enum dpk_status loader_judge_program(const struct dpk_load_terms *terms, bool locked,
                                     const struct dpk_path_rules *rules, struct private_copy *copy,
                                     struct dpk_image *image, struct dpk_load_result *found,
                                     struct dpk_error *err)
{
    enum dpk_status status = choose_target(terms->hw_target, copy, &image->target, err);
    if (status != DPK_OK)
        return status;
    const struct dpk_trust trust = {
        .roots = terms->cas.roots, .count = terms->cas.count, .rules = rules};
    struct dpk_subject subject = copy->subject;
    subject.threads = 1;
    memcpy(found->target, subject.target, sizeof found->target);
    found->verdict = dpk_verify(&subject, &trust, &found->report);
    /* If the device requires a signature, nothing else of an unsigned program is read. */
    if (locked && found->verdict != DPK_VERDICT_OK)
        return DPK_OK;
    return loader_image_fill(image, &copy->parts[0], &copy->subject.elf, err);
}

/* ---- Without a signature ---- */

static enum dpk_status examine(const char *app, const char *hw_target, const void *elf, size_t size,
                               struct dpk_image **out, struct dpk_error *err)
{
    const struct dpk_sections sections = {.elf = elf, .elf_size = size};
    struct private_copy copy = {0};
    *out = loader_image_create(app);
    if (!*out)
        return dpk_fail_nomem(err);
    enum dpk_status status = loader_judge_copy(&sections, &copy, err);
    if (status == DPK_OK)
        status = choose_target(hw_target, &copy, &(*out)->target, err);
    if (status == DPK_OK)
        status = loader_image_fill(*out, &copy.parts[0], &copy.subject.elf, err);
    loader_judge_free(&copy);
    if (status != DPK_OK) {
        dpk_image_free(*out);
        *out = NULL;
    }
    return status;
}

enum dpk_status dpk_image_examine(const char *app, struct dpk_device *device, const void *elf,
                                  size_t size, struct dpk_image **out, struct dpk_error *err)
{
    struct dpk_device_info info;
    enum dpk_status status = device ? dpk_device_info(device, &info, err) : DPK_OK;
    *out = NULL;
    return status == DPK_OK ? examine(app, device ? info.hw_target : NULL, elf, size, out, err)
                            : status;
}

/* ---- Asking ---- */

enum dpk_status dpk_load_terms(struct dpk_device *device, struct dpk_load_terms *out,
                               struct dpk_error *err)
{
    struct dpk_device_info info = {0};
    *out = (struct dpk_load_terms){.authentication = true};
    enum dpk_status status =
        dpk_device_dpa_authentication(device, DPK_VIEW_CURRENT, &out->authentication, err);
    if (status == DPK_OK)
        status = dpk_device_info(device, &info, err);
    if (status == DPK_OK)
        status = dpk_device_ca_list(device, &out->cas, err);
    snprintf(out->device, sizeof out->device, "%s", dpk_device_name(device));
    memcpy(out->hw_target, info.hw_target, sizeof out->hw_target);
    return status;
}

void dpk_load_terms_free(struct dpk_load_terms *terms)
{
    dpk_ca_list_free(&terms->cas);
}

/* Adds the reason why the program cannot be loaded after the checks of its signature. */
static enum dpk_verdict not_loaded(struct dpk_report *r, const struct dpk_load_terms *terms,
                                   const struct dpk_error *why)
{
    struct dpk_check *c = &r->checks[r->count < DPK_CHECKS_MAX ? r->count++ : DPK_CHECKS_MAX - 1];
    *c = (struct dpk_check){.name = "device", .verdict = DPK_VERDICT_NOT_LOADED};
    snprintf(c->detail, sizeof c->detail, "%s cannot load it: %.160s", terms->device, why->message);
    return c->verdict;
}

enum dpk_status dpk_load_ask(const struct dpk_load_terms *terms,
                             const struct dpk_sections *sections,
                             const struct dpk_path_rules *rules, struct dpk_load_result *result,
                             struct dpk_error *err)
{
    struct private_copy copy = {0};
    struct dpk_error why = {0};
    struct dpk_image *image = loader_image_create(sections->name);
    *result = (struct dpk_load_result){.verdict = DPK_VERDICT_UNSIGNED, .authentication = true};
    enum dpk_status status = image ? loader_judge_copy(sections, &copy, &why) : DPK_ERR_NOMEM;
    if (status == DPK_OK)
        status = loader_judge_program(terms, true, rules, &copy, image, result, &why);
    dpk_image_free(image);
    loader_judge_free(&copy);
    if (status == DPK_ERR_NOMEM)
        return dpk_fail_nomem(err);
    if (status != DPK_OK)
        result->verdict = not_loaded(&result->report, terms, &why);
    return DPK_OK;
}

enum dpk_verdict dpk_load_examine(const struct dpk_load_terms *terms, const void *elf, size_t size,
                                  struct dpk_report *report)
{
    struct dpk_error why = {0};
    struct dpk_image *image = NULL;
    enum dpk_status status = examine(NULL, terms->hw_target, elf, size, &image, &why);
    dpk_image_free(image);
    return status == DPK_OK ? DPK_VERDICT_OK : not_loaded(report, terms, &why);
}
