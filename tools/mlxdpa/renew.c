/* The command renew: makes a new leaf under an existing CA, or requests a leaf from an external
 * CA. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <openssl/x509v3.h>

#include "elfcrypto/elfcrypto.h"

#include "mlxdpa.h"

#define FILES_MAX 6
#define URI_MAX   4096
#define NAME_SIZE 400
#define KEY_BITS  4096

struct renew_options {
    struct mlxdpa_options shared;
    const char *from, *ca_key, *ca_cert, *ca_passin, *csr_out, *cert_in;
};

struct renewal {
    const struct renew_options *o;
    const char *folder;          /* NULL for a request with an existing key */
    struct dpk_buf ca_key;       /* path or URI, NUL-terminated */
    const char *ca_name;         /* file of the CA's certificate, for messages */
    char ca_path[PATH_MAX];      /* file in --from */
    struct dpk_certchain *above; /* the CA's certificate and those above it; or NULL */
    size_t above_count;          /* the old leaf of --from comes after them */
    struct dpk_certchain *in;    /* chain of --cert-in */
    struct dpk_certchain *chain; /* the new chain */
    X509 *cert;                  /* certificate issued here */
    struct dpk_signer *leaf;
    char name[NAME_SIZE], organization[NAME_SIZE];
    struct dpk_buf held; /* the passphrase, if any */
    const char *passphrase;
    struct dpk_buf contents[FILES_MAX];
    struct dpk_piece pieces[FILES_MAX];
    struct dpk_folder_file files[FILES_MAX];
    size_t count;
};

/* ---- Options ---- */

static enum dpk_status check_usage(const struct renewal *r, struct dpk_error *err)
{
    const struct renew_options *o = r->o;
    const char *key = o->shared.key.key, *wrong = NULL;
    if (o->csr_out && o->cert_in)
        wrong = "renew: --csr-out is the first step and --cert-in the second: give one of them";
    else if (o->from && o->ca_cert)
        wrong = "renew: --from and --ca-cert both name the CA: give one of them";
    else if (o->csr_out && (o->ca_key || o->ca_cert))
        wrong =
            "renew: with --csr-out a CA elsewhere signs: --ca-key and --ca-cert do not go with it";
    else if (o->cert_in && (o->ca_key || o->ca_passin))
        wrong = "renew: with --cert-in nothing is signed here: --ca-key does not go with it";
    else if (o->cert_in && !key)
        wrong = "renew: --cert-in needs -p with the key that the certificate is for";
    else if (!r->folder && !(o->csr_out && key))
        wrong = "renew needs a new folder to write to: mlxdpa renew DIR";
    else if (!o->csr_out && !o->cert_in && !o->from && !(o->ca_key && o->ca_cert))
        wrong = "renew needs the CA: --from with a folder of keygen, or --ca-key and --ca-cert, or "
                "--csr-out for a CA elsewhere";
    else if (r->folder && o->csr_out && key)
        wrong = "renew: a request for the key of -p makes no folder: leave it out";
    return wrong ? dpk_fail(err, DPK_ERR_USAGE, "%s", wrong) : DPK_OK;
}

static enum dpk_status check_outputs(const struct renewal *r, struct dpk_error *err)
{
    struct stat st;
    enum dpk_status status = r->folder ? dpk_folder_absent(r->folder, err) : DPK_OK;
    if (status == DPK_OK && r->o->csr_out && lstat(r->o->csr_out, &st) == 0)
        status = dpk_fail(err, DPK_ERR_EXISTS, "%s: is there already; nothing is overwritten",
                          r->o->csr_out);
    return status;
}

/* Gets the common name or the organization of the old leaf. */
static void take_name(X509 *from, int nid, char out[NAME_SIZE])
{
    unsigned char *text = NULL;
    const X509_NAME *name = X509_get_subject_name(from);
    const int at = X509_NAME_get_index_by_NID((X509_NAME *)name, nid, -1);
    const X509_NAME_ENTRY *entry = at < 0 ? NULL : X509_NAME_get_entry(name, at);
    const int size = entry ? ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(entry)) : -1;
    if (size > 0 && size < NAME_SIZE && !memchr(text, 0, (size_t)size)) {
        memcpy(out, text, (size_t)size);
        out[size] = 0;
    }
    OPENSSL_free(text);
}

