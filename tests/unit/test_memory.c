/* runtime/rdma/registered: accesses by key, and refused accesses. */
#include "rdma/registered/registered.h"

#include <sys/mman.h>

#include "memory_keys.h"
#include "skip.h"

static struct dpk_memory_domain theirs;

/* ---- The checker ---- */

static void only_a_key_is_found(void **state)
{
    (void)state;
    uint32_t key = add_host(ALL);
    const uint32_t others[] = {0, 1, key ^ 1, key + 256, key ^ 0x80000000u, UINT32_MAX, 0xffff0001};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(can(whole(others[i], DPK_MEMORY_READ)));
    assert_true(can(whole(key, DPK_MEMORY_READ)));
    dpk_memory_remove(key);
    assert_false(can(whole(key, DPK_MEMORY_READ)));
    dpk_memory_remove(key);
}

static void ranges_stay_within_the_key(void **state)
{
    static const struct {
        uint64_t address, size;
        bool allowed;
    } ranges[] = {
        {BASE, SIZE, true},
        {BASE, 1, true},
        {BASE + SIZE - 1, 1, true},
        {BASE + SIZE, 0, true},
        {BASE + SIZE, 1, false},
        {BASE, SIZE + 1, false},
        {BASE - 1, 1, false},
        {BASE - 1, 0, false},
        {BASE + SIZE + 1, 0, false},
        {BASE + 8, UINT64_MAX - BASE, false}, /* wraps */
        {BASE + 8, UINT64_MAX - 7, false},
        {BASE, UINT64_MAX, false},
        {UINT64_MAX, 1, false},
        {UINT64_MAX, UINT64_MAX, false},
        {0, SIZE, false},
        {0, UINT64_MAX, false},
    };
    (void)state;
    uint32_t key = add_host(ALL);
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        assert_int_equal(can((struct dpk_memory_access){key, DPK_MEMORY_READ, ranges[i].address,
                                                        ranges[i].size, &ours}),
                         ranges[i].allowed);
    dpk_memory_remove(key);
}

static void a_range_may_end_with_the_address_space(void **state)
{
    (void)state;
    uint32_t key = add((struct dpk_memory){.kind = DPK_MEMORY_HOST,
                                           .rights = DPK_MEMORY_READ,
                                           .address = UINT64_MAX - SIZE + 1,
                                           .size = SIZE,
                                           .host = bytes,
                                           .domains = {&ours}});
    assert_true(can((struct dpk_memory_access){key, DPK_MEMORY_READ, UINT64_MAX, 1, &ours}));
    assert_false(can((struct dpk_memory_access){key, DPK_MEMORY_READ, UINT64_MAX, 2, &ours}));
    assert_false(can((struct dpk_memory_access){key, DPK_MEMORY_READ, 0, 1, &ours}));
    dpk_memory_remove(key);
}

static void each_right_is_asked_for(void **state)
{
    (void)state;
    for (unsigned given = 0; given <= ALL; given++) {
        uint32_t key = add_host(given);
        for (unsigned wanted = 1; wanted <= ALL; wanted <<= 1)
            assert_int_equal(can(whole(key, wanted)), (given & wanted) != 0);
        assert_int_equal(can(whole(key, ALL)), given == ALL);
        dpk_memory_remove(key);
    }
}

static void an_access_without_rights_is_refused(void **state)
{
    (void)state;
    const unsigned given[] = {0, DPK_MEMORY_READ, ALL};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        uint32_t key = add_host(given[i]);
        const struct dpk_memory_access a = whole(key, 0);
        uint8_t copy[SIZE];
        assert_false(can(a));
        assert_false(dpk_memory_is_there(&a) || dpk_memory_read(&a, copy));
        dpk_memory_remove(key);
    }
}

