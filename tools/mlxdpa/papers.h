/* The documents of a release: an in-toto Statement with SLSA provenance in a DSSE envelope, and an
 * SPDX document. */
#ifndef DPK_MLXDPA_PAPERS_H
#define DPK_MLXDPA_PAPERS_H

#include "hostfile/hostfile.h"

#include "mlxdpa.h"

/* The subject of the papers. Texts are borrowed. */
struct release {
    const char *name;           /* name of the released file */
    const struct dpk_buf *file; /* its bytes, signed */
    const struct dpk_hostfile *host;
    char sha256[65];                          /* hash of the file */
    char unsigned_sha256[65];                 /* hash of the file before signing */
    int64_t date;                             /* seconds since 1970 */
    const char *source_uri, *source_revision; /* or NULL */
    const char *builder;                      /* builder: URI */
    const char *sbom_name;                    /* of the SPDX document */
    char sbom_sha256[65];
};

/* Appends the SPDX 2.3 document, JSON: the file, its DPA programs, and the device libraries that
 * are linked into them. */
enum dpk_status mlxdpa_papers_sbom(const struct release *r, struct dpk_buf *out,
                                   struct dpk_error *err);
/* Appends the Statement (in-toto Statement v1, SLSA provenance v1), JSON. */
enum dpk_status mlxdpa_papers_statement(const struct release *r, struct dpk_buf *out,
                                        struct dpk_error *err);
/* Appends the envelope (DSSE v1) of a Statement and a line feed, signed with RSASSA-PKCS1-v1_5 and
 * SHA-512 as programs are. The keyid is the SHA-256 of the key's SubjectPublicKeyInfo. */
enum dpk_status mlxdpa_papers_envelope(const struct dpk_buf *statement,
                                       const struct dpk_signer *signer, struct dpk_buf *out,
                                       struct dpk_error *err);

#endif