static enum dpk_status find_names(struct renewal *r, struct dpk_error *err)
{
    const struct mlxdpa_options *o = &r->o->shared;
    snprintf(r->name, sizeof r->name, "DPA signer");
    if (r->o->from) {
        take_name(dpk_certchain_leaf(r->above), NID_commonName, r->name);
        take_name(dpk_certchain_leaf(r->above), NID_organizationName, r->organization);
    }
    if (o->name)
        snprintf(r->name, sizeof r->name, "%s", o->name);
    if (o->organization)
        snprintf(r->organization, sizeof r->organization, "%s", o->organization);
    return dpk_cert_name_check(*r->organization ? r->organization : NULL, r->name, err);
}

/* ---- The CA ---- */

/* Finds the CA's key in a keygen folder, or its URI. */
static enum dpk_status find_key(struct renewal *r, struct dpk_error *err)
{
    static const char *const names[] = {"intermediate.key", "intermediate.uri", "intermediate.pem"};
    char path[PATH_MAX];
    if (r->o->ca_key) {
        dpk_put_format(&r->ca_key, "%s", r->o->ca_key);
        dpk_put_u8(&r->ca_key, 0);
        return r->ca_key.failed ? dpk_fail_nomem(err) : DPK_OK;
    }
    for (size_t i = 0; i < 3; i++) {
        const int n = snprintf(path, sizeof path, "%s/%s", r->o->from, names[i]);
        if (n < 0 || (size_t)n >= sizeof path || access(path, F_OK) != 0)
            continue;
        if (i != 1)
            dpk_put_format(&r->ca_key, "%s", path);
        enum dpk_status status = i == 1 ? dpk_file_read(path, URI_MAX, &r->ca_key, err) : DPK_OK;
        while (r->ca_key.size && strchr("\r\n", r->ca_key.data[r->ca_key.size - 1]))
            r->ca_key.size--;
        dpk_put_u8(&r->ca_key, 0);
        return status == DPK_OK && r->ca_key.failed ? dpk_fail_nomem(err) : status;
    }
    return dpk_fail(
        err, DPK_ERR_NOT_FOUND,
        "%s: no intermediate.key and no intermediate.uri: name the CA's key with --ca-key",
        r->o->from);
}

static enum dpk_status check_authority(const struct renewal *r, struct dpk_error *err)
{
    for (size_t i = 0; i < r->above_count; i++) {
        char subject[256];
        X509 *cert = dpk_certchain_cert(r->above, i);
        dpk_cert_subject(cert, subject, sizeof subject);
        if (X509_check_ca(cert) < 1)
            return dpk_fail(err, DPK_ERR_REFUSED, "%s: not a CA certificate: %s", r->ca_name,
                            subject);
        if (X509_cmp_current_time(X509_get0_notAfter(cert)) < 0)
            return dpk_fail(err, DPK_ERR_CRYPTO,
                            "%s: the CA's certificate has expired, and makes no leaf: %s",
                            r->ca_name, subject);
    }
    return DPK_OK;
}

static enum dpk_status load_authority(struct renewal *r, struct dpk_error *err)
{
    const struct renew_options *o = r->o;
    r->ca_name = o->ca_cert;
    if (o->from) {
        const int n = snprintf(r->ca_path, sizeof r->ca_path, "%s/chain.der", o->from);
        if (n < 0 || (size_t)n >= sizeof r->ca_path)
            return dpk_fail(err, DPK_ERR_RANGE, "%s: the path is too long", o->from);
        r->ca_name = r->ca_path;
    }
    if (!r->ca_name)
        return DPK_OK;
    enum dpk_status status = dpk_certchain_load(r->ca_name, &r->above, err);
    if (status != DPK_OK)
        return status;
    r->ca_name = dpk_certchain_name(r->above);
    r->above_count = dpk_certchain_count(r->above) - (o->from ? 1 : 0);
    if (r->above_count == 0)
        return dpk_fail(err, DPK_ERR_FORMAT, "%s: one certificate, that of a leaf: it has no CA",
                        r->ca_name);
    return check_authority(r, err);
}

/* Opens the CA's key. The PIN of a token is not the new key's passphrase, but a CA's key in a file
 * shares --passin with the new key. */