static void only_its_domains_have_a_key(void **state)
{
    static struct dpk_memory_domain eight[DPK_MEMORY_DOMAINS_MAX];
    struct dpk_memory m = {.kind = DPK_MEMORY_HOST,
                           .rights = DPK_MEMORY_READ,
                           .address = BASE,
                           .size = SIZE,
                           .host = bytes};
    (void)state;
    struct dpk_memory_access nobodys = whole(add(m), DPK_MEMORY_READ);
    for (size_t i = 0; i < DPK_MEMORY_DOMAINS_MAX; i++)
        m.domains[i] = &eight[i];
    struct dpk_memory_access a = whole(add(m), DPK_MEMORY_READ);
    for (size_t i = 0; i < DPK_MEMORY_DOMAINS_MAX; i++) {
        a.domain = nobodys.domain = &eight[i];
        assert_true(can(a));
        assert_false(can(nobodys));
        assert_int_equal(atomic_load(&eight[i].keys), 1);
    }
    a.domain = &theirs;
    assert_false(can(a));
    a.domain = nobodys.domain = NULL;
    assert_false(can(a) || can(nobodys));
    dpk_memory_remove(a.key);
    dpk_memory_remove(nobodys.key);
    for (size_t i = 0; i < DPK_MEMORY_DOMAINS_MAX; i++)
        assert_int_equal(atomic_load(&eight[i].keys), 0);
}

/* ---- Reasons ---- */

static void each_refusal_has_its_reason(void **state)
{
    const struct {
        uint64_t address, size;
        unsigned rights;
        const struct dpk_memory_domain *domain;
        const char *reason;
    } refused[] = {
        {BASE, 1, DPK_MEMORY_WRITE | DPK_MEMORY_REMOTE_ATOMIC, &ours,
         "allows no local write, remote atomic operation"},
        {BASE, 1, DPK_MEMORY_READ, &theirs, "is of another protection domain or device"},
        {BASE, SIZE + 1, DPK_MEMORY_READ, &ours,
         "has 0x1000 to 0x10ff, the access ends 1 byte after the end"},
        {BASE - 8, 16, DPK_MEMORY_READ, &ours, "has 0x1000 to 0x10ff, the access begins 8 bytes"},
        {BASE + 8, UINT64_MAX, DPK_MEMORY_READ, &ours, "after"},
        {0, 1, 0, &ours, "allows no"},
    };
    char text[DPK_MEMORY_REASON_MAX], name[64];
    (void)state;
    const uint32_t key = add_host(DPK_MEMORY_READ);
    snprintf(name, sizeof name, "key 0x%x ", key);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const struct dpk_memory_access a = {key, refused[i].rights, refused[i].address,
                                            refused[i].size, refused[i].domain};
        assert_false(can(a));
        assert_non_null(strstr(dpk_memory_explain(&a, text), refused[i].reason));
        assert_non_null(strstr(text, name));
    }
    const struct dpk_memory_access none = whole(key + 1, DPK_MEMORY_READ),
                                   all = whole(key, DPK_MEMORY_READ);
    assert_non_null(strstr(dpk_memory_explain(&none, text), "is unknown"));
    dpk_memory_remove(key);
    assert_non_null(strstr(dpk_memory_explain(&all, text), "is not registered any more"));
}

static void a_copy_that_fails_names_the_end_that_is_wrong(void **state)
{
    char text[DPK_MEMORY_REASON_MAX], name[64];
    (void)state;
    const uint32_t from = add_host(DPK_MEMORY_READ), to = add_host(DPK_MEMORY_WRITE);
    const struct dpk_memory_access read = whole(from, DPK_MEMORY_READ),
                                   write = whole(to, DPK_MEMORY_WRITE);
    const struct dpk_memory_access no_read = whole(to, DPK_MEMORY_READ),
                                   no_write = whole(from, DPK_MEMORY_WRITE);
    assert_false(dpk_memory_copy(&write, &no_read) || dpk_memory_copy(&no_write, &read));
    snprintf(name, sizeof name, "key 0x%x allows no local read", to);
    assert_string_equal(dpk_memory_explain_copy(&write, &no_read, text), name);
    snprintf(name, sizeof name, "key 0x%x allows no local write", from);
    assert_string_equal(dpk_memory_explain_copy(&no_write, &read, text), name);
    dpk_memory_remove(from);
    dpk_memory_remove(to);
}

