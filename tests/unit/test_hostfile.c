/* lib/elfcrypto on host files made here: what is found in them, and where crypto data goes. */
#include "elfcrypto/elfcrypto.h"

#include <string.h>

#include <openssl/pem.h>

#include "golden.h"

#include "certs.h"
#include "hostelf.h"

/* ---- Keys: one RSA-4096 pair made for the run -------------------------------------------------
 */

static char key_path[64];
static struct dpk_signer *signer;
static struct dpk_certchain *chain;
static struct dpk_buf root;

static int make_keys(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    EVP_PKEY *key = EVP_RSA_gen(4096);
    X509 *top = make_cert(&(struct cert_spec){.subject = "Root",
                                              .key = key,
                                              .constraints = "critical,CA:TRUE",
                                              .usage = "critical,keyCertSign"});
    X509 *leaf = make_cert(&(struct cert_spec){
        .subject = "Leaf", .issuer = top, .key = key, .usage = "critical,digitalSignature"});
    struct dpk_buf der = {0};
    put_cert(&root, top);
    put_cert(&der, leaf);
    if (dpk_certchain_parse(der.data, der.size, &chain, &err) != DPK_OK)
        return -1;
    snprintf(key_path, sizeof key_path, "/tmp/dpk-hostfile-XXXXXX");
    int fd = mkstemp(key_path);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
    if (!f || PEM_write_PrivateKey(f, key, NULL, NULL, 0, NULL, NULL) != 1 || fclose(f) != 0 ||
        dpk_signer_open(key_path, NULL, &signer, &err) != DPK_OK)
        return -1;
    dpk_buf_free(&der);
    X509_free(top);
    X509_free(leaf);
    EVP_PKEY_free(key);
    return 0;
}

static int free_keys(void **state)
{
    (void)state;
    unlink(key_path);
    dpk_buf_free(&root);
    dpk_certchain_free(chain);
    dpk_signer_close(signer);
    return 0;
}

/* ---- Helpers ----------------------------------------------------------------------------------
 */

/* A device ELF: a header and as many bytes as wanted behind it. */
static struct dpk_buf device_elf(size_t extra)
{
    struct dpk_buf b = {0};
    Elf64_Ehdr h = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1},
                    .e_type = ET_EXEC,
                    .e_machine = EM_RISCV,
                    .e_version = 1,
                    .e_ehsize = 64};
    dpk_put(&b, &h, sizeof h);
    dpk_put_fill(&b, 0xA5, extra);
    return b;
}

static struct dpk_hostfile *parsed(const struct dpk_buf *b)
{
    struct dpk_error err = {0};
    struct dpk_hostfile *host = NULL;
    if (dpk_hostfile_parse("host", b->data, b->size, &host, &err) != DPK_OK)
        fail_msg("%s", err.message);
    return host;
}

/* Frees the bytes. */
static void refused(struct dpk_buf b, enum dpk_status status, const char *why)
{
    struct dpk_error err = {0};
    struct dpk_hostfile *host = NULL;
    assert_int_equal(dpk_hostfile_parse("host", b.data, b.size, &host, &err), status);
    assert_null(host);
    if (!strstr(err.message, why) || strncmp(err.message, "host: ", 6) != 0)
        fail_msg("'%s' does not say '%s'", err.message, why);
    dpk_buf_free(&b);
}

static const struct dpk_sign_options plain = {.profile = DPK_PROFILE_FULL};
static const struct dpk_sign_options compact = {.profile = DPK_PROFILE_COMPACT};

static struct dpk_buf signed_with(const struct dpk_buf *b, const struct dpk_sign_options *options)
{
    struct dpk_error err = {0};
    struct dpk_buf out = {0};
    struct dpk_hostfile *host = parsed(b);
    if (dpk_hostfile_sign(host, chain, signer, options, &out, &err) != DPK_OK)
        fail_msg("%s", err.message);
    dpk_hostfile_close(host);
    return out;
}

static void sign_gives(const struct dpk_buf *b, enum dpk_status status, const char *why)
{
    struct dpk_error err = {0};
    struct dpk_buf out = {0};
    struct dpk_hostfile *host = parsed(b);
    assert_int_equal(dpk_hostfile_sign(host, chain, signer, &plain, &out, &err), status);
    assert_int_equal(out.size, 0);
    if (!strstr(err.message, why))
        fail_msg("'%s' does not say '%s'", err.message, why);
    dpk_hostfile_close(host);
}

