/* A small database of TLVs as NVIDIA's tools have them, for tests of lib/nvconfig. */
#ifndef TESTS_NVDB_H
#define TESTS_NVDB_H

#include <unistd.h>

#include <sqlite3.h>

#include "nvdefs.h"

/* The tables as NVIDIA's database has them, and a TLV of each class with a parameter of each type.
 */
static const char tables[] =
    "CREATE TABLE tlvs(name TEXT, id INT, target TEXT, cap INT, version TEXT, description TEXT,"
    " size INT, class INT, mlxconfig_name TEXT);"
    "CREATE TABLE params(name TEXT, tlv_name TEXT, offset TEXT, size TEXT, type TEXT,"
    " description TEXT, textual_values TEXT, mlxconfig_name TEXT, dependency TEXT, valid_bit TEXT,"
    " temp_vars TEXT, min_val TEXT, max_val TEXT, rule TEXT, regex TEXT,"
    " supported_from_version INT, array_length INT);";
static const char content[] =
    "INSERT INTO tlvs VALUES('t_global', 1000, 'NIC', 0, 0, 'All types', 40, 0, 'GLOBAL'),"
    " ('t_port', 7, 'NIC', 0, 0, NULL, 4, 1, 'PORT'), ('t_func', 8, 'NIC', 0, 0, '', 4, 3, 'FUNC'),"
    " ('t_file', 9, 'NIC', 0, 0, '', 4, 6, 'F'), ('t_host', 10, 'NIC', 1, 0, '', 4, 7, 'HOST'),"
    " ('t_switch', 11, 'SWITCH', 0, 0, '', 4, 8, 'SW'), ('t_mod', 12, 'NIC', 0, 0, '', 4, 9, 'M'),"
    " ('t_bare', 13, 'NIC', 0, 0, '', 4, 0, 'BARE');"
    "INSERT INTO params(name, tlv_name, offset, size, type, textual_values, mlxconfig_name,"
    " min_val, max_val, array_length) VALUES"
    " ('flag', 't_global', '0x0.31', '0x0.1', 'BOOL', NULL, 'FLAG', NULL, NULL, 0),"
    " ('kind', 't_global', '0x0.28', '0x0.3', 'ENUM', 'B=0x2,A=0x1', 'KIND', NULL, '', 0),"
    " ('count', 't_global', '0x0.16', '0x0.12', 'UNSIGNED', '', 'COUNT', '1', '100', 0),"
    " ('level', 't_global', '0x0.8', '0x0.8', 'INTEGER', '', 'LEVEL', NULL, NULL, 0),"
    " ('mask', 't_global', '0x0.0', '0x0.8', 'BINARY', '', 'MASK', NULL, NULL, 0),"
    " ('text', 't_global', '0x4.24', '0x8.0', 'STRING', '', NULL, NULL, NULL, 8),"
    " ('uuid', 't_global', '0xC.24', '0x8.0', 'BYTES', '', NULL, NULL, NULL, 8),"
    " ('lanes', 't_global', '0x14.24', '0x8.0', 'UNSIGNED', '', 'LANES', NULL, NULL, 8),"
    " ('words', 't_global', '0x1C.0', '0x8.0', 'BINARY', '', 'WORDS', NULL, NULL, 2),"
    " ('owner', 't_global', '0x24.24', '0x4.0', 'ENUM', 'N=0x0,E=0xf', 'OWNER', NULL, NULL, 4),"
    " ('speed', 't_port', '0x0.0', '0x4.0', 'UNSIGNED', '', 'SPEED', NULL, NULL, 0),"
    " ('x', 't_func', '0x0.0', '0x4.0', 'UNSIGNED', '', 'FX', NULL, NULL, 0),"
    " ('x', 't_file', '0x0.0', '0x4.0', 'UNSIGNED', '', NULL, NULL, NULL, 0),"
    " ('x', 't_host', '0x0.0', '0x4.0', 'UNSIGNED', '', 'HX', NULL, NULL, 0),"
    " ('x', 't_switch', '0x0.0', '0x4.0', 'UNSIGNED', '', 'SX', NULL, NULL, 0),"
    " ('lane', 't_mod', '0x0.24', '0x4.0', 'BINARY', '', 'LANE', NULL, NULL, 4);";

/* Writes a database that `sql` makes; the caller removes it. */
static inline void make_db(char path[32], const char *more)
{
    sqlite3 *db = NULL;
    snprintf(path, 32, "/tmp/nvdb-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, tables, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, content, NULL, NULL, NULL), SQLITE_OK);
    if (sqlite3_exec(db, more, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", more, sqlite3_errmsg(db));
    sqlite3_close(db);
}

static inline enum dpk_status load(const char *more, struct dpk_nv_defs **out,
                                   struct dpk_error *err)
{
    char path[32];
    make_db(path, more);
    enum dpk_status status = dpk_nv_defs_load_db(path, out, err);
    unlink(path);
    return status;
}

#endif
