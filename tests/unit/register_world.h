/* For tests of registers: the registers of a fresh device, and their fields by name. */
#ifndef TESTS_REGISTER_WORLD_H
#define TESTS_REGISTER_WORLD_H

#include "device/registers/private.h"

#include "device_world.h"

enum { OK = DPK_REGISTER_OK, BAD = DPK_REGISTER_BAD_PARAMETER };
#define SIZE 0x100

static struct dpk_registers *registers;
static struct dpk_port *port; /* as other programs see the settings */
static uint8_t r[SIZE];       /* the register of the last access */

static inline int open_registers(void **state)
{
    const struct dpk_registers_source source = {.device = "dev0"};
    char directory[PATH_MAX];
    const int made = fresh_device(state);
    assert_int_equal(dpk_registers_open(&source, &registers, NULL), DPK_OK);
    assert_int_equal(dpk_device_directory(dev, directory, NULL), DPK_OK);
    assert_int_equal(dpk_port_open(directory, NULL, &port, NULL), DPK_OK);
    return made;
}

static inline int close_registers(void **state)
{
    dpk_registers_close(registers);
    dpk_port_close(port);
    return drop_device(state);
}

/* A field of the register in `r`, by the layout. */
static inline struct register_call call_of(unsigned number)
{
    return (struct register_call){.layout = register_find(number), .data = r, .size = SIZE};
}

static inline uint32_t field(unsigned number, const char *name)
{
    const struct register_call call = call_of(number);
    assert_non_null(register_find_field(call.layout, name));
    return register_get(&call, name);
}

static inline void put(unsigned number, const char *name, uint32_t value)
{
    struct register_call call = call_of(number);
    assert_non_null(register_find_field(call.layout, name));
    register_put(&call, name, value);
}

/* Names a port, or a module, in an empty register. */
static inline void name(unsigned number, unsigned which)
{
    memset(r, 0, sizeof r);
    const bool of_module = register_find_field(register_find(number), "module");
    put(number, of_module ? "module" : "local_port", which);
    if (register_find_field(register_find(number), "proto_mask"))
        put(number, "proto_mask", REGISTERS_ETHERNET);
}

static inline unsigned read_register(unsigned number)
{
    name(number, !register_find_field(register_find(number), "module"));
    return dpk_register_access(registers, number, DPK_REGISTER_GET, r, SIZE);
}

static inline unsigned write_register(unsigned number)
{
    return dpk_register_access(registers, number, DPK_REGISTER_SET, r, SIZE);
}

/* Reads the register, changes one field, and writes it, as tools do. */
static inline unsigned change_field(unsigned number, const char *name_of_field, uint32_t value)
{
    assert_int_equal(read_register(number), OK);
    put(number, name_of_field, value);
    if (register_find_field(register_find(number), "ase"))
        put(number, "ase", 1);
    return write_register(number);
}

static inline void look_at_event(void *context, const struct dpk_device_event *event)
{
    const char **wanted = context;
    if (*wanted && strcmp(event->action, "port") == 0 && strcmp(event->detail, *wanted) == 0)
        *wanted = NULL;
}

static inline bool is_logged(const char *detail)
{
    assert_int_equal(dpk_device_events(dev, 0, look_at_event, &detail, NULL), DPK_OK);
    return !detail;
}

#endif
