// The host side: counts the primes below a limit, with as many DPA threads as told.
//
//     prime_sieve mlx5_0 100000 16
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <stdexcept>
#include <string>

#include <doca_dev.h>
#include <doca_error.h>
#include <doca_sync_event.h>

#include "doca_dpa.h"

extern "C" {
extern doca_dpa_app_t sieve_app; // dpacc's --app-name
doca_dpa_func_t strike_out, count_primes;
}

namespace {

void check(doca_error_t result, const char *step)
{
    if (result != DOCA_SUCCESS)
        throw std::runtime_error(std::string(step) + ": " + doca_error_get_descr(result));
}

doca_dev *open_device(const char *name)
{
    doca_devinfo **list = nullptr;
    std::uint32_t count = 0;
    check(doca_devinfo_create_list(&list, &count), "list the devices");
    doca_dev *dev = nullptr;
    for (std::uint32_t i = 0; i < count && !dev; i++) {
        char found[DOCA_DEVINFO_IBDEV_NAME_SIZE] = "";
        if (doca_devinfo_get_ibdev_name(list[i], found, sizeof found) == DOCA_SUCCESS &&
            std::strcmp(found, name) == 0 && doca_dev_open(list[i], &dev) != DOCA_SUCCESS)
            dev = nullptr;
    }
    doca_devinfo_destroy_list(list);
    if (!dev)
        throw std::runtime_error(std::string(name) + ": no such device");
    return dev;
}

// Holds what the program has, and gives it back in reverse order.
struct Dpa {
    doca_dev *dev = nullptr;
    doca_dpa_t dpa = nullptr;
    doca_sync_event *struck = nullptr, *counted = nullptr, *primes = nullptr;
    doca_dpa_dev_uintptr_t sieve = 0;

    ~Dpa()
    {
        if (sieve)
            doca_dpa_mem_free(sieve);
        if (primes)
            doca_sync_event_destroy(primes);
        if (counted)
            doca_sync_event_destroy(counted);
        if (struck)
            doca_sync_event_destroy(struck);
        if (dpa)
            doca_dpa_destroy(dpa);
        if (dev)
            doca_dev_close(dev);
    }

    doca_sync_event *event(bool to_cpu)
    {
        doca_sync_event *event = nullptr;
        check(doca_sync_event_create(&event), "create an event");
        check(doca_sync_event_publisher_add_location_dpa(event, dpa), "publish from the DPA");
        check(to_cpu ? doca_sync_event_subscriber_add_location_cpu(event, dev)
                     : doca_sync_event_subscriber_add_location_dpa(event, dpa),
              "subscribe");
        check(doca_sync_event_start(event), "start an event");
        return event;
    }
};

std::uint64_t count(const char *device, std::uint32_t limit, unsigned threads)
{
    Dpa d;
    d.dev = open_device(device);
    check(doca_dpa_create(d.dev, sieve_app, &d.dpa, 0), "create the DPA context");
    d.struck = d.event(false);
    d.counted = d.event(true);
    d.primes = d.event(true);
    check(doca_dpa_mem_alloc(d.dpa, limit, &d.sieve), "allocate DPA memory");
    check(doca_dpa_memset(d.dpa, d.sieve, 0, limit), "clear DPA memory");
    doca_dpa_dev_sync_event_t primes = 0;
    check(doca_sync_event_export_to_dpa(d.primes, d.dpa, &primes), "export the event");

    // The second kernel starts when the first has ended: the event between them says so.
    check(doca_dpa_kernel_launch_update_set(d.dpa, nullptr, 0, d.struck, 1, threads, &strike_out,
                                            d.sieve, limit),
          "launch strike_out");
    check(doca_dpa_kernel_launch_update_set(d.dpa, d.struck, 0, d.counted, 1, 1, &count_primes,
                                            d.sieve, limit, primes),
          "launch count_primes");
    check(doca_sync_event_wait_gt(d.counted, 0, UINT64_MAX), "wait");
    std::uint64_t result = 0;
    check(doca_sync_event_get(d.primes, &result), "read the event");
    return result;
}

// A decimal number from `low` to `high`, else 0.
unsigned long number(const char *text, unsigned long low, unsigned long high)
{
    char *end = nullptr;
    unsigned long value = std::strtoul(text, &end, 10);
    return end != text && *end == '\0' && value >= low && value <= high ? value : 0;
}

} // namespace

int main(int argc, char **argv)
{
    unsigned long limit = argc == 4 ? number(argv[2], 2, 100000000) : 0;
    unsigned long threads = argc == 4 ? number(argv[3], 1, 256) : 0;
    if (!limit || !threads) {
        std::cerr << "Usage: " << argv[0] << " DEVICE LIMIT(2-100000000) THREADS(1-256)\n";
        return 2;
    }
    try {
        std::cout << count(argv[1], static_cast<std::uint32_t>(limit),
                           static_cast<unsigned>(threads))
                  << " primes below " << limit << '\n';
    } catch (const std::exception &e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
}
