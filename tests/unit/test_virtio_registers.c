/* Registers of a virtio device, as a driver writes them and the device reads them; also a driver that violates
 * the specification. */
#include <linux/virtio_config.h>
#include <linux/virtio_pci.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "bus/virtio/virtio.h"

enum { QUEUES = 3, OK = 3 | VIRTIO_CONFIG_S_FEATURES_OK };
#define FEATURES (UINT64_C(1) << VIRTIO_F_VERSION_1 | 1u << 28)

static char folder[] = "/tmp/test-virtio-XXXXXX";
static struct dpk_pci *f;
static struct dpk_virtio v;
static const struct dpk_virtio_setup setup = {FEATURES, QUEUES, 64};

static struct dpk_pci_config config_of(bool with_bank)
{
    return (struct dpk_pci_config){
        .name = "test",
        .vectors = 4,
        .bars = {{.log_size = 14}, {.log_size = 14}},
        .region_count = with_bank ? 7 : 6,
        .regions = {{.use = DPK_PCI_VIRTIO_COMMON, .size = DPK_VIRTIO_COMMON_SIZE},
                    {.use = DPK_PCI_VIRTIO_ISR, .start = 0x1000, .size = 8},
                    {.use = DPK_PCI_VIRTIO_DEVICE, .start = 0x2000, .size = 40},
                    {.use = DPK_PCI_RINGS, .bar = 1, .size = 256, .log_stride = 2},
                    {.use = DPK_PCI_TABLE, .bar = 1, .start = 0x1000, .size = 0x1000},
                    {.use = DPK_PCI_PENDING, .bar = 1, .start = 0x2000, .size = 0x1000},
                    {.use = with_bank ? DPK_PCI_VIRTIO_BANK : 0,
                     .start = with_bank ? 0x3000 : 0,
                     .size = with_bank ? DPK_VIRTIO_BANK_SIZE : 0}}};
}

static int begin(void **state)
{
    unsigned number;
    struct dpk_error err = {0};
    const struct dpk_pci_config config = config_of(true);
    (void)state;
    if (!mkdtemp(folder) ||
        dpk_pci_make(&(struct dpk_pci_place){folder, 3}, &config, &number, &err) != DPK_OK)
        return -1;
    return dpk_pci_open(folder, number, &f, &err) == DPK_OK && dpk_virtio_find(f, &v) ? 0 : -1;
}

static int end(void **state)
{
    char path[64];
    struct dpk_error err = {0};
    (void)state;
    dpk_pci_close(f);
    if (dpk_pci_remove(folder, 1, &err) != DPK_OK)
        return -1;
    snprintf(path, sizeof path, "%s/pci", folder);
    return rmdir(path) == 0 && rmdir(folder) == 0 ? 0 : -1;
}

static int start(void **state)
{
    (void)state;
    dpk_virtio_reset(&v, &setup);
    return 0;
}

static void put(unsigned at, uint64_t value, unsigned size)
{
    uint8_t bytes[8];
    for (unsigned i = 0; i < size; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
    dpk_virtio_write(&v, at, bytes, size);
}

static uint64_t get(unsigned at, unsigned size)
{
    uint64_t value = 0;
    for (unsigned i = size; i-- > 0;)
        value = value << 8 | v.common[at + i];
    return value;
}

static void accept_features(uint64_t features)
{
    for (unsigned i = 0; i < 2; i++) {
        put(VIRTIO_PCI_COMMON_GFSELECT, i, 4);
        put(VIRTIO_PCI_COMMON_GF, (uint32_t)(features >> 32 * i), 4);
    }
    put(VIRTIO_PCI_COMMON_STATUS, OK, 1);
}

static void selectors_show_their_words(void **state)
{
    (void)state;
    assert_int_equal(get(VIRTIO_PCI_COMMON_DF, 4), 1u << 28);
    put(VIRTIO_PCI_COMMON_DFSELECT, 1, 4);
    assert_int_equal(get(VIRTIO_PCI_COMMON_DF, 4), 1);
    put(VIRTIO_PCI_COMMON_DFSELECT, 2, 4);
    assert_int_equal(get(VIRTIO_PCI_COMMON_DF, 4), 0);
    put(VIRTIO_PCI_COMMON_GFSELECT, 77, 4);
    put(VIRTIO_PCI_COMMON_GF, 0xffffffff, 4); /* no such word */
    assert_int_equal(dpk_virtio_driver_features(&v), 0);
}

static void features_are_accepted_or_not(void **state)
{
    static const uint64_t wrong[] = {0, 1u << 28, FEATURES | 1, FEATURES | UINT64_C(1) << 63};
    (void)state;
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        dpk_virtio_reset(&v, &setup);
        accept_features(wrong[i]);
        assert_int_equal(dpk_virtio_status(&v), 3);
    }
    accept_features(FEATURES);
    assert_int_equal(dpk_virtio_status(&v), OK);
    assert_int_equal(dpk_virtio_driver_features(&v), FEATURES);
}

