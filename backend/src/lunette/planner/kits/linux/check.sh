#!/bin/sh
# Checks that this machine sees its volumes over every path, and prints one line for each check. Changes nothing.
# The exit code is 0 if all checks pass, and 1 otherwise.
set -u
here=$(dirname "$0")
failed=0

good() {
    echo "ok    $*"
}

bad() {
    echo "FAIL  $*"
    failed=1
}

has_rdma() {
    [ -n "$(ls /sys/class/infiniband 2>/dev/null)" ]
}

value() {
    cat "$1" 2>/dev/null
}

# session TARGET ADDRESS PORT: sysfs directory of the session that is logged in there.
session() {
    for connection in /sys/class/iscsi_connection/connection*; do
        [ "$(value "$connection/persistent_address")" = "$2" ] || continue
        [ "$(value "$connection/persistent_port")" = "$3" ] || continue
        number=${connection##*connection}
        found=/sys/class/iscsi_session/session${number%%:*}
        [ "$(value "$found/targetname")" = "$1" ] && [ "$(value "$found/state")" = LOGGED_IN ] && echo "$found" && return
    done
}

iscsi() {
    if [ "$5" = iser ] && ! has_rdma; then
        echo "skip  portal $6 uses iSER, and this machine has no RDMA device"
        return
    fi
    expected=$((expected + 1))
    at=$(session "$1" "$2" "$3")
    if [ -z "$at" ]; then
        bad "no connection to portal $6: not logged in to $1 (journalctl -u iscsid, ping -M do the address)"
        return
    fi
    if [ "$(value "$at/recovery_tmo")" = "$replacement" ]; then
        good "portal $6: logged in"
    else
        bad "portal $6: logged in, but I/O fails over after $(value "$at/recovery_tmo") s instead of $replacement (log out and in again)"
    fi
}

scsi_volume() {
    map=$(dmsetup info -c --noheadings --separator ' ' -o uuid,name 2>/dev/null |
        wanted=mpath-$1 awk '$1 == ENVIRON["wanted"] { print $2; exit }')
    if [ -z "$map" ]; then
        bad "volume $2: no multipath device $1 (multipath -ll; was it mapped after the kit was applied?)"
        return
    fi
    active=$(multipathd show paths raw format '%w %t' 2>/dev/null | grep -c "^$1 active")
    if ! dmsetup table "$map" | grep -q queue_if_no_path; then
        bad "volume $2: I/O does not wait while all paths are down (multipathd reconfigure)"
    elif [ "$active" -lt "$expected" ]; then
        bad "volume $2: expected $expected paths, seen $active (/dev/mapper/$map)"
    else
        good "volume $2: $active paths (/dev/mapper/$map)"
    fi
}

nvme_path() {
    if [ "$4" = rdma ] && ! has_rdma; then
        echo "skip  $2:$3 uses NVMe over RDMA, and this machine has no RDMA device"
        return
    fi
    state=
    for at in /sys/class/nvme/nvme*; do
        [ "$(value "$at/subsysnqn")" = "$1" ] || continue
        case "$(value "$at/transport"),$(value "$at/address")," in
            "$4,traddr=$2,trsvcid=$3,"*) state=$(value "$at/state") loss=$(value "$at/ctrl_loss_tmo") ;;
        esac
    done
    if [ "$state" != live ]; then
        bad "no connection to portal $2:$3: ${state:-not connected} to $1 (journalctl -k | grep nvme)"
    elif [ "$loss" != off ] && [ "$loss" != -1 ]; then
        bad "portal $2:$3: connected, but fails the volumes after $loss s (disconnect, then run connect.sh)"
    else
        good "portal $2:$3: connected"
    fi
}

nvme_volume() {
    for at in /sys/block/nvme*; do
        if [ "$(value "$at/uuid")" = "$1" ]; then
            good "volume $2: /dev/${at##*/}"
            return
        fi
    done
    bad "volume $2: no namespace with UUID $1"
}

sh "$here/ready.sh" || failed=1
expected=0
if [ -e "$here/iscsi-portals" ]; then
    replacement=$(sed -n 's/^node.session.timeo.replacement_timeout = //p' "$here/iscsi-node.conf")
    while read -r target address port _ interface portal <&3; do
        iscsi "$target" "$address" "$port" - "$interface" "$portal"
    done 3<"$here/iscsi-portals"
fi
if [ -e "$here/fc-ports" ]; then
    expected=$((expected + 1)) # At least one: the zones of the fabric decide which ports see each other.
    grep -q Online /sys/class/fc_host/host*/port_state 2>/dev/null || bad "no Fibre Channel port of this machine has a link"
fi
if [ -e "$here/scsi-volumes" ]; then
    while read -r wwid name <&3; do
        scsi_volume "$wwid" "$name"
    done 3<"$here/scsi-volumes"
fi
if [ -e "$here/nvme-portals" ]; then
    while read -r subsystem address port transport _ <&3; do
        nvme_path "$subsystem" "$address" "$port" "$transport"
    done 3<"$here/nvme-portals"
fi
if [ -e "$here/nvme-volumes" ]; then
    while read -r uuid name <&3; do
        nvme_volume "$uuid" "$name"
    done 3<"$here/nvme-volumes"
fi
[ $failed = 0 ] && echo "All checks passed." || echo "Some checks failed."
exit $failed
