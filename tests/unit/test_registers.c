/* runtime/device/registers: access registers, as NVIDIA's tools read and write them. */
#include "device/registers/private.h"

#include "device_containers.h"
#include "device_world.h"

#define NVDA     0x9024
#define NVDI     0x9025
#define NVQC     0x9030
#define NVIA     0x9033
#define NVGC     0x9034
#define NVGN     0x9035
#define MGIR     0x9020
#define MFRL     0x9028
#define MQIS     0x9064
#define MCAM     0x907f
#define MTRC_CAP 0x9040
#define MDSR     0x9110
#define MRSV     0x9164
#define PMLP     0x5002
#define PTYS     0x5004
#define PAOS     0x5006
#define PMAOS    0x5012
#define PDDR     0x5031
#define PCAM     0x507f

static struct dpk_registers *registers;

static int open_registers(void **state)
{
    const struct dpk_registers_source source = {.device = "dev0"};
    const int made = fresh_device(state);
    assert_int_equal(dpk_registers_open(&source, &registers, NULL), DPK_OK);
    return made;
}

static int close_registers(void **state)
{
    dpk_registers_close(registers);
    return drop_device(state);
}

static unsigned access_of(unsigned number, unsigned method, uint8_t *data, size_t size)
{
    return dpk_register_access(registers, number, method, data, size);
}

/* USER_PROGRAMMABLE_CC. */
static void item_of(uint8_t *data, unsigned mode)
{
    dpk_store_be32(data, mode << 22 | 4);
    dpk_store_be32(data + 4, 273);
}

static void set_item(uint32_t value)
{
    uint8_t data[16] = {0};
    item_of(data, 0);
    dpk_store_be32(data + 12, value);
    assert_int_equal(access_of(NVDA, DPK_REGISTER_SET, data, sizeof data), DPK_REGISTER_OK);
}

static uint32_t item(unsigned mode)
{
    uint8_t data[16] = {0};
    item_of(data, mode);
    assert_int_equal(access_of(NVDA, DPK_REGISTER_GET, data, sizeof data), DPK_REGISTER_OK);
    struct dpk_reader r = dpk_reader(data + 12, 4);
    return dpk_read_be32(&r);
}

static void an_item_has_three_views(void **state)
{
    (void)state;
    set_item(0x80000000);
    assert_int_equal(item(0), 0x80000000);
    assert_int_equal(item(1), 0);
    assert_int_equal(item(2), 0);
    assert_int_equal(dpk_device_reset(dev, NULL), DPK_OK);
    assert_int_equal(item(1), 0x80000000);
    assert_int_equal(item(2), 0);
}

static void items_are_invalidated(void **state)
{
    (void)state;
    uint8_t one[12] = {0}, all[8] = {0};
    set_item(0x80000000);
    item_of(one, 0);
    assert_int_equal(access_of(NVDI, DPK_REGISTER_SET, one, sizeof one), DPK_REGISTER_OK);
    assert_int_equal(item(0), 0);
    set_item(0x80000000);
    assert_int_equal(access_of(NVIA, DPK_REGISTER_SET, all, sizeof all), DPK_REGISTER_OK);
    assert_int_equal(item(0), 0);
    all[3] = 1; /* another target than all */
    assert_int_equal(access_of(NVIA, DPK_REGISTER_SET, all, sizeof all),
                     DPK_REGISTER_BAD_PARAMETER);
}

static void a_walk_is_of_one_moment(void **state)
{
    (void)state;
    uint8_t data[156] = {0};
    assert_int_equal(access_of(NVGN, DPK_REGISTER_GET, data, sizeof data),
                     DPK_REGISTER_NOT_AVAILABLE);
    set_item(0x80000000);
    memset(data, 0, sizeof data);
    assert_int_equal(access_of(NVGN, DPK_REGISTER_GET, data, sizeof data), DPK_REGISTER_OK);
    const uint8_t first[32] = {0, 0, 0, 1, [16] = 0x03, 0, 0, 4, 0, 0, 1, 17, [28] = 0x80};
    assert_memory_equal(data, first, sizeof first);
    assert_int_equal(dpk_device_drop_user_settings(dev, NULL), DPK_OK);
    assert_int_equal(access_of(NVGN, DPK_REGISTER_GET, data, sizeof data), DPK_REGISTER_OK);
    assert_int_equal(data[3], 0); /* the end */
    data[3] = 9;
    assert_int_equal(access_of(NVGN, DPK_REGISTER_GET, data, sizeof data),
                     DPK_REGISTER_BAD_PARAMETER);
}

