/* lib/elfcrypto: the program that is found in a host file is the program that runs. Program headers
 * are changed at random; whenever the file is still accepted, the test compares it with the
 * mappings of Linux and the dynamic linker. */
#include "hostfile/hostfile.h"

#include <elf.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "golden.h"
#include "skip.h"

#define LINKER "/lib64/ld-linux-x86-64.so.2"

/* To fork takes longer under sanitizers. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ROUNDS 500
#else
#define ROUNDS 1000
#endif

/* A program that writes what it has at the address of its section. Offsets are addresses, too. */
enum {
    HEADERS = 2 * 56, /* offset of the program headers */
    CODE = 0x1000,
    PROGRAM = 0x2000,
    ANOTHER = 0x3000, /* bytes that no segment of the file as it was made has */
    DYNAMIC = 0x4000,
    TEXTS = 0x4200,
    SECTIONS = 0x4400,
    FILE_SIZE = 0x5000,
    PAGE = 0x1000,
    SEGMENTS = 8, /* the last two are for chance to use */
};

struct file {
    _Alignas(8) uint8_t bytes[FILE_SIZE];
};

static void put_segment(struct file *f, unsigned n, uint32_t type, uint32_t flags, uint64_t at,
                        uint64_t size)
{
    Elf64_Phdr p = {.p_type = type,
                    .p_flags = flags,
                    .p_offset = at,
                    .p_vaddr = at,
                    .p_paddr = at,
                    .p_filesz = size,
                    .p_memsz = size,
                    .p_align = type == PT_LOAD ? PAGE : 8};
    memcpy(f->bytes + HEADERS + n * sizeof p, &p, sizeof p);
}

static struct file made(void)
{
    static const uint8_t code[] = {
        0x48, 0x8d, 0x35, 0xf9, 0x0f, 0,    0, /* lea PROGRAM(%rip), %rsi */
        0xba, 0,    0x10, 0,    0,             /* mov $PAGE, %edx */
        0xbf, 1,    0,    0,    0,             /* mov $1, %edi */
        0xb8, 1,    0,    0,    0,    0x0f, 5, /* mov $1, %eax; syscall: write */
        0x31, 0xff,                            /* xor %edi, %edi */
        0xb8, 231,  0,    0,    0,    0x0f, 5, /* mov $231, %eax; syscall: exit_group */
    };
    static const char texts[] = "\0.dpa_bin_one\0.shstrtab\0libc.so.6";
    static struct file f;
    const Elf64_Ehdr head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1},
                             .e_type = ET_DYN,
                             .e_machine = EM_X86_64,
                             .e_version = 1,
                             .e_entry = CODE,
                             .e_phoff = HEADERS,
                             .e_shoff = SECTIONS,
                             .e_ehsize = sizeof head,
                             .e_phentsize = sizeof(Elf64_Phdr),
                             .e_phnum = SEGMENTS,
                             .e_shentsize = sizeof(Elf64_Shdr),
                             .e_shnum = 3,
                             .e_shstrndx = 2};
    /* Without a library that it needs, the linker leaves the file to Linux. */
    const Elf64_Dyn dynamic[] = {{.d_tag = DT_NEEDED, .d_un.d_val = 24},
                                 {.d_tag = DT_STRTAB, .d_un.d_ptr = TEXTS},
                                 {.d_tag = DT_SYMTAB, .d_un.d_ptr = TEXTS},
                                 {.d_tag = DT_STRSZ, .d_un.d_val = sizeof texts},
                                 {.d_tag = DT_SYMENT, .d_un.d_val = sizeof(Elf64_Sym)},
                                 {.d_tag = DT_NULL}};
    /* The first one says how many segments there are, where the file's header does not. */
    const Elf64_Shdr sections[3] = {
        {.sh_info = 3},
        {.sh_name = 1,
         .sh_type = SHT_PROGBITS,
         .sh_flags = SHF_ALLOC,
         .sh_addr = PROGRAM,
         .sh_offset = PROGRAM,
         .sh_size = PAGE},
        {.sh_name = 14, .sh_type = SHT_STRTAB, .sh_offset = TEXTS, .sh_size = sizeof texts}};
    memcpy(f.bytes, &head, sizeof head);
    put_segment(&f, 0, PT_LOAD, PF_R, 0, PAGE);
    put_segment(&f, 1, PT_LOAD, PF_R | PF_X, CODE, PAGE);
    put_segment(&f, 2, PT_LOAD, PF_R, PROGRAM, PAGE);
    put_segment(&f, 3, PT_LOAD, PF_R | PF_W, DYNAMIC, PAGE);
    put_segment(&f, 4, PT_DYNAMIC, PF_R | PF_W, DYNAMIC, sizeof dynamic);
    put_segment(&f, 5, PT_GNU_STACK, PF_R | PF_W, 0, 0);
    put_segment(&f, 6, PT_NULL, PF_R, ANOTHER, PAGE);
    put_segment(&f, 7, PT_NULL, PF_R, ANOTHER, PAGE);
    memcpy(f.bytes + CODE, code, sizeof code);
    memset(f.bytes + PROGRAM, 'p', PAGE);
    memset(f.bytes + ANOTHER, 'a', PAGE);
    memcpy(f.bytes + DYNAMIC, dynamic, sizeof dynamic);
    memcpy(f.bytes + TEXTS, texts, sizeof texts);
    memcpy(f.bytes + SECTIONS, sections, sizeof sections);
    return f;
}

