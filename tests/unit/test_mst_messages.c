/* Hostile messages to a card: valid accesses of all registers, by the mailbox and by fwctl, with bytes, sizes and
 * opcodes changed at random. The card answers or refuses each, stays whole, and never writes outside of the message.
 *
 *     MESSAGES=1000000 MESSAGES_SEED=7 build/obj/tests/test_mst_messages
 *
 * prints how many messages were answered and how many were refused. */
#include "api/mst/mst.h"

#include <errno.h>

#include "device/registers/private.h"
#include "device_world.h"

#define MESSAGES_DEFAULT 50000
#define SETS             4 /* one message of so many is a set */

static struct dpk_registers *registers;
static uint64_t state_of_random;
static struct counts {
    uint64_t answered, refused;
} by_mailbox, by_command, by_ioctl;

/* SQLite calls these functions instead of the kernel's: no power fails here, and a disk takes milliseconds for
 * each accepted set. */
int fsync(int fd)
{
    (void)fd;
    return 0;
}

int fdatasync(int fd)
{
    return fsync(fd);
}

/* xorshift64*, by Vigna. */
static uint32_t any(uint32_t below)
{
    state_of_random ^= state_of_random >> 12;
    state_of_random ^= state_of_random << 25;
    state_of_random ^= state_of_random >> 27;
    return (uint32_t)(state_of_random * UINT64_C(0x2545F4914F6CDD1D) >> 32) % below;
}

static uint64_t number_of(const char *variable, uint64_t without)
{
    uint64_t number = without;
    const char *text = getenv(variable);
    if (text && !dpk_number(text, 1, UINT32_MAX, &number))
        fail_msg("%s=%s is not a number from 1 on", variable, text);
    return number;
}

static int open_card(void **state)
{
    const struct dpk_registers_source source = {.device = "dev0"};
    const int made = fresh_device(state);
    assert_int_equal(dpk_registers_open(&source, &registers, NULL), DPK_OK);
    return made;
}

static int close_card(void **state)
{
    dpk_registers_close(registers);
    return drop_device(state);
}

/* ---- Messages ---- */

struct message {
    unsigned number; /* of a register */
    bool set;
    size_t size;
    uint8_t data[DPK_REGISTER_SIZE_MAX];
};

/* Makes a valid get or set of any register, with plausible numbers in its first dwords. */
static void make_message(struct message *m)
{
    size_t count;
    const struct register_group *const *groups = register_groups(&count);
    const struct register_group *group = groups[any((uint32_t)count)];
    const struct register_layout *layout = &group->layouts[any((uint32_t)group->count)];
    *m = (struct message){
        .number = layout->number, .set = any(SETS) == 0, .size = (layout->size + 3) / 4 * 4};
    if (any(2))
        dpk_store_be32(m->data, any(3) << 16 | (any(2) ? 4 : any(8)));
    for (unsigned i = any(4); i > 0; i--)
        dpk_store_be32(m->data + 4 * (size_t)any((uint32_t)m->size / 4), any(UINT32_MAX));
}

/* Changes bytes at random: bits, extreme values, or a whole dword. Half of the messages stay as they are. */
static void mutate(uint8_t *bytes, size_t size)
{
    for (unsigned i = any(2) ? any(6) : 0; i > 0; i--) {
        uint8_t *at = &bytes[any((uint32_t)size)];
        switch (any(3)) {
        case 0:
            *at ^= (uint8_t)(1u << any(8));
            break;
        case 1:
            *at = any(2) ? 0xff : 0;
            break;
        default:
            *at = (uint8_t)any(256);
        }
    }
}

/* A refusal leaves the register as it was; only MCC gives the device's reason, too. */
static void check_answer(const struct message *m, unsigned status, const uint8_t *before,
                         const uint8_t *after, size_t size)
{
    assert_int_not_equal(status, DPK_REGISTER_INTERNAL_ERROR);
    if (status != DPK_REGISTER_OK && m->number != 0x9062 && memcmp(before, after, size) != 0)
        fail_msg("register 0x%x: status %u, and changed bytes", m->number, status);
}

static void count(struct counts *of, bool is_answer)
{
    of->answered += is_answer;
    of->refused += !is_answer;
}

/* ---- The mailbox ---- */

#define HEADERS 20

static void send_to_mailbox(const struct message *m)
{
    uint8_t guarded[MST_MAILBOX_SIZE + 64], before[sizeof guarded];
    uint8_t *mailbox = guarded + 32;
    memset(guarded, 0xee, sizeof guarded);
    memset(mailbox, 0, MST_MAILBOX_SIZE);
    dpk_store_be32(mailbox, 1u << 27 | 4u << 16);
    dpk_store_be32(mailbox + 4, m->number << 16 | (m->set ? 2u : 1u) << 8 | 1);
    dpk_store_be32(mailbox + 16, 3u << 27 | (uint32_t)(m->size / 4 + 1) << 16);
    memcpy(mailbox + HEADERS, m->data, m->size);
    mutate(mailbox, any(3) ? HEADERS : HEADERS + m->size);
    memcpy(before, guarded, sizeof guarded);
    const unsigned opcode = any(64) ? 0x9001 : any(0x10000);
    const enum mst_icmd_status status = mst_icmd(registers, opcode, mailbox, -1);
    assert_memory_equal(before, guarded, 32);
    assert_memory_equal(before + 32 + MST_MAILBOX_SIZE, guarded + 32 + MST_MAILBOX_SIZE, 32);
    if (status != MST_ICMD_OK || opcode != 0x9001) {
        count(&by_mailbox, status == MST_ICMD_OK);
        return;
    }
    const unsigned of_register = (unsigned)(mailbox[2] & 0x7f);
    struct message sent = *m;
    sent.number = (unsigned)before[32 + 4] << 8 | before[32 + 5];
    check_answer(&sent, of_register, before + 32 + HEADERS, mailbox + HEADERS,
                 MST_MAILBOX_SIZE - HEADERS);
    count(&by_mailbox, of_register == DPK_REGISTER_OK);
}

