# TLVs about the file that carries them.

tlv file_applicable_to file 2 32
  psid                         string    0x0+16
  psid_branch                  string    0x10+16

tlv file_signature file 4 320
  signature_uuid               bytes     0x0+16
  keypair_uuid                 bytes     0x10+16
  signature                    bytes     0x20+256

tlv file_signature_4096_a file 11 288
  signature_uuid               bytes     0x0+16
  keypair_uuid                 bytes     0x10+16
  signature                    bytes     0x20+256

tlv file_signature_4096_b file 12 288
  signature_uuid               bytes     0x0+16
  keypair_uuid                 bytes     0x10+16
  signature                    bytes     0x20+256
