#!/bin/sh
# Connects this machine to its volumes over every protocol of the kit. Can be run repeatedly: it does what is missing.
set -eu
umask 077
here=$(dirname "$0")
failed=0

has_rdma() {
    [ -n "$(ls /sys/class/infiniband 2>/dev/null)" ]
}

# joined WWID: succeeds if the volume has its multipath device, and each of its running disks is a path of it.
joined() {
    dmsetup info -c --noheadings -o uuid 2>/dev/null | grep -qxF "mpath-$1" || return 1
    disks=0
    for at in /sys/class/scsi_device/*/device; do
        # Identifiers of type 3 (NAA) have the prefix 3 in udev and "naa." in the kernel.
        if grep -qixF "naa.${1#3}" "$at/wwid" 2>/dev/null && grep -qx running "$at/state"; then
            disks=$((disks + 1))
        fi
    done
    [ "$(multipathd show paths raw format '%w %t' 2>/dev/null | grep -c "^$1 active")" -ge "$disks" ]
}

# record TARGET ADDRESS PORT INTERFACE: the file in which open-iscsi stores its settings of this portal.
record() {
    find /var/lib/iscsi/nodes /etc/iscsi/nodes -type f -path "*/$1/$2,$3,*" -name "$4" 2>/dev/null | head -n 1
}

# Writes the settings to the file, because every user can read the arguments of iscsiadm while it runs.
settle() {
    awk '
        { cut = index($0, " = "); key = cut ? substr($0, 1, cut - 1) : $0 }
        NR == FNR { if (cut && $0 !~ /^#/) { want[key] = $0; order[++count] = key } next }
        key in want { next }
        /^# END RECORD/ { for (i = 1; i <= count; i++) print want[order[i]] }
        { print }
    ' "$here/iscsi-node.conf" "$1" >"$here/record.new"
    cmp -s "$here/record.new" "$1" || cat "$here/record.new" >"$1"
    rm -f "$here/record.new"
}

# iscsi TARGET ADDRESS PORT TAG INTERFACE PORTAL
iscsi() {
    if [ "$5" = iser ] && ! has_rdma; then
        echo "lunette: $6 uses iSER, and this machine has no RDMA device: skipped"
        return 0
    fi
    [ -n "$(record "$1" "$2" "$3" "$5")" ] || iscsiadm -m node -T "$1" -p "$6,$4" -I "$5" -o new >/dev/null
    settle "$(record "$1" "$2" "$3" "$5")"
    if iscsiadm -m session 2>/dev/null | grep -qF " $6,$4 $1 "; then
        iscsiadm -m node -T "$1" -p "$6,$4" -I "$5" --rescan >/dev/null || failed=1
    else
        iscsiadm -m node -T "$1" -p "$6,$4" -I "$5" --login || failed=1
    fi
}

# gone DISK: succeeds if the target has no such LUN: it answers ILLEGAL REQUEST (sg_inq exits with 5) or, for LUN 0,
# with a peripheral qualifier other than 0. A path that is down does neither. sg_turs of sg3_utils 1.48 sends nothing.
gone() {
    answer=0
    shown=$(sg_inq "$1" 2>/dev/null) || answer=$?
    case $shown in
        *PQual=0*) return 1 ;;
        *PQual=*) return 0 ;;
    esac
    [ $answer -eq 5 ]
}

