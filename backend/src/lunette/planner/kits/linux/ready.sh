#!/bin/sh
# Checks that this machine can use the kit, before anything is changed. Changes nothing.
set -u
here=$(dirname "$0")
failed=0

stop() {
    echo "lunette: $*" >&2
    failed=1
}

# has FILE: succeeds if the file belongs to this kit. Files of an earlier kit do not count.
has() {
    [ -e "$here/$1" ] && grep -qxF "$here/$1" "$here/kit-files"
}

# lacks_secrets FILE
lacks_secrets() {
    has "$1" && grep -q '@LUNETTE-[A-Z-]*@' "$here/$1"
}

needs() {
    command -v "$1" >/dev/null 2>&1 || stop "$1 is missing: install it (Debian, Ubuntu, Proxmox: apt-get install $2;" \
        "Red Hat: dnf install $3; SUSE: zypper install $4)"
}

if has scsi-volumes; then
    needs multipathd multipath-tools device-mapper-multipath multipath-tools
fi
if has iscsi-portals; then
    needs iscsiadm open-iscsi iscsi-initiator-utils open-iscsi
    name=$(sed -n 's/^InitiatorName=//p' /etc/iscsi/initiatorname.iscsi 2>/dev/null | head -n 1)
    if ! grep -qixF -e "${name:-none}" "$here/initiator-names"; then
        stop "this machine has the name ${name:-(none)}, and the appliance knows $(tr '\n' ' ' <"$here/initiator-names")-" \
            "enter this machine's name on the appliance, or write one of those into /etc/iscsi/initiatorname.iscsi and" \
            "restart iscsid (sessions to other targets would be lost)"
    fi
fi
if has nvme-volumes; then
    needs nvme nvme-cli nvme-cli nvme-cli
fi
if has nvme-names; then
    name=$(head -n 1 /etc/nvme/hostnqn 2>/dev/null)
    if ! grep -qxF -e "${name:-none}" "$here/nvme-names"; then
        stop "this machine has the NVMe name ${name:-(none)}, and the appliance knows" \
            "$(tr '\n' ' ' <"$here/nvme-names")- enter this machine's name on the appliance, or write one of those into" \
            "/etc/nvme/hostnqn"
    fi
fi
if lacks_secrets iscsi-node.conf || lacks_secrets iscsi-discovery.conf || lacks_secrets nvme.json; then
    stop "secrets are missing: download the kit with its secrets, or replace @LUNETTE-…@ with them in $here"
fi
exit $failed
