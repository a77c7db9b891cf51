/* The command keygen: makes the keys and certificates of a device's owner, in files or in a
 * token. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/x509.h>

#include "elfcrypto/elfcrypto.h"

#include "mlxdpa.h"

enum { OWNER, ROOT, INTERMEDIATE, LEAF, PARTIES };

static const struct party {
    const char *file;
    enum dpk_cert_role role; /* for parties that have a certificate */
    const char *title;
} parties[PARTIES] = {
    [OWNER] = {"owner", DPK_CERT_ROOT, NULL},
    [ROOT] = {"root", DPK_CERT_ROOT, "root CA"},
    [INTERMEDIATE] = {"intermediate", DPK_CERT_INTERMEDIATE, "intermediate CA"},
    [LEAF] = {"leaf", DPK_CERT_LEAF, "signer"},
};

struct keygen_options {
    struct mlxdpa_options shared;
    const char *token, *label;
    unsigned days;
};

#define FILES_MAX 20
#define NAME_SIZE 400 /* longer names are cut, and always refused */

/* Everything that keygen makes. */
struct world {
    const struct keygen_options *o;
    struct dpk_signer *signers[PARTIES];
    struct dpk_error errors[PARTIES]; /* of the threads that make keys */
    X509 *certs[PARTIES];             /* the owner has no certificate */
    struct dpk_token_key keys[PARTIES];
    char labels[PARTIES][80];
    struct dpk_buf held; /* the passphrase, if any */
    const char *passphrase;
    struct dpk_buf contents[FILES_MAX];
    struct dpk_piece pieces[FILES_MAX];
    struct dpk_folder_file files[FILES_MAX];
    char names[FILES_MAX][32];
    size_t count;
    bool without_root; /* the chain would be too long with the root */
};

/* ---- Keys ---- */

static void generate(void *context, size_t index)
{
    struct world *w = context;
    (void)dpk_signer_generate(parties[index].file, &w->signers[index], &w->errors[index]);
}

static enum dpk_status keys_in_memory(struct world *w, struct dpk_error *err)
{
    const char *passin = w->o->shared.key.passin;
    enum dpk_status status = DPK_OK;
    if (passin)
        status = dpk_passphrase_resolve(passin, &w->held, &w->passphrase, err);
    if (status == DPK_OK && w->passphrase && !*w->passphrase)
        status = dpk_fail(err, DPK_ERR_USAGE, "--passin: an empty passphrase");
    if (status != DPK_OK)
        return status;
    dpk_parallel(PARTIES, 0, generate, w);
    for (size_t i = 0; i < PARTIES; i++)
        if (!w->signers[i])
            return dpk_fail(err, w->errors[i].status, "%s", w->errors[i].message);
    return DPK_OK;
}

static struct dpk_key_options token_options(const struct world *w, const char *uri)
{
    struct dpk_key_options key = w->o->shared.key;
    key.key = uri;
    return key;
}

static enum dpk_status keys_in_token(struct world *w, struct dpk_error *err)
{
    const struct dpk_key_options where = token_options(w, w->o->token);
    for (size_t i = 0; i < PARTIES; i++) {
        snprintf(w->labels[i], sizeof w->labels[i], "%s-%s", w->o->label, parties[i].file);
        w->keys[i].label = w->labels[i];
    }
    enum dpk_status status = dpk_token_generate(&where, w->keys, PARTIES, err);
    if (status != DPK_OK)
        return status;
    for (size_t i = 0; i < PARTIES && status == DPK_OK; i++) {
        struct dpk_buf uri = {0};
        const char *query = strchr(w->o->token, '?');
        dpk_put_format(&uri, "%s", w->keys[i].uri);
        /* The PIN or its source is used only for this call and not stored. */
        if (query)
            dpk_put_format(&uri, "%c%s", strchr(w->keys[i].uri, '?') ? '&' : '?', query + 1);
        dpk_put_u8(&uri, 0);
        const struct dpk_key_options key = token_options(w, (const char *)uri.data);
        status = uri.failed ? dpk_fail_nomem(err) : dpk_signer_open_with(&key, &w->signers[i], err);
        dpk_buf_wipe_free(&uri);
    }
    return status;
}

/* ---- Certificates ---- */

static unsigned leaf_days(const struct keygen_options *o)
{
    return o->shared.leaf_days ? o->shared.leaf_days : MLXDPA_LEAF_DAYS;
}

static void put_name(const struct keygen_options *o, int party, char out[NAME_SIZE])
{
    snprintf(out, NAME_SIZE, "%s %s", o->shared.name ? o->shared.name : "DPA",
             parties[party].title);
}