/* ---- What is believed ---- */

static bool is_believed(const struct file *f)
{
    struct dpk_hostfile *host = NULL;
    if (dpk_hostfile_borrow("file", f->bytes, sizeof f->bytes, &host, NULL) != DPK_OK)
        return false;
    const struct dpk_program *p = dpk_hostfile_program(host, 0);
    bool believed = p && !p->not_mapped[0] && !p->sections.unmapped;
    if (believed)
        assert_int_equal(p->offset, PROGRAM);
    dpk_hostfile_close(host);
    return believed;
}

/* ---- What runs ---- */

static _Noreturn void become(int file, int out, bool by_linker)
{
    static char *const nothing[] = {NULL};
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    dup2(out, STDOUT_FILENO);
    if (!freopen("/dev/null", "w", stderr))
        _exit(126);
    setrlimit(RLIMIT_CPU, &(struct rlimit){1, 1});
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    if (by_linker)
        execve(LINKER, (char *const[]){(char *)LINKER, path, NULL}, nothing);
    else
        execve(path, (char *const[]){path, NULL}, nothing);
    _exit(127);
}

/* How many bytes it wrote. Whoever loops is ended by a limit, whoever waits after a while. */
static size_t run(const struct file *f, bool by_linker, uint8_t out[PAGE])
{
    int pipes[2], file = memfd_create("file", 0);
    size_t size = 0;
    ssize_t got = 1;
    assert_true(file >= 0 && pipe(pipes) == 0);
    assert_int_equal(write(file, f->bytes, sizeof f->bytes), sizeof f->bytes);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        become(file, pipes[1], by_linker);
    close(pipes[1]);
    while (size < PAGE && got > 0 && poll(&(struct pollfd){pipes[0], POLLIN, 0}, 1, 30000) == 1) {
        got = read(pipes[0], out + size, PAGE - size);
        size += got > 0 ? (size_t)got : 0;
    }
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    close(pipes[0]);
    close(file);
    return size;
}

/* True: it ran. */
static bool runs_what_is_believed(const struct file *f, bool by_linker, const char *what)
{
    uint8_t out[PAGE];
    size_t size = run(f, by_linker, out);
    for (size_t i = 0; i < size; i++)
        if (out[i] != f->bytes[PROGRAM + i])
            fail_msg("%s: byte %zu of what %s runs is another one", what, i,
                     by_linker ? "the dynamic linker" : "Linux");
    return size == PAGE;
}

