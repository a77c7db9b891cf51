# Identity of a configuration file, and how it treats what is on the device.

tlv nv_file_id_mlnx global 270 16
  disable_override             bool      0x0[28]
  keep_same_priority           bool      0x0[29]
  per_tlv_priority             bool      0x0[30]
  erase_lower_priority         bool      0x0[31]
  file_version                 unsigned  0x4[31:0]
  day                          binary    0x8[7:0]   range 0..31
  month                        binary    0x8[15:8]  range 0..12
  year                         binary    0x8[31:16]
  seconds                      binary    0xC[15:8]  range 0..59
  minutes                      binary    0xC[23:16] range 0..59
  hour                         binary    0xC[31:24] range 0..23

tlv nv_file_id_vendor global 271 16
  disable_override             bool      0x0[28]
  keep_same_priority           bool      0x0[29]
  per_tlv_priority             bool      0x0[30]
  erase_lower_priority         bool      0x0[31]
  file_version                 unsigned  0x4[31:0]
  day                          binary    0x8[7:0]   range 0..31
  month                        binary    0x8[15:8]  range 0..12
  year                         binary    0x8[31:16]
  seconds                      binary    0xC[15:8]  range 0..59
  minutes                      binary    0xC[23:16] range 0..59
  hour                         binary    0xC[31:24] range 0..23
