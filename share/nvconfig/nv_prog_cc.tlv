# Programmable congestion control.

tlv nv_prog_cc global 273 4
  user_cc_en                   bool      0x0[31]      as USER_PROGRAMMABLE_CC
