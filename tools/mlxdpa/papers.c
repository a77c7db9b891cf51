/* Writes the documents of a release. Field names are from SPDX 2.3, in-toto Statement v1, SLSA
 * provenance v1 and DSSE 1.0. */
#include "papers.h"

#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>
#include <openssl/x509.h>

#include "hashlist/hashlist.h"

#include "making.h"

#define PAYLOAD_TYPE "application/vnd.in-toto+json"
#define BUILD_TYPE   "https://dpakit.invalid/release/v1"
#define NAMESPACE    "https://dpakit.invalid/spdx"

/* Appends the JSON and frees it. */
static enum dpk_status put_json(cJSON *value, bool lines, struct dpk_buf *out,
                                struct dpk_error *err)
{
    char *text = lines ? cJSON_Print(value) : cJSON_PrintUnformatted(value);
    cJSON_Delete(value);
    if (text)
        dpk_put_format(out, "%s%s", text, lines ? "\n" : "");
    cJSON_free(text);
    return text && !out->failed ? DPK_OK : dpk_fail_nomem(err);
}

static void put_digest(cJSON *o, const char *algorithm, const char *hex)
{
    cJSON_AddStringToObject(cJSON_AddObjectToObject(o, "digest"), algorithm, hex);
}

static cJSON *add_named(cJSON *array, const char *name, const char *sha256)
{
    cJSON *o = cJSON_CreateObject();
    dpk_json_text(o, "name", name);
    put_digest(o, "sha256", sha256);
    cJSON_AddItemToArray(array, o);
    return o;
}

/* Returns "hello", or "hello (bf3)" for the member of an area. */
static const char *title(const struct dpk_program *p, const struct dpk_subject *s, char *out,
                         size_t size)
{
    snprintf(out, size, s->target[0] ? "%s (%s)" : "%s", p->name, s->target);
    return dpk_text_clean_in(out, size);
}

static void digest_of(const struct dpk_subject *s, char out[65])
{
    dpk_sha256_text(s->elf.file.begin, dpk_reader_left(&s->elf.file), out);
}

/* Calls `each` for every device ELF of the host file. */
static void each_subject(const struct release *r,
                         void (*each)(void *context, const char *name, const struct dpk_subject *s),
                         void *context)
{
    char name[300];
    for (size_t i = 0; i < dpk_hostfile_count(r->host); i++) {
        const struct dpk_program *p = dpk_hostfile_program(r->host, i);
        for (size_t k = 0; k < p->subject_count; k++)
            each(context, title(p, &p->subjects[k], name, sizeof name), &p->subjects[k]);
    }
}

/* ---- SPDX ---- */

static cJSON *add_package(cJSON *packages, const char *id, const char *name, const char *sha256)
{
    cJSON *o = cJSON_CreateObject();
    dpk_json_text(o, "SPDXID", id);
    dpk_json_text(o, "name", name);
    cJSON_AddStringToObject(o, "downloadLocation", "NOASSERTION");
    cJSON_AddBoolToObject(o, "filesAnalyzed", false);
    cJSON_AddStringToObject(o, "licenseConcluded", "NOASSERTION");
    cJSON_AddStringToObject(o, "licenseDeclared", "NOASSERTION");
    cJSON_AddStringToObject(o, "copyrightText", "NOASSERTION");
    if (sha256) {
        cJSON *sum = cJSON_CreateObject();
        cJSON_AddStringToObject(sum, "algorithm", "SHA256");
        cJSON_AddStringToObject(sum, "checksumValue", sha256);
        cJSON_AddItemToArray(cJSON_AddArrayToObject(o, "checksums"), sum);
    }
    cJSON_AddItemToArray(packages, o);
    return o;
}

static void add_relation(cJSON *relations, const char *from, const char *type, const char *to)
{
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "spdxElementId", from);
    cJSON_AddStringToObject(o, "relationshipType", type);
    cJSON_AddStringToObject(o, "relatedSpdxElement", to);
    cJSON_AddItemToArray(relations, o);
}

