/* Cold boot, and removal of users' settings. */
#include "private.h"

enum dpk_status dpk_device_drop_user_settings(struct dpk_device *dev, struct dpk_error *err)
{
    enum dpk_status status = dpk_db_begin(dev->db, err);
    if (status != DPK_OK)
        return status;
    status = dpk_db_exec(dev->db, "DELETE FROM tlv WHERE view = 2 AND priority = 0", err);
    if (status == DPK_OK)
        status = dpk_device_log_in(dev->db, "reset", "OK", "user settings dropped", err);
    return dpk_db_end(dev->db, status, err);
}

enum dpk_status dpk_device_reset(struct dpk_device *dev, struct dpk_error *err)
{
    enum dpk_status status = dpk_db_begin(dev->db, err);
    if (status != DPK_OK)
        return status;
    status = dpk_db_exec(dev->db,
                         "DELETE FROM tlv WHERE view = 1;"
                         "INSERT INTO tlv SELECT 1, class, idx, priority, ovr_en, rd_en, writer_id,"
                         " version, data FROM tlv WHERE view = 2;",
                         err);
    if (status == DPK_OK)
        status = dpk_partitions_write(dev->db, &(struct dpk_partitions){0}, err);
    if (status == DPK_OK)
        status = dpk_device_log_in(dev->db, "boot", "OK", "cold boot", err);
    return dpk_db_end(dev->db, status, err);
}
