/* The event log, and names of refusals. */
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "private.h"

#define TEXT_OF(number) #number
#define TEXT(number)    TEXT_OF(number)
#define LOADS_KEPT      TEXT(DPK_DEVICE_LOADS_KEPT)
#define OTHERS_KEPT     TEXT(DPK_DEVICE_OTHERS_KEPT)

static const struct {
    enum dpk_reject code;
    const char *name;
} rejects[] = {
    {DPK_REJECT_NONE, "OK"},
    {DPK_REJECT_DIGEST_ERR, "REJECTED_DIGEST_ERR"},
    {DPK_REJECT_NOT_APPLICABLE, "REJECTED_NOT_APPLICABLE"},
    {DPK_REJECT_UNKNOWN_KEY, "REJECTED_UNKNOWN_KEY"},
    {DPK_REJECT_AUTH_FAILED, "REJECTED_AUTH_FAILED"},
    {DPK_REJECT_UNSIGNED, "REJECTED_UNSIGNED"},
    {DPK_REJECT_KEY_NOT_APPLICABLE, "REJECTED_KEY_NOT_APPLICABLE"},
    {DPK_REJECT_BAD_FORMAT, "REJECTED_BAD_FORMAT"},
    {DPK_REJECT_FORBIDDEN_VERSION, "REJECTED_FORBIDDEN_VERSION"},
    {DPK_REJECT_CERT_CER509, "FW_BURN_REJECTED_CERT_CER509"},
    {DPK_REJECT_CERT_SIGNATURE, "FW_BURN_REJECTED_CERT_SIGNATURE"},
    {DPK_REJECT_CERT_METADATA, "FW_BURN_REJECTED_CERT_METADATA"},
    {DPK_REJECT_NO_PLACE, "FW_BURN_REJECTED_NO_PLACE"},
    {DPK_REJECT_REMOVAL_NO_MATCH, "FW_BURN_REJECTED_REMOVAL_NO_MATCH_UIDD"},
    {DPK_REJECT_SAME_UUID, "FW_BURN_REJECTED_NOT_ALLOWED_SAME_UIDD"},
};

const char *dpk_reject_name(enum dpk_reject reject)
{
    for (size_t i = 0; i < sizeof rejects / sizeof *rejects; i++)
        if (rejects[i].code == reject)
            return rejects[i].name;
    return "unknown";
}

int dpk_reject_exit_code(enum dpk_reject reject)
{
    return reject == DPK_REJECT_NONE ? 0 : 30 + (int)reject;
}

enum dpk_status dpk_device_refuse(enum dpk_reject code, enum dpk_reject *reject,
                                  struct dpk_error *err, const char *why, ...)
{
    char text[800];
    va_list args;
    va_start(args, why);
    vsnprintf(text, sizeof text, why, args);
    va_end(args);
    *reject = code;
    return dpk_fail(err, DPK_ERR_REFUSED, code > 9 ? "%s: %s (0x%X)" : "%s: %s (%u)", text,
                    dpk_reject_name(code), (unsigned)code);
}

/* Keeps the last loads of programs, and separately the last other events, so that thousands of
 * loads do not remove entries about changes of the device. */
static enum dpk_status rotate(sqlite3 *db, struct dpk_error *err)
{
    if (sqlite3_last_insert_rowid(db) % DPK_DEVICE_LOG_SLACK != 0)
        return DPK_OK;
    return dpk_db_exec(db,
                       "DELETE FROM log WHERE action = 'load' AND id <= (SELECT id FROM log "
                       "WHERE action = 'load' ORDER BY id DESC LIMIT 1 OFFSET " LOADS_KEPT ");"
                       "DELETE FROM log WHERE action <> 'load' AND id <= (SELECT id FROM log "
                       "WHERE action <> 'load' ORDER BY id DESC LIMIT 1 OFFSET " OTHERS_KEPT ")",
                       err);
}