struct sbom {
    cJSON *packages, *relations;
    unsigned programs;
    bool linked[MAKING_LIBRARIES]; /* libraries that already have a package */
};

static void sbom_program(void *context, const char *name, const struct dpk_subject *s)
{
    struct sbom *b = context;
    char id[64], library[80], digest[65];
    bool found[MAKING_LIBRARIES];
    digest_of(s, digest);
    snprintf(id, sizeof id, "SPDXRef-Program-%u", ++b->programs);
    cJSON *package = add_package(b->packages, id, name, digest);
    cJSON_AddStringToObject(package, "primaryPackagePurpose", "APPLICATION");
    add_relation(b->relations, "SPDXRef-File", "CONTAINS", id);
    mlxdpa_making_libraries(&s->elf, found);
    for (size_t k = 0; k < MAKING_LIBRARIES; k++) {
        if (!found[k])
            continue;
        snprintf(library, sizeof library, "SPDXRef-Library-%s", mlxdpa_making_library_names[k]);
        for (char *c = library; *c; c++)
            *c = *c == '_' ? '-' : *c;
        if (!b->linked[k])
            cJSON_AddStringToObject(
                add_package(b->packages, library, mlxdpa_making_library_names[k], NULL),
                "primaryPackagePurpose", "LIBRARY");
        b->linked[k] = true;
        add_relation(b->relations, id, "STATIC_LINK", library);
    }
}

enum dpk_status mlxdpa_papers_sbom(const struct release *r, struct dpk_buf *out,
                                   struct dpk_error *err)
{
    char date[DPK_TOOL_TIME], text[400];
    cJSON *o = cJSON_CreateObject();
    dpk_tool_time(r->date, date);
    cJSON_AddStringToObject(o, "spdxVersion", "SPDX-2.3");
    cJSON_AddStringToObject(o, "dataLicense", "CC0-1.0");
    cJSON_AddStringToObject(o, "SPDXID", "SPDXRef-DOCUMENT");
    dpk_json_text(o, "name", r->name);
    snprintf(text, sizeof text, NAMESPACE "/%s", r->sha256);
    cJSON_AddStringToObject(o, "documentNamespace", text);
    cJSON *creation = cJSON_AddObjectToObject(o, "creationInfo");
    cJSON_AddStringToObject(creation, "created", date);
    snprintf(text, sizeof text, "Tool: mlxdpa-%s", dpk_version);
    cJSON_AddItemToArray(cJSON_AddArrayToObject(creation, "creators"), cJSON_CreateString(text));
    struct sbom b = {.packages = cJSON_AddArrayToObject(o, "packages"),
                     .relations = cJSON_AddArrayToObject(o, "relationships")};
    add_package(b.packages, "SPDXRef-File", r->name, r->sha256);
    add_relation(b.relations, "SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-File");
    each_subject(r, sbom_program, &b);
    return put_json(o, true, out, err);
}

/* ---- Statement ---- */

static void statement_subject(void *context, const char *name, const struct dpk_subject *s)
{
    char digest[65];
    digest_of(s, digest);
    add_named(context, name, digest);
}

static void statement_compilers(void *context, const char *name, const struct dpk_subject *s)
{
    cJSON_AddItemToObject(context, name, mlxdpa_making_compilers(&s->elf));
}

static void add_definition(cJSON *predicate, const struct release *r)
{
    cJSON *definition = cJSON_AddObjectToObject(predicate, "buildDefinition");
    cJSON_AddStringToObject(definition, "buildType", BUILD_TYPE);
    cJSON *external = cJSON_AddObjectToObject(definition, "externalParameters");
    dpk_json_text(external, "file", r->name);
    if (r->source_uri)
        dpk_json_text(external, "source", r->source_uri);
    cJSON *internal = cJSON_AddObjectToObject(definition, "internalParameters");
    each_subject(r, statement_compilers, cJSON_AddObjectToObject(internal, "compilers"));
    cJSON *used = cJSON_AddArrayToObject(definition, "resolvedDependencies");
    add_named(used, "unsigned file", r->unsigned_sha256);
    if (r->source_uri) {
        cJSON *source = cJSON_CreateObject();
        dpk_json_text(source, "uri", r->source_uri);
        put_digest(source, "gitCommit", r->source_revision);
        cJSON_AddItemToArray(used, source);
    }
}