static void support_is_by_definition(void **state)
{
    (void)state;
    static const struct {
        uint8_t type[4];
        uint8_t support;
    } items[] = {
        {{0, 0, 1, 17}, 3},         /* nv_prog_cc */
        {{0, 0, 0, 161}, 3},        /* nv_dpa_boot_cap, whose definition does not say so */
        {{0, 0, 1, 156}, 1},        /* the owner's key */
        {{0, 0xd9, 0xa0, 0x01}, 1}, /* what debuggers may do */
        {{0, 0, 1, 15}, 1},         /* the identity of a file */
        {{6, 0, 0, 3}, 0},          /* a comment of a file */
        {{0, 0, 0, 0}, 0},          /* nothing */
        {{5, 0xff, 0xff, 0xff}, 0}, /* no class */
    };
    for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
        uint8_t data[8] = {0};
        memcpy(data, items[i].type, 4);
        assert_int_equal(access_of(NVQC, DPK_REGISTER_GET, data, sizeof data), DPK_REGISTER_OK);
        assert_int_equal(data[7] & 3, items[i].support);
    }
}

/* Returns the status of NVDA with this header and four bytes of data. */
static unsigned set_header(uint32_t first, uint32_t type)
{
    uint8_t data[16] = {0};
    dpk_store_be32(data, first);
    dpk_store_be32(data + 4, type);
    return access_of(NVDA, DPK_REGISTER_SET, data, sizeof data);
}

static void what_is_refused_changes_nothing(void **state)
{
    (void)state;
    assert_int_equal(set_header(4, 0x06000003), DPK_REGISTER_BAD_CONFIG);        /* of a file */
    assert_int_equal(set_header(4, 0x00d9a001), DPK_REGISTER_BAD_CONFIG);        /* of debuggers */
    assert_int_equal(set_header(4, 161), DPK_REGISTER_BAD_PARAMETER);            /* another size */
    assert_int_equal(set_header(4 | 1u << 28, 273), DPK_REGISTER_BAD_CONFIG);    /* priority OEM */
    assert_int_equal(set_header(4 | 1u << 22, 273), DPK_REGISTER_BAD_PARAMETER); /* current */
    assert_int_equal(set_header(8, 273), DPK_REGISTER_BAD_PARAMETER); /* beyond the message */
    assert_int_equal(set_header(3, 273), DPK_REGISTER_BAD_PARAMETER);
    assert_int_equal(set_header(0, 273), DPK_REGISTER_BAD_PARAMETER);
    struct dpk_nv_list list = {0};
    size_t hidden;
    assert_int_equal(dpk_device_next_tlvs(dev, &list, &hidden, NULL), DPK_OK);
    assert_int_equal(list.count, 0);
    dpk_nv_list_free(&list);
}

static void items_without_value_or_room(void **state)
{
    (void)state;
    uint8_t data[44] = {0}, unset[44] = {0};
    dpk_store_be32(data + 4, 12345); /* nothing the card knows */
    assert_int_equal(access_of(NVDA, DPK_REGISTER_GET, data, sizeof data),
                     DPK_REGISTER_NOT_AVAILABLE);
    dpk_store_be32(data + 4, 0x06000003);
    assert_int_equal(access_of(NVDA, DPK_REGISTER_GET, data, sizeof data),
                     DPK_REGISTER_BAD_PARAMETER);
    dpk_store_be32(data, 3u << 22);
    dpk_store_be32(data + 4, 273);
    assert_int_equal(access_of(NVDA, DPK_REGISTER_GET, data, sizeof data),
                     DPK_REGISTER_BAD_PARAMETER);
    dpk_store_be32(unset + 4, 161);
    assert_int_equal(access_of(NVDA, DPK_REGISTER_GET, unset, 40), DPK_REGISTER_TOO_SHORT);
    assert_int_equal(access_of(NVDA, DPK_REGISTER_GET, unset, sizeof unset), DPK_REGISTER_OK);
    assert_int_equal(unset[3], 32);
    for (size_t i = 12; i < sizeof unset; i++)
        assert_int_equal(unset[i], 0);
}

static void a_card_tells_who_it_is(void **state)
{
    (void)state;
    struct dpk_device_info info;
    uint8_t mgir[160] = {0}, mqis[24] = {0, 0, 0, 1, [11] = 8}, nvgc[16] = {0};
    assert_int_equal(dpk_device_info(dev, &info, NULL), DPK_OK);
    assert_int_equal(access_of(MGIR, DPK_REGISTER_GET, mgir, sizeof mgir), DPK_REGISTER_OK);
    assert_int_equal(mgir[2] << 8 | mgir[3], 0xa2dc);
    assert_int_equal(mgir[10] << 8 | mgir[11], 0x21c);
    assert_string_equal((char *)mgir + 0x30, info.psid);
    assert_int_equal(access_of(MQIS, DPK_REGISTER_GET, mqis, sizeof mqis), DPK_REGISTER_OK);
    assert_memory_equal(mqis + 16, info.part_number, 8);
    assert_int_equal(mqis[7], strlen(info.part_number) + 1);
    mqis[8] = 0xff; /* an offset beyond the end */
    assert_int_equal(access_of(MQIS, DPK_REGISTER_GET, mqis, sizeof mqis),
                     DPK_REGISTER_BAD_PARAMETER);
    mqis[3] = 9;
    assert_int_equal(access_of(MQIS, DPK_REGISTER_GET, mqis, sizeof mqis),
                     DPK_REGISTER_NOT_AVAILABLE);
    assert_int_equal(access_of(NVGC, DPK_REGISTER_GET, nvgc, sizeof nvgc), DPK_REGISTER_OK);
    assert_int_equal(nvgc[3], 3);
}