/* Every program of the file verifies, has `placement`; how many there are. */
static size_t verifies(const struct dpk_buf *b, enum dpk_placement placement)
{
    struct dpk_hostfile *host = parsed(b);
    struct dpk_der der = {root.data, root.size};
    struct dpk_trust trust = {&der, 1};
    size_t count = dpk_hostfile_count(host);
    for (size_t i = 0; i < count; i++) {
        struct dpk_report r;
        const struct dpk_program *p = dpk_hostfile_program(host, i);
        if (dpk_verify(p->elf, p->elf_size, p->crypto, p->crypto_size, &trust, &r) !=
            DPK_VERDICT_OK)
            fail_msg("%s: %s", p->name, r.checks[r.count - 1].detail);
        assert_int_equal(p->placement, placement);
    }
    dpk_hostfile_close(host);
    return count;
}

/* ---- Finding ----------------------------------------------------------------------------------
 */

static void programs_are_found_in_section_order(void **state)
{
    (void)state;
    struct dpk_buf a = device_elf(3), b = device_elf(5);
    struct host_layout at;
    const struct host_section s[] = {{.name = ".text", .size = 16},
                                     {.name = ".dpa_bin_zeta", .data = b.data, .size = b.size},
                                     {.name = ".dpa_obj", .size = 7},
                                     {.name = ".dpa_bin_alpha", .data = a.data, .size = a.size}};
    struct dpk_buf file = make_host(s, 4, &at);
    struct dpk_hostfile *host = parsed(&file);
    assert_int_equal(dpk_hostfile_count(host), 2);
    const struct dpk_program *z = dpk_hostfile_program(host, 0);
    const struct dpk_program *x = dpk_hostfile_program(host, 1);
    assert_string_equal(z->name, "zeta");
    assert_int_equal(z->index, 0);
    assert_int_equal(z->offset, at.offsets[1]);
    assert_int_equal(z->elf_size, b.size);
    assert_memory_equal(z->elf, b.data, b.size);
    assert_int_equal(z->placement, DPK_PLACEMENT_NONE);
    assert_string_equal(z->crypto_section, ".dpa_sig_zeta");
    assert_null(z->crypto);
    assert_null(z->member);
    assert_string_equal(x->name, "alpha");
    assert_int_equal(x->index, 1);
    assert_null(dpk_hostfile_program(host, 2));
    dpk_hostfile_close(host);
    dpk_buf_free(&file);
    dpk_buf_free(&a);
    dpk_buf_free(&b);
}

static void program_is_found_by_name(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    const struct dpk_program *p = NULL;
    const struct host_section s[] = {{.name = ".dpa_bin_a", .size = 8},
                                     {.name = ".dpa_bin_b", .size = 8}};
    struct dpk_buf file = make_host(s, 2, NULL);
    struct dpk_hostfile *host = parsed(&file);
    assert_int_equal(dpk_hostfile_find(host, "b", &p, &err), DPK_OK);
    assert_int_equal(p->index, 1);
    assert_int_equal(dpk_hostfile_find(host, "c", &p, &err), DPK_ERR_NOT_FOUND);
    assert_null(p);
    assert_non_null(strstr(err.message, "a, b"));
    assert_int_equal(dpk_hostfile_find(host, NULL, &p, &err), DPK_ERR_USAGE);
    assert_non_null(strstr(err.message, "a, b"));
    dpk_hostfile_close(host);
    dpk_buf_free(&file);

    file = make_host(s, 1, NULL);
    host = parsed(&file);
    assert_int_equal(dpk_hostfile_find(host, NULL, &p, &err), DPK_OK);
    assert_string_equal(p->name, "a");
    dpk_hostfile_close(host);
    dpk_buf_free(&file);
}