static enum dpk_status open_authority(const struct renewal *r, X509 *authority,
                                      struct dpk_signer **out, struct dpk_error *err)
{
    struct dpk_key_options key = r->o->shared.key;
    const bool in_file = !dpk_key_in_token((char *)r->ca_key.data);
    const char *shared = in_file || key.key ? key.passin : NULL;
    key.key = (char *)r->ca_key.data;
    key.passin = r->o->ca_passin ? r->o->ca_passin : shared;
    enum dpk_status status = dpk_signer_open_with(&key, out, err);
    if (status == DPK_OK && EVP_PKEY_eq(dpk_signer_public(*out), X509_get0_pubkey(authority)) != 1)
        status = dpk_fail(err, DPK_ERR_MISMATCH, "%s: not the key of the CA's certificate in %s",
                          dpk_signer_name(*out), r->ca_name);
    return status;
}

/* ---- The new leaf ---- */

static enum dpk_status make_leaf_key(struct renewal *r, struct dpk_error *err)
{
    const struct dpk_key_options *key = &r->o->shared.key;
    enum dpk_status status = DPK_OK;
    if (key->key) {
        status = dpk_signer_open_with(key, &r->leaf, err);
        if (status == DPK_OK && dpk_signer_bits(r->leaf) != KEY_BITS)
            status = dpk_fail(err, DPK_ERR_UNSUPPORTED,
                              "%s: RSA-%u: devices take programs that RSA-4096 signed",
                              dpk_signer_name(r->leaf), dpk_signer_bits(r->leaf));
        return status;
    }
    if (key->passin)
        status = dpk_passphrase_resolve(key->passin, &r->held, &r->passphrase, err);
    if (status == DPK_OK && r->passphrase && !*r->passphrase)
        status = dpk_fail(err, DPK_ERR_USAGE, "--passin: an empty passphrase");
    return status == DPK_OK ? dpk_signer_generate("leaf", &r->leaf, err) : status;
}

static struct dpk_cert_plan plan_of(const struct renewal *r, X509 *issuer)
{
    const unsigned days = r->o->shared.leaf_days;
    return (struct dpk_cert_plan){.role = DPK_CERT_LEAF,
                                  .organization = *r->organization ? r->organization : NULL,
                                  .name = r->name,
                                  .key = dpk_signer_public(r->leaf),
                                  .issuer = issuer,
                                  .days = days ? days : MLXDPA_LEAF_DAYS};
}

static enum dpk_status issue(struct renewal *r, struct dpk_error *err)
{
    struct dpk_signer *authority = NULL;
    X509 *above = dpk_certchain_cert(r->above, r->above_count - 1);
    enum dpk_status status = open_authority(r, above, &authority, err);
    if (status == DPK_OK)
        status = make_leaf_key(r, err);
    const struct dpk_cert_plan plan = r->leaf ? plan_of(r, above) : (struct dpk_cert_plan){0};
    if (status == DPK_OK)
        status = dpk_cert_issue(&plan, authority, &r->cert, err);
    dpk_signer_close(authority);
    return status;
}

/* ---- The new chain ---- */

static size_t add_certificate(X509 **all, size_t count, X509 *cert)
{
    for (size_t i = 0; i < count; i++)
        if (X509_cmp(all[i], cert) == 0)
            return count;
    all[count] = cert;
    return count + 1;
}

/* Joins the certificates above the leaf and the leaf. The chain may omit the root, because devices
 * have it. */
static enum dpk_status join(struct renewal *r, struct dpk_error *err)
{
    X509 *all[2 * DPK_CHAIN_MAX_CERTS + 1];
    struct dpk_buf der = {0};
    size_t count = 0;
    enum dpk_status status = DPK_OK;
    for (size_t i = 0; i < r->above_count; i++)
        count = add_certificate(all, count, dpk_certchain_cert(r->above, i));
    for (size_t i = 0; r->in && i < dpk_certchain_count(r->in); i++)
        count = add_certificate(all, count, dpk_certchain_cert(r->in, i));
    if (r->cert)
        count = add_certificate(all, count, r->cert);
    for (size_t first = 0; first < 2 && status == DPK_OK; first++) {
        der.size = 0;
        for (size_t i = first; i < count && status == DPK_OK; i++)
            status = dpk_cert_der(all[i], &der, err);
        const bool fits = der.size <= DPK_CHAIN_MAX_BYTES && count - first <= DPK_CHAIN_MAX_CERTS;
        if (fits || X509_self_signed(all[0], 0) != 1)
            break;
    }
    if (status == DPK_OK)
        status = dpk_certchain_parse(der.data, der.size, &r->chain, err);
    if (status == DPK_OK)
        status = dpk_certchain_check(r->chain, err);
    if (status != DPK_OK)
        dpk_error_prefix(err, "%s: not the leaf of a valid chain",
                         r->in ? dpk_certchain_name(r->in) : r->ca_name);
    dpk_buf_free(&der);
    return status;
}

