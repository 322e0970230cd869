#!/bin/bash
# Runs once, as root inside a sandbox without network, after `files/` and the packages are in place.
# Its changes become part of the template's layer.
set -euo pipefail

# Every tool that the template promises must start: a broken template must fail here and not in a user's session.
git --version
curl --version
python3 --version
rg --version
node --version
npm --version
pnpm --version
yarn --version
# Missing where npm has no build for the processor.
if [ -e /usr/local/lib/bun/bun ]; then bun --version; fi

# npm would otherwise put global packages beside the read-only node binary. Root installs for all users, others for
# themselves: their ~/.local/bin is on PATH.
test "$(npm prefix --global)" = /usr/local
test "$(HOME=/home/user npm prefix --global --cache /tmp/npm --logs-max 0)" = /home/user/.local
test ! -e /home/user/.npm
chmod 1777 /var/tmp