static void file_without_programs_opens_but_is_not_signed(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    const struct dpk_program *p;
    const struct host_section s[] = {{.name = ".text", .size = 8}};
    struct dpk_buf file = make_host(s, 1, NULL);
    struct dpk_hostfile *host = parsed(&file);
    assert_int_equal(dpk_hostfile_count(host), 0);
    assert_int_equal(dpk_hostfile_find(host, NULL, &p, &err), DPK_ERR_NOT_FOUND);
    dpk_hostfile_close(host);
    sign_gives(&file, DPK_ERR_NOT_FOUND, "no DPA program");
    dpk_buf_free(&file);
}

static void programs_of_archive_members_are_found(void **state)
{
    (void)state;
    struct dpk_buf ar = {0}, text = {0}, elf = device_elf(1);
    const struct host_section s[] = {{.name = ".dpa_bin_a", .data = elf.data, .size = elf.size},
                                     {.name = ".dpa_sig_a", .size = 8192}};
    const struct host_section t[] = {{.name = ".dpa_bin_b", .data = elf.data, .size = elf.size},
                                     {.name = ".dpa_sig_b", .size = 8192}};
    struct dpk_buf first = make_host(s, 2, NULL), second = make_host(t, 2, NULL);
    dpk_put_format(&text, "read me");
    put_member(&ar, "first.o/", &first);
    put_member(&ar, "readme/", &text);
    put_member(&ar, "second.o/", &second);
    struct dpk_hostfile *host = parsed(&ar);
    assert_int_equal(dpk_hostfile_count(host), 2);
    const struct dpk_program *p = dpk_hostfile_program(host, 1);
    assert_string_equal(p->member, "second.o");
    assert_string_equal(p->name, "b");
    assert_memory_equal(ar.data + p->offset, elf.data, elf.size);
    dpk_hostfile_close(host);

    struct dpk_buf out = signed_with(&ar, &plain);
    assert_int_equal(out.size, ar.size);
    assert_int_equal(verifies(&out, DPK_PLACEMENT_RESERVED), 2);
    for (size_t cut = 0; cut < ar.size; cut += 7) { /* no crash, no wrong success */
        if (dpk_hostfile_parse("cut", ar.data, cut, &host, NULL) == DPK_OK) {
            assert_true(dpk_hostfile_count(host) < 2);
            dpk_hostfile_close(host);
        }
    }
    dpk_buf_free(&out);
    dpk_buf_free(&ar);
    dpk_buf_free(&text);
    dpk_buf_free(&elf);
    dpk_buf_free(&first);
    dpk_buf_free(&second);
}

static void name_section_of_one_program_is_not_the_room_of_another(void **state)
{
    (void)state;
    struct dpk_buf elf = device_elf(1);
    const struct host_section s[] = {
        {.name = ".dpa_bin_x", .data = elf.data, .size = elf.size},
        {.name = ".dpa_sig_name_x", .size = 256},
        {.name = ".dpa_bin_name_x", .data = elf.data, .size = elf.size},
    };
    struct dpk_buf file = make_host(s, 3, NULL);
    struct dpk_hostfile *host = parsed(&file);
    assert_int_equal(dpk_hostfile_program(host, 0)->placement, DPK_PLACEMENT_NAMED);
    assert_string_equal(dpk_hostfile_program(host, 0)->crypto_section, "sig_x");
    assert_int_equal(dpk_hostfile_program(host, 1)->placement, DPK_PLACEMENT_NONE);
    dpk_hostfile_close(host);
    dpk_buf_free(&file);
    dpk_buf_free(&elf);
}

/* ---- Refusing ---------------------------------------------------------------------------------
 */

static struct dpk_buf one_program(struct host_layout *at)
{
    static const struct host_section s[] = {{.name = ".dpa_bin_a", .size = 64},
                                            {.name = ".dpa_sig_a", .size = 8192}};
    return make_host(s, 2, at);
}

static void files_that_are_no_host_files_are_refused(void **state)
{
    (void)state;
    struct dpk_buf b = {0};
    refused(b, DPK_ERR_FORMAT, "empty");
    dpk_put_format(&b, "hello world");
    refused(b, DPK_ERR_FORMAT, "neither an ELF file nor an archive");
    b = (struct dpk_buf){0};
    dpk_put_format(&b, "!<thin>\nwhatever");
    refused(b, DPK_ERR_UNSUPPORTED, "thin archive");
    b = one_program(NULL);
    b.data[EI_DATA] = ELFDATA2MSB;
    refused(b, DPK_ERR_UNSUPPORTED, "big-endian");
    b = one_program(NULL);
    b.data[EI_CLASS] = ELFCLASS32;
    refused(b, DPK_ERR_UNSUPPORTED, "32-bit");
    b = one_program(NULL);
    b.data[16] = ET_CORE;
    refused(b, DPK_ERR_UNSUPPORTED, "ELF type 4");
    b = one_program(NULL);
    memset(b.data + offsetof(Elf64_Ehdr, e_shoff), 0, 8);
    refused(b, DPK_ERR_FORMAT, "no sections");
}

