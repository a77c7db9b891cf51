# TLVs about the file that carries them.

tlv file_applicable_to file 2 32
  psid                         string    0x0+16
  psid_branch                  string    0x10+16

tlv file_comment file 3 4
  text                         string    0x0+1

tlv file_signature file 4 320
  signature_uuid               bytes     0x0+16
  keypair_uuid                 bytes     0x10+16
  signature                    bytes     0x20+256

tlv file_dbg_fw_token_id file 5 8
  running_version              binary    0x0[31:0]
  debug_version                binary    0x4[31:0]

tlv file_cs_token_id file 7 4
  running_version              binary    0x0[31:0]

tlv file_btc_token_id file 8 4
  running_version              binary    0x0[31:0]

tlv file_mac_addr_list file 9 256
  mac_address                  bytes     0x0+256

tlv file_public_key file 10 288
  auth_type                    enum      0x0[7:0]     values INVALID_ENTRY=0x0,SHA256_DIGEST=0x1,_2048BIT_RSASSA_PKCS1_v1_5_WITH_SHA256=0x3
  mlnx_cert_en                 bool      0x0[22]
  vendor_cert_en               bool      0x0[23]
  frc_en                       bool      0x0[27]
  mlnx_nvconf_en               bool      0x0[28]
  vendor_nvconf_en             bool      0x0[29]
  cs_token_en                  bool      0x0[30]
  fw_en                        bool      0x0[31]
  public_key_exp               unsigned  0xC[31:0]
  keypair_uuid                 bytes     0x10+16
  key                          bytes     0x20+256

tlv file_signature_4096_a file 11 288
  signature_uuid               bytes     0x0+16
  keypair_uuid                 bytes     0x10+16
  signature                    bytes     0x20+256

tlv file_signature_4096_b file 12 288
  signature_uuid               bytes     0x0+16
  keypair_uuid                 bytes     0x10+16
  signature                    bytes     0x20+256
