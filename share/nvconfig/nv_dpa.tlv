# Data-path accelerator: authentication, boot, applications, partitions.

tlv nv_dpa_auth global 21 4
  dpa_auth_en                  bool      0x0[31]      as DPA_AUTHENTICATION

tlv nv_dpa_boot_cap global 161 32
  self_hosted_dpa_mgmt_mode_user bool      0x0[24]
  self_hosted_dpa_mgmt_mode_dev bool      0x0[25]
  self_hosted_dpa_mgmt_supported bool      0x0[26]
  self_hosted_dpa_supported    bool      0x0[27]
  self_hosted_dpa_app_num_max  unsigned  0x0[31:28]
  self_hosted_mem_size_limit_max unsigned  0x4[31:0]
  self_hosted_nic_res_mem_size_limit_max unsigned  0x8[31:0]
  dpa_eu_num_max               unsigned  0xC[31:16]

tlv nv_dpa_boot_conf global 162 32
  self_hosted_dpa_mgmt_mode    enum      0x0[14:12]   values DEVICE_DEFAULT=0x0,DPA_DEV=0x1,DPA_USER=0x2
  self_hosted_dpa_debug_buffer enum      0x0[23:16]   values DPA_DBG0=0x1,DPA_DBG1=0x2,DPA_DBG2=0x4,DPA_DBG3=0x8
  self_hosted_dpa_mgmt         enum      0x0[25:24]   values DEVICE_DEFAULT=0x0,ENABLED=0x1,DISABLED=0x2
  self_hosted_dpa              enum      0x0[27:26]   values DEVICE_DEFAULT=0x0,ENABLED=0x1,DISABLED=0x2
  self_hosted_dpa_app_num      unsigned  0x0[31:28]
  self_hosted_mem_size_limit   unsigned  0x4[31:0]
  self_hosted_nic_res_mem_size_limit unsigned  0x8[31:0]

tlv nv_dpa_app_0 global 416 64
  dpa_app_uuid                 bytes     0x0+16
  dpa_partition_id             unsigned  0x10[3:0]
  eu_alloc_mode                enum      0x10[6:4]    values DEVICE_DEFAULT=0x0,FULL_PARTITION=0x1
  Init_thread_eu               unsigned  0x10[31:16]
  dpa_process_param_0          unsigned  0x20[31:0]
  dpa_process_param_1          unsigned  0x24[31:0]
  dpa_process_param_2          unsigned  0x28[31:0]
  dpa_process_param_3          unsigned  0x2C[31:0]
  dpa_process_param_4          unsigned  0x30[31:0]
  dpa_process_param_5          unsigned  0x34[31:0]
  dpa_process_param_6          unsigned  0x38[31:0]
  dpa_process_param_7          unsigned  0x3C[31:0]

tlv nv_dpa_app_1 global 417 64
  dpa_app_uuid                 bytes     0x0+16
  dpa_partition_id             unsigned  0x10[3:0]
  eu_alloc_mode                enum      0x10[6:4]    values DEVICE_DEFAULT=0x0,FULL_PARTITION=0x1
  Init_thread_eu               unsigned  0x10[31:16]
  dpa_process_param_0          unsigned  0x20[31:0]
  dpa_process_param_1          unsigned  0x24[31:0]
  dpa_process_param_2          unsigned  0x28[31:0]
  dpa_process_param_3          unsigned  0x2C[31:0]
  dpa_process_param_4          unsigned  0x30[31:0]
  dpa_process_param_5          unsigned  0x34[31:0]
  dpa_process_param_6          unsigned  0x38[31:0]
  dpa_process_param_7          unsigned  0x3C[31:0]

tlv nv_dpa_app_2 global 418 64
  dpa_app_uuid                 bytes     0x0+16
  dpa_partition_id             unsigned  0x10[3:0]
  eu_alloc_mode                enum      0x10[6:4]    values DEVICE_DEFAULT=0x0,FULL_PARTITION=0x1
  Init_thread_eu               unsigned  0x10[31:16]
  dpa_process_param_0          unsigned  0x20[31:0]
  dpa_process_param_1          unsigned  0x24[31:0]
  dpa_process_param_2          unsigned  0x28[31:0]
  dpa_process_param_3          unsigned  0x2C[31:0]
  dpa_process_param_4          unsigned  0x30[31:0]
  dpa_process_param_5          unsigned  0x34[31:0]
  dpa_process_param_6          unsigned  0x38[31:0]
  dpa_process_param_7          unsigned  0x3C[31:0]

tlv nv_dpa_app_3 global 419 64
  dpa_app_uuid                 bytes     0x0+16
  dpa_partition_id             unsigned  0x10[3:0]
  eu_alloc_mode                enum      0x10[6:4]    values DEVICE_DEFAULT=0x0,FULL_PARTITION=0x1
  Init_thread_eu               unsigned  0x10[31:16]
  dpa_process_param_0          unsigned  0x20[31:0]
  dpa_process_param_1          unsigned  0x24[31:0]
  dpa_process_param_2          unsigned  0x28[31:0]
  dpa_process_param_3          unsigned  0x2C[31:0]
  dpa_process_param_4          unsigned  0x30[31:0]
  dpa_process_param_5          unsigned  0x34[31:0]
  dpa_process_param_6          unsigned  0x38[31:0]
  dpa_process_param_7          unsigned  0x3C[31:0]

