#!/bin/bash
# What a company has once, and a CI job only uses: a signing key that lives in a token, its certificate
# chain up to a root CA, and a provisioned device that accepts nothing else, as one file.
#
#   make-world.sh DIR
#
# writes into DIR: tokens/ and softhsm2.conf (SoftHSM2 in the place of an HSM; token "dpa", key "leaf",
# PIN test-pin-8041), chain.der, root.der, device.archive. The private keys of owner and root stay in DIR/secret,
# which no CI machine needs.
set -euo pipefail
[ $# -eq 1 ] || { echo "usage: $0 DIR" >&2; exit 2; }
for tool in mlxdpa dpadev softhsm2-util; do
    command -v $tool >/dev/null || {
        echo "make-world: $tool is not in PATH (softhsm2-util: Debian package softhsm2)" >&2
        exit 1
    }
done
[ ! -e "$1/secret" ] || { echo "make-world: $1/secret exists already; nothing is overwritten" >&2; exit 1; }
mkdir -p "$1" && cd "$1"
mkdir -m 700 secret tokens
export DPAKIT_DEVICES=$PWD/secret/devices

# ---- Keys and certificates: the owner's, a root CA, an intermediate, a leaf that signs programs -------
mlxdpa keygen secret/keys --organization Example >/dev/null
cp secret/keys/{root,chain}.der .

# ---- The token --------------------------------------------------------------------------------------
printf 'directories.tokendir = %s\nobjectstore.backend = file\nlog.level = ERROR\n' "$PWD/tokens" >softhsm2.conf
export SOFTHSM2_CONF=$PWD/softhsm2.conf
softhsm2-util --init-token --free --label dpa --pin test-pin-8041 --so-pin 87654321 >/dev/null
softhsm2-util --import secret/keys/leaf.key --token dpa --label leaf --id 01 --pin test-pin-8041 >/dev/null
rm secret/keys/leaf.key

# ---- The device: its owner's key, the root CA, authentication on for good ---------------------------
dpadev create ci >/dev/null
dpadev claim ci secret/keys/owner.key -o secret >/dev/null
dpadev trust ci root.der -p secret/keys/owner.key -o secret >/dev/null
dpadev lock ci -p secret/keys/owner.key -o secret >/dev/null
dpadev reset ci >/dev/null
dpadev export ci device.archive >/dev/null
echo "Made in $PWD: chain.der, root.der, softhsm2.conf, device.archive"