static void what_is_not_here_is_only_described(void **state)
{
    struct dpk_memory m = {.kind = DPK_MEMORY_REMOTE,
                           .rights = ALL,
                           .address = BASE,
                           .size = SIZE,
                           .exported_key = 17,
                           .domains = {&ours}},
                      found;
    uint64_t word = 0;
    (void)state;
    uint32_t remote = add(m);
    m.kind = DPK_MEMORY_NONE;
    uint32_t none = add(m);
    const struct dpk_memory_access a = {remote, DPK_MEMORY_READ, BASE, 8, &ours},
                                   b = {none, DPK_MEMORY_WRITE, BASE, 8, &ours};
    assert_false(can(a) || can(b) || dpk_memory_is_there(&a));
    assert_false(dpk_memory_read(&a, &word) || dpk_memory_write(&b, &word));
    assert_false(dpk_memory_fetch_add(&a, 1, &word) || dpk_memory_copy(&b, &a));
    assert_true(dpk_memory_describe(remote, &found) && dpk_memory_is_in(&found, &ours));
    assert_int_equal(found.exported_key, 17);
    assert_false(dpk_memory_is_in(&found, &theirs));
    dpk_memory_remove(remote);
    dpk_memory_remove(none);
    assert_false(dpk_memory_describe(remote, &found));
}

/* ---- Accesses ---- */

static void host_memory_is_read_and_written(void **state)
{
    uint8_t data[SIZE], back[SIZE];
    (void)state;
    uint32_t key = add_host(DPK_MEMORY_READ | DPK_MEMORY_WRITE);
    for (size_t size = 1; size <= 16; size++)
        for (size_t at = 0; at < 16; at++) {
            struct dpk_memory_access a = {key, DPK_MEMORY_WRITE, BASE + at, size, &ours};
            memset(bytes, 0, sizeof bytes);
            for (size_t i = 0; i < size; i++)
                data[i] = (uint8_t)(size * 16 + i + 1);
            assert_true(dpk_memory_is_there(&a) && dpk_memory_write(&a, data));
            assert_memory_equal(bytes + at, data, size);
            assert_int_equal(bytes[at + size], 0);
            a.rights = DPK_MEMORY_READ;
            assert_true(dpk_memory_read(&a, back));
            assert_memory_equal(back, data, size);
            a.rights = DPK_MEMORY_REMOTE_WRITE;
            assert_false(dpk_memory_write(&a, back));
            a = (struct dpk_memory_access){key, DPK_MEMORY_WRITE, BASE + at, size, &theirs};
            assert_false(dpk_memory_write(&a, back));
        }
    dpk_memory_remove(key);
}

/* Of several parts, each in a domain of its own. */
static void copies_go_from_key_to_key(void **state)
{
    enum { LENGTH = 3 * 4096 + 5 };
    static uint8_t from[LENGTH], to[LENGTH + 1];
    struct dpk_memory m = {.kind = DPK_MEMORY_HOST, .size = LENGTH, .host = from};
    (void)state;
    for (size_t i = 0; i < LENGTH; i++)
        from[i] = (uint8_t)(i * 7 + i / 251);
    m.rights = DPK_MEMORY_READ;
    m.domains[0] = &ours;
    struct dpk_memory_access a = {add(m), DPK_MEMORY_READ, 0, LENGTH, &ours};
    m.rights = DPK_MEMORY_WRITE;
    m.host = to;
    m.domains[0] = &theirs;
    struct dpk_memory_access b = {add(m), DPK_MEMORY_WRITE, 0, LENGTH, &theirs};
    assert_true(dpk_memory_copy(&b, &a));
    assert_memory_equal(from, to, LENGTH);
    assert_int_equal(to[LENGTH], 0);
    memset(to, 0, sizeof to);
    assert_false(dpk_memory_copy(&a, &b)); /* neither is for that */
    b.size++;
    assert_false(dpk_memory_copy(&b, &a)); /* not of one size */
    a.size++;
    assert_false(dpk_memory_copy(&b, &a)); /* beyond both */
    a.size = b.size = LENGTH;
    a.domain = &theirs;
    assert_false(dpk_memory_copy(&b, &a));
    assert_int_equal(to[0] | to[1] | to[2], 0);
    dpk_memory_remove(a.key);
    dpk_memory_remove(b.key);
}

/* The memory that a bus of tests leads to: `there`. Its second half cannot be copied. */
static uint8_t there[SIZE];

static bool is_good(uint64_t address, size_t size)
{
    return address >= BASE && address - BASE + size <= SIZE / 2;
}

static bool bus_read(void *context, uint64_t address, void *to, size_t size)
{
    assert_ptr_equal(context, there);
    if (is_good(address, size))
        memcpy(to, there + (address - BASE), size);
    return is_good(address, size);
}