static enum dpk_status check_chain(const struct renewal *r, struct dpk_error *err)
{
    enum dpk_status status = dpk_sign_check(r->chain, r->leaf, err);
    return status == DPK_OK
               ? DPK_OK
               : dpk_error_prefix(err, "%s, %s", r->in ? dpk_certchain_name(r->in) : r->ca_name,
                                  dpk_signer_name(r->leaf));
}

/* ---- Files ---- */

static struct dpk_buf *add_file(struct renewal *r, const char *name, unsigned mode)
{
    const size_t i = r->count++;
    r->files[i] =
        (struct dpk_folder_file){.name = name, .pieces = &r->pieces[i], .count = 1, .mode = mode};
    return &r->contents[i];
}

static enum dpk_status add_key(struct renewal *r, struct dpk_error *err)
{
    return r->o->shared.key.key
               ? DPK_OK
               : dpk_signer_private_pem(r->leaf, r->passphrase, add_file(r, "leaf.key", 0600), err);
}

static enum dpk_status add_certificates(struct renewal *r, struct dpk_error *err)
{
    struct dpk_buf *leaf_der = add_file(r, "leaf.der", 0644);
    struct dpk_buf *leaf_pem = add_file(r, "leaf.pem", 0644);
    struct dpk_buf *der = add_file(r, "chain.der", 0644), *pem = add_file(r, "chain.pem", 0644);
    X509 *leaf = dpk_certchain_leaf(r->chain);
    enum dpk_status status = dpk_cert_der(leaf, leaf_der, err);
    if (status == DPK_OK)
        status = dpk_cert_pem(leaf, leaf_pem, err);
    for (size_t i = 0; i < dpk_certchain_count(r->chain) && status == DPK_OK; i++) {
        status = dpk_cert_der(dpk_certchain_cert(r->chain, i), der, err);
        if (status == DPK_OK)
            status = dpk_cert_pem(dpk_certchain_cert(r->chain, i), pem, err);
    }
    return status;
}

static enum dpk_status write_folder(struct renewal *r, struct dpk_error *err)
{
    for (size_t i = 0; i < r->count; i++) {
        if (r->contents[i].failed)
            return dpk_fail_nomem(err);
        r->pieces[i] = (struct dpk_piece){r->contents[i].data, r->contents[i].size};
    }
    return dpk_folder_create(r->folder, 0700, r->files, r->count, err);
}

/* Returns the name of a request inside the new folder; NULL if the request is elsewhere. */
static const char *name_in_folder(const struct renewal *r)
{
    const size_t length = r->folder ? strlen(r->folder) : 0;
    const char *path = r->o->csr_out;
    if (!length || strncmp(path, r->folder, length) != 0)
        return NULL;
    const char *rest = path + length + strspn(path + length, "/");
    const bool below = rest > path + length || r->folder[length - 1] == '/';
    return below && *rest && !strchr(rest, '/') ? rest : NULL;
}

/* Writes the request. It is removed if the folder cannot be made, because a request without its key
 * is useless. */
static enum dpk_status write_request(struct renewal *r, struct dpk_error *err)
{
    const char *name = name_in_folder(r);
    if (name && strcmp(name, "leaf.key") == 0)
        return dpk_fail(err, DPK_ERR_USAGE, "%s: the new private key gets this name",
                        r->o->csr_out);
    const struct dpk_cert_plan plan = plan_of(r, NULL);
    struct dpk_buf elsewhere = {0}, *out = name ? add_file(r, name, 0644) : &elsewhere;
    enum dpk_status status = dpk_cert_request(&plan, r->leaf, out, err);
    if (status == DPK_OK && !name)
        status = dpk_file_create(r->o->csr_out, out->data, out->size, 0644, err);
    const bool made = status == DPK_OK && !name;
    if (status == DPK_OK && r->folder)
        status = write_folder(r, err);
    if (made && status != DPK_OK)
        unlink(r->o->csr_out);
    dpk_buf_free(&elsewhere);
    return status;
}

/* ---- Command ---- */

static enum dpk_status request(struct renewal *r, struct dpk_error *err)
{
    enum dpk_status status = make_leaf_key(r, err);
    if (status == DPK_OK)
        status = add_key(r, err);
    if (status == DPK_OK)
        status = write_request(r, err);
    if (status == DPK_OK)
        printf("Made %s, a request for %s%s%sCN=%s. The certificate goes into: mlxdpa renew DIR "
               "--cert-in FILE -p %s%s\n",
               r->o->csr_out, *r->organization ? "O=" : "", r->organization,
               *r->organization ? ", " : "", r->name,
               r->folder ? r->folder : dpk_signer_name(r->leaf), r->folder ? "/leaf.key" : "");
    return status;
}