static uint32_t uptime(void)
{
    uint8_t mgir[160] = {0};
    assert_int_equal(access_of(MGIR, DPK_REGISTER_GET, mgir, sizeof mgir), DPK_REGISTER_OK);
    struct dpk_reader r = dpk_reader(mgir + 0x1c, 4);
    return dpk_read_be32(&r);
}

/* The seconds are those between this moment and one before or after the access. */
static void assert_up_since(int64_t moment)
{
    const int64_t before = time(NULL), up = uptime(), after = time(NULL);
    assert_true(before - moment <= up && up <= after - moment);
}

static void uptime_is_since_the_last_boot(void **state)
{
    (void)state;
    struct dpk_device_boot made, boot;
    assert_int_equal(dpk_device_last_boot(dev, &made, NULL), DPK_OK);
    assert_int_equal(made.event, 0);
    assert_up_since(made.time);
    assert_int_equal(dpk_device_reset(dev, NULL), DPK_OK);
    assert_int_equal(dpk_device_last_boot(dev, &boot, NULL), DPK_OK);
    assert_true(boot.event > 0 && boot.time >= made.time);
    assert_up_since(boot.time);
}

/* The masks of MCAM and PCAM have a bit for each register that there is, and no other. */
static void masks_have_the_registers_that_there_are(void **state)
{
    (void)state;
    static const struct {
        unsigned number, group, first;
    } masks[] = {{MCAM, 0, 0x9000},
                 {MCAM, 1, 0x9080},
                 {MCAM, 2, 0x9100},
                 {PCAM, 0, 0x5000},
                 {0x4019, 0, 0x4000}};
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
        uint8_t mask[0x48] = {[3] = (uint8_t)masks[i].group};
        assert_int_equal(access_of(masks[i].number, DPK_REGISTER_GET, mask, sizeof mask),
                         DPK_REGISTER_OK);
        for (unsigned bit = 0; bit < 128; bit++) {
            const bool there = mask[8 + 15 - bit / 8] >> bit % 8 & 1;
            assert_int_equal(there, register_find(masks[i].first + bit) != NULL);
        }
        mask[3] = masks[i].number == MCAM ? 3 : 1;
        assert_int_equal(access_of(masks[i].number, DPK_REGISTER_GET, mask, sizeof mask),
                         DPK_REGISTER_BAD_PARAMETER);
        mask[3] = 0;
        mask[1] = 1; /* another group of features */
        assert_int_equal(access_of(masks[i].number, DPK_REGISTER_GET, mask, sizeof mask),
                         DPK_REGISTER_BAD_PARAMETER);
    }
}

/* Reads a register of a port: `out` has `size` bytes. `second`: the dword after that of the port. */
static unsigned read_port(unsigned number, unsigned port, uint32_t second, uint8_t *out,
                          size_t size)
{
    memset(out, 0, size);
    dpk_store_be32(out, (port & 0xff) << 16 | (port >> 8 & 3) << 12);
    dpk_store_be32(out + 4, second);
    return access_of(number, DPK_REGISTER_GET, out, size);
}

static void set_wire(const char *wire)
{
    assert_int_equal(dpk_device_set_wire(dev, wire, NULL), DPK_OK);
}

