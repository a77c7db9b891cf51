/* Root certificates to trust. */
#include <stdlib.h>

#include "chain.h"

struct dpk_roots {
    struct dpk_der list[PILE_MAX]; /* each encoding from OPENSSL_malloc */
    size_t count;
};

static enum dpk_status check_pile(const struct pile *pile, size_t room, struct dpk_error *err)
{
    char subject[256];
    if (pile->count > room)
        return dpk_fail(err, DPK_ERR_RANGE, "more than %d root certificates", PILE_MAX);
    for (size_t i = 0; i < pile->count; i++) {
        if (X509_self_signed(pile->certs[i], 0) == 1)
            continue;
        dpk_cert_subject(pile->certs[i], subject, sizeof subject);
        return dpk_fail(err, DPK_ERR_REFUSED, "not a root certificate, not self-signed: %s",
                        subject);
    }
    return DPK_OK;
}

static enum dpk_status add_pile(struct dpk_roots *roots, const struct pile *pile,
                                struct dpk_error *err)
{
    enum dpk_status status = check_pile(pile, PILE_MAX - roots->count, err);
    if (status != DPK_OK)
        return status;
    for (size_t i = 0; i < pile->count; i++) {
        unsigned char *der = NULL;
        int size = i2d_X509(pile->certs[i], &der);
        if (size < 0)
            return dpk_fail_nomem(err);
        roots->list[roots->count++] = (struct dpk_der){der, (size_t)size};
    }
    return DPK_OK;
}

enum dpk_status dpk_roots_load(struct dpk_roots **roots, const char *path, struct dpk_error *err)
{
    struct dpk_buf file = {0};
    struct pile pile = {.max = PILE_MAX};
    enum dpk_status status = dpk_file_read(path, CERT_FILE_MAX, &file, err);
    if (status != DPK_OK)
        return status;
    if (!*roots)
        *roots = calloc(1, sizeof **roots);
    if (!*roots) {
        status = dpk_fail_nomem(err);
        goto out;
    }
    status = pile_read(&pile, file.data, file.size, err);
    if (status == DPK_OK)
        status = add_pile(*roots, &pile, err);
    if (status != DPK_OK)
        dpk_error_prefix(err, "%s", path);
out:
    pile_free(&pile);
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
    for (size_t i = 0; i < roots->count; i++)
        OPENSSL_free((void *)roots->list[i].data);
    free(roots);
}
