#!/bin/bash
# OpenStack Swift with three copies of everything, and its S3 layer: http://127.0.0.1:PORT, for the
# key "test:tester" with the secret "testing". It does not keep what the store needs: that is what
# it is for.
#
#   SWIFT_VENV=FOLDER   a Python environment that has Swift, made from PyPI where it is absent;
#                       without it, Debian's packages are used
. "$(dirname "$0")/lib.sh"
PROGRAMS="memcached swift-proxy-server swift-account-server swift-container-server
    swift-object-server swift-ring-builder"
PACKAGES="memcached swift-proxy swift-account swift-container swift-object, or name SWIFT_VENV"
if [ -n "${SWIFT_VENV:-}" ]; then
    PROGRAMS="memcached python3"
    PATH=$SWIFT_VENV/bin:$PATH
fi

DEVICES="1 2 3"

# ring KIND PORT: where the three copies of accounts, containers or objects lie.
ring() {
    local device
    swift-ring-builder "$1.builder" create 8 3 1
    for device in $DEVICES; do
        swift-ring-builder "$1.builder" add "r1z$device-127.0.0.1:$2/d$device" 1
    done
    swift-ring-builder "$1.builder" rebalance
}

common() {
    cat <<END
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = $1
user = $(id -un)
swift_dir = $FOLDER
workers = 3
log_level = WARNING
END
}

storage() {
    common "$2"
    cat <<END
devices = $FOLDER/devices
mount_check = false
recon_cache_path = $FOLDER/cache
[pipeline:main]
pipeline = $1-server
[app:$1-server]
use = egg:swift#$1
END
}

proxy() {
    local name
    common "$PORT"
    cat <<END
[pipeline:main]
pipeline = catch_errors gatekeeper healthcheck cache listing_formats bulk s3api tempauth copy slo dlo versioned_writes symlink proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
dns_compliant_bucket_names = false
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:$(port 4)
[filter:versioned_writes]
use = egg:swift#versioned_writes
allow_versioned_writes = true
allow_object_versioning = true
END
    for name in catch_errors gatekeeper healthcheck listing_formats bulk copy slo dlo symlink; do
        printf '[filter:%s]\nuse = egg:swift#%s\n' $name $name
    done
}

prepare() {
    local device number=0 kind
    if [ -n "${SWIFT_VENV:-}" ] && ! command -v swift-proxy-server; then
        python3 -m venv "$SWIFT_VENV" && "$SWIFT_VENV/bin/pip" install -q swift || return 1
    fi
    for device in $DEVICES; do mkdir -p "$FOLDER/devices/d$device"; done
    mkdir "$FOLDER/cache"
    printf '[swift-hash]\nswift_hash_path_suffix = filesinki\n' >"$FOLDER/swift.conf"
    printf '[storage-policy:0]\nname = gold\ndefault = yes\n' >>"$FOLDER/swift.conf"
    proxy >"$FOLDER/proxy.conf"
    for kind in object container account; do
        number=$((number + 1))
        storage $kind "$(port $number)" >"$FOLDER/$kind.conf"
        (cd "$FOLDER" && ring $kind "$(port $number)") || return 1
    done
}

launch() {
    local number=0 kind
    mkdir -p "$FOLDER"
    prepare >"$FOLDER/prepare.log" 2>&1 || {
        tail -n 20 "$FOLDER/prepare.log"
        return 1
    }
    run memcached memcached -l 127.0.0.1 -p "$(port 4)" -u nobody
    for kind in object container account; do
        number=$((number + 1))
        run $kind "$(command -v swift-$kind-server)" "$FOLDER/$kind.conf"
        wait_for_port $kind "$(port $number)" || return 1
    done
    run proxy "$(command -v swift-proxy-server)" "$FOLDER/proxy.conf"
    URL=http://127.0.0.1:$PORT
    wait_for_port proxy "$PORT"
}

main "$@"