enum dpk_status dpk_device_log_in(sqlite3 *db, const char *action, const char *result,
                                  const char *detail, struct dpk_error *err)
{
    sqlite3_stmt *stmt = NULL;
    enum dpk_status status =
        dpk_db_prepare(db,
                       "INSERT INTO log (time, uid, pid, command, action, result, detail) "
                       "VALUES (?, ?, ?, ?, ?, ?, ?)",
                       &stmt, err);
    if (status != DPK_OK)
        return status;
    const char *text = detail ? detail : "";
    sqlite3_bind_int64(stmt, 1, (sqlite3_int64)time(NULL));
    sqlite3_bind_int64(stmt, 2, getuid());
    sqlite3_bind_int64(stmt, 3, getpid());
    sqlite3_bind_text(stmt, 4, program_invocation_short_name, -1, SQLITE_STATIC);
    sqlite3_bind_text(stmt, 5, action, -1, SQLITE_STATIC);
    sqlite3_bind_text(stmt, 6, result, -1, SQLITE_STATIC);
    sqlite3_bind_text(stmt, 7, text, (int)strnlen(text, DPK_DEVICE_DETAIL_MAX), SQLITE_STATIC);
    status = dpk_db_finish(db, stmt, err);
    return status == DPK_OK ? rotate(db, err) : status;
}

enum dpk_status dpk_device_log(struct dpk_device *dev, const char *action, const char *result,
                               const char *detail, struct dpk_error *err)
{
    /* A successful load is not synced. The next synced event includes it. */
    bool lazy = strcmp(action, "load") == 0 && strcmp(result, "OK") == 0;
    enum dpk_status status = DPK_OK;
    if (sqlite3_db_readonly(dev->db, "main") == 1)
        return DPK_OK;
    if (lazy)
        status = dpk_db_exec(dev->db, "PRAGMA synchronous = NORMAL", err);
    if (status == DPK_OK)
        status = dpk_db_begin_log(dev->db, err);
    if (status == DPK_OK)
        status =
            dpk_db_end_log(dev->db, dpk_device_log_in(dev->db, action, result, detail, err), err);
    if (lazy)
        (void)dpk_db_exec(dev->db, "PRAGMA synchronous = FULL", NULL);
    return status;
}

void dpk_device_log_refusal(struct dpk_device *dev, const char *action, enum dpk_reject reject,
                            const struct dpk_error *refusal)
{
    char why[sizeof refusal->message];
    memcpy(why, refusal->message, sizeof why);
    const char *name = dpk_reject_name(reject);
    char *end = NULL;
    for (char *at = why; (at = strstr(at, name)); at++)
        end = at;
    if (end && end - why > 2 && memcmp(end - 2, ": ", 2) == 0)
        end[-2] = 0;
    (void)dpk_device_log(dev, action, name, why, NULL);
}

enum dpk_status dpk_device_events(struct dpk_device *dev, unsigned last,
                                  void (*each)(void *context, const struct dpk_device_event *event),
                                  void *context, struct dpk_error *err)
{
    sqlite3_stmt *stmt = NULL;
    bool row = false;
    enum dpk_status status =
        dpk_db_prepare(dev->db,
                       "SELECT id, time, uid, pid, command, action, result, detail FROM "
                       "(SELECT * FROM log ORDER BY id DESC LIMIT ?) ORDER BY id",
                       &stmt, err);
    if (status != DPK_OK)
        return status;
    sqlite3_bind_int64(stmt, 1, last ? (sqlite3_int64)last : -1);
    while ((status = dpk_db_step(dev->db, stmt, &row, err)) == DPK_OK && row) {
        const char *text[4];
        for (int i = 0; i < 4 && status == DPK_OK; i++)
            status = dpk_db_text(dev->db, stmt, 4 + i, &text[i], err);
        if (status != DPK_OK)
            break;
        struct dpk_device_event event = {.id = sqlite3_column_int64(stmt, 0),
                                         .time = sqlite3_column_int64(stmt, 1),
                                         .uid = sqlite3_column_int64(stmt, 2),
                                         .pid = sqlite3_column_int64(stmt, 3),
                                         .command = text[0],
                                         .action = text[1],
                                         .result = text[2],
                                         .detail = text[3]};
        each(context, &event);
    }
    sqlite3_finalize(stmt);
    return status;
}