static void section_outside_the_file_is_refused(void **state)
{
    (void)state;
    static const uint64_t offsets[] = {1 << 20, UINT64_MAX, UINT64_MAX - 32};
    for (size_t i = 0; i < 3; i++) {
        struct host_layout at;
        struct dpk_buf b = one_program(&at);
        memcpy(b.data + at.table + 64 + 24, &offsets[i], 8);
        refused(b, DPK_ERR_FORMAT, "section 1 is outside the file");
    }
}

static void program_without_content_is_refused(void **state)
{
    (void)state;
    const struct host_section s[] = {{.name = ".dpa_bin_a", .type = SHT_NOBITS, .size = 64}};
    refused(make_host(s, 1, NULL), DPK_ERR_FORMAT, ".dpa_bin_a has no plain content");
}

static void overlapping_program_sections_are_refused(void **state)
{
    (void)state;
    struct host_layout at;
    struct dpk_buf b = one_program(&at);
    uint64_t inside = at.offsets[0] + 60;
    memcpy(b.data + at.table + 2 * 64 + 24, &inside, 8);
    refused(b, DPK_ERR_FORMAT, ".dpa_bin_a and .dpa_sig_a overlap");
    b = one_program(&at);
    memset(b.data + at.table + 2 * 64 + 24, 0, 8); /* over the ELF header */
    refused(b, DPK_ERR_FORMAT, "overlap");
}

static void two_programs_of_one_name_are_refused(void **state)
{
    (void)state;
    struct dpk_buf ar = {0}, b = one_program(NULL);
    const struct host_section s[] = {{.name = ".dpa_bin_a", .size = 64},
                                     {.name = ".dpa_bin_a", .size = 64}};
    refused(make_host(s, 2, NULL), DPK_ERR_FORMAT, "two programs are named a");
    put_member(&ar, "x.o/", &b);
    put_member(&ar, "y.o/", &b);
    refused(ar, DPK_ERR_FORMAT, "two programs are named a");
    dpk_buf_free(&b);
}

static void two_sections_for_one_signature_are_refused(void **state)
{
    (void)state;
    const struct host_section s[] = {{.name = ".dpa_bin_a", .size = 64},
                                     {.name = ".dpa_sig_a", .size = 64},
                                     {.name = ".dpa_sig_a", .size = 64}};
    refused(make_host(s, 3, NULL), DPK_ERR_FORMAT, "two sections are named .dpa_sig_a");
}

static void name_section_of_another_size_is_refused(void **state)
{
    (void)state;
    const struct host_section s[] = {{.name = ".dpa_bin_a", .size = 64},
                                     {.name = ".dpa_sig_name_a", .size = 255}};
    refused(make_host(s, 2, NULL), DPK_ERR_FORMAT, "255 bytes, not 256");
}

/* ---- Signing: reserved ------------------------------------------------------------------------
 */

static struct dpk_buf host_with(const char *sig, size_t sig_size, const struct dpk_buf *elf,
                                struct host_layout *at)
{
    const struct host_section s[] = {{.name = ".text", .size = 16},
                                     {.name = ".dpa_bin_a", .data = elf->data, .size = elf->size},
                                     {.name = sig ? sig : ".rodata", .size = sig_size},
                                     {.name = ".comment", .size = 20}};
    return make_host(s, 4, at);
}

static void reserved_section_is_all_that_changes(void **state)
{
    (void)state;
    struct host_layout at;
    struct dpk_buf elf = device_elf(9), file = host_with(".dpa_sig_a", 8192, &elf, &at);
    struct dpk_buf out = signed_with(&file, &plain);
    assert_int_equal(verifies(&out, DPK_PLACEMENT_RESERVED), 1);
    assert_int_equal(out.size, file.size);
    assert_memory_equal(out.data, file.data, at.offsets[2]);
    size_t end = at.offsets[2] + 8192;
    assert_memory_equal(out.data + end, file.data + end, file.size - end);
    dpk_buf_free(&elf);
    dpk_buf_free(&file);
    dpk_buf_free(&out);
}

