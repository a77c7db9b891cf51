/* Bytes to sign, and signatures, of another machine. */
#include "tbs.h"

#include <stdlib.h>

#include <openssl/evp.h>

#define SIGNATURE_SIZE    512 /* of RSA-4096 */
#define ANY_SIGNATURE_MAX ((size_t)65536)

static bool stays_in_a_name(char c, bool first)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || (c == '.' && !first);
}

char *mlxdpa_signing_path(const char *prefix, const struct dpk_tbs *tbs, const char *suffix)
{
    struct dpk_buf name = {0};
    dpk_put_format(&name, "%s.", prefix);
    for (const char *p = tbs->program; p && *p; p++)
        if (stays_in_a_name(*p, p == tbs->program))
            dpk_put_u8(&name, (uint8_t)*p);
        else
            dpk_put_format(&name, "%%%02X", (unsigned char)*p);
    if (tbs->program)
        dpk_put_u8(&name, '.');
    if (tbs->target)
        dpk_put_format(&name, "%s.", tbs->target);
    dpk_put_format(&name, "%s", suffix);
    dpk_put_u8(&name, 0);
    if (name.failed)
        dpk_buf_free(&name);
    return (char *)name.data;
}

enum dpk_status mlxdpa_tbs_add(struct tbs_list *l, const struct dpk_tbs *tbs, struct dpk_error *err)
{
    uint8_t digest[EVP_MAX_MD_SIZE];
    unsigned length = 0;
    bool hashed = l->options->digest;
    struct tbs_item *items = realloc(l->items, (l->count + 1) * sizeof *items);
    if (!items)
        return dpk_fail_nomem(err);
    l->items = items;
    struct tbs_item *item = &items[l->count++];
    *item = (struct tbs_item){
        .path = mlxdpa_signing_path(l->options->output, tbs, hashed ? "sha512" : "tbs")};
    if (hashed && EVP_Digest(tbs->bytes, tbs->size, digest, &length, EVP_sha512(), NULL) != 1)
        return dpk_fail(err, DPK_ERR_CRYPTO, "cannot hash");
    dpk_put(&item->bytes, hashed ? digest : tbs->bytes, hashed ? length : tbs->size);
    return item->path && !item->bytes.failed ? DPK_OK : dpk_fail_nomem(err);
}

void mlxdpa_tbs_free(struct tbs_list *l)
{
    for (size_t i = 0; i < l->count; i++) {
        free(l->items[i].path);
        dpk_buf_free(&l->items[i].bytes);
    }
    free(l->items);
}

enum dpk_status mlxdpa_signature_read_file(const char *path, bool any_size, struct dpk_buf *out,
                                           struct dpk_error *err)
{
    size_t max = any_size ? ANY_SIGNATURE_MAX : SIGNATURE_SIZE;
    enum dpk_status status = dpk_file_read(path, max, out, err);
    if (status == DPK_OK && !any_size && out->size != SIGNATURE_SIZE)
        status = dpk_fail(err, DPK_ERR_FORMAT, "%s: %zu bytes, a signature has %d", path, out->size,
                          SIGNATURE_SIZE);
    return status;
}

enum dpk_status mlxdpa_signature_read(const struct mlxdpa_options *o, const struct dpk_tbs *tbs,
                                      struct dpk_buf *signature, struct dpk_error *err)
{
    char *path = mlxdpa_signing_path(o->signature, tbs, "sig");
    if (!path)
        return dpk_fail_nomem(err);
    enum dpk_status status = mlxdpa_signature_read_file(path, false, signature, err);
    free(path);
    return status;
}