/* X.509 limits a name to 64 characters (RFC 5280, ub-common-name). */
static enum dpk_status check_name(const struct keygen_options *o, int party, struct dpk_error *err)
{
    char name[NAME_SIZE];
    put_name(o, party, name);
    return dpk_cert_name_check(o->shared.organization, name, err);
}

static enum dpk_status issue(struct world *w, int party, int above, struct dpk_error *err)
{
    char name[NAME_SIZE];
    const struct keygen_options *o = w->o;
    put_name(o, party, name);
    const struct dpk_cert_plan plan = {.role = parties[party].role,
                                       .organization = o->shared.organization,
                                       .name = name,
                                       .key = dpk_signer_public(w->signers[party]),
                                       .issuer = party == above ? NULL : w->certs[above],
                                       .days = party == LEAF ? leaf_days(o) : o->days};
    return dpk_cert_issue(&plan, w->signers[above], &w->certs[party], err);
}

/* ---- Files ---- */

static struct dpk_buf *add_file(struct world *w, const char *party, const char *suffix,
                                unsigned mode)
{
    size_t i = w->count++;
    snprintf(w->names[i], sizeof w->names[i], "%s.%s", party, suffix);
    w->files[i] = (struct dpk_folder_file){
        .name = w->names[i], .pieces = &w->pieces[i], .count = 1, .mode = mode};
    return &w->contents[i];
}

static void add_uuid(struct world *w, const char *party)
{
    char text[DPK_UUID_TEXT];
    struct dpk_uuid uuid;
    dpk_uuid_new_time(&uuid);
    dpk_uuid_format(&uuid, text);
    dpk_put_format(add_file(w, party, "uuid", 0644), "%s\n", text);
}

/* Adds the private key, or the URI of the key in its token. */
static enum dpk_status add_key(struct world *w, int party, struct dpk_error *err)
{
    if (!w->o->token)
        return dpk_signer_private_pem(w->signers[party], w->passphrase,
                                      add_file(w, parties[party].file, "key", 0600), err);
    dpk_put_format(add_file(w, parties[party].file, "uri", 0644), "%s\n", w->keys[party].uri);
    return DPK_OK;
}

/* Checks that a device would accept the root, and programs signed by the leaf. */
static enum dpk_status check_chain(const struct dpk_buf *chain, const struct dpk_buf *root,
                                   const struct dpk_signer *leaf, struct dpk_error *err)
{
    struct dpk_certchain *parsed = NULL;
    struct dpk_buf encoded = {0};
    enum dpk_status status = dpk_certchain_parse(chain->data, chain->size, &parsed, err);
    if (status == DPK_OK)
        status = dpk_sign_check(parsed, leaf, err);
    if (status == DPK_OK)
        status = dpk_certchain_encode(parsed, NULL, &encoded, err);
    if (status == DPK_OK)
        status = dpk_cert_check_root(root->data, root->size, err);
    if (status == DPK_OK && root->size >= DPK_CONTAINER_CERT_END)
        status = dpk_fail(err, DPK_ERR_RANGE, "the root has %zu bytes, and devices take at most %d",
                          root->size, DPK_CONTAINER_CERT_END - 1);
    if (status != DPK_OK)
        dpk_error_prefix(err, "the chain would not do (shorter names?)");
    dpk_buf_free(&encoded);
    dpk_certchain_free(parsed);
    return status;
}

/* Adds the certificates as PEM, for tools that read no DER. */
static enum dpk_status add_pem(struct world *w, struct dpk_error *err)
{
    struct dpk_buf *chain = add_file(w, "chain", "pem", 0644);
    enum dpk_status status = DPK_OK;
    for (int i = ROOT; i < PARTIES && status == DPK_OK; i++) {
        struct dpk_buf *pem = add_file(w, parties[i].file, "pem", 0644);
        status = dpk_cert_pem(w->certs[i], pem, err);
        if (i != ROOT || !w->without_root)
            dpk_put(chain, pem->data, pem->size);
    }
    return status;
}

static enum dpk_status add_files(struct world *w, struct dpk_error *err)
{
    struct dpk_buf *chain = add_file(w, "chain", "der", 0644), *root = NULL;
    enum dpk_status status = DPK_OK;
    for (int i = 0; i < PARTIES && status == DPK_OK; i++)
        status = add_key(w, i, err);
    if (status == DPK_OK)
        status = dpk_signer_public_pem(w->signers[OWNER], add_file(w, "owner", "pub", 0644), err);
    add_uuid(w, "owner");
    add_uuid(w, "root");
    for (int i = ROOT; i < PARTIES && status == DPK_OK; i++) {
        struct dpk_buf *der = add_file(w, parties[i].file, "der", 0644);
        root = i == ROOT ? der : root;
        status = dpk_cert_der(w->certs[i], der, err);
        dpk_put(chain, der->data, der->size);
    }
    /* The chain may omit the root, because devices have it. */
    if (status == DPK_OK && chain->size > DPK_CHAIN_MAX_BYTES) {
        w->without_root = true;
        chain->size -= root->size;
        memmove(chain->data, chain->data + root->size, chain->size);
    }
    if (status == DPK_OK)
        status = add_pem(w, err);
    for (size_t i = 0; i < w->count && status == DPK_OK; i++) {
        if (w->contents[i].failed)
            status = dpk_fail_nomem(err);
        w->pieces[i] = (struct dpk_piece){w->contents[i].data, w->contents[i].size};
    }
    return status == DPK_OK ? check_chain(chain, root, w->signers[LEAF], err) : status;
}