static void check_port(unsigned port, bool up)
{
    uint8_t r[0x100];
    assert_int_equal(read_port(PAOS, port, 0, r, 0x10), DPK_REGISTER_OK);
    assert_int_equal(r[3] & 15, up ? 1 : 2);
    assert_int_equal(r[2] & 15, 1); /* nobody has disabled it */
    assert_int_equal(read_port(PTYS, port, 0, r, 0x44), DPK_REGISTER_OK);
    assert_int_equal(r[0x22] << 8 | r[0x23], up ? 1 << 9 : 0); /* 100G in four lanes */
    assert_int_equal(r[6] << 8 | r[7], up ? 1000 : 0);
    assert_int_equal(read_port(PDDR, port, 0, r, sizeof r), DPK_REGISTER_OK);
    assert_int_equal(r[0xc], up ? 3 : 2);
    assert_int_equal(read_port(PDDR, port, 1, r, sizeof r), DPK_REGISTER_OK);
    assert_int_equal(r[0xe] << 8 | r[0xf], up ? 0 : 1024);
    assert_string_equal((char *)r + 0x14, up ? "No issue was observed" : "Cable is unplugged");
    assert_int_equal(read_port(PDDR, port, 3, r, sizeof r), DPK_REGISTER_OK);
    assert_int_equal(r[0xc] >> 4, up ? 3 : 4);
    assert_int_equal(read_port(PMAOS, port - 1, 0, r, 0x10), DPK_REGISTER_OK);
    assert_int_equal(r[3] & 15, up ? 1 : 2);
    assert_int_equal(read_port(PMLP, port, 0, r, 0x40), DPK_REGISTER_OK);
    for (unsigned lane = 0; lane < 4; lane++) {
        assert_int_equal(r[4 + 4 * lane + 3], port - 1);
        assert_int_equal(r[4 + 4 * lane + 1], lane);
    }
}

static void a_port_is_up_if_a_wire_is_plugged_in(void **state)
{
    (void)state;
    uint8_t r[0x100];
    check_port(1, true); /* a new device is plugged into itself */
    check_port(2, false);
    set_wire("none");
    check_port(1, false);
    set_wire("switch:rack-seven-of-twelve");
    check_port(1, true);
    assert_int_equal(read_port(PDDR, 1, 3, r, sizeof r), DPK_REGISTER_OK);
    assert_memory_equal(r + 8 + 0x14, "dpakit          ", 16);
    assert_memory_equal(r + 8 + 0x24, "switch          ", 16);
    assert_memory_equal(r + 8 + 0x3c, "rack-seven-of-tw", 16);
}

static void ports_pages_and_lanes_that_there_are_not(void **state)
{
    (void)state;
    static const struct {
        unsigned number;
        size_t size;
        bool settable;
    } of_ports[] = {{PMLP, 0x40, false},   {PTYS, 0x40, true},    {PAOS, 0x10, true},
                    {0x5027, 0x4c, false}, {0x5028, 0x28, false}, {PDDR, 0x100, false}};
    uint8_t r[0x100];
    for (size_t i = 0; i < sizeof of_ports / sizeof *of_ports; i++) {
        assert_int_equal(read_port(of_ports[i].number, 1, 0, r, of_ports[i].size), DPK_REGISTER_OK);
        for (unsigned port = 0; port < 4; port += 3)
            assert_int_equal(read_port(of_ports[i].number, port, 0, r, of_ports[i].size),
                             DPK_REGISTER_BAD_PARAMETER);
        assert_int_equal(access_of(of_ports[i].number, DPK_REGISTER_SET, r, of_ports[i].size),
                         of_ports[i].settable ? DPK_REGISTER_BAD_PARAMETER
                                              : DPK_REGISTER_METHOD_NOT_SUPPORTED);
    }
    assert_int_equal(read_port(PAOS, 0x101, 0, r, 0x10), DPK_REGISTER_BAD_PARAMETER);
    assert_int_equal(read_port(PDDR, 1, 9, r, sizeof r), DPK_REGISTER_OK); /* flags: none */
    assert_int_equal(read_port(PDDR, 1, 10, r, sizeof r), DPK_REGISTER_BAD_PARAMETER);
    assert_string_equal(dpk_registers_reason(registers),
                        "page 10, port 1 of type 0 and number type 0");
    assert_int_equal(read_port(PMAOS, 2, 0, r, 0x10), DPK_REGISTER_BAD_PARAMETER);
    memset(r, 0, sizeof r);
    r[1] = 1;
    r[2] = 4; /* the fifth lane of four */
    assert_int_equal(access_of(0x5028, DPK_REGISTER_GET, r, 0x28), DPK_REGISTER_BAD_PARAMETER);
}

static void there_are_no_debug_sessions_traces_and_straps(void **state)
{
    (void)state;
    uint8_t mdsr[0x30] = {[40] = 9}, mrsv[0x40] = {[20] = 9};
    assert_int_equal(access_of(MDSR, DPK_REGISTER_GET, mdsr, sizeof mdsr), DPK_REGISTER_OK);
    assert_int_equal(mdsr[3] & 15, 3); /* no token */
    assert_int_equal(mdsr[40], 0);
    mdsr[4] = 0x80; /* end the session */
    assert_int_equal(access_of(MDSR, DPK_REGISTER_SET, mdsr, sizeof mdsr), DPK_REGISTER_OK);
    assert_int_equal(mdsr[3] & 15, 1); /* failed: */
    assert_int_equal(mdsr[2] & 63, 1); /* no session is open */
    assert_int_equal(access_of(MRSV, DPK_REGISTER_GET, mrsv, sizeof mrsv), DPK_REGISTER_OK);
    assert_int_equal(mrsv[0] >> 7, 0); /* no strapping pins */
    assert_int_equal(mrsv[20], 0);
    uint8_t mtrc_cap[0x84] = {0x80, [20] = 9};
    assert_int_equal(access_of(MTRC_CAP, DPK_REGISTER_SET, mtrc_cap, sizeof mtrc_cap),
                     DPK_REGISTER_OK);
    assert_int_equal(mtrc_cap[0] >> 7, 0); /* nobody owns a trace */
    assert_int_equal(mtrc_cap[20], 0);
    mrsv[3] = 1;
    assert_int_equal(access_of(MRSV, DPK_REGISTER_GET, mrsv, sizeof mrsv),
                     DPK_REGISTER_BAD_PARAMETER);
}

