/*
 * hostfile: DPA programs inside a host file (signing(7)): found, signed, verified, stripped of
 * their crypto data.
 *
 * A host file is an ELF64 of any machine, or an `ar` archive of such objects.
 *
 *     struct dpk_hostfile *host = NULL;
 *     if (dpk_hostfile_open("hello_world", &host, &err) != DPK_OK) ...
 *     for (size_t i = 0; i < dpk_hostfile_count(host); i++) {
 *         const struct dpk_program *p = dpk_hostfile_program(host, i);
 *         enum dpk_verdict v = dpk_program_verify(p, 0, &trust, 0, &report);
 *         ...
 *     }
 *     dpk_hostfile_close(host);
 */
#ifndef DPK_HOSTFILE_HOSTFILE_H
#define DPK_HOSTFILE_HOSTFILE_H

#include "base/base.h"
#include "certchain/certchain.h"
#include "elfcrypto/elfcrypto.h"
#include "signer/signer.h"

/* ---- Programs ---- */

/* Where a program's crypto data is, or would go (signing(7)). */
enum dpk_placement {
    DPK_PLACEMENT_NONE,     /* no section for it: signing adds one */
    DPK_PLACEMENT_RESERVED, /* `.dpa_sig_<app>`, filled in place behind a u64 length */
    DPK_PLACEMENT_NAMED,    /* `.dpa_sig_name_<app>` names a section added to the file */
    DPK_PLACEMENT_ADDED,    /* `.dpa_sig_<app>` of type SHT_CRYPTODATA, added by signing */
};

struct dpk_program {
    unsigned index;               /* position among the file's programs */
    const char *name;             /* what follows `.dpa_bin_` */
    const char *member;           /* archive member it was found in, NULL in an ELF */
    uint64_t offset;              /* of its section in the file, bytes */
    struct dpk_sections sections; /* inside the host file's bytes */
    struct dpk_subject *subjects; /* one for each target, or one (dpk_subjects) */
    size_t subject_count;
    enum dpk_placement placement;
    const char *crypto_section; /* name of the section with, or for, the crypto data; or NULL */
    bool is_signed;             /* there is crypto data, sound or not, for a subject */
    /* Of an executable or library: why a process that runs it has other bytes in memory than those
     * above; "": it has these, or none. */
    char not_mapped[192];
};

struct dpk_hostfile;

/* Reads the file into private memory and finds its programs. No program at all is not an error
 * here (count 0). Refused with a message that names the field: ELF32, big-endian, truncated,
 * overlapping or wrapping sections, NOBITS program sections, two programs of one name. */
enum dpk_status dpk_hostfile_open(const char *path, struct dpk_hostfile **out,
                                  struct dpk_error *err);
/* Same from bytes in memory (copied); `name` stands in error messages. */
enum dpk_status dpk_hostfile_parse(const char *name, const void *bytes, size_t size,
                                   struct dpk_hostfile **out, struct dpk_error *err);
/* Same without the copy: the bytes must stay, unchanged, until the host file is closed. */
enum dpk_status dpk_hostfile_borrow(const char *name, const void *bytes, size_t size,
                                    struct dpk_hostfile **out, struct dpk_error *err);
void dpk_hostfile_close(struct dpk_hostfile *host);
size_t dpk_hostfile_count(const struct dpk_hostfile *host);
const struct dpk_program *dpk_hostfile_program(const struct dpk_hostfile *host, size_t index);
/* By name; `name` NULL: the only program. Errors list the names there are. */
enum dpk_status dpk_hostfile_find(const struct dpk_hostfile *host, const char *name,
                                  const struct dpk_program **out, struct dpk_error *err);

/* ---- Signing ---- */

/* A host file with changes, which borrows from the host file: that must stay open. */
struct dpk_edited;
/* Its content, for dpk_file_replace_pieces; valid until it is freed. */
const struct dpk_piece *dpk_edited_pieces(const struct dpk_edited *e, size_t *count);
void dpk_edited_free(struct dpk_edited *e);

/* Which programs of a host file are signed, and how. */
struct dpk_hostfile_options {
    struct dpk_sign_options crypto; /* of each program */
    enum { DPK_SECTION_KEEP, DPK_SECTION_PROGBITS, DPK_SECTION_CRYPTODATA } section_type;
    const char *const *apps; /* names of the programs meant, borrowed; NULL: all of them */
    size_t app_count;
    unsigned threads; /* 0: one for each core */
    /* Told after each program how many are done; one call at a time. May be NULL. */
    void (*progress)(void *context, size_t done, size_t total);
    void *progress_context;
};

/* Signs the host file's programs (signing(7)), several at a time. A program for several targets
 * gets crypto data for each of them, in its reserved section.
 * Errors: no program in it, or none of that name; as dpk_crypto_build; no room in a reserved
 * section. */
enum dpk_status dpk_hostfile_signed(const struct dpk_hostfile *host,
                                    const struct dpk_certchain *chain,
                                    const struct dpk_signer *signer,
                                    const struct dpk_hostfile_options *options,
                                    struct dpk_edited **out, struct dpk_error *err);

/* Shows what would be signed to `options->crypto.proof`, in the programs' order, with `signature` NULL. */
enum dpk_status dpk_hostfile_tbs(const struct dpk_hostfile *host,
                                 const struct dpk_hostfile_options *options, struct dpk_error *err);

/* Takes the crypto data away again, and the sections that signing added; of the programs given, or
 * of all (`apps` NULL). A reserved section is then as empty as before it was filled. What is not
 * signed stays as it is; nothing signed at all is DPK_ERR_NOT_FOUND. */
enum dpk_status dpk_hostfile_stripped(const struct dpk_hostfile *host, const char *const *apps,
                                      size_t app_count, struct dpk_edited **out,
                                      struct dpk_error *err);

/* As dpk_hostfile_signed; `out` gets the bytes of the signed file. The host file itself does not
 * change. */
enum dpk_status dpk_hostfile_sign(const struct dpk_hostfile *host,
                                  const struct dpk_certchain *chain,
                                  const struct dpk_signer *signer,
                                  const struct dpk_hostfile_options *options, struct dpk_buf *out,
                                  struct dpk_error *err);

/* ---- Verification ---- */

/* The verdict on a program, or on one target of it. */
struct dpk_result {
    const struct dpk_program *program;
    const struct dpk_subject *subject; /* the program's */
    enum dpk_verdict verdict;
    struct dpk_report report;
};
/* Verifies the programs of a host file, manifests included, by up to `threads` threads (0: one for
 * each core). `*out`: the results in the programs' order, to be freed; NULL with none. */
enum dpk_status dpk_hostfile_verify(const struct dpk_hostfile *host, const struct dpk_trust *trust,
                                    unsigned threads, struct dpk_result **out, size_t *count,
                                    struct dpk_error *err);

#endif