static void reserved_section_signed_again_is_as_signed_once(void **state)
{
    (void)state;
    struct dpk_buf elf = device_elf(9), file = host_with(".dpa_sig_a", 8192, &elf, NULL);
    /* The hash list of this ELF is shorter in the full profile: 0xA0 bytes against 0xE0. */
    struct dpk_buf once = signed_with(&file, &plain), other = signed_with(&file, &compact);
    struct dpk_buf again = signed_with(&other, &plain);
    assert_int_equal(again.size, once.size);
    assert_memory_equal(again.data, once.data, once.size);
    assert_int_equal(verifies(&other, DPK_PLACEMENT_RESERVED), 1);
    dpk_buf_free(&elf);
    dpk_buf_free(&file);
    dpk_buf_free(&once);
    dpk_buf_free(&other);
    dpk_buf_free(&again);
}

static void reserved_section_may_be_just_large_enough(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    struct dpk_buf elf = device_elf(9), crypto = {0};
    assert_int_equal(dpk_crypto_build(elf.data, elf.size, chain, signer, &plain, &crypto, &err),
                     DPK_OK);
    struct dpk_buf file = host_with(".dpa_sig_a", crypto.size + 8, &elf, NULL);
    struct dpk_buf out = signed_with(&file, &plain);
    assert_int_equal(verifies(&out, DPK_PLACEMENT_RESERVED), 1);
    dpk_buf_free(&out);
    dpk_buf_free(&file);
    file = host_with(".dpa_sig_a", crypto.size + 7, &elf, NULL);
    sign_gives(&file, DPK_ERR_RANGE, ".dpa_sig_a has room for");
    dpk_buf_free(&file);
    file = host_with(".dpa_sig_a", 4, &elf, NULL);
    sign_gives(&file, DPK_ERR_RANGE, ".dpa_sig_a has room for");
    dpk_buf_free(&file);
    dpk_buf_free(&crypto);
    dpk_buf_free(&elf);
}