# release WWID: if the volume has no disk left, not even one that is down, fails the I/O that waits for a path and
# removes the multipath device.
release() {
    grep -qixF "naa.${1#3}" /sys/class/scsi_device/*/device/wwid 2>/dev/null && return 0
    multipathd disablequeueing map "$1" >/dev/null 2>&1 || true
    left=10
    while dmsetup info -c --noheadings -o uuid 2>/dev/null | grep -qxF "mpath-$1"; do
        multipath -f "$1" >/dev/null 2>&1 && return 0
        left=$((left - 1))
        if [ $left -eq 0 ]; then
            echo "lunette: /dev/mapper/$1 has no disk left but is in use: unmount it, then run multipath -f $1" >&2
            return 0
        fi
        sleep 1
    done
}

# Removes disks whose LUN no longer exists: another volume may get its number, and then the writes to the old disk.
remove_gone() {
    if ! command -v sg_inq >/dev/null 2>&1; then
        echo "lunette: sg_inq is missing (package sg3-utils or sg3_utils): disks of removed volumes are not removed" >&2
        return 0
    fi
    removed=
    for at in /sys/class/scsi_device/*/device; do
        grep -q '^LUNETTE' "$at/vendor" 2>/dev/null || continue
        for disk in "$at"/block/*; do
            name=${disk##*/}
            wwid=$(sed -n 's/^naa\./3/p' "$at/wwid")
            if gone "/dev/$name" && echo 1 >"$at/delete"; then
                echo "lunette: $name was removed: the appliance no longer serves it to this machine"
                removed="$removed $wwid"
            fi
        done
    done
    for wwid in $removed; do
        release "$wwid"
    done
}

# controller SUBSYSTEM ADDRESS PORT TRANSPORT: sysfs directory of the connection.
controller() {
    for at in /sys/class/nvme/nvme*; do
        [ "$(cat "$at/subsysnqn" 2>/dev/null)" = "$1" ] || continue
        case "$(cat "$at/transport"),$(cat "$at/address")," in
            "$4,traddr=$2,trsvcid=$3,"*) echo "$at" ;;
        esac
    done
}

# nvme_path SUBSYSTEM ADDRESS PORT TRANSPORT HOST HOSTID
nvme_path() {
    if [ "$4" = rdma ] && ! has_rdma; then
        echo "lunette: $2:$3 uses NVMe over RDMA, and this machine has no RDMA device: skipped"
        return 0
    fi
    modprobe "nvme-$4" 2>/dev/null || true
    if [ -z "$(controller "$1" "$2" "$3" "$4")" ]; then
        nvme connect --config="$here/nvme.json" --transport="$4" --traddr="$2" --trsvcid="$3" --nqn="$1" \
            --hostnqn="$5" --hostid="$6" || failed=1
    fi
    # Never fail the volumes. With a configuration file, libnvme 1.13 accepts -1 neither there nor on the command line.
    for at in $(controller "$1" "$2" "$3" "$4"); do
        echo -1 >"$at/ctrl_loss_tmo" || failed=1
    done
}

if [ -e "$here/scsi-volumes" ]; then
    while read -r wwid _; do
        grep -qxF "/$wwid/" /etc/multipath/wwids 2>/dev/null || multipath -a "$wwid" >/dev/null
    done <"$here/scsi-volumes"
fi
if [ -e "$here/iscsi-portals" ]; then
    while read -r target address port tag interface portal <&3; do
        iscsi "$target" "$address" "$port" "$tag" "$interface" "$portal"
    done 3<"$here/iscsi-portals"
fi
if [ -e "$here/fc-ports" ]; then
    for port in /sys/class/fc_host/host*; do
        if [ -e "$port" ]; then
            echo '- - -' >"/sys/class/scsi_host/${port##*/}/scan"
        fi
    done
fi
if [ -e "$here/scsi-volumes" ]; then
    remove_gone
fi
# Disks appear one after another and multipath combines them. Using them is not safe before that.
if [ -e "$here/scsi-volumes" ]; then
    tries=60
    while read -r wwid _ <&3; do
        while ! joined "$wwid" && [ $tries -gt 0 ]; do
            tries=$((tries - 1))
            sleep 1
        done
    done 3<"$here/scsi-volumes"
fi
if [ -e "$here/nvme-portals" ]; then
    while read -r subsystem address port transport host hostid <&3; do
        nvme_path "$subsystem" "$address" "$port" "$transport" "$host" "$hostid"
    done 3<"$here/nvme-portals"
fi
exit $failed
