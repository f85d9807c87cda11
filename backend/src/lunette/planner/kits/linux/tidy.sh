#!/bin/sh
# Removes files of an earlier kit that this kit does not contain. Sessions and all other files stay unchanged.
set -eu
here=$(dirname "$0")
unit=/etc/systemd/system/lunette-nvme.service

# leaves FILE: succeeds if an earlier kit wrote the file and this kit does not contain it.
leaves() {
    [ -e "$1" ] && ! grep -qxF "$1" "$here/kit-files"
}

for name in scsi-volumes initiator-names iscsi-portals iscsi-node.conf iscsi-discovery.conf fc-ports nvme-volumes \
    nvme-names nvme-portals nvme.json; do
    if leaves "$here/$name"; then
        rm -f "$here/$name"
    fi
done
if leaves /etc/multipath/conf.d/lunette.conf; then
    rm -f /etc/multipath/conf.d/lunette.conf
fi
if leaves "$unit"; then
    systemctl disable lunette-nvme.service
    rm -f "$unit"
    systemctl daemon-reload
fi