static void queues_are_apart(void **state)
{
    struct dpk_virtq_place place;
    uint16_t vector;
    (void)state;
    for (unsigned i = 0; i < QUEUES; i++) {
        put(VIRTIO_PCI_COMMON_Q_SELECT, i, 2);
        assert_int_equal(get(VIRTIO_PCI_COMMON_Q_SIZE, 2), 64);
        assert_int_equal(get(VIRTIO_PCI_COMMON_Q_NOFF, 2), i);
        put(VIRTIO_PCI_COMMON_Q_SIZE, 8u << i, 2);
        put(VIRTIO_PCI_COMMON_Q_DESCLO, 0x1000 * i, 8);
        put(VIRTIO_PCI_COMMON_Q_AVAILLO, 0x2000 * i, 4);
        put(VIRTIO_PCI_COMMON_Q_AVAILHI, i, 4); /* in halves */
        put(VIRTIO_PCI_COMMON_Q_USEDLO, 0x3000 * i, 8);
        put(VIRTIO_PCI_COMMON_Q_MSIX, i + 2, 2); /* there are 4 vectors */
    }
    put(VIRTIO_PCI_COMMON_Q_ENABLE, 2, 2); /* no such value */
    assert_false(dpk_virtio_queue(&v, 2, &place, &vector));
    put(VIRTIO_PCI_COMMON_Q_ENABLE, 1, 2);
    put(VIRTIO_PCI_COMMON_Q_ENABLE, 0, 2); /* it stays enabled */
    assert_true(dpk_virtio_queue(&v, 2, &place, &vector));
    assert_int_equal(place.size, 32);
    assert_int_equal(place.avail, 0x200004000);
    assert_int_equal(vector, DPK_VIRTIO_NO_VECTOR);
    assert_false(dpk_virtio_queue(&v, 1, &place, &vector));
    assert_int_equal(place.used, 0x3000);
    assert_int_equal(vector, 3);
}

static void there_are_no_further_queues(void **state)
{
    static const unsigned numbers[] = {QUEUES, DPK_VIRTIO_QUEUES_MAX, 0xffff};
    struct dpk_virtq_place place;
    uint16_t vector;
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        put(VIRTIO_PCI_COMMON_Q_SELECT, numbers[i], 2);
        assert_int_equal(get(VIRTIO_PCI_COMMON_Q_SIZE, 2), 0);
        put(VIRTIO_PCI_COMMON_Q_SIZE, 8, 2);
        put(VIRTIO_PCI_COMMON_Q_ENABLE, 1, 2);
        assert_int_equal(get(VIRTIO_PCI_COMMON_Q_ENABLE, 2), 0);
    }
    for (unsigned i = 0; i < DPK_VIRTIO_QUEUES_MAX; i++)
        assert_false(dpk_virtio_queue(&v, i, &place, &vector));
}

