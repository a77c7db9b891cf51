/* lib/elfcrypto: where crypto data goes in host files, first and again. */
#include "hostsign.h"

/* ---- Signing: reserved ---- */

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
    assert_int_equal(build_bytes(elf.data, elf.size, chain, signer, &plain.crypto, &crypto, &err),
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
    struct dpk_trust trust = {.roots = &der, .count = 1};
    struct dpk_buf elf = device_elf(9), file = host_with(".dpa_sig_a", 8192, &elf, &at);
    struct dpk_buf out = signed_with(&file, &plain);
    for (unsigned bit = 0; bit < 64; bit++) {
        out.data[at.offsets[2] + bit / 8] ^= (uint8_t)(1 << bit % 8);
        struct dpk_hostfile *host = parsed(&out);
        const struct dpk_program *p = dpk_hostfile_program(host, 0);
        assert_int_not_equal(dpk_verify(&p->subjects[0], &trust, NULL), DPK_VERDICT_OK);
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
    const struct dpk_hostfile_options typed = {.section_type = DPK_SECTION_CRYPTODATA};
    struct dpk_buf out = signed_with(&file, &typed);
    uint32_t type;
    memcpy(&type, out.data + at.table + 3 * 64 + 4, 4);
    assert_int_equal(type, 0x70000666);
    assert_int_equal(verifies(&out, DPK_PLACEMENT_RESERVED), 1);
    dpk_buf_free(&elf);
    dpk_buf_free(&file);
    dpk_buf_free(&out);
}

/* ---- Signing: added ---- */

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
    const struct dpk_hostfile_options typed = {.section_type = DPK_SECTION_PROGBITS};
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

static void sections_are_added_in_every_member_of_an_archive(void **state)
{
    (void)state;
    struct dpk_buf elf = device_elf(9), ar = {0};
    struct host_section a = {.name = ".dpa_bin_a", .data = elf.data, .size = elf.size};
    struct host_section b = {.name = ".dpa_bin_b", .data = elf.data, .size = elf.size};
    struct dpk_buf first = make_host(&a, 1, NULL), second = make_host(&b, 1, NULL);
    put_member(&ar, "x.o/", &first);
    put_member(&ar, "y.o/", &second);
    struct dpk_buf out = signed_with(&ar, &plain), again = signed_with(&out, &plain);
    assert_int_equal(verifies(&out, DPK_PLACEMENT_ADDED), 2);
    assert_int_equal(again.size, out.size);
    assert_memory_equal(again.data, out.data, out.size);
    dpk_buf_free(&elf);
    dpk_buf_free(&first);
    dpk_buf_free(&second);
    dpk_buf_free(&ar);
    dpk_buf_free(&out);
    dpk_buf_free(&again);
}

/* ---- Signing: named ---- */

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

/* ---- Many ---- */

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
    struct dpk_trust trust = {.roots = &der, .count = 1};
    for (size_t i = 0; i < 3; i++) {
        const struct dpk_program *p = dpk_hostfile_program(host, i);
        assert_int_equal(p->placement, expected[i]);
        assert_int_equal(dpk_verify(&p->subjects[0], &trust, NULL), DPK_VERDICT_OK);
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
    assert_int_equal(build_bytes(elf.data, elf.size, small, signer, &plain.crypto, &out, &err),
                     DPK_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "RSA-2048"));
    dpk_certchain_free(small);
    X509_free(leaf);
    EVP_PKEY_free(key);
    dpk_buf_free(&der);
    dpk_buf_free(&elf);
}

/* Signing would overwrite what the slot names. */
static void name_section_that_names_another_section_is_not_signed(void **state)
{
    (void)state;
    static const char *const victims[] = {".text", ".dpa_bin_b", ".shstrtab"};
    struct dpk_buf elf = device_elf(1);
    for (size_t i = 0; i < 3; i++) {
        char slot[256] = "";
        snprintf(slot, sizeof slot, "%s", victims[i]);
        const struct host_section s[] = {
            {.name = ".text", .size = 16384},
            {.name = ".dpa_bin_a", .data = elf.data, .size = elf.size},
            {.name = ".dpa_sig_name_a", .data = slot, .size = sizeof slot},
            {.name = ".dpa_bin_b", .data = elf.data, .size = elf.size}};
        struct dpk_buf file = make_host(s, 4, NULL);
        sign_gives(&file, DPK_ERR_FORMAT, "not sig_a");
        dpk_buf_free(&file);
    }
    dpk_buf_free(&elf);
}