static unsigned request_reset(uint8_t trigger)
{
    uint8_t mfrl[8] = {[7] = trigger};
    return access_of(MFRL, DPK_REGISTER_SET, mfrl, sizeof mfrl);
}

static void a_pci_reset_boots_the_card_when_its_link_was_down(void **state)
{
    (void)state;
    uint8_t mfrl[8] = {0};
    set_item(0x80000000);
    assert_int_equal(request_reset(0x40), DPK_REGISTER_OK); /* a reboot of the machine */
    assert_int_equal(dpk_registers_link_up(registers), DPK_OK);
    assert_int_equal(item(1), 0);
    assert_int_equal(request_reset(0x08), DPK_REGISTER_OK);
    assert_int_equal(item(1), 0);
    assert_int_equal(dpk_registers_link_up(registers), DPK_OK);
    assert_int_equal(item(1), 0x80000000);
    assert_int_equal(request_reset(0x01), DPK_REGISTER_BAD_PARAMETER); /* live patch */
    assert_int_equal(access_of(MFRL, DPK_REGISTER_GET, mfrl, sizeof mfrl), DPK_REGISTER_OK);
    assert_int_equal(mfrl[7], 0x08);
}

static void a_request_of_a_reset_ends_with_a_boot(void **state)
{
    (void)state;
    assert_int_equal(request_reset(0x08), DPK_REGISTER_OK);
    assert_int_equal(dpk_device_reset(dev, NULL), DPK_OK);
    set_item(0x80000000);
    assert_int_equal(dpk_registers_link_up(registers), DPK_OK);
    assert_int_equal(item(1), 0);
    assert_int_equal(request_reset(0x08), DPK_REGISTER_OK);
    assert_int_equal(dpk_registers_link_up(registers), DPK_OK);
    assert_int_equal(item(1), 0x80000000);
    set_item(0);
    assert_int_equal(dpk_registers_link_up(registers), DPK_OK); /* once */
    assert_int_equal(item(1), 0x80000000);
}

/* ---- Components ---- */

#define MCQS 0x9060
#define MCQI 0x9061
#define MCC  0x9062
#define MCDA 0x9063
enum { LOCK = 1, RELEASE, UPDATE, VERIFY, ACTIVATE = 6, CANCEL = 8 };

static uint32_t dword_of(const uint8_t *data, size_t at)
{
    struct dpk_reader r = dpk_reader(data + at, 4);
    return dpk_read_be32(&r);
}

static unsigned error_code; /* of the last instruction */
static unsigned control_state;

static uint32_t handle_of(struct dpk_registers *of)
{
    uint8_t mcc[32] = {0};
    assert_int_equal(dpk_register_access(of, MCC, DPK_REGISTER_GET, mcc, sizeof mcc), 0);
    return dword_of(mcc, 8) & 0xffffff;
}

/* Indices of components. */
enum { FIRMWARE, OEM_CONFIGURATION, NVIDIA_CONFIGURATION, CERTIFICATE, REMOVAL, COMPONENTS };
static uint8_t component = OEM_CONFIGURATION; /* of the next instructions */

static unsigned instruct(struct dpk_registers *of, unsigned instruction, uint32_t handle,
                         size_t size)
{
    uint8_t mcc[32] = {[3] = (uint8_t)instruction, [7] = component};
    dpk_store_be32(mcc + 8, handle);
    dpk_store_be32(mcc + 16, (uint32_t)size);
    const unsigned status = dpk_register_access(of, MCC, DPK_REGISTER_SET, mcc, sizeof mcc);
    error_code = dword_of(mcc, 12) >> 8 & 0xff;
    control_state = dword_of(mcc, 12) & 15;
    return status;
}