static void add_details(cJSON *predicate, const struct release *r)
{
    char date[DPK_TOOL_TIME];
    cJSON *details = cJSON_AddObjectToObject(predicate, "runDetails");
    cJSON *builder = cJSON_AddObjectToObject(details, "builder");
    dpk_tool_time(r->date, date);
    dpk_json_text(builder, "id", r->builder);
    cJSON_AddStringToObject(cJSON_AddObjectToObject(builder, "version"), "dpakit", dpk_version);
    cJSON_AddStringToObject(cJSON_AddObjectToObject(details, "metadata"), "finishedOn", date);
    add_named(cJSON_AddArrayToObject(details, "byproducts"), r->sbom_name, r->sbom_sha256);
}

enum dpk_status mlxdpa_papers_statement(const struct release *r, struct dpk_buf *out,
                                        struct dpk_error *err)
{
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "_type", "https://in-toto.io/Statement/v1");
    cJSON *subjects = cJSON_AddArrayToObject(o, "subject");
    add_named(subjects, r->name, r->sha256);
    each_subject(r, statement_subject, subjects);
    cJSON_AddStringToObject(o, "predicateType", "https://slsa.dev/provenance/v1");
    cJSON *predicate = cJSON_AddObjectToObject(o, "predicate");
    add_definition(predicate, r);
    add_details(predicate, r);
    return put_json(o, false, out, err);
}

/* ---- DSSE ---- */

static void put_base64(cJSON *o, const char *key, const struct dpk_buf *bytes)
{
    char *text = malloc(4 * (bytes->size / 3 + 1) + 1);
    if (text)
        EVP_EncodeBlock((unsigned char *)text, bytes->data, (int)bytes->size);
    cJSON_AddStringToObject(o, key, text ? text : "");
    free(text);
}

static void key_id(const struct dpk_signer *signer, char out[65])
{
    unsigned char *der = NULL;
    int size = i2d_PUBKEY(dpk_signer_public(signer), &der);
    *out = 0;
    if (size > 0)
        dpk_sha256_text(der, (size_t)size, out);
    OPENSSL_free(der);
}

enum dpk_status mlxdpa_papers_envelope(const struct dpk_buf *statement,
                                       const struct dpk_signer *signer, struct dpk_buf *out,
                                       struct dpk_error *err)
{
    struct dpk_buf pae = {0}, signature = {0};
    char id[65];
    if (statement->size > INT_MAX / 2)
        return dpk_fail(err, DPK_ERR_RANGE, "the statement is too large");
    dpk_put_format(&pae, "DSSEv1 %zu %s %zu ", strlen(PAYLOAD_TYPE), PAYLOAD_TYPE, statement->size);
    dpk_put(&pae, statement->data, statement->size);
    enum dpk_status status = pae.failed ? dpk_fail_nomem(err) : DPK_OK;
    if (status == DPK_OK)
        status = dpk_signer_sign(signer, DPK_SHA512, pae.data, pae.size, &signature, err);
    if (status == DPK_OK) {
        cJSON *o = cJSON_CreateObject(), *one = cJSON_CreateObject();
        put_base64(o, "payload", statement);
        cJSON_AddStringToObject(o, "payloadType", PAYLOAD_TYPE);
        key_id(signer, id);
        cJSON_AddStringToObject(one, "keyid", id);
        put_base64(one, "sig", &signature);
        cJSON_AddItemToArray(cJSON_AddArrayToObject(o, "signatures"), one);
        status = put_json(o, false, out, err);
        dpk_put_u8(out, '\n');
    }
    dpk_buf_free(&pae);
    dpk_buf_free(&signature);
    return status == DPK_OK && out->failed ? dpk_fail_nomem(err) : status;
}
