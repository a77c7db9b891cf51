/* Keys and helpers for tests that sign and verify host files made in memory. */
#ifndef TESTS_HOSTSIGN_H
#define TESTS_HOSTSIGN_H

#include <string.h>

#include <openssl/pem.h>

#include "hostfile/hostfile.h"

#include "golden.h"

#include "certs.h"
#include "hostelf.h"
#include "subject.h"

/* ---- Keys: one RSA-4096 pair made for the run ---- */

static char key_path[64];
static struct dpk_signer *signer;
static struct dpk_certchain *chain;
static struct dpk_buf root;

static inline int make_keys(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    EVP_PKEY *key = EVP_RSA_gen(4096);
    X509 *top = make_cert(&(struct cert_spec){.subject = "Root",
                                              .key = key,
                                              .constraints = "critical,CA:TRUE",
                                              .usage = "critical,keyCertSign"});
    X509 *leaf = make_cert(&(struct cert_spec){
        .subject = "Leaf", .issuer = top, .key = key, .usage = "critical,digitalSignature"});
    struct dpk_buf der = {0};
    put_cert(&root, top);
    put_cert(&der, leaf);
    if (dpk_certchain_parse(der.data, der.size, &chain, &err) != DPK_OK)
        return -1;
    snprintf(key_path, sizeof key_path, "/tmp/dpk-hostfile-XXXXXX");
    int fd = mkstemp(key_path);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
    if (!f || PEM_write_PrivateKey(f, key, NULL, NULL, 0, NULL, NULL) != 1 || fclose(f) != 0 ||
        dpk_signer_open(key_path, NULL, &signer, &err) != DPK_OK)
        return -1;
    dpk_buf_free(&der);
    X509_free(top);
    X509_free(leaf);
    EVP_PKEY_free(key);
    return 0;
}

static inline int free_keys(void **state)
{
    (void)state;
    unlink(key_path);
    dpk_buf_free(&root);
    dpk_certchain_free(chain);
    dpk_signer_close(signer);
    return 0;
}

/* ---- Helpers ---- */

/* A device ELF: a header and as many bytes as wanted after it. */
static inline struct dpk_buf device_elf(size_t extra)
{
    struct dpk_buf b = {0};
    Elf64_Ehdr h = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1},
                    .e_type = ET_EXEC,
                    .e_machine = EM_RISCV,
                    .e_version = 1,
                    .e_ehsize = 64};
    dpk_put(&b, &h, sizeof h);
    dpk_put_fill(&b, 0xA5, extra);
    return b;
}

static inline struct dpk_hostfile *parsed(const struct dpk_buf *b)
{
    struct dpk_error err = {0};
    struct dpk_hostfile *host = NULL;
    if (dpk_hostfile_parse("host", b->data, b->size, &host, &err) != DPK_OK)
        fail_msg("%s", err.message);
    return host;
}

/* Frees the bytes. */
static inline void refused(struct dpk_buf b, enum dpk_status status, const char *why)
{
    struct dpk_error err = {0};
    struct dpk_hostfile *host = NULL;
    assert_int_equal(dpk_hostfile_parse("host", b.data, b.size, &host, &err), status);
    assert_null(host);
    if (!strstr(err.message, why) || strncmp(err.message, "host: ", 6) != 0)
        fail_msg("'%s' does not say '%s'", err.message, why);
    dpk_buf_free(&b);
}

static const struct dpk_hostfile_options plain = {.crypto = {.profile = DPK_PROFILE_FULL}};
static const struct dpk_hostfile_options compact = {.crypto = {.profile = DPK_PROFILE_COMPACT}};

static inline struct dpk_buf signed_with(const struct dpk_buf *b,
                                         const struct dpk_hostfile_options *options)
{
    struct dpk_error err = {0};
    struct dpk_buf out = {0};
    struct dpk_hostfile *host = parsed(b);
    if (dpk_hostfile_sign(host, chain, signer, options, &out, &err) != DPK_OK)
        fail_msg("%s", err.message);
    dpk_hostfile_close(host);
    return out;
}

static inline void sign_gives(const struct dpk_buf *b, enum dpk_status status, const char *why)
{
    struct dpk_error err = {0};
    struct dpk_buf out = {0};
    struct dpk_hostfile *host = parsed(b);
    assert_int_equal(dpk_hostfile_sign(host, chain, signer, &plain, &out, &err), status);
    assert_int_equal(out.size, 0);
    if (!strstr(err.message, why))
        fail_msg("'%s' does not say '%s'", err.message, why);
    dpk_hostfile_close(host);
}

/* Every program of the file verifies, has `placement`; how many there are. */
static inline size_t verifies(const struct dpk_buf *b, enum dpk_placement placement)
{
    struct dpk_hostfile *host = parsed(b);
    struct dpk_der der = {root.data, root.size};
    struct dpk_trust trust = {.roots = &der, .count = 1};
    size_t count = dpk_hostfile_count(host);
    for (size_t i = 0; i < count; i++) {
        struct dpk_report r;
        const struct dpk_program *p = dpk_hostfile_program(host, i);
        if (dpk_verify(&p->subjects[0], &trust, &r) != DPK_VERDICT_OK)
            fail_msg("%s: %s", p->name, r.checks[r.count - 1].detail);
        assert_int_equal(p->placement, placement);
    }
    dpk_hostfile_close(host);
    return count;
}

#endif
