#!/bin/bash
# Runs once, as root inside a sandbox without network, after `files/` and the packages are in place.
# What it changes becomes part of the template's layer.
set -euo pipefail

# Every tool that the template promises must start; a broken template must fail here and not in a user's session.
git --version
curl --version
python3 --version
rg --version
node --version
npm --version

# npm would otherwise put global packages beside the read-only node binary.
test "$(npm prefix --global)" = /usr/local
chmod 1777 /var/tmp
