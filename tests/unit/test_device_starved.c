/* runtime/device/state: every allocation fails once. A device reports missing memory and not
 * damage, because a damaged device is deleted. Its answers are right, its changes complete. */
#include "device/admin/admin.h"

#include "device_containers.h"
#include "device_world.h"
#include "starve.h"

#if STARVE
/* What is asked of the device while nothing fails does not count. */
static unsigned long pause_starving(void)
{
    unsigned long at = starve.at;
    starve.at = 0;
    return at;
}

static enum dpk_status not_damaged(enum dpk_status status, const struct dpk_error *err)
{
    if (status == DPK_ERR_FORMAT || strstr(err->message, "damaged"))
        fail_msg("allocation %lu: %s", starve.at, err->message);
    return status;
}

/* ---- Asking ---- */

static struct dpk_buf archive; /* of the device */

static enum dpk_status ask(struct dpk_error *err)
{
    struct dpk_device *d = NULL;
    struct dpk_device_info info;
    struct dpk_buf out = {0};
    struct dpk_device_cert certs[DPK_DEVICE_CERT_PLACES];
    struct dpk_device_key *keys = NULL;
    size_t count = 0, key_count = 0;
    bool on = false;
    enum dpk_status status = dpk_device_open("dev0", &d, err);
    if (status == DPK_OK)
        status = dpk_device_info(d, &info, err);
    if (status == DPK_OK && (strcmp(info.psid, "MT_0000000884") != 0 || !info.has_owner))
        fail_msg("allocation %lu: PSID %s", starve.at, info.psid);
    if (status == DPK_OK)
        status = dpk_device_dpa_authentication(d, DPK_VIEW_CURRENT, &on, err);
    if (status == DPK_OK && !on)
        fail_msg("allocation %lu: authentication is off", starve.at);
    if (status == DPK_OK)
        status = dpk_device_certs(d, certs, &count, err);
    if (status == DPK_OK)
        status = dpk_device_nvidia_keys(d, &keys, &key_count, err);
    if (status == DPK_OK && (count != 1 || key_count != 1 || keys[0].bits != 4096))
        fail_msg("allocation %lu: %zu certificates, %zu keys", starve.at, count, key_count);
    free(keys);
    if (status == DPK_OK)
        status = dpk_device_export(d, false, &out, err);
    if (status == DPK_OK &&
        (out.size != archive.size || memcmp(out.data, archive.data, out.size) != 0))
        fail_msg("allocation %lu: another archive", starve.at);
    dpk_buf_free(&out);
    dpk_device_close(d);
    return not_damaged(status, err);
}

static void asking_a_device(void **state)
{
    (void)state;
    struct dpk_container_plan plan = add_plan(CERT_UUID);
    claim();
    accept(dpk_device_burn, owners(&plan));
    accept(dpk_device_apply, auth_file(true, false));
    reset();
    assert_int_equal(dpk_device_export(dev, false, &archive, NULL), DPK_OK);
    survives_every_failure(ask);
    dpk_buf_free(&archive);
}

/* ---- Changing ---- */

static struct dpk_buf files[2];
static char *dumps[2]; /* the state with each of them */
static unsigned applied;

static enum dpk_status apply_the_other(struct dpk_error *err)
{
    struct dpk_device *d = NULL;
    enum dpk_reject reject = DPK_REJECT_NONE;
    enum dpk_status status = dpk_device_open("dev0", &d, err);
    if (status == DPK_OK)
        status = dpk_device_apply(d, files[!applied].data, files[!applied].size, &reject, err);
    dpk_device_close(d);
    unsigned long at = pause_starving();
    applied = status == DPK_OK ? !applied : applied;
    char *now = dump();
    if (strcmp(now, dumps[applied]) != 0)
        fail_msg("allocation %lu: status %d, but the state is another one", at, (int)status);
    free(now);
    starve.at = at;
    /* What OpenSSL could not check counts as wrong. */
    if (reject != DPK_REJECT_NONE && reject != DPK_REJECT_AUTH_FAILED)
        fail_msg("allocation %lu: %s", at, err->message);
    return not_damaged(status, err);
}

static void changing_a_device(void **state)
{
    (void)state;
    claim();
    for (uint8_t i = 0; i < 2; i++) {
        struct dpk_nv_list list = vendor(KEEP);
        put_other(&list, i);
        files[i] = by_owner(list);
        assert_int_equal(dpk_device_apply(dev, files[i].data, files[i].size, NULL, NULL), DPK_OK);
        dumps[i] = dump();
    }
    applied = 1;
    survives_every_failure(apply_the_other);
    for (unsigned i = 0; i < 2; i++) {
        free(dumps[i]);
        dpk_buf_free(&files[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(asking_a_device),
        TEST(changing_a_device),
    };
    return cmocka_run_group_tests(tests, make_world, free_world);
}
#endif
