/* Trusted root certificates. */
#include <stdlib.h>

#include "chain.h"

struct dpk_roots {
    struct dpk_der list[PILE_MAX]; /* each encoding is from OPENSSL_malloc */
    size_t count;
};

/* Adds the certificate if a device would accept it as its root. */
static enum dpk_status add_root(struct dpk_roots *roots, X509 *cert, struct dpk_error *err)
{
    char subject[256];
    unsigned char *der = NULL;
    int size = i2d_X509(cert, &der);
    if (size < 0)
        return dpk_fail_nomem(err);
    enum dpk_status status = dpk_cert_check_root(der, (size_t)size, err);
    if (status == DPK_OK) {
        roots->list[roots->count++] = (struct dpk_der){der, (size_t)size};
        return DPK_OK;
    }
    OPENSSL_free(der);
    dpk_cert_subject(cert, subject, sizeof subject);
    return dpk_error_prefix(err, "not a root certificate, %s", subject);
}

static void keep_first(struct dpk_roots *roots, size_t count)
{
    while (roots->count > count)
        OPENSSL_free((void *)roots->list[--roots->count].data);
}

/* Adds all certificates of the pile, or no certificate. */
static enum dpk_status add_pile(struct dpk_roots *roots, const struct pile *pile,
                                struct dpk_error *err)
{
    size_t before = roots->count;
    enum dpk_status status = DPK_OK;
    if (pile->count > PILE_MAX - before)
        return dpk_fail(err, DPK_ERR_RANGE, "more than %d root certificates", PILE_MAX);
    for (size_t i = 0; i < pile->count && status == DPK_OK; i++)
        status = add_root(roots, pile->certs[i], err);
    if (status != DPK_OK)
        keep_first(roots, before);
    return status;
}

static enum dpk_status refused(const char *path, const struct dpk_buf *file, enum dpk_status status,
                               struct dpk_error *err)
{
    struct dpk_buf held = {0};
    status = certchain_pile_refused(dpk_key_shown(path, &held), file, false, status, err);
    dpk_buf_free(&held);
    return status;
}

enum dpk_status dpk_roots_load(struct dpk_roots **roots, const char *path, struct dpk_error *err)
{
    struct dpk_buf file = {0};
    struct pile pile = {.max = PILE_MAX};
    enum dpk_status status =
        dpk_key_in_token(path)
            ? certchain_token_cert(&(struct dpk_key_options){.key = path}, &file, err)
            : dpk_file_read(path, CERT_FILE_MAX, &file, err);
    if (status != DPK_OK)
        return status;
    if (!*roots)
        *roots = calloc(1, sizeof **roots);
    if (!*roots) {
        status = dpk_fail_nomem(err);
        goto out;
    }
    status = certchain_pile_read(&pile, file.data, file.size, err);
    if (status == DPK_OK)
        status = add_pile(*roots, &pile, err);
    if (status != DPK_OK)
        status = refused(path, &file, status, err);
out:
    certchain_pile_free(&pile);
    dpk_buf_free(&file);
    return status;
}

const struct dpk_der *dpk_roots_list(const struct dpk_roots *roots, size_t *count)
{
    *count = roots ? roots->count : 0;
    return roots ? roots->list : NULL;
}

void dpk_roots_free(struct dpk_roots *roots)
{
    if (!roots)
        return;
    keep_first(roots, 0);
    free(roots);
}
