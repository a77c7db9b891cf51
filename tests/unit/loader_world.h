/* The loader on a device that is a stand-in, which tests turn as they like; verification and signing
 * are the real ones, with the keys of the golden files. For one test program: it defines functions
 * of the room card. */
#ifndef TESTS_LOADER_WORLD_H
#define TESTS_LOADER_WORLD_H

#include "golden.h"

#include "dpa.h"
#include "fat/fat.h"
#include "subject.h"

/* ---- The stand-in ---- */

struct dpk_device {
    bool authentication, has_ca, log_fails, query_fails;
    uint8_t *spoil; /* bytes of the caller that change while the device is asked */
    unsigned loads;
    char result[64], detail[2048];
};

enum dpk_status dpk_device_dpa_authentication(struct dpk_device *dev, enum dpk_device_view view,
                                              bool *enabled, struct dpk_error *err)
{
    assert_int_equal(view, DPK_VIEW_CURRENT);
    if (dev->spoil)
        *dev->spoil ^= 0xff;
    *enabled = dev->authentication;
    return dev->query_fails ? dpk_fail(err, DPK_ERR_IO, "dev0: damaged") : DPK_OK;
}

enum dpk_status dpk_device_ca_list(struct dpk_device *dev, struct dpk_ca_list *out,
                                   struct dpk_error *err)
{
    (void)err;
    *out = (struct dpk_ca_list){0};
    if (!dev->has_ca)
        return DPK_OK;
    struct dpk_buf root = golden("keys/root.der");
    out->roots = malloc(sizeof *out->roots);
    assert_non_null(out->roots);
    out->roots[0] = (struct dpk_der){root.data, root.size};
    out->count = 1;
    return DPK_OK;
}

void dpk_ca_list_free(struct dpk_ca_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free((void *)list->roots[i].data);
    free(list->roots);
}

enum dpk_status dpk_device_log(struct dpk_device *dev, const char *action, const char *result,
                               const char *detail, struct dpk_error *err)
{
    assert_string_equal(action, "load");
    dev->loads++;
    snprintf(dev->result, sizeof dev->result, "%s", result);
    snprintf(dev->detail, sizeof dev->detail, "%s", detail);
    return dev->log_fails ? dpk_fail(err, DPK_ERR_IO, "disk full") : DPK_OK;
}

enum dpk_status dpk_device_info(struct dpk_device *dev, struct dpk_device_info *out,
                                struct dpk_error *err)
{
    (void)dev;
    (void)err;
    *out = (struct dpk_device_info){.hw_target = "bf3"};
    return DPK_OK;
}

const char *dpk_device_name(const struct dpk_device *dev)
{
    (void)dev;
    return "dev0";
}

enum dpk_status dpk_device_card_directory(const struct dpk_device *dev, char out[PATH_MAX],
                                          struct dpk_error *err)
{
    (void)dev, (void)err;
    out[0] = 0;
    return DPK_OK;
}

unsigned dpk_device_vhca(struct dpk_device *dev)
{
    (void)dev;
    return 1;
}

enum dpk_status dpk_device_open(const char *name, struct dpk_device **out, struct dpk_error *err)
{
    (void)name;
    *out = NULL;
    return dpk_fail(err, DPK_ERR_NOT_FOUND, "no such device");
}

void dpk_device_close(struct dpk_device *dev)
{
    (void)dev;
}

enum dpk_status dpk_device_debug_rights(struct dpk_device *dev, enum dpk_device_view view,
                                        enum dpk_debug_rights *rights, struct dpk_error *err)
{
    (void)dev, (void)view, (void)err;
    *rights = DPK_DEBUG_NONE;
    return DPK_OK;
}

/* ---- A signed program ---- */

struct program {
    struct dpk_buf elf, crypto, attributes;
    bool is_room; /* crypto: as its section holds it */
};

static inline struct program unsigned_program(void)
{
    return (struct program){.elf = kernels_elf()};
}

static inline struct program signed_program(void)
{
    struct program p = unsigned_program();
    struct dpk_certchain *chain = NULL;
    struct dpk_signer *signer = NULL;
    struct dpk_error err = {0};
    struct dpk_sign_options options = {.profile = DPK_PROFILE_FULL};
    if (dpk_certchain_load(golden_path("keys/chain3.der"), &chain, &err) != DPK_OK ||
        dpk_signer_open(golden_path("keys/leaf.pem"), NULL, &signer, &err) != DPK_OK ||
        build_bytes(p.elf.data, p.elf.size, chain, signer, &options, &p.crypto, &err) != DPK_OK)
        fail_msg("%s", err.message);
    dpk_signer_close(signer);
    dpk_certchain_free(chain);
    return p;
}

static inline void program_free(struct program *p)
{
    dpk_buf_free(&p->elf);
    dpk_buf_free(&p->crypto);
    dpk_buf_free(&p->attributes);
}

/* Who asks gets what the loader does: compared wherever a test loads on a device that requires
 * signatures. */
static inline void check_asking(struct dpk_device *dev, const struct dpk_load_request *ask,
                                enum dpk_status loaded, const struct dpk_load_result *result)
{
    struct dpk_load_terms terms;
    struct dpk_load_result says;
    struct dpk_error err = {0};
    if (!dev->authentication || dev->log_fails || dev->query_fails || dev->spoil)
        return;
    assert_int_equal(dpk_load_terms(dev, &terms, &err), DPK_OK);
    assert_int_equal(dpk_load_ask(&terms, &ask->sections, NULL, &says, &err), DPK_OK);
    enum dpk_verdict expected =
        loaded == DPK_OK || loaded == DPK_ERR_REFUSED ? result->verdict : DPK_VERDICT_NOT_LOADED;
    if (says.verdict != expected || (says.verdict == DPK_VERDICT_OK) != (loaded == DPK_OK))
        fail_msg("loading gives %d, %s; asking gives %s", (int)loaded, dpk_verdict_name(expected),
                 dpk_verdict_name(says.verdict));
    assert_string_equal(says.target, result->target);
    if (says.verdict != DPK_VERDICT_OK)
        assert_int_equal(says.report.checks[says.report.count - 1].verdict, says.verdict);
    dpk_load_terms_free(&terms);
}

static inline enum dpk_status load(struct dpk_device *dev, struct program *p,
                                   struct dpk_image **image, struct dpk_load_result *result,
                                   struct dpk_error *err)
{
    struct dpk_load_request ask = {.device = dev,
                                   .app = "kernels",
                                   .sections = {.elf = p->elf.data,
                                                .elf_size = p->elf.size,
                                                .attributes = p->attributes.data,
                                                .attributes_size = p->attributes.size}};
    *(p->is_room ? &ask.sections.room : &ask.sections.crypto) = p->crypto.data;
    *(p->is_room ? &ask.sections.room_size : &ask.sections.crypto_size) = p->crypto.size;
    struct dpk_load_result own;
    enum dpk_status status = dpk_load(&ask, image, result ? result : &own, err);
    check_asking(dev, &ask, status, result ? result : &own);
    return status;
}

/* Loads, and checks that the image comes exactly when the load succeeds. */
static inline enum dpk_status try_load(struct dpk_device *dev, struct program *p,
                                       struct dpk_load_result *result, struct dpk_error *err)
{
    struct dpk_image *image = (struct dpk_image *)dev;
    enum dpk_status status = load(dev, p, &image, result, err);
    assert_int_equal(status == DPK_OK, image != NULL);
    assert_int_equal(dev->loads, 1);
    dpk_image_free(image);
    return status;
}

#endif
