"""Documentation of the options every module has."""

# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """`extends_documentation_fragment: lunette.appliance.appliance`."""

    DOCUMENTATION = r"""
options:
  appliance_url:
    description:
      - Address of the appliance, such as V(https://appliance.example). V(http) is accepted only for this machine.
      - Without it, the environment variable E(LUNETTE_URL).
    type: str
  appliance_token:
    description:
      - API token. It needs no login, so it is faster and leaves no open session.
      - Without it, the environment variable E(LUNETTE_TOKEN).
    type: str
  appliance_username:
    description:
      - User to log in as if there is no token. The module logs out when it ends.
      - Without it, the environment variable E(LUNETTE_USERNAME).
    type: str
  appliance_password:
    description:
      - Password of O(appliance_username).
      - Without it, the environment variable E(LUNETTE_PASSWORD).
    type: str
  appliance_fingerprint:
    description:
      - SHA-256 fingerprint of the appliance's certificate, in hex with or without colons. Only
        this certificate is trusted, whatever authority signed it.
      - Without it, the environment variable E(LUNETTE_FINGERPRINT).
    type: str
  appliance_ca_path:
    description:
      - File with the certificates of authorities to trust instead of the system's.
      - Without it, the environment variable E(LUNETTE_CA_PATH).
    type: path
  appliance_timeout:
    description:
      - Seconds to wait for each answer.
    type: int
    default: 60
requirements:
  - Python 3.9 or later where the module runs; no other package. Delegate to the controller or use a local connection.
"""
