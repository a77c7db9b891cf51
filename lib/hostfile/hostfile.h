/*
 * hostfile: finds, signs and verifies DPA programs inside a host file (signing(7)), and removes
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

/* Place of a program's crypto data, existing or future (signing(7)). */
enum dpk_placement {
    DPK_PLACEMENT_NONE,     /* no section: signing adds one */
    DPK_PLACEMENT_RESERVED, /* `.dpa_sig_<app>`, filled in place after a u64 length */
    DPK_PLACEMENT_NAMED,    /* `.dpa_sig_name_<app>` names a section added to the file */
    DPK_PLACEMENT_ADDED,    /* `.dpa_sig_<app>` of type SHT_CRYPTODATA, added by signing */
};

struct dpk_program {
    unsigned index;               /* position among the file's programs */
    const char *name;             /* text after `.dpa_bin_` */
    const char *member;           /* archive member that contains it; NULL in an ELF */
    uint64_t offset;              /* of its section in the file, bytes */
    struct dpk_sections sections; /* inside the host file's bytes */
    struct dpk_subject *subjects; /* one, or one for each target (dpk_subjects) */
    size_t subject_count;
    enum dpk_placement placement;
    const char *crypto_section; /* section that has, or will have, the crypto data; or NULL */
    bool is_signed;             /* a subject has crypto data, valid or not */
    /* For an executable or library: the reason why a process that runs it has other bytes in
     * memory. "" if the memory has the same bytes, or does not have the sections. */
    char not_mapped[192];
};

struct dpk_hostfile;

/* Reads the file into private memory and finds its programs. A file without programs is not an
 * error here (count 0). Errors name the field: ELF32, big-endian, truncated, overlapping or
 * wrapping sections, NOBITS program sections, two programs of one name. */
enum dpk_status dpk_hostfile_open(const char *path, struct dpk_hostfile **out,
                                  struct dpk_error *err);
/* Same, from bytes in memory, which are copied. Error messages contain `name`. */
enum dpk_status dpk_hostfile_parse(const char *name, const void *bytes, size_t size,
                                   struct dpk_hostfile **out, struct dpk_error *err);
/* Same without the copy: the bytes must stay, unchanged, until the host file is closed. */
enum dpk_status dpk_hostfile_borrow(const char *name, const void *bytes, size_t size,
                                    struct dpk_hostfile **out, struct dpk_error *err);
void dpk_hostfile_close(struct dpk_hostfile *host);
size_t dpk_hostfile_count(const struct dpk_hostfile *host);
const struct dpk_program *dpk_hostfile_program(const struct dpk_hostfile *host, size_t index);
/* Finds a program by name; if `name` is NULL, the only program. Errors list the existing names. */
enum dpk_status dpk_hostfile_find(const struct dpk_hostfile *host, const char *name,
                                  const struct dpk_program **out, struct dpk_error *err);

/* ---- Signing ---- */

/* A changed host file. It borrows from the original host file, which must stay open. */
struct dpk_edited;
/* Returns its content for dpk_file_replace_pieces, valid until it is freed. */
const struct dpk_piece *dpk_edited_pieces(const struct dpk_edited *e, size_t *count);
void dpk_edited_free(struct dpk_edited *e);

/* Which programs of a host file to sign, and how. */
struct dpk_hostfile_options {
    struct dpk_sign_options crypto; /* of each program */
    enum { DPK_SECTION_KEEP, DPK_SECTION_PROGBITS, DPK_SECTION_CRYPTODATA } section_type;
    const char *const *apps; /* names of the programs, borrowed; NULL: all */
    size_t app_count;
    unsigned threads; /* 0: one for each core */
    /* Called after each program with the number that is done; never twice at once. May be NULL. */
    void (*progress)(void *context, size_t done, size_t total);
    void *progress_context;
};

/* Signs the host file's programs (signing(7)), several at a time. A program for several targets
 * gets crypto data for each target, in its reserved section. Errors: no program, or no program of a
 * name; the errors of dpk_crypto_build; too little room in a reserved section. */
enum dpk_status dpk_hostfile_signed(const struct dpk_hostfile *host,
                                    const struct dpk_certchain *chain,
                                    const struct dpk_signer *signer,
                                    const struct dpk_hostfile_options *options,
                                    struct dpk_edited **out, struct dpk_error *err);

/* Shows the bytes to sign to `options->crypto.proof`, in the programs' order, with `signature`
 * NULL. */
enum dpk_status dpk_hostfile_tbs(const struct dpk_hostfile *host,
                                 const struct dpk_hostfile_options *options, struct dpk_error *err);

/* Removes the crypto data, and the sections that signing added, of the given programs, or of all
 * (`apps` NULL). A reserved section becomes as empty as before signing. Unsigned programs stay as
 * they are. Errors: DPK_ERR_NOT_FOUND if none of the programs is signed. */
enum dpk_status dpk_hostfile_stripped(const struct dpk_hostfile *host, const char *const *apps,
                                      size_t app_count, struct dpk_edited **out,
                                      struct dpk_error *err);

/* Like dpk_hostfile_signed, but `out` gets the bytes of the signed file. The host file itself does
 * not change. */
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
/* Verifies the programs of a host file with their manifests, on up to `threads` threads (0: one for
 * each core). `*out`: the results in the programs' order, to be freed; NULL if there are no
 * programs. */
enum dpk_status dpk_hostfile_verify(const struct dpk_hostfile *host, const struct dpk_trust *trust,
                                    unsigned threads, struct dpk_result **out, size_t *count,
                                    struct dpk_error *err);

#endif
