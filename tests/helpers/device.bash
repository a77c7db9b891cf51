# Emulated devices for tests that ask nothing of how a device gets its keys. "source" it in a bats file.

# .pem, .pub, .uuid: a test key that plays the part of NVIDIA's. Exported for shells of other name spaces.
export nvidia_key=${BASH_SOURCE[0]%/*}/../data/keys/owner

# new_device [OPTION ...] NAME: dpadev create, with that key; to make one takes seconds.
new_device() {
    dpadev create --nvidia-key "$nvidia_key.pub" --nvidia-key-uuid "$(<"$nvidia_key.uuid")" "$@"
}
