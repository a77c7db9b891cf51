/* The command release: makes a folder with a signed host file and its documents. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "hashlist/hashlist.h"
#include "hostfile/hostfile.h"

#include "kinds/kinds.h"
#include "papers.h"
#include "signing.h"
#include "target.h"

struct release_options {
    struct mlxdpa_options shared;
    const char *source_uri, *source_revision, *builder;
};

enum { HOST, CHAIN, SBOM, ENVELOPE, SUMS, SUMS_SIGNATURE, PARTS };

/* Content of the folder. */
struct made {
    struct dpk_buf bytes[PARTS];
    struct dpk_piece pieces[PARTS];
    struct dpk_folder_file files[PARTS];
    char names[PARTS][NAME_MAX + 1];
};

static enum dpk_status check_source(const struct release_options *o, struct dpk_error *err)
{
    const char *revision = o->source_revision;
    if (!o->source_uri != !revision)
        return dpk_fail(err, DPK_ERR_USAGE, "--source-uri and --source-revision go together");
    size_t length = revision ? strlen(revision) : 40;
    if (revision &&
        (strspn(revision, "0123456789abcdef") != length || (length != 40 && length != 64)))
        return dpk_fail(err, DPK_ERR_USAGE,
                        "--source-revision: 40 or 64 hexadecimal digits of a commit, in full");
    return DPK_OK;
}

static enum dpk_status name_parts(const char *path, struct made *m, struct dpk_error *err)
{
    static const char *const forms[PARTS] = {
        "%s", "chain.der", "%s.spdx.json", "%s.intoto.jsonl", "SHA256SUMS", "SHA256SUMS.sig"};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < PARTS; i++) {
        int n = snprintf(m->names[i], sizeof m->names[i], forms[i], name);
        if (n < 1 || (size_t)n >= sizeof m->names[i])
            return dpk_fail(err, DPK_ERR_RANGE, "%s: the name is too long", path);
        for (size_t k = 0; k < i; k++)
            if (strcmp(m->names[k], m->names[i]) == 0)
                return dpk_fail(err, DPK_ERR_USAGE, "%s: a release has a file of that name", path);
        for (const char *c = m->names[i]; *c; c++)
            if ((unsigned char)*c < ' ' || *c == '\\' || *c == 0x7f)
                return dpk_fail(err, DPK_ERR_USAGE,
                                "a control character or '\\' in the file's name");
    }
    return DPK_OK;
}

/* Signs the file into m->bytes[HOST]. */
static enum dpk_status sign(struct target *t, const struct mlxdpa_options *o,
                            const struct program_signer *s, struct made *m, struct dpk_error *err)
{
    const struct dpk_hostfile_options how = {.crypto = mlxdpa_signing_options(o),
                                             .threads = o->jobs};
    enum dpk_status status =
        dpk_hostfile_sign(t->opened, s->chain, s->signer, &how, &m->bytes[HOST], err);
    for (size_t i = 0; i < dpk_certchain_count(s->chain) && status == DPK_OK; i++)
        status = dpk_cert_der(dpk_certchain_cert(s->chain, i), &m->bytes[CHAIN], err);
    return status;
}

/* Verifies the signed file with --ca, or with the chain's own root. */
static enum dpk_status prove(const struct mlxdpa_options *o, const struct program_signer *s,
                             const struct dpk_hostfile *host, struct dpk_error *err)
{
    struct dpk_roots *roots = NULL;
    struct dpk_buf top = {0};
    struct dpk_trust trust = {0};
    struct dpk_result *results = NULL;
    size_t count = 0;
    enum dpk_status status = DPK_OK;
    for (size_t i = 0; i < o->ca.count && status == DPK_OK; i++)
        status = dpk_roots_load(&roots, o->ca.at[i], err);
    if (status == DPK_OK && !o->ca.count) {
        X509 *first = dpk_certchain_cert(s->chain, 0);
        status = X509_self_signed(first, 1) == 1
                     ? dpk_cert_der(first, &top, err)
                     : dpk_fail(err, DPK_ERR_USAGE, "%s has no root: release needs --ca",
                                dpk_certchain_name(s->chain));
    }
    const struct dpk_der own = {top.data, top.size};
    trust.roots = o->ca.count ? dpk_roots_list(roots, &trust.count) : &own;
    trust.count = o->ca.count ? trust.count : 1;
    if (status == DPK_OK)
        status = dpk_hostfile_verify(host, &trust, o->jobs, &results, &count, err);
    for (size_t i = 0; i < count && status == DPK_OK; i++) {
        const struct dpk_report *r = &results[i].report;
        if (results[i].verdict != DPK_VERDICT_OK)
            status = dpk_fail(err, DPK_ERR_REFUSED, "%s: %s (%s): nothing is released",
                              results[i].program->name, dpk_verdict_name(results[i].verdict),
                              r->count ? r->checks[r->count - 1].detail : "");
    }
    free(results);
    dpk_buf_free(&top);
    dpk_roots_free(roots);
    return status;
}

static enum dpk_status sign_sums(const struct dpk_signer *signer, struct made *m,
                                 struct dpk_error *err)
{
    const struct dpk_buf *sums = &m->bytes[SUMS];
    if (sums->failed)
        return dpk_fail_nomem(err);
    return dpk_signer_sign(signer, DPK_SHA512, sums->data, sums->size, &m->bytes[SUMS_SIGNATURE],
                           err);
}

