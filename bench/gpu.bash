# What measurements of DOCA GPUNetIO share. It enters a folder, which is removed at the end, with a device on the veth v0.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export DPAKIT_DEVICES=$work/devices DPAKIT_WIRE_mlx5_0=veth:v0 DPAKIT_GPU_WORKERS=1
dpadev create mlx5_0 >log

# gpu_program SOURCE PROGRAM LIBRARY...: compiles a source beside this file.
gpu_program() {
    dpacu -O2 -I"$DPAKIT_BUILD/include/doca" -I"$here" "$here/$1" -o "$2" -L"$DPAKIT_BUILD/lib" "${@:3}" -ldoca_gpunetio \
        -ldoca_eth -ldoca_common -Xlinker -rpath -Xlinker "$DPAKIT_BUILD/lib"
}
