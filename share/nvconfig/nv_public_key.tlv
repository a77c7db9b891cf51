# The device owner's RSA-4096 public key, in three parts.

tlv nv_ls_nv_public_key_0 global 412 32
  public_key_exp               unsigned  0xC[31:0]    as LC_NV_PUB_KEY_EXP
  keypair_uuid                 bytes     0x10+16      as LC_NV_PUB_KEY_UUID

tlv nv_ls_nv_public_key_1 global 413 256
  key                          bytes     0x0+256      as LC_NV_PUB_KEY_0_255

tlv nv_ls_nv_public_key_2 global 414 256
  key                          bytes     0x0+256      as LC_NV_PUB_KEY_256_511
