/* A table of keys and values with open addressing: found, inserted, removed. */
#include "kernel.h"

enum { OPERATIONS = 72000000, BITS = 14, SLOTS = 1 << BITS, KEYS = SLOTS / 2 };

struct slot {
    uint64_t key, value; /* key 0: free */
};
static struct slot slots[SLOTS];

static size_t home(uint64_t key)
{
    return key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - BITS);
}

/* The slot of the key, or the free one that it would have. */
static __attribute__((noinline)) struct slot *find(uint64_t key)
{
    size_t i = home(key);
    while (slots[i].key != 0 && slots[i].key != key)
        i = (i + 1) % SLOTS;
    return &slots[i];
}

/* Moves up what a search would no longer find behind the free slot. */
static __attribute__((noinline)) void take_out(struct slot *slot)
{
    size_t hole = (size_t)(slot - slots);
    for (size_t i = (hole + 1) % SLOTS; slots[i].key != 0; i = (i + 1) % SLOTS)
        if ((i - home(slots[i].key)) % SLOTS >= (i - hole) % SLOTS) {
            slots[hole] = slots[i];
            hole = i;
        }
    slots[hole] = (struct slot){0};
}

uint64_t kernel(void)
{
    uint64_t seed = 6, sum = 0;
    for (uint32_t i = 0; i < OPERATIONS; i++) {
        uint64_t number = next_number(&seed) >> 20;
        uint64_t key = 1 + number % KEYS;
        struct slot *slot = find(key);
        if (slot->key == 0) {
            slot->key = key;
            slot->value = i;
        } else if (number >> 40 == 0 || number >> 40 == 7) {
            sum = add_to_checksum(sum, slot->value);
            take_out(slot);
        } else {
            slot->value += i;
        }
    }
    for (size_t i = 0; i < SLOTS; i++)
        sum = add_to_checksum(sum, slots[i].value);
    return sum;
}