static void damaged_length_of_a_reserved_section_is_refused(void **state)
{
    (void)state;
    struct host_layout at;
    struct dpk_der der = {root.data, root.size};
    struct dpk_trust trust = {&der, 1};
    struct dpk_buf elf = device_elf(9), file = host_with(".dpa_sig_a", 8192, &elf, &at);
    struct dpk_buf out = signed_with(&file, &plain);
    for (unsigned bit = 0; bit < 64; bit++) {
        out.data[at.offsets[2] + bit / 8] ^= (uint8_t)(1 << bit % 8);
        struct dpk_hostfile *host = parsed(&out);
        const struct dpk_program *p = dpk_hostfile_program(host, 0);
        assert_int_not_equal(
            dpk_verify(p->elf, p->elf_size, p->crypto, p->crypto_size, &trust, NULL),
            DPK_VERDICT_OK);
        dpk_hostfile_close(host);
        out.data[at.offsets[2] + bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    dpk_buf_free(&elf);
    dpk_buf_free(&file);
    dpk_buf_free(&out);
}

static void section_type_of_a_reserved_section_can_be_chosen(void **state)
{
    (void)state;
    struct host_layout at;
    struct dpk_buf elf = device_elf(9), file = host_with(".dpa_sig_a", 8192, &elf, &at);
    const struct dpk_sign_options typed = {.section_type = DPK_SECTION_CRYPTODATA};
    struct dpk_buf out = signed_with(&file, &typed);
    uint32_t type;
    memcpy(&type, out.data + at.table + 3 * 64 + 4, 4);
    assert_int_equal(type, 0x70000666);
    assert_int_equal(verifies(&out, DPK_PLACEMENT_RESERVED), 1);
    dpk_buf_free(&elf);
    dpk_buf_free(&file);
    dpk_buf_free(&out);
}

/* ---- Signing: added ---------------------------------------------------------------------------
 */

/* Section header `index` counted from the end of the table. */
static Elf64_Shdr header_from_end(const struct dpk_buf *b, unsigned index)
{
    Elf64_Ehdr h;
    Elf64_Shdr s;
    memcpy(&h, b->data, sizeof h);
    memcpy(&s, b->data + h.e_shoff + (size_t)(h.e_shnum - 1 - index) * 64, sizeof s);
    return s;
}

static void section_is_added_with_the_header_of_the_guide(void **state)
{
    (void)state;
    struct host_layout at;
    struct dpk_buf elf = device_elf(9), file = host_with(NULL, 10, &elf, &at);
    struct dpk_buf out = signed_with(&file, &plain);
    assert_int_equal(verifies(&out, DPK_PLACEMENT_ADDED), 1);
    Elf64_Shdr s = header_from_end(&out, 1); /* the name table stays last */
    assert_int_equal(s.sh_type, 0x70000666);
    assert_int_equal(s.sh_flags, 0);
    assert_int_equal(s.sh_addr, 0);
    assert_int_equal(s.sh_link, 0);
    assert_int_equal(s.sh_info, 0);
    assert_int_equal(s.sh_addralign, 4);
    assert_int_equal(s.sh_entsize, 0);
    assert_int_equal(s.sh_offset % 4, 0);
    /* What was there before the name table is where it was. */
    assert_memory_equal(out.data + 64, file.data + 64, at.offsets[3] + 20 - 64);
    dpk_buf_free(&elf);
    dpk_buf_free(&file);
    dpk_buf_free(&out);
}

static void added_section_signed_again_is_replaced(void **state)
{
    (void)state;
    struct dpk_buf elf = device_elf(9), file = host_with(NULL, 10, &elf, NULL);
    struct dpk_buf once = signed_with(&file, &plain), larger = signed_with(&once, &compact),
                   again = signed_with(&once, &plain), smaller = signed_with(&larger, &plain);
    assert_int_equal(again.size, once.size);
    assert_memory_equal(again.data, once.data, once.size);
    assert_int_equal(verifies(&larger, DPK_PLACEMENT_ADDED), 1);
    assert_int_equal(verifies(&smaller, DPK_PLACEMENT_ADDED), 1);
    Elf64_Shdr s = header_from_end(&smaller, 1), t = header_from_end(&once, 1);
    assert_int_equal(s.sh_size, t.sh_size);
    dpk_buf_free(&elf);
    dpk_buf_free(&file);
    dpk_buf_free(&once);
    dpk_buf_free(&larger);
    dpk_buf_free(&again);
    dpk_buf_free(&smaller);
}

static void added_section_can_be_progbits(void **state)
{
    (void)state;
    struct dpk_buf elf = device_elf(9), file = host_with(NULL, 10, &elf, NULL);
    const struct dpk_sign_options typed = {.section_type = DPK_SECTION_PROGBITS};
    struct dpk_buf out = signed_with(&file, &typed);
    assert_int_equal(header_from_end(&out, 1).sh_type, SHT_PROGBITS);
    assert_int_equal(verifies(&out, DPK_PLACEMENT_ADDED), 1);
    dpk_buf_free(&elf);
    dpk_buf_free(&file);
    dpk_buf_free(&out);
}

static void bytes_behind_the_tables_stay(void **state)
{
    (void)state;
    struct dpk_buf elf = device_elf(9), file = host_with(NULL, 10, &elf, NULL);
    dpk_put_format(&file, "appended payload");
    struct dpk_buf out = signed_with(&file, &plain);
    assert_int_equal(verifies(&out, DPK_PLACEMENT_ADDED), 1);
    assert_memory_equal(out.data + 64, file.data + 64, file.size - 64);
    dpk_buf_free(&elf);
    dpk_buf_free(&file);
    dpk_buf_free(&out);
}

/* As LLVM makes objects: one table for section and symbol names, so a link names its index. */
static void index_of_a_shared_name_table_stays(void **state)
{
    (void)state;
    struct host_layout at;
    struct dpk_buf elf = device_elf(9), file = host_with(NULL, 10, &elf, &at);
    uint32_t link = 5;
    memcpy(file.data + at.table + 4 * 64 + 40, &link, 4);
    struct dpk_buf out = signed_with(&file, &plain);
    Elf64_Ehdr h;
    memcpy(&h, out.data, sizeof h);
    assert_int_equal(h.e_shstrndx, 5);
    assert_int_equal(verifies(&out, DPK_PLACEMENT_ADDED), 1);
    dpk_buf_free(&elf);
    dpk_buf_free(&file);
    dpk_buf_free(&out);
}

static void archive_without_reserved_section_is_not_signed(void **state)
{
    (void)state;
    struct dpk_buf elf = device_elf(9), file = host_with(NULL, 10, &elf, NULL), ar = {0};
    put_member(&ar, "x.o/", &file);
    sign_gives(&ar, DPK_ERR_UNSUPPORTED, "member x.o: program a has no reserved section");
    dpk_buf_free(&elf);
    dpk_buf_free(&file);
    dpk_buf_free(&ar);
}

/* ---- Signing: named ---------------------------------------------------------------------------
 */

static void named_section_signed_again_is_replaced(void **state)
{
    (void)state;
    struct host_layout at;
    struct dpk_buf elf = device_elf(9), file = host_with(".dpa_sig_name_a", 256, &elf, &at);
    struct dpk_buf once = signed_with(&file, &plain), larger = signed_with(&once, &compact),
                   smaller = signed_with(&larger, &plain);
    assert_string_equal((char *)once.data + at.offsets[2], "sig_a");
    assert_int_equal(verifies(&once, DPK_PLACEMENT_NAMED), 1);
    assert_int_equal(verifies(&larger, DPK_PLACEMENT_NAMED), 1);
    assert_int_equal(verifies(&smaller, DPK_PLACEMENT_NAMED), 1);
    dpk_buf_free(&elf);
    dpk_buf_free(&file);
    dpk_buf_free(&once);
    dpk_buf_free(&larger);
    dpk_buf_free(&smaller);
}

static void name_that_is_taken_is_an_error(void **state)
{
    (void)state;
    struct dpk_buf elf = device_elf(9);
    const struct host_section s[] = {{.name = ".dpa_bin_a", .data = elf.data, .size = elf.size},
                                     {.name = ".dpa_sig_name_a", .size = 256},
                                     {.name = "sig_a", .size = 3}};
    struct dpk_buf file = make_host(s, 3, NULL);
    sign_gives(&file, DPK_ERR_EXISTS, "sig_a");
    dpk_buf_free(&file);
    dpk_buf_free(&elf);
}

static void two_programs_that_name_one_section_are_not_signed(void **state)
{
    (void)state;
    struct dpk_buf elf = device_elf(9);
    char name[256] = "sig_shared";
    const struct host_section s[] = {{.name = ".dpa_bin_a", .data = elf.data, .size = elf.size},
                                     {.name = ".dpa_bin_b", .data = elf.data, .size = elf.size},
                                     {.name = ".dpa_sig_name_a", .data = name, .size = 256},
                                     {.name = ".dpa_sig_name_b", .data = name, .size = 256},
                                     {.name = "sig_shared", .size = 8192}};
    struct dpk_buf file = make_host(s, 5, NULL);
    sign_gives(&file, DPK_ERR_FORMAT, "share");
    dpk_buf_free(&file);
    dpk_buf_free(&elf);
}

/* ---- Many -------------------------------------------------------------------------------------
 */

static void a_mix_of_placements_is_signed_and_verified(void **state)
{
    (void)state;
    struct dpk_buf elf = device_elf(9);
    const struct host_section s[] = {{.name = ".dpa_bin_a", .data = elf.data, .size = elf.size},
                                     {.name = ".dpa_sig_name_a", .size = 256},
                                     {.name = ".dpa_bin_b", .data = elf.data, .size = elf.size},
                                     {.name = ".dpa_sig_b", .size = 8192},
                                     {.name = ".dpa_bin_c", .data = elf.data, .size = elf.size}};
    static const enum dpk_placement expected[] = {DPK_PLACEMENT_NAMED, DPK_PLACEMENT_RESERVED,
                                                  DPK_PLACEMENT_ADDED};
    struct dpk_buf file = make_host(s, 5, NULL), out = signed_with(&file, &plain);
    struct dpk_hostfile *host = parsed(&out);
    struct dpk_der der = {root.data, root.size};
    struct dpk_trust trust = {&der, 1};
    for (size_t i = 0; i < 3; i++) {
        const struct dpk_program *p = dpk_hostfile_program(host, i);
        assert_int_equal(p->placement, expected[i]);
        assert_int_equal(dpk_verify(p->elf, p->elf_size, p->crypto, p->crypto_size, &trust, NULL),
                         DPK_VERDICT_OK);
    }
    dpk_hostfile_close(host);
    dpk_buf_free(&file);
    dpk_buf_free(&out);
    dpk_buf_free(&elf);
}

static void many_programs_are_signed(void **state)
{
    (void)state;
    enum { N = 64 };
    static struct host_section s[N];
    static char names[N][24];
    struct dpk_buf elf = device_elf(100);
    for (size_t i = 0; i < N; i++) {
        snprintf(names[i], sizeof names[i], ".dpa_bin_app%zu", i);
        s[i] = (struct host_section){.name = names[i], .data = elf.data, .size = elf.size};
    }
    struct dpk_buf file = make_host(s, N, NULL), out = signed_with(&file, &plain);
    assert_int_equal(verifies(&out, DPK_PLACEMENT_ADDED), N);
    dpk_buf_free(&file);
    dpk_buf_free(&out);
    dpk_buf_free(&elf);
}

static void leaf_key_that_is_not_rsa_4096_is_refused(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    struct dpk_buf der = {0}, out = {0}, elf = device_elf(9);
    struct dpk_certchain *small = NULL;
    EVP_PKEY *key = EVP_RSA_gen(2048);
    X509 *leaf = make_cert(&(struct cert_spec){.subject = "Small", .key = key});
    put_cert(&der, leaf);
    assert_int_equal(dpk_certchain_parse(der.data, der.size, &small, &err), DPK_OK);
    assert_int_equal(dpk_crypto_build(elf.data, elf.size, small, signer, &plain, &out, &err),
                     DPK_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "RSA-2048"));
    dpk_certchain_free(small);
    X509_free(leaf);
    EVP_PKEY_free(key);
    dpk_buf_free(&der);
    dpk_buf_free(&elf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_are_found_in_section_order),
        cmocka_unit_test(program_is_found_by_name),
        cmocka_unit_test(file_without_programs_opens_but_is_not_signed),
        cmocka_unit_test(programs_of_archive_members_are_found),
        cmocka_unit_test(name_section_of_one_program_is_not_the_room_of_another),
        cmocka_unit_test(files_that_are_no_host_files_are_refused),
        cmocka_unit_test(section_outside_the_file_is_refused),
        cmocka_unit_test(program_without_content_is_refused),
        cmocka_unit_test(overlapping_program_sections_are_refused),
        cmocka_unit_test(two_programs_of_one_name_are_refused),
        cmocka_unit_test(two_sections_for_one_signature_are_refused),
        cmocka_unit_test(name_section_of_another_size_is_refused),
        cmocka_unit_test(reserved_section_is_all_that_changes),
        cmocka_unit_test(reserved_section_signed_again_is_as_signed_once),
        cmocka_unit_test(reserved_section_may_be_just_large_enough),
        cmocka_unit_test(damaged_length_of_a_reserved_section_is_refused),
        cmocka_unit_test(section_type_of_a_reserved_section_can_be_chosen),
        cmocka_unit_test(section_is_added_with_the_header_of_the_guide),
        cmocka_unit_test(added_section_signed_again_is_replaced),
        cmocka_unit_test(added_section_can_be_progbits),
        cmocka_unit_test(bytes_behind_the_tables_stay),
        cmocka_unit_test(index_of_a_shared_name_table_stays),
        cmocka_unit_test(archive_without_reserved_section_is_not_signed),
        cmocka_unit_test(named_section_signed_again_is_replaced),
        cmocka_unit_test(name_that_is_taken_is_an_error),
        cmocka_unit_test(two_programs_that_name_one_section_are_not_signed),
        cmocka_unit_test(a_mix_of_placements_is_signed_and_verified),
        cmocka_unit_test(many_programs_are_signed),
        cmocka_unit_test(leaf_key_that_is_not_rsa_4096_is_refused),
    };
    return cmocka_run_group_tests_name("hostfile", tests, make_keys, free_keys);
}