static void needs_this_machine(void)
{
#ifndef __x86_64__
    skip_because("its program is x86-64 code");
#endif
    if (access(LINKER, X_OK) != 0)
        skip_because("no " LINKER " here");
}

/* ---- Chance ---- */

static uint64_t seed;

static uint64_t chance(uint64_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed % below;
}

#define ONE_OF(list) (list)[chance(sizeof(list) / sizeof *(list))]

/* One field of the file's header, or of a segment's, becomes one of the values that matter. */
static void put_wrong(struct file *f)
{
    static const uint64_t places[] = {0,       1,       64,      CODE,       PROGRAM - 1,
                                      PROGRAM, 0x2008,  0x2800,  ANOTHER,    ANOTHER - 16,
                                      0x3800,  DYNAMIC, 0x12000, UINT64_MAX, -(uint64_t)PAGE},
                          sizes[] = {0,         1,          8,
                                     0x800,     PAGE,       2 * PAGE,
                                     3 * PAGE,  0x20000000, UINT64_C(1) << 62,
                                     UINT64_MAX},
                          aligns[] = {0, 1, 2, 0x800, PAGE, 2 * PAGE, 0x200000, UINT64_MAX},
                          tables[] = {0, 56, 64, HEADERS, HEADERS + 56, FILE_SIZE - 56};
    static const uint32_t types[] = {PT_NULL, PT_LOAD, PT_LOAD, PT_LOAD, PT_NOTE, PT_PHDR};
    static const uint16_t counts[] = {0, 1, 3, 6, 8, 9, 10, 20, 0x7fff, PN_XNUM},
                          kinds[] = {ET_REL, ET_EXEC, ET_DYN};
    size_t at = HEADERS + chance(SEGMENTS) * sizeof(Elf64_Phdr);
    uint64_t value;
    switch (chance(10)) {
    case 0:
        memcpy(f->bytes + offsetof(Elf64_Ehdr, e_phoff), &ONE_OF(tables), 8);
        break;
    case 1:
        memcpy(f->bytes + offsetof(Elf64_Ehdr, e_phnum), &ONE_OF(counts), 2);
        break;
    case 2:
        memcpy(f->bytes + offsetof(Elf64_Ehdr, e_type), &ONE_OF(kinds), 2);
        break;
    case 3:
    case 4:
        at = HEADERS + (6 + chance(2)) * sizeof(Elf64_Phdr);
        memcpy(f->bytes + at + offsetof(Elf64_Phdr, p_type), &ONE_OF(types), 4);
        break;
    case 5:
        value = ONE_OF(aligns);
        memcpy(f->bytes + at + offsetof(Elf64_Phdr, p_align), &value, 8);
        break;
    case 6:
        memcpy(f->bytes + at + offsetof(Elf64_Phdr, p_offset), &ONE_OF(places), 8);
        break;
    case 7:
        memcpy(f->bytes + at + offsetof(Elf64_Phdr, p_vaddr), &ONE_OF(places), 8);
        break;
    case 8:
        memcpy(f->bytes + at + offsetof(Elf64_Phdr, p_filesz), &ONE_OF(sizes), 8);
        break;
    default:
        memcpy(f->bytes + at + offsetof(Elf64_Phdr, p_memsz), &ONE_OF(sizes), 8);
        break;
    }
}

static void headers_by_chance_hide_nothing_that_runs(void **state)
{
    (void)state;
    char what[32];
    unsigned believed = 0, ran = 0;
    needs_this_machine();
    for (unsigned round = 1; round <= ROUNDS; round++) {
        struct file f = made();
        seed = UINT64_C(0x9e3779b97f4a7c15) * round;
        for (uint64_t left = 1 + chance(6); left > 0; left--)
            put_wrong(&f);
        if (!is_believed(&f))
            continue;
        believed++;
        snprintf(what, sizeof what, "round %u", round);
        ran += runs_what_is_believed(&f, false, what);
        ran += runs_what_is_believed(&f, true, what);
    }
    assert_true(believed > ROUNDS / 10 && ran > believed / 2);
}

