/* Golden host files, and the keys that NVIDIA's tools signed them with. */
#ifndef TESTS_GOLDEN_KEYS_H
#define TESTS_GOLDEN_KEYS_H

#include "hostfile/hostfile.h"

#include "golden.h"
#include "subject.h"

static struct dpk_signer *signer;
static struct dpk_certchain *chain;
static struct dpk_buf root;

static inline int open_keys(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    if (dpk_signer_open(golden_path("keys/leaf.pem"), NULL, &signer, &err) != DPK_OK ||
        dpk_certchain_load(golden_path("keys/chain3.der"), &chain, &err) != DPK_OK)
        fail_msg("%s", err.message);
    root = golden("keys/root.der");
    return 0;
}

static inline int close_keys(void **state)
{
    (void)state;
    dpk_buf_free(&root);
    dpk_certchain_free(chain);
    dpk_signer_close(signer);
    return 0;
}

__attribute__((unused)) static const struct dpk_sign_options mft_full = {
    .profile = DPK_PROFILE_FULL, .mft_compat = true, .mft_chain_count = 3};
static const struct dpk_sign_options mft_compact = {
    .profile = DPK_PROFILE_COMPACT, .mft_compat = true, .mft_chain_count = 3};

static inline struct dpk_hostfile *opened(const char *name)
{
    struct dpk_error err = {0};
    struct dpk_hostfile *host = NULL;
    if (dpk_hostfile_open(golden_path(name), &host, &err) != DPK_OK)
        fail_msg("%s", err.message);
    return host;
}

static inline struct dpk_buf signed_file(const char *name, const struct dpk_sign_options *options)
{
    struct dpk_error err = {0};
    struct dpk_buf out = {0};
    struct dpk_hostfile *host = opened(name);
    const struct dpk_hostfile_options how = {.crypto = *options};
    if (dpk_hostfile_sign(host, chain, signer, &how, &out, &err) != DPK_OK)
        fail_msg("%s", err.message);
    dpk_hostfile_close(host);
    return out;
}

static inline void same_bytes(const struct dpk_buf *a, const struct dpk_buf *b)
{
    assert_int_equal(a->size, b->size);
    assert_memory_equal(a->data, b->data, a->size);
}

#endif