static bool bus_write(void *context, uint64_t address, const void *from, size_t size)
{
    assert_ptr_equal(context, there);
    if (is_good(address, size))
        memcpy(there + (address - BASE), from, size);
    return is_good(address, size);
}

static void memory_behind_a_bus_is_only_copied(void **state)
{
    static const struct dpk_memory_bus bus = {bus_read, bus_write};
    struct dpk_memory m = {.kind = DPK_MEMORY_BUS,
                           .rights = DPK_MEMORY_READ | DPK_MEMORY_WRITE,
                           .address = BASE,
                           .size = SIZE,
                           .bus = &bus,
                           .bus_context = there,
                           .domains = {&ours}};
    (void)state;
    const uint32_t host = add_host(ALL), key = add(m);
    m.rights = DPK_MEMORY_READ;
    const uint32_t only_read = add(m);
    struct dpk_memory_access a = {key, DPK_MEMORY_READ, BASE, SIZE / 2, &ours}, b = a;
    uint64_t word = 0;
    b.key = host;
    b.rights = DPK_MEMORY_WRITE;
    memset(there, 7, sizeof there);
    memset(bytes, 0, sizeof bytes);
    assert_true(dpk_memory_copy(&b, &a)); /* from there */
    assert_true(bytes[0] == 7 && bytes[SIZE / 2 - 1] == 7 && bytes[SIZE / 2] == 0);
    memset(bytes, 9, SIZE);
    a.rights = DPK_MEMORY_WRITE;
    b.rights = DPK_MEMORY_READ;
    assert_true(dpk_memory_copy(&a, &b)); /* to there */
    assert_true(there[0] == 9 && there[SIZE / 2 - 1] == 9 && there[SIZE / 2] == 7);
    a.size = b.size = SIZE / 2 + 1;
    assert_false(dpk_memory_copy(&a, &b)); /* the bus says no */
    a.size = b.size = 8;
    assert_false(can(whole(only_read, DPK_MEMORY_WRITE)));
    assert_false(can(a) || dpk_memory_is_there(&a) || dpk_memory_write(&a, &word));
    dpk_memory_remove(host);
    dpk_memory_remove(key);
    dpk_memory_remove(only_read);
}

static void dpa_memory_is_its_process_s(void **state)
{
    struct dpk_process *p = process_with(NULL);
    struct dpk_error err = {0};
    uint64_t address, before;
    uint32_t word = 5, back = 0;
    (void)state;
    assert_int_equal(dpk_heap_alloc(p, 64, &address, &err), DPK_OK);
    struct dpk_memory m = {.kind = DPK_MEMORY_DPA,
                           .rights = ALL,
                           .address = address,
                           .size = 64,
                           .process = p,
                           .domains = {&ours}};
    uint32_t key = add(m), none = 0;
    struct dpk_memory_access a = {key, DPK_MEMORY_WRITE | DPK_MEMORY_READ, address, 4, &ours};
    assert_true(dpk_memory_is_there(&a) && dpk_memory_write(&a, &word));
    assert_true(dpk_memory_read(&a, &back));
    assert_int_equal(back, 5);
    a.size = 8;
    a.rights = ALL;
    assert_true(dpk_memory_fetch_add(&a, 3, &before));
    assert_int_equal(before, 5);
    assert_true(dpk_memory_compare_swap(&a, 8, 100, &before));
    assert_true(dpk_memory_read(&a, &before));
    assert_int_equal(before, 100);
    m.address = 16; /* nothing is there */
    assert_int_equal(dpk_memory_add(&m, &none, &err), DPK_ERR_RANGE);
    m.address = UINT64_MAX - 8;
    assert_int_equal(dpk_memory_add(&m, &none, &err), DPK_ERR_RANGE);
    assert_int_equal(none, 0);
    dpk_memory_remove_process(p);
    assert_false(dpk_memory_is_there(&a));
    dpk_process_destroy(p);
}