/* ---- Known ones ---- */

static void a_file_as_linkers_make_it_is_believed(void **state)
{
    (void)state;
    needs_this_machine();
    struct file f = made();
    assert_true(is_believed(&f));
    assert_true(runs_what_is_believed(&f, false, "as made"));
    assert_true(runs_what_is_believed(&f, true, "as made"));
}

/* With other bytes where its section is, if this segment counts. It comes after the section's, and
 * is not the last one, which tells the dynamic linker how much memory there is. */
enum {
    OTHER_SEGMENT = HEADERS + 3 * sizeof(Elf64_Phdr),
    LAST_SEGMENT = HEADERS + 7 * sizeof(Elf64_Phdr)
};

static struct file made_with_another(void)
{
    struct file f = made();
    const Elf64_Phdr p = {.p_type = PT_LOAD,
                          .p_flags = PF_R,
                          .p_offset = ANOTHER,
                          .p_vaddr = PROGRAM,
                          .p_filesz = PAGE,
                          .p_memsz = PAGE,
                          .p_align = PAGE};
    memcpy(f.bytes + LAST_SEGMENT, f.bytes + OTHER_SEGMENT, sizeof p);
    memcpy(f.bytes + OTHER_SEGMENT, &p, sizeof p);
    return f;
}

static void put16(struct file *f, size_t at, uint16_t value)
{
    memcpy(f->bytes + at, &value, sizeof value);
}

static void put64(struct file *f, size_t at, uint64_t value)
{
    memcpy(f->bytes + at, &value, sizeof value);
}

static void assert_runs_another(const struct file *f, bool by_linker)
{
    uint8_t out[PAGE];
    needs_this_machine();
    assert_int_equal(run(f, by_linker, out), PAGE);
    assert_memory_equal(out, f->bytes + ANOTHER, PAGE);
}

static void segments_that_begin_with_the_file_are_not_overlooked(void **state)
{
    (void)state;
    struct file f = made_with_another();
    put64(&f, offsetof(Elf64_Ehdr, e_phoff), 0);
    put16(&f, offsetof(Elf64_Ehdr, e_phnum), 2 + SEGMENTS);
    assert_false(is_believed(&f));
    assert_runs_another(&f, false);
}

static void a_segment_of_the_file_that_takes_no_memory_is_not_overlooked(void **state)
{
    (void)state;
    struct file f = made_with_another();
    put64(&f, OTHER_SEGMENT + offsetof(Elf64_Phdr, p_memsz), 0);
    assert_false(is_believed(&f));
    assert_runs_another(&f, true);
}

/* ELF's way to have more than 65,534 segments, which nobody follows who loads a file. */
static void a_number_of_segments_in_the_first_section_is_refused(void **state)
{
    (void)state;
    struct file f = made_with_another();
    put16(&f, offsetof(Elf64_Ehdr, e_phnum), PN_XNUM);
    assert_false(is_believed(&f));
}

static void a_segment_across_the_pages_of_its_file_is_not_believed(void **state)
{
    (void)state;
    struct file f = made();
    size_t program = HEADERS + 2 * sizeof(Elf64_Phdr);
    put64(&f, program + offsetof(Elf64_Phdr, p_vaddr), PROGRAM + 16);
    put64(&f, SECTIONS + sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_addr), PROGRAM + 16);
    assert_false(is_believed(&f));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_as_linkers_make_it_is_believed),
        cmocka_unit_test(headers_by_chance_hide_nothing_that_runs),
        cmocka_unit_test(segments_that_begin_with_the_file_are_not_overlooked),
        cmocka_unit_test(a_segment_of_the_file_that_takes_no_memory_is_not_overlooked),
        cmocka_unit_test(a_number_of_segments_in_the_first_section_is_refused),
        cmocka_unit_test(a_segment_across_the_pages_of_its_file_is_not_believed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
