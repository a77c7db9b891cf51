/* lib/elfcrypto: programs in host files, and files that are not host files. */
#include "hostsign.h"

/* ---- Finding ---- */

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
    assert_int_equal(z->sections.elf_size, b.size);
    assert_memory_equal(z->sections.elf, b.data, b.size);
    assert_int_equal(z->placement, DPK_PLACEMENT_NONE);
    assert_string_equal(z->crypto_section, ".dpa_sig_zeta");
    assert_false(z->is_signed);
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

/* ---- Refusing ---- */

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

/* What fills or removes a section of ours would write over every section's name. */
static void table_of_names_that_is_a_section_of_ours_is_refused(void **state)
{
    (void)state;
    static const char *const ours[] = {".dpa_bin_a", ".dpa_sig_a", "sig_a"};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
        const struct host_section s[] = {{.name = ours[i], .size = 64}};
        struct host_layout at;
        struct dpk_buf b = make_host(s, 1, &at);
        /* Header 1 is the section's, header 2 the table's; the first dword is the name. */
        memcpy(b.data + at.table + 2 * 64, b.data + at.table + 1 * 64, 4);
        memset(b.data + at.table + 1 * 64, 0, 4);
        refused(b, DPK_ERR_FORMAT, "section name table is called");
    }
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

/* One name of a megabyte that thousands of sections share: sorting them took minutes. */
static void names_that_would_take_forever_are_refused(void **state)
{
    (void)state;
    enum { LONG = 1000000, SECTIONS = 1000 };
    static struct host_section s[SECTIONS];
    char *name = malloc(LONG + 1);
    struct host_layout at;
    assert_non_null(name);
    memset(name, 'B', LONG);
    name[LONG] = 0;
    for (size_t i = 0; i < SECTIONS; i++)
        s[i] = (struct host_section){.name = i ? "x" : name};
    struct dpk_buf b = make_host(s, SECTIONS, &at);
    for (size_t i = 1; i <= SECTIONS; i++) /* all at the first one's place */
        memcpy(b.data + at.table + i * sizeof(Elf64_Shdr), &(uint32_t){1}, 4);
    free(name);
    refused(b, DPK_ERR_FORMAT, "names are longer");
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
        cmocka_unit_test(table_of_names_that_is_a_section_of_ours_is_refused),
        cmocka_unit_test(two_programs_of_one_name_are_refused),
        cmocka_unit_test(two_sections_for_one_signature_are_refused),
        cmocka_unit_test(name_section_of_another_size_is_refused),
        cmocka_unit_test(names_that_would_take_forever_are_refused),
    };
    return cmocka_run_group_tests_name("hostfile", tests, make_keys, free_keys);
}
