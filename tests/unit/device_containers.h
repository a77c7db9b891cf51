/* For tests of devices: certificate containers to burn. */
#ifndef TESTS_DEVICE_CONTAINERS_H
#define TESTS_DEVICE_CONTAINERS_H

#include "device_world.h"

static inline struct dpk_container_plan add_plan(const char *cert_uuid)
{
    return (struct dpk_container_plan){.kind = DPK_CONTAINER_ADD,
                                       .priority = DPK_LIFECYCLE_OEM,
                                       .cert_uuid = uuid(cert_uuid),
                                       .cert = world.root.data,
                                       .cert_size = world.root.size};
}

static inline struct dpk_buf container(const struct dpk_container_plan *plan,
                                       const struct dpk_signer *s, const char *keypair)
{
    struct dpk_error err = {0};
    struct dpk_buf made = {0}, out = {0};
    if (dpk_container_create(plan, &made, &err) != DPK_OK)
        fail_msg("%s", err.message);
    if (!s)
        return made;
    struct dpk_container_signing how = {
        .signer = s, .priority = plan->priority, .keypair_uuid = uuid(keypair)};
    if (dpk_container_sign(made.data, made.size, &how, &out, &err) != DPK_OK)
        fail_msg("%s", err.message);
    dpk_buf_free(&made);
    return out;
}

static inline struct dpk_buf owners(const struct dpk_container_plan *plan)
{
    return container(plan, world.owner, OWNER_UUID);
}

/* What no tool makes: a container changed, then signed by the owner. */
static inline struct dpk_buf sign_by_hand(struct dpk_buf file)
{
    static const uint8_t head[12] = {0x90, 1, 2, 0x0c, 0x10};
    struct dpk_buf signature = {0};
    assert_int_equal(
        dpk_signer_sign(world.owner, DPK_SHA512, file.data, file.size, &signature, NULL), DPK_OK);
    dpk_put(&file, head, sizeof head);
    dpk_put(&file, signature.data, signature.size);
    dpk_buf_free(&signature);
    return file;
}

static inline struct dpk_container_plan removal(const char *cert_uuid)
{
    struct dpk_container_plan plan = {.kind = DPK_CONTAINER_REMOVE, .priority = DPK_LIFECYCLE_OEM};
    if (cert_uuid)
        plan.cert_uuid = uuid(cert_uuid);
    plan.remove_all = !cert_uuid;
    return plan;
}

#endif