static void say(const struct renewal *r)
{
    struct dpk_cert_facts facts;
    X509 *leaf = dpk_certchain_leaf(r->chain);
    dpk_cert_describe(leaf, &facts);
    printf("Made in %s: %sleaf.der, leaf.pem, chain.der, chain.pem\n", r->folder,
           r->o->shared.key.key ? "" : "leaf.key, ");
    printf("The leaf is %s, until %s; policies name it %s\n", facts.subject, facts.not_after,
           facts.sha256);
    for (size_t i = 0; i + 1 < dpk_certchain_count(r->chain); i++) {
        X509 *above = dpk_certchain_cert(r->chain, i);
        if (ASN1_TIME_compare(X509_get0_notAfter(leaf), X509_get0_notAfter(above)) > 0) {
            dpk_cert_describe(above, &facts);
            fprintf(stderr, "-W- %s ends at %s, and the leaf is good for nothing then\n",
                    facts.subject, facts.not_after);
        }
    }
}

static enum dpk_status certify(struct renewal *r, struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    if (r->o->cert_in) {
        /* Check the chain before a PIN is sent. */
        status = dpk_certchain_load(r->o->cert_in, &r->in, err);
        if (status == DPK_OK)
            status = join(r, err);
        if (status == DPK_OK)
            status = make_leaf_key(r, err);
    } else {
        status = find_key(r, err);
        if (status == DPK_OK)
            status = issue(r, err);
        if (status == DPK_OK)
            status = join(r, err);
    }
    if (status == DPK_OK)
        status = check_chain(r, err);
    if (status == DPK_OK)
        status = add_key(r, err);
    if (status == DPK_OK)
        status = add_certificates(r, err);
    if (status == DPK_OK)
        status = write_folder(r, err);
    if (status == DPK_OK)
        say(r);
    return status;
}

static enum dpk_status run_renew(void *given, const struct dpk_args *args, struct dpk_error *err)
{
    struct renewal r = {.o = given, .folder = args->count ? args->words[0] : NULL};
    enum dpk_status status = check_usage(&r, err);
    if (status == DPK_OK)
        status = check_outputs(&r, err);
    if (status == DPK_OK)
        status = load_authority(&r, err);
    if (status == DPK_OK)
        status = find_names(&r, err);
    if (status == DPK_OK)
        status = r.o->csr_out ? request(&r, err) : certify(&r, err);
    dpk_signer_close(r.leaf);
    X509_free(r.cert);
    dpk_certchain_free(r.above);
    dpk_certchain_free(r.in);
    dpk_certchain_free(r.chain);
    for (size_t i = 0; i < FILES_MAX; i++)
        dpk_buf_wipe_free(&r.contents[i]);
    dpk_buf_wipe_free(&r.ca_key);
    dpk_buf_wipe_free(&r.held);
    return status;
}

#define AT(field) offsetof(struct renew_options, field)

static const struct dpk_option renew_options[] = {
    {"from", DPK_FILE, "DIR", AT(from), .help = "folder of keygen with the CA and the old leaf"},
    {"ca-key,ca_key", DPK_FILE, "FILE", AT(ca_key),
     .help = "the CA's private key: PEM file or pkcs11: URI"},
    {"ca-cert,ca_cert", DPK_FILE, "FILE", AT(ca_cert),
     .help = "the CA's certificate, and those above it"},
    {"ca-passin,ca_passin", DPK_TEXT, "ARG", AT(ca_passin),
     .help = "passphrase or PIN of the CA's key, as --passin"},
    {"csr-out,csr_out", DPK_FILE, "FILE", AT(csr_out),
     .help = "write a request, for a CA elsewhere to sign"},
    {"cert-in,cert_in", DPK_FILE, "FILE", AT(cert_in),
     .help = "take the certificate that a CA elsewhere signed"},
    {0},
};

const struct dpk_command mlxdpa_renew_command = {
    .names = "renew",
    .words = "[DIR]",
    .help = "make a new leaf and its chain under a CA, or a request for a CA elsewhere",
    .takes = "p,passin,name,organization,leaf-days",
    .options = renew_options,
    .size = sizeof(struct renew_options),
    .run = run_renew};
