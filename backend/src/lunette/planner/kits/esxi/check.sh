#!/bin/sh
# Checks that this host sees its volumes over every path. Changes nothing. The exit code is 0 if it does.
failed=0

good() {
    echo "ok    $*"
}

bad() {
    echo "FAIL  $*"
    failed=1
}

# iscsi ADDRESS PORTAL
iscsi() {
    if esxcli iscsi session connection list | grep -q "RemoteAddress: $1\$"; then
        good "portal $2"
    else
        bad "no connection to portal $2"
    fi
}

# scsi NAA NAME PATHS
scsi() {
    seen=$(esxcli storage core path list -d "naa.$1" 2>/dev/null | grep -c 'State: active')
    if [ "$seen" -ge "$3" ]; then
        good "volume $2: $seen paths"
    else
        bad "volume $2: expected $3 paths, seen $seen"
    fi
    esxcli storage nmp device list -d "naa.$1" 2>/dev/null | grep -q 'Path Selection Policy: VMW_PSP_RR' ||
        bad "volume $2: the claim rule does not apply yet (reboot the host)"
}

# nvme SUBSYSTEM
nvme() {
    if esxcli nvme controller list | grep -qF -e "$1"; then
        good "subsystem $1"
    else
        bad "not connected to $1"
    fi
}

