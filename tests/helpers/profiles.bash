# source_profiles ROOT [FOLDER]: what a login shell reads after `make install-compat ROOT=ROOT`, of the installation
# itself or of FOLDER.
source_profiles() {
    local file
    for file in "${2-$1/dpakit/share/dpakit/profile.d}"/*.sh; do
        # shellcheck disable=SC1090
        source "$file"
    done
}