tlv nv_dpa_app_4 global 420 64
  dpa_app_uuid                 bytes     0x0+16
  dpa_partition_id             unsigned  0x10[3:0]
  eu_alloc_mode                enum      0x10[6:4]    values DEVICE_DEFAULT=0x0,FULL_PARTITION=0x1
  Init_thread_eu               unsigned  0x10[31:16]
  dpa_process_param_0          unsigned  0x20[31:0]
  dpa_process_param_1          unsigned  0x24[31:0]
  dpa_process_param_2          unsigned  0x28[31:0]
  dpa_process_param_3          unsigned  0x2C[31:0]
  dpa_process_param_4          unsigned  0x30[31:0]
  dpa_process_param_5          unsigned  0x34[31:0]
  dpa_process_param_6          unsigned  0x38[31:0]
  dpa_process_param_7          unsigned  0x3C[31:0]

tlv nv_dpa_app_5 global 421 64
  dpa_app_uuid                 bytes     0x0+16
  dpa_partition_id             unsigned  0x10[3:0]
  eu_alloc_mode                enum      0x10[6:4]    values DEVICE_DEFAULT=0x0,FULL_PARTITION=0x1
  Init_thread_eu               unsigned  0x10[31:16]
  dpa_process_param_0          unsigned  0x20[31:0]
  dpa_process_param_1          unsigned  0x24[31:0]
  dpa_process_param_2          unsigned  0x28[31:0]
  dpa_process_param_3          unsigned  0x2C[31:0]
  dpa_process_param_4          unsigned  0x30[31:0]
  dpa_process_param_5          unsigned  0x34[31:0]
  dpa_process_param_6          unsigned  0x38[31:0]
  dpa_process_param_7          unsigned  0x3C[31:0]

tlv nv_dpa_app_6 global 422 64
  dpa_app_uuid                 bytes     0x0+16
  dpa_partition_id             unsigned  0x10[3:0]
  eu_alloc_mode                enum      0x10[6:4]    values DEVICE_DEFAULT=0x0,FULL_PARTITION=0x1
  Init_thread_eu               unsigned  0x10[31:16]
  dpa_process_param_0          unsigned  0x20[31:0]
  dpa_process_param_1          unsigned  0x24[31:0]
  dpa_process_param_2          unsigned  0x28[31:0]
  dpa_process_param_3          unsigned  0x2C[31:0]
  dpa_process_param_4          unsigned  0x30[31:0]
  dpa_process_param_5          unsigned  0x34[31:0]
  dpa_process_param_6          unsigned  0x38[31:0]
  dpa_process_param_7          unsigned  0x3C[31:0]

tlv nv_dpa_app_7 global 423 64
  dpa_app_uuid                 bytes     0x0+16
  dpa_partition_id             unsigned  0x10[3:0]
  eu_alloc_mode                enum      0x10[6:4]    values DEVICE_DEFAULT=0x0,FULL_PARTITION=0x1
  Init_thread_eu               unsigned  0x10[31:16]
  dpa_process_param_0          unsigned  0x20[31:0]
  dpa_process_param_1          unsigned  0x24[31:0]
  dpa_process_param_2          unsigned  0x28[31:0]
  dpa_process_param_3          unsigned  0x2C[31:0]
  dpa_process_param_4          unsigned  0x30[31:0]
  dpa_process_param_5          unsigned  0x34[31:0]
  dpa_process_param_6          unsigned  0x38[31:0]
  dpa_process_param_7          unsigned  0x3C[31:0]

tlv nv_dpa_partition_0 global 424 32
  eu_enum_mode                 enum      0x0[30:28]   values DEVICE_DEFAULT=0x0,EU_RANGE=0x1
  eu_range_len                 unsigned  0x4[15:0]
  eu_range_base                unsigned  0x4[31:16]

tlv nv_dpa_partition_1 global 425 32
  eu_enum_mode                 enum      0x0[30:28]   values DEVICE_DEFAULT=0x0,EU_RANGE=0x1
  eu_range_len                 unsigned  0x4[15:0]
  eu_range_base                unsigned  0x4[31:16]

tlv nv_dpa_partition_2 global 426 32
  eu_enum_mode                 enum      0x0[30:28]   values DEVICE_DEFAULT=0x0,EU_RANGE=0x1
  eu_range_len                 unsigned  0x4[15:0]
  eu_range_base                unsigned  0x4[31:16]

tlv nv_dpa_partition_3 global 427 32
  eu_enum_mode                 enum      0x0[30:28]   values DEVICE_DEFAULT=0x0,EU_RANGE=0x1
  eu_range_len                 unsigned  0x4[15:0]
  eu_range_base                unsigned  0x4[31:16]

tlv nv_dpa_partition_4 global 428 32
  eu_enum_mode                 enum      0x0[30:28]   values DEVICE_DEFAULT=0x0,EU_RANGE=0x1
  eu_range_len                 unsigned  0x4[15:0]
  eu_range_base                unsigned  0x4[31:16]

tlv nv_dpa_partition_5 global 429 32
  eu_enum_mode                 enum      0x0[30:28]   values DEVICE_DEFAULT=0x0,EU_RANGE=0x1
  eu_range_len                 unsigned  0x4[15:0]
  eu_range_base                unsigned  0x4[31:16]

tlv nv_dpa_partition_6 global 430 32
  eu_enum_mode                 enum      0x0[30:28]   values DEVICE_DEFAULT=0x0,EU_RANGE=0x1
  eu_range_len                 unsigned  0x4[15:0]
  eu_range_base                unsigned  0x4[31:16]

tlv nv_dpa_partition_7 global 431 32
  eu_enum_mode                 enum      0x0[30:28]   values DEVICE_DEFAULT=0x0,EU_RANGE=0x1
  eu_range_len                 unsigned  0x4[15:0]
  eu_range_base                unsigned  0x4[31:16]