static void only_the_device_ends_a_reset(void **state)
{
    (void)state;
    accept_features(FEATURES);
    put(VIRTIO_PCI_COMMON_STATUS, 0, 1);
    assert_true(dpk_virtio_is_resetting(&v));
    assert_int_equal(dpk_virtio_status(&v), OK);
    put(VIRTIO_PCI_COMMON_STATUS, 0xff, 1); /* ignored, as all writes until then */
    put(VIRTIO_PCI_COMMON_Q_SIZE, 4, 2);
    assert_int_equal(dpk_virtio_status(&v), OK);
    dpk_virtio_reset(&v, &setup);
    assert_false(dpk_virtio_is_resetting(&v));
    assert_int_equal(dpk_virtio_status(&v), 0);
    assert_int_equal(dpk_virtio_driver_features(&v), 0);
    assert_int_equal(get(VIRTIO_PCI_COMMON_Q_SIZE, 2), 64);
    put(VIRTIO_PCI_COMMON_STATUS, 0, 1); /* it is reset already */
    assert_false(dpk_virtio_is_resetting(&v));
}

static void a_driver_cannot_take_needs_reset_away(void **state)
{
    (void)state;
    put(VIRTIO_PCI_COMMON_MSIX, 1, 2);
    accept_features(FEATURES);
    dpk_virtio_need_reset(&v);
    assert_true(dpk_pci_take_interrupt(f, 1));
    put(VIRTIO_PCI_COMMON_STATUS, OK | VIRTIO_CONFIG_S_DRIVER_OK, 1);
    assert_int_equal(dpk_virtio_status(&v),
                     OK | VIRTIO_CONFIG_S_DRIVER_OK | VIRTIO_CONFIG_S_NEEDS_RESET);
}

static void writes_stay_within_the_registers(void **state)
{
    uint8_t bytes[2 * DPK_VIRTIO_COMMON_SIZE];
    (void)state;
    memset(bytes, 0xff, sizeof bytes);
    memset(v.common + DPK_VIRTIO_COMMON_SIZE, 0x5a, 8);
    for (unsigned at = 0; at < 2 * DPK_VIRTIO_COMMON_SIZE; at++)
        dpk_virtio_write(&v, at, bytes, sizeof bytes);
    dpk_virtio_write(&v, UINT64_MAX, bytes, sizeof bytes);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(v.common[DPK_VIRTIO_COMMON_SIZE + i], 0x5a);
    assert_int_equal(get(VIRTIO_PCI_COMMON_NUMQ, 2), QUEUES); /* read only */
    assert_int_equal(get(VIRTIO_PCI_COMMON_DF, 4), 0);
}

static void a_device_has_all_its_registers(void **state)
{
    struct dpk_error err = {0};
    struct dpk_pci_config config = config_of(false);
    (void)state;
    assert_int_equal(dpk_pci_check(&config, &err), DPK_ERR_RANGE);
    config = config_of(true);
    assert_int_equal(dpk_pci_check(&config, &err), DPK_OK);
    config.regions[1].use = DPK_PCI_VIRTIO_COMMON;
    assert_int_equal(dpk_pci_check(&config, &err), DPK_ERR_RANGE);
    config = config_of(true);
    config.regions[3].use = DPK_PCI_STATEFUL; /* no doorbells */
    config.regions[3].log_stride = 0;
    assert_int_equal(dpk_pci_check(&config, &err), DPK_ERR_RANGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(selectors_show_their_words, start),
        cmocka_unit_test_setup(features_are_accepted_or_not, start),
        cmocka_unit_test_setup(queues_are_apart, start),
        cmocka_unit_test_setup(there_are_no_further_queues, start),
        cmocka_unit_test_setup(only_the_device_ends_a_reset, start),
        cmocka_unit_test_setup(a_driver_cannot_take_needs_reset_away, start),
        cmocka_unit_test_setup(writes_stay_within_the_registers, start),
        cmocka_unit_test_setup(a_device_has_all_its_registers, start),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
