#!/bin/bash
# A Ceph of one node in memory, with its S3 gateway on a loopback port. For tests only.
#   apt-get install radosgw ceph-mon ceph-osd ceph-mgr uuid-runtime
#   start-ceph.sh FOLDER [PORT]   prints S3_URL, S3_KEY_ID and S3_SECRET
#   kill $(cat FOLDER/*.pid)      ends it
set -eu
folder=$(realpath -m "$1"); port=${2:-7480}
rm -rf "$folder/mon" "$folder/osd" "$folder/mgr"
mkdir -p "$folder/mon" "$folder/osd" "$folder/mgr" "$folder/rgw"
cat > "$folder/ceph.conf" <<CONF
[global]
fsid = $(uuidgen)
mon host = [v2:127.0.0.1:3300,v1:127.0.0.1:6789]
keyring = $folder/keyring
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 4
osd crush chooseleaf type = 0
mon allow pool size one = true
mon max pg per osd = 1000
osd objectstore = memstore
memstore device bytes = 4294967296
log file = $folder/\$name.log
admin socket = $folder/\$name.\$pid.asok
pid file = $folder/\$name.pid
run dir = $folder
crash dir = $folder
public addr = 127.0.0.1
cluster addr = 127.0.0.1
mon data = $folder/mon
osd data = $folder/osd
mgr data = $folder/mgr
rgw frontends = beast endpoint=127.0.0.1:$port
rgw data = $folder/rgw
CONF
ceph() { command ceph -c "$folder/ceph.conf" "$@"; }
conf="-c $folder/ceph.conf"
fsid=$(sed -n 's/^fsid = //p' "$folder/ceph.conf")
keyring="$folder/keyring"
ceph-authtool --create-keyring "$keyring" --gen-key -n mon. --cap mon 'allow *' >/dev/null
for name in client.admin client.rgw mgr.x osd.0; do
  ceph-authtool "$keyring" --gen-key -n "$name" --cap mon 'allow *' --cap osd 'allow *' --cap mgr 'allow *' --cap mds 'allow *'
done
monmaptool --create --clobber --addv a '[v2:127.0.0.1:3300,v1:127.0.0.1:6789]' --fsid "$fsid" "$folder/monmap" >/dev/null
ceph-mon $conf --mkfs -i a --monmap "$folder/monmap" --keyring "$keyring"
ceph-mon $conf -i a
ceph-mgr $conf -i x
uuid=$(uuidgen)
id=$(ceph osd new "$uuid")
ceph-osd $conf -i "$id" --mkfs --osd-uuid "$uuid"
ceph-osd $conf -i "$id"
radosgw $conf -n client.rgw
radosgw-admin $conf user create --uid daybook --display-name Daybook --access-key AKIADAYBOOKCEPH --secret-key a-secret-of-tests >/dev/null
echo "S3_URL=http://127.0.0.1:$port S3_KEY_ID=AKIADAYBOOKCEPH S3_SECRET=a-secret-of-tests"
