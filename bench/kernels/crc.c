/* CRC-32 of Ethernet (IEEE 802.3, 3.2.9) by a table, byte by byte: loads that wait for loads. */
#include "kernel.h"

enum { ROUNDS = 12000, SIZE = 1 << 14 };

static uint32_t table[256];
static uint8_t frame[SIZE];

static void make_table(void)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
        table[byte] = crc;
    }
}

static uint32_t crc32(const uint8_t *at, size_t size)
{
    uint32_t crc = UINT32_MAX;
    for (; size != 0; size--, at++)
        crc = crc >> 8 ^ table[(crc ^ *at) & 0xff];
    return ~crc;
}

uint64_t kernel(void)
{
    uint64_t seed = 3, sum = 0;
    make_table();
    for (size_t i = 0; i < SIZE; i++)
        frame[i] = (uint8_t)next_number(&seed);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        frame[round % SIZE] ^= (uint8_t)round;
        sum = add_to_checksum(sum, crc32(frame, SIZE));
    }
    return sum;
}