static enum dpk_status write_papers(const struct release_options *o, const struct target *t,
                                    const struct program_signer *s, const struct dpk_hostfile *host,
                                    struct made *m, struct dpk_error *err)
{
    char digest[65];
    struct dpk_buf statement = {0};
    struct release r = {.name = m->names[HOST],
                        .file = &m->bytes[HOST],
                        .host = host,
                        .source_uri = o->source_uri,
                        .source_revision = o->source_revision,
                        .builder = o->builder,
                        .sbom_name = m->names[SBOM]};
    dpk_sha256_text(m->bytes[HOST].data, m->bytes[HOST].size, r.sha256);
    dpk_sha256_text(t->file.data, t->file.size, r.unsigned_sha256);
    enum dpk_status status = dpk_tool_date(&r.date, err);
    if (status == DPK_OK)
        status = mlxdpa_papers_sbom(&r, &m->bytes[SBOM], err);
    if (status == DPK_OK) {
        dpk_sha256_text(m->bytes[SBOM].data, m->bytes[SBOM].size, r.sbom_sha256);
        status = mlxdpa_papers_statement(&r, &statement, err);
    }
    if (status == DPK_OK)
        status = mlxdpa_papers_envelope(&statement, s->signer, &m->bytes[ENVELOPE], err);
    for (size_t i = 0; i < SUMS && status == DPK_OK; i++) {
        dpk_sha256_text(m->bytes[i].data, m->bytes[i].size, digest);
        dpk_put_format(&m->bytes[SUMS], "%s  %s\n", digest, m->names[i]);
    }
    if (status == DPK_OK)
        status = sign_sums(s->signer, m, err);
    dpk_buf_free(&statement);
    return status;
}

static enum dpk_status write_folder(const struct target *t, const char *folder, struct made *m,
                                    struct dpk_error *err)
{
    struct stat st;
    unsigned mode = stat(t->path, &st) == 0 ? st.st_mode & 0777 : 0644;
    for (size_t i = 0; i < PARTS; i++) {
        if (m->bytes[i].failed)
            return dpk_fail_nomem(err);
        m->pieces[i] = (struct dpk_piece){m->bytes[i].data, m->bytes[i].size};
        m->files[i] = (struct dpk_folder_file){.name = m->names[i],
                                               .pieces = &m->pieces[i],
                                               .count = 1,
                                               .mode = i == HOST ? mode : 0644};
    }
    return dpk_folder_create(folder, 0755, m->files, PARTS, err);
}

static enum dpk_status run_release(void *given, const struct dpk_args *args, struct dpk_error *err)
{
    const struct release_options *o = given;
    const char *path = args->words[0], *folder = o->shared.output;
    struct target t = {0};
    struct program_signer s = {0};
    struct made m = {0};
    struct dpk_hostfile *host = NULL;
    enum dpk_status status = check_source(o, err);
    if (status == DPK_OK)
        status = name_parts(path, &m, err);
    if (status == DPK_OK)
        status = dpk_folder_absent(folder, err);
    if (status == DPK_OK)
        status = mlxdpa_target_open(path, &kind_host, &t, err);
    if (status == DPK_OK)
        status = mlxdpa_program_signer_prepare(&o->shared, path, &s, err);
    if (status == DPK_OK)
        status = kinds_target_read(&t, err);
    if (status == DPK_OK && dpk_hostfile_count(t.opened) == 0)
        status = dpk_fail(err, DPK_ERR_NOT_FOUND, "%s: no DPA program in it", path);
    if (status == DPK_OK)
        status = mlxdpa_program_signer_open(&o->shared, &s, err);
    if (status == DPK_OK)
        status = sign(&t, &o->shared, &s, &m, err);
    if (status == DPK_OK)
        status = dpk_hostfile_borrow(path, m.bytes[HOST].data, m.bytes[HOST].size, &host, err);
    if (status == DPK_OK)
        status = prove(&o->shared, &s, host, err);
    if (status == DPK_OK)
        status = write_papers(o, &t, &s, host, &m, err);
    if (status == DPK_OK)
        status = write_folder(&t, folder, &m, err);
    if (status == DPK_OK)
        printf("Released %zu DPA program%s in %s.\n", dpk_hostfile_count(host),
               dpk_hostfile_count(host) == 1 ? "" : "s", folder);
    if (status == DPK_OK)
        mlxdpa_program_signer_warn(&s);
    dpk_hostfile_close(host);
    for (size_t i = 0; i < PARTS; i++)
        dpk_buf_free(&m.bytes[i]);
    mlxdpa_program_signer_close(&s);
    mlxdpa_target_close(&t);
    return status;
}

#define AT(field) offsetof(struct release_options, field)

static const struct dpk_option release_options[] = {
    {"source-uri", DPK_TEXT, "URI", AT(source_uri), .help = "URI of the source: git+https://..."},
    {"source-revision", DPK_TEXT, "COMMIT", AT(source_revision), .help = "commit of the source"},
    {"builder", DPK_TEXT, "URI", AT(builder), .standard = "https://dpakit.invalid/mlxdpa",
     .help = "the builder, for the provenance"},
    {0},
};

const struct dpk_command mlxdpa_release_command = {
    .names = "release",
    .words = "HOST_ELF",
    .help = "sign, verify, and write checksums, provenance and SBOM into a folder (-c -p -o)",
    .needs = "c,p|sign-command,o",
    .takes = "ca,profile,j,passin,sign-timeout",
    .options = release_options,
    .size = sizeof(struct release_options),
    .run = run_release};