/* ---- fwctl ---- */

#define COMMAND_HEADER 16

static size_t put_command(const struct message *m, uint8_t *out)
{
    memset(out, 0, COMMAND_HEADER);
    out[0] = 0x08, out[1] = 0x05;
    out[7] = !m->set;
    out[10] = (uint8_t)(m->number >> 8), out[11] = (uint8_t)m->number;
    memcpy(out + COMMAND_HEADER, m->data, m->size);
    mutate(out, any(3) ? COMMAND_HEADER : COMMAND_HEADER + m->size);
    return any(8) ? COMMAND_HEADER + m->size : any((uint32_t)(COMMAND_HEADER + m->size) + 1);
}

static void send_command(const struct message *m)
{
    uint8_t in[COMMAND_HEADER + DPK_REGISTER_SIZE_MAX], out[sizeof in + 32];
    const size_t in_size = put_command(m, in);
    const size_t out_size = any(8) ? sizeof in : any(sizeof in);
    memset(out, 0xee, sizeof out);
    mst_fwctl_command(registers, in, in_size, out, out_size, -1);
    for (size_t i = out_size < COMMAND_HEADER ? 0 : out_size; i < sizeof out; i++)
        assert_int_equal(out[i], 0xee);
    count(&by_command, out_size >= COMMAND_HEADER && out[0] == 0);
}

/* An ioctl, whose structure is changed at random, and whose pointers may point nowhere. */
static void send_ioctl(const struct message *m)
{
    uint8_t in[COMMAND_HEADER + DPK_REGISTER_SIZE_MAX], out[sizeof in + 32];
    struct {
        uint32_t size, scope, in_size, out_size;
        uint64_t in, out;
    } rpc = {.size = sizeof rpc, .scope = any(4), .in = (uintptr_t)in, .out = (uintptr_t)out};
    rpc.in_size = (uint32_t)put_command(m, in);
    rpc.out_size = sizeof in;
    memset(out, 0xee, sizeof out);
    /* Numbers that fit no buffer would be the program's own mistake: it has mapped the memory behind. */
    switch (any(8)) {
    case 0:
        rpc.size = any(64);
        break;
    case 1:
        rpc.scope = any(UINT32_MAX);
        break;
    case 2:
        rpc.in = any(2) ? 0 : any(4096);
        break;
    case 3:
        rpc.out = any(2) ? 0 : UINT64_MAX - any(4096);
        break;
    case 4:
        rpc.in_size = (2u << 20) + 1 + any(1u << 30);
        break;
    default:
        break;
    }
    const unsigned long request = any(16) ? 0x9a01 : 0x9a00 + any(4);
    const int error = mst_fwctl_ioctl(registers, request, &rpc, -1);
    assert_true(error == 0 || error == EINVAL || error == EFAULT || error == EMSGSIZE ||
                error == ENOTTY || error == EOPNOTSUPP);
    for (size_t i = sizeof in; i < sizeof out; i++)
        assert_int_equal(out[i], 0xee);
    count(&by_ioctl, error == 0 && (request == 0x9a00 || out[0] == 0));
}

/* ---- The test ---- */

/* The card still answers as at first. */
static void the_card_is_whole(void)
{
    uint8_t mgir[0x50] = {0}, set[16] = {0, 0, 0, 4, 0, 0, 1, 17, [12] = 0x80};
    struct dpk_device *again = NULL;
    assert_int_equal(dpk_register_access(registers, 0x9020, DPK_REGISTER_GET, mgir, sizeof mgir),
                     DPK_REGISTER_OK);
    assert_int_equal(dpk_register_access(registers, 0x9024, DPK_REGISTER_SET, set, sizeof set),
                     DPK_REGISTER_OK);
    assert_int_equal(dpk_device_open("dev0", &again, NULL), DPK_OK);
    assert_int_equal(dpk_device_reset(again, NULL), DPK_OK);
    dpk_device_close(again);
}

static void print(const char *way, const struct counts *c)
{
    print_message("%-10s %9llu answered, %9llu refused\n", way, (unsigned long long)c->answered,
                  (unsigned long long)c->refused);
}

static void hostile_messages_are_answered_or_refused(void **state)
{
    (void)state;
    const uint64_t messages = number_of("MESSAGES", MESSAGES_DEFAULT),
                   seed = number_of("MESSAGES_SEED", 1);
    struct message m;
    state_of_random = seed * UINT64_C(0x9E3779B97F4A7C15);
    for (uint64_t i = 0; i < messages; i++) {
        make_message(&m);
        switch (any(3)) {
        case 0:
            send_to_mailbox(&m);
            break;
        case 1:
            send_command(&m);
            break;
        default:
            send_ioctl(&m);
        }
    }
    print("mailbox", &by_mailbox);
    print("fwctl", &by_command);
    print("ioctl", &by_ioctl);
    const struct counts all = {by_mailbox.answered + by_command.answered + by_ioctl.answered,
                               by_mailbox.refused + by_command.refused + by_ioctl.refused};
    print("all", &all);
    assert_int_equal(all.answered + all.refused, messages);
    assert_true(all.answered > messages / 10 && all.refused > messages / 10);
    the_card_is_whole();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(hostile_messages_are_answered_or_refused, open_card,
                                        close_card),
    };
    return cmocka_run_group_tests(tests, make_world, free_world);
}