static void say(const struct world *w, const char *folder)
{
    const char *key = w->o->token ? "uri" : "key";
    printf("Made in %s:\n", folder);
    printf("  owner.%s, owner.pub, owner.uuid  the device owner's key pair, and its name\n", key);
    printf("  root.%s, root.uuid               the root CA's key, and its name\n", key);
    printf("  intermediate.%s                  the key of the CA below it\n", key);
    printf("  leaf.%s                          the key that signs programs\n", key);
    printf("  root, intermediate, leaf: .der, .pem their certificates, in both forms\n");
    printf("  chain.der, chain.pem              the chain: %sintermediate, leaf\n",
           w->without_root ? "" : "root, ");
}

static void world_free(struct world *w)
{
    for (size_t i = 0; i < PARTIES; i++) {
        dpk_signer_close(w->signers[i]);
        X509_free(w->certs[i]);
        w->signers[i] = NULL;
    }
    for (size_t i = 0; i < FILES_MAX; i++)
        dpk_buf_wipe_free(&w->contents[i]);
    dpk_buf_wipe_free(&w->held);
}

/* Removes the keys from the token after an error. */
static void take_back(const struct world *w, struct dpk_error *err)
{
    struct dpk_error why = {0};
    const struct dpk_key_options where = token_options(w, w->o->token);
    if (dpk_token_remove(&where, w->keys, PARTIES, &why) != DPK_OK)
        dpk_error_prefix(err, "the new keys %s-... stay in the token (%.200s)", w->o->label,
                         why.message);
}

static enum dpk_status run_keygen(void *given, const struct dpk_args *args, struct dpk_error *err)
{
    const struct keygen_options *o = given;
    const char *folder = args->words[0];
    struct world w = {.o = o};
    if (strspn(o->label, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") !=
            strlen(o->label) ||
        !*o->label || strlen(o->label) > 40)
        return dpk_fail(err, DPK_ERR_USAGE, "--label: 1 to 40 letters, digits and '-'");
    enum dpk_status status = dpk_folder_absent(folder, err);
    for (int i = ROOT; i < PARTIES && status == DPK_OK; i++)
        status = check_name(o, i, err);
    if (status == DPK_OK)
        status = o->token ? keys_in_token(&w, err) : keys_in_memory(&w, err);
    const bool in_token = o->token && w.keys[0].uri[0] && w.keys[LEAF].uri[0];
    if (status == DPK_OK)
        status = issue(&w, ROOT, ROOT, err);
    if (status == DPK_OK)
        status = issue(&w, INTERMEDIATE, ROOT, err);
    if (status == DPK_OK)
        status = issue(&w, LEAF, INTERMEDIATE, err);
    if (status == DPK_OK)
        status = add_files(&w, err);
    if (status == DPK_OK)
        status = dpk_folder_create(folder, 0700, w.files, w.count, err);
    if (status == DPK_OK)
        say(&w, folder);
    if (status == DPK_OK && leaf_days(o) > o->days)
        fprintf(
            stderr,
            "-W- --leaf-days %u: the CAs end after %u days, and the leaf is good for nothing then: "
            "give --days too\n",
            leaf_days(o), o->days);
    world_free(&w);
    if (status != DPK_OK && in_token)
        take_back(&w, err);
    return status;
}

#define AT(field) offsetof(struct keygen_options, field)

static const struct dpk_option keygen_options[] = {
    {"token", DPK_TEXT, "URI", AT(token), .help = "make the keys in this PKCS#11 token"},
    {"label", DPK_TEXT, "TEXT", AT(label), .standard = "dpa", .with = "token",
     .help = "first part of the keys' labels in the token"},
    {"days", DPK_NUMBER, "N", AT(days), 1, 36500, .standard = "3650",
     .help = "how long the CA certificates are valid"},
    {0},
};

const struct dpk_command mlxdpa_keygen_command = {
    .names = "keygen",
    .words = "DIR",
    .help = "make an owner's key, a root CA, an intermediate, a leaf and their chain",
    .takes = "passin,name,organization,leaf-days",
    .options = keygen_options,
    .size = sizeof(struct keygen_options),
    .run = run_keygen};