static void strip_gives(const struct dpk_buf *file, enum dpk_status want, const char *text)
{
    struct dpk_error err = {0};
    struct dpk_hostfile *host = NULL;
    struct dpk_edited *edited = NULL;
    assert_int_equal(dpk_hostfile_parse("f", file->data, file->size, &host, &err), DPK_OK);
    assert_int_equal(dpk_hostfile_stripped(host, NULL, 0, &edited, &err), want);
    if (!strstr(err.message, text))
        fail_msg("no \"%s\" in: %s", text, err.message);
    assert_null(edited);
    dpk_hostfile_close(host);
}

/* Else whoever wrote the file would have us take out its code, or the table of its names. */
static void name_section_that_names_another_section_is_not_stripped(void **state)
{
    (void)state;
    struct dpk_buf elf = device_elf(9);
    const char *const others[] = {".text", ".shstrtab", ".dpa_bin_a"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        char name[256] = "";
        snprintf(name, sizeof name, "%s", others[i]);
        const struct host_section s[] = {{.name = ".dpa_bin_a", .data = elf.data, .size = elf.size},
                                         {.name = ".dpa_sig_name_a", .data = name, .size = 256},
                                         {.name = ".text", .size = 8192}};
        struct dpk_buf file = make_host(s, 3, NULL);
        strip_gives(&file, DPK_ERR_FORMAT, "not sig_a");
        dpk_buf_free(&file);
    }
    dpk_buf_free(&elf);
}

/* What is left of a signed file without its crypto data can be read. */
static void stripped_is_read(const struct dpk_buf *file)
{
    struct dpk_buf out = {0};
    struct dpk_edited *edited = NULL;
    size_t pieces = 0;
    struct dpk_hostfile *host = parsed(file);
    assert_int_equal(dpk_hostfile_stripped(host, NULL, 0, &edited, NULL), DPK_OK);
    const struct dpk_piece *piece = dpk_edited_pieces(edited, &pieces);
    for (size_t i = 0; i < pieces; i++)
        dpk_put(&out, piece[i].data, piece[i].size);
    struct dpk_hostfile *again = parsed(&out);
    assert_false(dpk_hostfile_program(again, 0)->is_signed);
    dpk_hostfile_close(again);
    dpk_edited_free(edited);
    dpk_hostfile_close(host);
    dpk_buf_free(&out);
}

/* Linkers let a name be the end of a longer one. */
static void name_that_shares_bytes_with_the_section_taken_out_stays(void **state)
{
    (void)state;
    struct dpk_buf elf = device_elf(9), file = host_with(NULL, 10, &elf, NULL);
    struct dpk_buf once = signed_with(&file, &plain);
    const uint32_t inside = (uint32_t)header_from_end(&once, 1).sh_name + 5; /* "sig_" */
    uint64_t table;
    memcpy(&table, once.data + offsetof(Elf64_Ehdr, e_shoff), sizeof table);
    memcpy(once.data + table + sizeof(Elf64_Shdr), &inside, sizeof inside); /* section 1 */
    stripped_is_read(&once);
    dpk_buf_free(&once);
    dpk_buf_free(&file);
    dpk_buf_free(&elf);
}

static void empty_program_header_table_stays_inside(void **state)
{
    (void)state;
    struct dpk_buf elf = device_elf(9), file = host_with(NULL, 10, &elf, NULL);
    struct dpk_buf once = signed_with(&file, &plain);
    const Elf64_Shdr crypto = header_from_end(&once, 1);
    const uint64_t places[] = {crypto.sh_offset + 8, once.size - 8};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        memcpy(once.data + offsetof(Elf64_Ehdr, e_phoff), &places[i], sizeof places[i]);
        stripped_is_read(&once);
    }
    dpk_buf_free(&once);
    dpk_buf_free(&file);
    dpk_buf_free(&elf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
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
        cmocka_unit_test(sections_are_added_in_every_member_of_an_archive),
        cmocka_unit_test(named_section_signed_again_is_replaced),
        cmocka_unit_test(name_that_is_taken_is_an_error),
        cmocka_unit_test(two_programs_that_name_one_section_are_not_signed),
        cmocka_unit_test(a_mix_of_placements_is_signed_and_verified),
        cmocka_unit_test(many_programs_are_signed),
        cmocka_unit_test(leaf_key_that_is_not_rsa_4096_is_refused),
        cmocka_unit_test(name_section_that_names_another_section_is_not_signed),
        cmocka_unit_test(name_section_that_names_another_section_is_not_stripped),
        cmocka_unit_test(empty_program_header_table_stays_inside),
        cmocka_unit_test(name_that_shares_bytes_with_the_section_taken_out_stays),
    };
    return cmocka_run_group_tests_name("hostsign", tests, make_keys, free_keys);
}
