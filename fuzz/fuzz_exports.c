/* A hostile process's table of exports, and its claims about them. The process is this one. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bus/exports/exports.h"
#include "bus/exports/table.h"

/* An input: one byte of flags, the exporter and the export, then entries or places of the table. */
enum { ITS_PROCESS = 1, ITS_FILE = 2, ITS_IDENTITY = 4, ITS_MARK = 8, ITS_PLACES = 16 };

struct head {
    uint8_t flags;
    struct dpk_exporter who;
    struct dpk_export what;
    struct dpk_uuid identity;
    uint64_t mark;
} __attribute__((packed));

static struct dpk_uuid identity = {{1, 2, 3}};
static uint8_t memory[20000];
static struct table *table;
static int file;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void make_table(void)
{
    file = memfd_create(TABLE_NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0 || ftruncate(file, sizeof *table) != 0 ||
        fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0)
        abort();
    table = mmap(NULL, sizeof *table, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (table == MAP_FAILED)
        abort();
}

static void fill(void *to, size_t max, const uint8_t *data, size_t size)
{
    memcpy(to, data, size < max ? size : max);
}

/* Copies within the export, and writes only if the memory is ours. */
static void copy(struct dpk_import *in, const struct dpk_export *what)
{
    static uint8_t bytes[sizeof memory];
    const uint64_t n = what->size < sizeof bytes ? what->size : sizeof bytes;
    (void)dpk_import_read(in, what->address, bytes, n);
    (void)dpk_import_read(in, what->address, bytes, n < 8 ? n : 8);
    if (what->address == (uintptr_t)memory && what->size <= sizeof memory &&
        !dpk_import_write(in, what->address, memory, n) && atomic_load(&table->entries[0].key))
        return;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct head h;
    struct dpk_import *in = NULL;
    struct dpk_error err = {0};
    const struct dpk_export own = {1, 1, (uintptr_t)memory, sizeof memory};
    struct dpk_exporter who;
    if (!table)
        make_table();
    if (size < sizeof h)
        return 0;
    memcpy(&h, data, sizeof h);
    data += sizeof h;
    size -= sizeof h;
    fill(h.flags & ITS_PLACES ? (void *)table->places : table->entries,
         sizeof table->entries < sizeof table->places ? sizeof table->entries
                                                      : sizeof table->places,
         data, size);
    if (table->entries[0].address == 0)
        table->entries[0].address = h.what.address = (uintptr_t)memory;
    if (h.flags & ITS_PROCESS)
        h.who.process = (uint32_t)getpid();
    if (h.flags & ITS_FILE)
        h.who.file = (uint32_t)file;
    if (h.flags & ITS_IDENTITY)
        h.who.identity = h.identity = identity;
    table->identity = h.identity;
    table->mark = h.flags & ITS_MARK ? (uintptr_t)&identity : h.mark;
    struct dpk_export what = h.what;
    const struct dpk_exporter owner = h.who;
    if (dpk_import_open(&owner, &what, &in, &err) == DPK_OK)
        copy(in, &what);
    else if (in || !err.message[0])
        abort();
    dpk_import_close(in);
    memset(table->entries, 0, sizeof *table->entries);
    if (dpk_export_add(&identity, &own, &who, NULL) == DPK_OK && !dpk_export_remove(own.key))
        abort(); /* no place in the table is in use */
    return 0;
}
