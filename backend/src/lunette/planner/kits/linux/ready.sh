#!/bin/sh
# Stops before anything is changed, unless this machine can use the kit. Changes nothing.
set -u
here=$(dirname "$0")
failed=0

stop() {
    echo "lunette: $*" >&2
    failed=1
}

needs() {
    command -v "$1" >/dev/null 2>&1 || stop "$1 is missing: install it (Debian, Ubuntu, Proxmox: apt-get install $2;" \
        "Red Hat: dnf install $3; SUSE: zypper install $4)"
}

if [ -e "$here/scsi-volumes" ]; then
    needs multipathd multipath-tools device-mapper-multipath multipath-tools
fi
if [ -e "$here/iscsi-portals" ]; then
    needs iscsiadm open-iscsi iscsi-initiator-utils open-iscsi
    name=$(sed -n 's/^InitiatorName=//p' /etc/iscsi/initiatorname.iscsi 2>/dev/null | head -n 1)
    if ! grep -qixF -e "${name:-none}" "$here/initiator-names"; then
        stop "this machine calls itself ${name:-nothing yet}, and the appliance knows $(tr '\n' ' ' <"$here/initiator-names")-" \
            "enter this machine's name on the appliance, or write one of those into /etc/iscsi/initiatorname.iscsi and" \
            "restart iscsid (sessions to other targets would be lost)"
    fi
fi
if [ -e "$here/nvme-volumes" ]; then
    needs nvme nvme-cli nvme-cli nvme-cli
fi
if [ -e "$here/nvme-names" ]; then
    name=$(head -n 1 /etc/nvme/hostnqn 2>/dev/null)
    if ! grep -qxF -e "${name:-none}" "$here/nvme-names"; then
        stop "this machine calls itself ${name:-nothing yet} over NVMe, and the appliance knows" \
            "$(tr '\n' ' ' <"$here/nvme-names")- enter this machine's name on the appliance, or write one of those into" \
            "/etc/nvme/hostnqn"
    fi
fi
if grep -q '@LUNETTE-[A-Z-]*@' "$here/iscsi-node.conf" "$here/iscsi-discovery.conf" "$here/nvme.json" 2>/dev/null; then
    stop "secrets are missing: fetch the kit with its secrets, or write them in place of @LUNETTE-…@ in $here"
fi
exit $failed