/* Writes a piece of a component, as tools do: bytes of each dword reversed. */
static unsigned write_piece(uint32_t handle, size_t offset, const uint8_t *bytes, size_t size)
{
    uint8_t mcda[16 + 128] = {0};
    dpk_store_be32(mcda, handle);
    dpk_store_be32(mcda + 4, (uint32_t)offset);
    dpk_store_be32(mcda + 8, (uint32_t)size);
    for (size_t i = 0; i < size; i++)
        mcda[16 + (i ^ 3)] = bytes[i];
    return access_of(MCDA, DPK_REGISTER_SET, mcda, sizeof mcda);
}

/* Writes a whole component; returns the status of VERIFY. */
static unsigned bring(uint32_t handle, const struct dpk_buf *file)
{
    assert_int_equal(instruct(registers, UPDATE, handle, file->size), 0);
    assert_int_equal(control_state, 3);
    for (size_t at = 0; at < file->size; at += 128)
        assert_int_equal(
            write_piece(handle, at, file->data + at, file->size - at < 128 ? file->size - at : 128),
            0);
    return instruct(registers, VERIFY, handle, 0);
}

static void components_are_applied_with_the_checks_of_files(void **state)
{
    (void)state;
    struct dpk_buf file = claim_file();
    const uint32_t handle = handle_of(registers);
    assert_int_equal(instruct(registers, LOCK, handle, 0), 0);
    assert_int_equal(control_state, 1);
    file.data[200] ^= 1;
    assert_int_equal(bring(handle, &file), DPK_REGISTER_BAD_CONFIG);
    assert_int_equal(error_code, DPK_REJECT_AUTH_FAILED);
    assert_false(owned_by(OWNER_UUID));
    file.data[200] ^= 1;
    assert_int_equal(bring(handle, &file), 0);
    assert_int_equal(error_code, 0);
    assert_true(owned_by(OWNER_UUID));
    assert_int_equal(instruct(registers, ACTIVATE, handle, 0), 0);
    assert_int_equal(instruct(registers, RELEASE, handle, 0), 0);
    assert_int_equal(control_state, 0);
    assert_int_not_equal(handle_of(registers), handle);
    dpk_buf_free(&file);
}

static size_t certificates(void)
{
    struct dpk_device_cert all[DPK_DEVICE_CERT_PLACES];
    size_t count;
    assert_int_equal(dpk_device_certs(dev, all, &count, NULL), DPK_OK);
    return count;
}

/* Brings a container as a component, in an update of its own. Returns error_code. */
static unsigned burn(uint8_t of, struct dpk_buf file)
{
    const uint32_t handle = handle_of(registers);
    component = of;
    assert_int_equal(instruct(registers, LOCK, handle, 0), 0);
    const unsigned status = bring(handle, &file);
    const unsigned error = error_code;
    assert_int_equal(status, error ? DPK_REGISTER_BAD_CONFIG : DPK_REGISTER_OK);
    assert_int_equal(instruct(registers, RELEASE, handle, 0), 0);
    component = OEM_CONFIGURATION;
    dpk_buf_free(&file);
    return error;
}

static void containers_are_burned_with_the_checks_of_files(void **state)
{
    (void)state;
    const struct dpk_container_plan add = add_plan(CERT_UUID), remove = removal(CERT_UUID);
    claim();
    assert_int_equal(burn(CERTIFICATE, container(&add, NULL, NULL)), DPK_REJECT_UNSIGNED);
    assert_int_equal(burn(CERTIFICATE, container(&add, world.other, OTHER_UUID)),
                     DPK_REJECT_UNKNOWN_KEY);
    assert_string_equal(last_event().action, "burn");
    assert_string_equal(last_event().result, "REJECTED_UNKNOWN_KEY");
    assert_int_equal(certificates(), 0);
    assert_int_equal(burn(CERTIFICATE, owners(&add)), 0);
    assert_string_equal(last_event().action, "burn");
    assert_string_equal(last_event().result, "OK");
    assert_int_equal(certificates(), 1);
    assert_int_equal(burn(CERTIFICATE, owners(&add)), DPK_REJECT_SAME_UUID);
    assert_int_equal(burn(CERTIFICATE, claim_file()), DPK_REJECT_BAD_FORMAT);
    assert_int_equal(burn(REMOVAL, owners(&remove)), 0);
    assert_int_equal(certificates(), 0);
    assert_int_equal(burn(REMOVAL, owners(&remove)), DPK_REJECT_REMOVAL_NO_MATCH);
}

