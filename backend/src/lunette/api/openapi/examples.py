"""An example of the body of each operation that has one; shown in the API document."""

from typing import Any

_PASSWORD = "correct horse battery staple"
_NEW_PASSWORD = "seven silver lunar bridges"
_SITE: dict[str, Any] = {
    "format": 1,
    "volumes": [
        {"name": "lun05", "array": "tank", "size_bytes": 214748364800, "description": "VMFS datastore 5"},
        {"name": "lun06", "array": "tank", "size_bytes": 214748364800, "provisioning": "thin"},
    ],
    "hosts": [{"name": "esx3", "os_type": "esxi", "iqns": ["iqn.1998-01.com.vmware:esx3-7b20e9"]}],
    "mappings": [
        {"volume": "lun05", "host": "esx3", "lun": 5},
        {"volume": "lun06", "host": "esx3", "lun": 6},
    ],
}

EXAMPLES: dict[str, dict[str, Any]] = {
    "login_create": {"username": "jane", "password": _PASSWORD, "code": "492039"},
    "password_change": {
        "current_password": _PASSWORD,
        "code": "492039",
        "new_password": _NEW_PASSWORD,
        "keep_tokens": True,
    },
    "second_factor_start": {"current_password": _PASSWORD},
    "second_factor_confirm": {"code": "492039"},
    "second_factor_renew_codes": {"current_password": _PASSWORD, "code": "492039"},
    "second_factor_remove": {"current_password": _PASSWORD, "code": "492039"},
    "user_create": {"username": "jane", "password": _PASSWORD, "role": "operator"},
    "user_patch": {"role": "administrator"},
    "token_create": {"name": "backup", "role": "viewer", "expires_days": 365},
    "disk_wipe": {"method": "signatures", "confirm": "S5GXNX0T104729", "signatures": ["linux_raid_member"]},
    "disk_locate": {"off": False},
    "array_create": {
        "name": "tank",
        "engine": "md",
        "level": "raid5",
        "disks": ["nvme-eui.0025388b91d0a1f2", "nvme-eui.0025388b91d0a1f3", "nvme-eui.0025388b91d0a1f4"],
        "chunk_bytes": 65536,
        "spares": ["nvme-eui.0025388b91d0a1f5"],
        "wipe": ["nvme-eui.0025388b91d0a1f4"],
    },
    "array_patch": {"sync_speed_min_bytes_s": 104857600, "sync_speed_max_bytes_s": 1073741824},
    "array_add_spares": {"disks": ["nvme-eui.0025388b91d0a1f5"]},
    "array_add_disks": {"role": "log", "disks": ["nvme-eui.0025388b91d0a1f7", "nvme-eui.0025388b91d0a1f8"]},
    "array_grow": {"disks": ["nvme-eui.0025388b91d0a1f6"]},
    "array_reshape": {"level": "raid6", "disks": ["nvme-eui.0025388b91d0a1f6"]},
    "array_replace": {"disk": "nvme-eui.0025388b91d0a1f3", "new": "nvme-eui.0025388b91d0a1f6"},
    "array_fail": {"disk": "nvme-eui.0025388b91d0a1f3"},
    "array_remove": {"disk": "nvme-eui.0025388b91d0a1f3"},
    "array_readd": {"disk": "nvme-eui.0025388b91d0a1f3"},
    "array_scrub": {"action": "check"},
    "array_force_start": {"confirm": "tank"},
    "array_release": {"confirm": "tank"},
    "array_forget": {"confirm": "tank"},
    "array_unlock": {"passphrase": _PASSWORD},
    "array_change_key": {"passphrase": _PASSWORD, "new_passphrase": _NEW_PASSWORD, "keep_key": True},
    "foreign_array_adopt": {"name": "tank", "volumes": ["lun01", "lun02"]},
    "volume_create_batch": {
        "array": "tank",
        "name_pattern": "lun%02d",
        "count": 32,
        "size_bytes": 214748364800,
        "provisioning": "thin",
    },
    "volume_delete_batch": {"volumes": ["lun07", "lun08"]},
    "volume_create": {
        "name": "db01",
        "array": "tank",
        "size_bytes": 107374182400,
        "provisioning": "thin",
        "description": "PostgreSQL database",
    },
    "volume_patch": {"name": "db01-old", "description": "PostgreSQL database before the migration"},
    "volume_grow": {"size_bytes": 214748364800},
    "volume_roll_back": {"snapshot": "db01-monday", "keep": True},
    "deleted_volume_recover_batch": {"deleted_volumes": ["lun07", "lun08"]},
    "deleted_volume_delete_batch": {"deleted_volumes": ["lun07", "lun08"]},
    "deleted_volume_recover": {"name": "db01-recovered"},
    "snapshot_create_batch": {
        "volumes": ["db01", "db02"],
        "name": "{volume}.before-upgrade",
        "description": "Before the upgrade to PostgreSQL 17",
    },
    "snapshot_delete_batch": {"snapshots": ["db01-monday", "db02-monday"]},
    "snapshot_create": {"name": "db01-monday", "volume": "db01", "description": "Before the schema change"},
    "snapshot_clone": {"name": "db01-test", "description": "Copy for the test system"},
    "deleted_snapshot_recover_batch": {"deleted_snapshots": ["db01-monday", "db02-monday"]},
    "deleted_snapshot_delete_batch": {"deleted_snapshots": ["db01-monday", "db02-monday"]},
    "deleted_snapshot_recover": {"name": "db01-monday"},
    "host_verify_paths": {"confirm": "esx1", "away_s": 45},
    "host_create": {
        "name": "esx1",
        "os_type": "esxi",
        "iqns": ["iqn.1998-01.com.vmware:esx1-4f1c2d"],
        "chap": {"user": "esx1", "secret": "Kq7vT2mLs9xR4w"},
        "description": "Rack 2, unit 14",
    },
    "host_delete_batch": {"hosts": ["esx7", "esx8"], "cascade": True},
    "host_patch": {"iqns": ["iqn.1998-01.com.vmware:esx1-4f1c2d"], "wwpns": ["21:00:00:24:ff:4a:1b:2c"]},
    "host_group_create": {"name": "cluster1", "hosts": ["esx1", "esx2"], "description": "vSphere cluster"},
    "host_group_patch": {"hosts": ["esx1", "esx2", "esx3"]},
    "portal_create": {"name": "front", "protocol": "iscsi", "address": "192.0.2.10", "port": 3260},
    "portal_patch": {"address": "10.20.0.3"},
    "fc_port_create": {"wwpn": "21:00:00:24:ff:00:00:01", "mode": "target"},
    "fc_port_patch": {"mode": "initiator"},
    "interface_create": {
        "name": "vlan100",
        "kind": "vlan",
        "parent": "enp3s0f0",
        "vlan_id": 100,
        "role": "storage",
        "addresses": ["192.0.2.10/24"],
        "mtu_bytes": 9000,
    },
    "interface_change": {
        "role": "storage",
        "dhcp": False,
        "addresses": ["192.0.2.11/24"],
        "mtu_bytes": 9000,
        "portals": ["front"],
    },
    "mapping_create_batch": {
        "split": {"volumes": ["lun01", "lun02", "lun03", "lun04"], "hosts": ["esx1", "esx2"], "family": "scsi"}
    },
    "mapping_delete_batch": {
        "mappings": ["3b8f0e6c-1f0a-4c5e-9a53-0d7c2c9f4e11", "9f1d2a47-6a0e-4b8e-8f5d-5f3c1b7a2d90"]
    },
    "mapping_create": {"volume": "lun01", "host_group": "cluster1", "lun": 1},
    "schedule_create": {
        "name": "nightly",
        "action": "snapshot",
        "volumes": ["db01", "db02"],
        "when": "0 3 * * *",
        "keep": {"last": 3, "daily": 7, "weekly": 4},
        "snapshot_name": "{volume}.{date}-{time}",
    },
    "schedule_patch": {"when": "30 2 * * *", "keep": {"last": 3, "daily": 14, "weekly": 4}},
    "setting_patch": {
        "time_zone": "Europe/Berlin",
        "mail": {
            "server": "mail.example.com",
            "port": 587,
            "security": "starttls",
            "user": "san@example.com",
            "password": _PASSWORD,
            "sender": "san@example.com",
            "recipients": ["storage-team@example.com"],
        },
        "syslog": {"transport": "tcp", "server": "192.0.2.20", "port": 514},
        "heartbeat": "07:00",
        "backup": {
            "url": "https://nas.example.com/backups/san1",
            "user": "san1",
            "password": _PASSWORD,
            "passphrase": _PASSWORD,
            "when": "0 3 * * *",
            "keep": 14,
        },
    },
    "certificate_replace": {
        "certificate": "… the certificates in PEM form …",
        "private_key": "… the private key in PEM form …",
    },
    "site_plan": {"site": _SITE, "scope": ["host/esx3"]},
    "site_apply": {"site": _SITE, "scope": ["host/esx3"], "destroy": ["mapping/lun04/host/esx3", "volume/lun04"]},
    "appliance_backup": {"passphrase": _PASSWORD, "certificate": True},
    "appliance_restore": {
        "content": "bHVuZXR0ZSBiYWNrdXAKeyJ2ZXJzaW9uIjoiMS4wLjAiLCJzY2hlbWFfcmV2aXNpb24iOg==",
        "passphrase": _PASSWORD,
        "certificate": True,
    },
    "appliance_rebuild": {
        "arrays": ["tank"],
        "adopt": True,
        "digest": "9f2c4be1d07a35586ce1f84b0d93a7724c5e6f18ab30d29e7f41c8055b6da3e2",
    },
    "update_create": {"bundle": "3f9d1c7a5be24e0c8a6f42d17b90e5c3"},
    "update_fetch": {"url": "https://updates.example.com/lunette-1.1.0.raucb"},
    "site_adopt": {"targets": ["iqn.2003-01.org.linux-iscsi.san1.x8664:sn.4f1c2d8e7a90"]},
    "site_inspect": {
        "saveconfig": {
            "fabric_modules": [{"name": "iscsi", "discovery_enable_auth": False}],
            "storage_objects": [
                {
                    "name": "lun01",
                    "plugin": "block",
                    "dev": "/dev/vg0/lun01",
                    "wwn": "0b1d5c1e-8a43-4a0e-9d4b-6f2c7e51a930",
                    "attributes": {"block_size": 512, "emulate_tpu": 1},
                }
            ],
            "targets": [
                {
                    "wwn": "iqn.2003-01.org.linux-iscsi.san1.x8664:sn.4f1c2d8e7a90",
                    "fabric": "iscsi",
                    "tpgs": [
                        {
                            "tag": 1,
                            "enable": True,
                            "attributes": {"authentication": 0, "generate_node_acls": 0},
                            "luns": [{"index": 0, "storage_object": "/backstores/block/lun01"}],
                            "portals": [{"ip_address": "192.0.2.10", "port": 3260}],
                            "node_acls": [
                                {
                                    "node_wwn": "iqn.1998-01.com.vmware:esx1-4f1c2d",
                                    "mapped_luns": [{"index": 0, "tpg_lun": 0, "write_protect": False}],
                                }
                            ],
                        }
                    ],
                }
            ],
        }
    },
    "job_resolve": {"how": "retry"},
    "alert_acknowledge": {"note": "Replacement disk ordered, arrives on Tuesday."},
    "alert_silence": {"duration_s": 86400},
}
