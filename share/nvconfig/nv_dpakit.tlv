# dpakit's own: no card knows it, and NVIDIA's guides name no such setting. Only signed files set it.

tlv nv_dpakit_debug global 14262273 4
  dpa_debug                    enum      0x0[31:30]   as DPAKIT_DPA_DEBUG values DEVICE_DEFAULT=0x0,ENABLED=0x1,DISABLED=0x2