static void no_file_replaces_the_firmware(void **state)
{
    (void)state;
    const uint32_t handle = handle_of(registers);
    uint8_t mcqi[148] = {[11] = 1 /* version */};
    unsigned parts[3];
    assert_int_equal(instruct(registers, LOCK, handle, 0), 0);
    component = FIRMWARE;
    assert_int_equal(instruct(registers, UPDATE, handle, 100), DPK_REGISTER_BAD_CONFIG);
    component = OEM_CONFIGURATION;
    assert_int_equal(error_code, DPK_REJECT_NOT_APPLICABLE);
    assert_int_equal(control_state, 1);
    assert_int_equal(access_of(MCQI, DPK_REGISTER_GET, mcqi, sizeof mcqi), 0);
    assert_int_equal(sscanf(DPK_VERSION, "%u.%u.%u", &parts[0], &parts[1], &parts[2]), 3);
    assert_int_equal(dword_of(mcqi, 0x1c), parts[0] << 24 | parts[1] << 16 | parts[2]);
    mcqi[0] = 0x80; /* of firmware that waits for a reset */
    assert_int_equal(access_of(MCQI, DPK_REGISTER_GET, mcqi, sizeof mcqi),
                     DPK_REGISTER_NOT_AVAILABLE);
    mcqi[0] = 0;
    assert_int_equal(access_of(MCQI, DPK_REGISTER_GET, mcqi, 0x2c), DPK_REGISTER_TOO_SHORT);
    mcqi[3] = CERTIFICATE; /* has no version */
    assert_int_equal(access_of(MCQI, DPK_REGISTER_GET, mcqi, sizeof mcqi),
                     DPK_REGISTER_BAD_PARAMETER);
}

static void components_have_their_order(void **state)
{
    (void)state;
    const uint8_t bytes[128] = {0};
    const uint32_t handle = handle_of(registers);
    assert_int_equal(instruct(registers, UPDATE, handle, 256), DPK_REGISTER_BAD_PARAMETER);
    assert_int_equal(instruct(registers, LOCK, handle ^ 2, 0), DPK_REGISTER_BAD_PARAMETER);
    assert_int_equal(instruct(registers, LOCK, handle, 0), 0);
    assert_int_equal(instruct(registers, VERIFY, handle, 0), DPK_REGISTER_BAD_PARAMETER);
    assert_int_equal(write_piece(handle, 0, bytes, 128), DPK_REGISTER_BAD_PARAMETER);
    assert_int_equal(instruct(registers, UPDATE, handle, 0), DPK_REGISTER_BAD_PARAMETER);
    assert_int_equal(instruct(registers, UPDATE, handle, UINT32_MAX), DPK_REGISTER_BAD_PARAMETER);
    assert_int_equal(instruct(registers, UPDATE, handle, 200), 0);
    assert_int_equal(write_piece(handle, 128, bytes, 128), DPK_REGISTER_BAD_PARAMETER);
    assert_int_equal(write_piece(handle ^ 2, 0, bytes, 128), DPK_REGISTER_BAD_PARAMETER);
    assert_int_equal(write_piece(handle, 0, bytes, 128), 0);
    assert_int_equal(write_piece(handle, 128, bytes, 128), 0); /* with more than the component */
    assert_int_equal(write_piece(handle, 200, bytes, 128), 0); /* nothing more */
    assert_int_equal(instruct(registers, CANCEL, handle, 0), 0);
    assert_int_equal(instruct(registers, UPDATE, handle, 200), 0);
    assert_int_equal(instruct(registers, VERIFY, handle, 0), DPK_REGISTER_BAD_CONFIG);
    assert_int_equal(error_code, 1); /* not all of it was written */
}

static void one_update_at_a_time(void **state)
{
    (void)state;
    struct dpk_registers *other = NULL;
    const struct dpk_registers_source source = {.device = "dev0"};
    assert_int_equal(dpk_registers_open(&source, &other, NULL), DPK_OK);
    const uint32_t mine = handle_of(registers), theirs = handle_of(other);
    assert_int_equal(instruct(registers, LOCK, mine, 0), 0);
    assert_int_equal(instruct(registers, LOCK, mine, 0), DPK_REGISTER_NOT_AVAILABLE);
    assert_int_equal(instruct(other, LOCK, theirs, 0), DPK_REGISTER_NOT_AVAILABLE);
    assert_int_equal(instruct(registers, RELEASE, mine, 0), 0);
    assert_int_equal(instruct(other, LOCK, theirs, 0), 0);
    dpk_registers_close(other); /* as if its process ended */
    assert_int_equal(instruct(registers, LOCK, handle_of(registers), 0), 0);
}

static void components_are_listed(void **state)
{
    (void)state;
    static const uint8_t identifiers[COMPONENTS] = {1, 4, 5, 0x15, 0x17};
    for (uint8_t i = 0; i <= COMPONENTS; i++) {
        uint8_t mcqs[16] = {0, 0, 0, i}, mcqi[148] = {0, 0, 0, i};
        const unsigned status = i < COMPONENTS ? 0 : DPK_REGISTER_BAD_PARAMETER;
        assert_int_equal(access_of(MCQS, DPK_REGISTER_GET, mcqs, sizeof mcqs), status);
        assert_int_equal(access_of(MCQI, DPK_REGISTER_GET, mcqi, sizeof mcqi), status);
        if (i == COMPONENTS)
            break;
        assert_int_equal(mcqs[0] >> 7, i == COMPONENTS - 1);
        assert_int_equal(mcqs[7], identifiers[i]);
        assert_int_equal(dword_of(mcqs, 8) >> 4, i == FIRMWARE ? 2 : 1); /* in use, or present */
        assert_int_equal(dword_of(mcqi, 0x18 + 12), 2u << 28 | 128);
        assert_int_equal(dword_of(mcqi, 0x18 + 8) == 0, i == FIRMWARE);
    }
}

