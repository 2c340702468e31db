#!/bin/bash
# Ceph with one of each: monitor, manager, OSD on a sparse file, and the gateway that speaks S3:
# http://127.0.0.1:PORT, for the key "filesinki" with the secret "open sesame". It takes about 20 s.
. "$(dirname "$0")/lib.sh"
PROGRAMS="ceph-mon ceph-mgr ceph-osd radosgw radosgw-admin ceph monmaptool ceph-authtool uuidgen"
PACKAGES="ceph-mon ceph-mgr ceph-osd radosgw ceph-common uuid-runtime"

ID=11111111-2222-3333-4444-555555555555

monitors() { echo "[v2:127.0.0.1:$(port 1),v1:127.0.0.1:$(port 2)]"; }

configuration() {
    cat <<END
[global]
fsid = $ID
mon host = $(monitors)
public addr = 127.0.0.1
cluster addr = 127.0.0.1
# One node keeps one copy, and does not mind how full the disk is.
osd pool default size = 1
osd pool default min size = 1
mon allow pool size one = true
osd pool default pg num = 8
osd pool default pgp num = 8
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon data avail crit = 1
mon data avail warn = 1
mon osd full ratio = 0.98
mon osd backfillfull ratio = 0.97
mon osd nearfull ratio = 0.96
mon data = $FOLDER/mon
mgr data = $FOLDER/mgr
osd data = $FOLDER/osd
osd objectstore = bluestore
bluestore block size = 8589934592
bluestore block create = true
run dir = $FOLDER/run
admin socket = $FOLDER/run/\$name.asok
pid file = $FOLDER/run/\$name.id
log file = $FOLDER/log/\$name.log
keyring = $FOLDER/keyring
mgr modules path = /usr/share/ceph/mgr
# Without tcp_nodelay a small answer waits 40 ms for an acknowledgement.
rgw frontends = beast endpoint=127.0.0.1:$PORT tcp_nodelay=1
rgw dns name = localhost
rgw data = $FOLDER/rgw
rgw enable usage log = false
rgw run sync thread = false
rgw thread pool size = 64
END
}

keys() {
    ceph-authtool --create-keyring "$FOLDER/keyring" --gen-key -n mon. --cap mon 'allow *'
    ceph-authtool "$FOLDER/keyring" --gen-key -n client.admin --cap mon 'allow *' \
        --cap osd 'allow *' --cap mgr 'allow *'
    ceph-authtool "$FOLDER/keyring" --gen-key -n mgr.x --cap mon 'allow *' --cap osd 'allow *'
    ceph-authtool "$FOLDER/keyring" --gen-key -n osd.0 --cap mon 'allow profile osd' \
        --cap mgr 'allow profile osd' --cap osd 'allow *'
    ceph-authtool "$FOLDER/keyring" --gen-key -n client.rgw.a --cap mon 'allow rw' \
        --cap osd 'allow rwx'
}

# try COUNT COMMAND...: until it succeeds, every half second.
try() {
    local count=$1
    shift
    while ! timeout 10 "$@" >>"$FOLDER/try.log" 2>&1; do
        ((count-- > 0)) || return 1
        sleep 0.5
    done
}

osd_is_up() { ceph osd stat | grep -q '1 up'; }

make_osd() {
    local number
    number=$(uuidgen)
    ceph osd create "$number" 0 && ceph-osd -i 0 --mkfs --osd-uuid "$number"
}

launch() {
    export CEPH_CONF=$FOLDER/ceph.conf
    export -f osd_is_up
    mkdir "$FOLDER"/{log,run,mon,mgr,osd,rgw}
    configuration >"$CEPH_CONF"
    {
        keys
        monmaptool --create --fsid $ID --addv a "$(monitors)" "$FOLDER/monmap"
        ceph-mon -i a --mkfs --monmap "$FOLDER/monmap" --keyring "$FOLDER/keyring"
    } >"$FOLDER/make.log" 2>&1
    run mon ceph-mon -f -i a
    wait_for_port mon "$(port 1)" || return 1
    try 60 ceph status || return 1
    run mgr ceph-mgr -f -i x
    make_osd >>"$FOLDER/make.log" 2>&1 || return 1
    run osd ceph-osd -f -i 0
    try 120 bash -c osd_is_up || return 1
    run rgw radosgw -f -n client.rgw.a
    wait_for_port rgw "$PORT" 1200 || return 1
    radosgw-admin -n client.rgw.a user create --uid tester --display-name tester \
        --access-key filesinki --secret-key "open sesame" >"$FOLDER/user.json" \
        2>>"$FOLDER/make.log" || return 1
    URL=http://127.0.0.1:$PORT
}

main "$@"