static void atomic_operations_take_aligned_words(void **state)
{
    uint64_t before = 0, word = 40;
    (void)state;
    memcpy(bytes + 8, &word, sizeof word);
    uint32_t key = add_host(DPK_MEMORY_REMOTE_ATOMIC);
    struct dpk_memory_access a = {key, DPK_MEMORY_REMOTE_ATOMIC, BASE + 8, 8, &ours};
    assert_true(dpk_memory_fetch_add(&a, 2, &before));
    assert_int_equal(before, 40);
    assert_true(dpk_memory_compare_swap(&a, 41, 7, &before)); /* is not that */
    assert_int_equal(before, 42);
    assert_true(dpk_memory_compare_swap(&a, 42, 7, &before));
    memcpy(&word, bytes + 8, sizeof word);
    assert_int_equal(word, 7);
    const struct {
        uint64_t address, size;
    } bad[] = {{BASE + 9, 8}, {BASE + SIZE - 4, 8}, {BASE + 8, 4}, {BASE + 8, 16}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        a.address = bad[i].address;
        a.size = bad[i].size;
        assert_false(dpk_memory_fetch_add(&a, 1, &before));
        assert_false(dpk_memory_compare_swap(&a, 0, 1, &before));
    }
    dpk_memory_remove(key);
    a = (struct dpk_memory_access){add_host(ALL & ~DPK_MEMORY_REMOTE_ATOMIC),
                                   DPK_MEMORY_REMOTE_ATOMIC, BASE + 8, 8, &ours};
    assert_false(dpk_memory_fetch_add(&a, 1, &before));
    assert_false(dpk_memory_compare_swap(&a, 7, 1, &before));
    dpk_memory_remove(a.key);
}

static bool can_register(const uint8_t *at, size_t size, unsigned rights)
{
    const struct dpk_memory m = {.kind = DPK_MEMORY_HOST,
                                 .rights = rights,
                                 .address = (uintptr_t)at,
                                 .size = size,
                                 .host = (uint8_t *)at};
    uint32_t key = 0;
    enum dpk_status status = dpk_memory_add(&m, &key, NULL);
    if (status == DPK_OK)
        dpk_memory_remove(key);
    else
        assert_int_equal(status, DPK_ERR_RANGE);
    return status == DPK_OK;
}

static void only_memory_that_is_there_is_registered(void **state)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    (void)state;
    uint8_t *at = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(at != MAP_FAILED);
    assert_int_equal(munmap(at + page, page), 0);
    if (madvise(at, page, MADV_POPULATE_READ) != 0)
        skip_because("the kernel cannot tell what is mapped");
    assert_true(can_register(at + 7, 9, DPK_MEMORY_REMOTE_WRITE));
    assert_true(can_register(at, page, DPK_MEMORY_REMOTE_WRITE));
    assert_false(can_register(at, page + 1, DPK_MEMORY_READ));
    assert_false(can_register(at + 2 * page - 1, 2, DPK_MEMORY_READ));
    assert_int_equal(mprotect(at, page, PROT_READ), 0);
    assert_true(can_register(at, page, DPK_MEMORY_READ));
    assert_false(can_register(at, page, DPK_MEMORY_REMOTE_WRITE));
    assert_false(can_register(NULL, 1, DPK_MEMORY_READ));
    assert_false(can_register(at, 0, DPK_MEMORY_READ));
    assert_false(can_register(at, SIZE_MAX, DPK_MEMORY_READ));
    assert_false(can_register((uint8_t *)1, SIZE_MAX, DPK_MEMORY_READ));
    munmap(at, page);
    munmap(at + 2 * page, page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_a_key_is_found),
        cmocka_unit_test(ranges_stay_within_the_key),
        cmocka_unit_test(a_range_may_end_with_the_address_space),
        cmocka_unit_test(each_right_is_asked_for),
        cmocka_unit_test(an_access_without_rights_is_refused),
        cmocka_unit_test(only_its_domains_have_a_key),
        cmocka_unit_test(each_refusal_has_its_reason),
        cmocka_unit_test(a_copy_that_fails_names_the_end_that_is_wrong),
        cmocka_unit_test(what_is_not_here_is_only_described),
        cmocka_unit_test(host_memory_is_read_and_written),
        cmocka_unit_test(copies_go_from_key_to_key),
        cmocka_unit_test(memory_behind_a_bus_is_only_copied),
        cmocka_unit_test(dpa_memory_is_its_process_s),
        cmocka_unit_test(atomic_operations_take_aligned_words),
        cmocka_unit_test(only_memory_that_is_there_is_registered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