static void accesses_that_the_card_does_not_have(void **state)
{
    (void)state;
    uint8_t data[DPK_REGISTER_SIZE_MAX + 4] = {1, 2, 3, 4};
    assert_int_equal(access_of(0x1234, DPK_REGISTER_GET, data, 16), DPK_REGISTER_NOT_SUPPORTED);
    assert_int_equal(access_of(NVQC, DPK_REGISTER_SET, data, 16),
                     DPK_REGISTER_METHOD_NOT_SUPPORTED);
    assert_int_equal(access_of(NVIA, DPK_REGISTER_GET, data, 16),
                     DPK_REGISTER_METHOD_NOT_SUPPORTED);
    assert_int_equal(access_of(NVQC, 3, data, 16), DPK_REGISTER_METHOD_NOT_SUPPORTED);
    assert_int_equal(access_of(NVQC, DPK_REGISTER_GET, data, 4), DPK_REGISTER_TOO_SHORT);
    assert_int_equal(access_of(NVQC, DPK_REGISTER_GET, data, sizeof data),
                     DPK_REGISTER_BAD_PARAMETER);
    const uint8_t unchanged[4] = {1, 2, 3, 4};
    assert_memory_equal(data, unchanged, 4);
}

/* Fields are within their registers. They do not overlap, unless they are two names of the same
 * bits. */
static void check_layout(const struct register_layout *layout)
{
    assert_ptr_equal(register_find(layout->number), layout);
    assert_string_equal(dpk_register_name(layout->number), layout->name);
    for (size_t i = 0; i < layout->field_count; i++) {
        const struct register_field *f = &layout->fields[i];
        assert_int_equal(f->offset % 4, 0);
        assert_true(f->bits > 0);
        assert_true(f->bits <= 32 ? f->low_bit + f->bits <= 32
                                  : f->low_bit == 0 && f->bits % 8 == 0);
        assert_ptr_equal(register_find_field(layout, f->name), f);
    }
}

static void layouts_are_sound(void **state)
{
    (void)state;
    size_t count;
    const struct register_group *const *groups = register_groups(&count);
    for (size_t g = 0; g < count; g++)
        for (size_t i = 0; i < groups[g]->count; i++)
            check_layout(&groups[g]->layouts[i]);
}

static void a_lost_device_is_an_internal_error(void **state)
{
    (void)state;
    struct dpk_registers *lost = NULL;
    uint8_t data[8] = {0};
    const struct dpk_registers_source source = {.device = "dev7"};
    assert_int_equal(dpk_registers_open(&source, &lost, NULL), DPK_OK);
    assert_int_equal(dpk_register_access(lost, NVQC, DPK_REGISTER_GET, data, sizeof data),
                     DPK_REGISTER_INTERNAL_ERROR);
    assert_non_null(strstr(dpk_registers_reason(lost), "dev7"));
    assert_null(dpk_registers_device(lost));
    dpk_registers_close(lost);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, open_registers, close_registers)
int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(an_item_has_three_views),
        CASE(items_are_invalidated),
        CASE(a_walk_is_of_one_moment),
        CASE(support_is_by_definition),
        CASE(what_is_refused_changes_nothing),
        CASE(items_without_value_or_room),
        CASE(a_card_tells_who_it_is),
        CASE(uptime_is_since_the_last_boot),
        CASE(masks_have_the_registers_that_there_are),
        CASE(a_port_is_up_if_a_wire_is_plugged_in),
        CASE(ports_pages_and_lanes_that_there_are_not),
        CASE(there_are_no_debug_sessions_traces_and_straps),
        CASE(a_pci_reset_boots_the_card_when_its_link_was_down),
        CASE(a_request_of_a_reset_ends_with_a_boot),
        CASE(components_are_applied_with_the_checks_of_files),
        CASE(containers_are_burned_with_the_checks_of_files),
        CASE(no_file_replaces_the_firmware),
        CASE(components_have_their_order),
        CASE(one_update_at_a_time),
        CASE(components_are_listed),
        CASE(accesses_that_the_card_does_not_have),
        CASE(layouts_are_sound),
        CASE(a_lost_device_is_an_internal_error),
    };
    return cmocka_run_group_tests(tests, make_world, free_world);
}
