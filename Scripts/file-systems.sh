#!/bin/sh
# Runs the built program on all file systems that can be mounted here, and says what was seen on which
# kernel. Mounting takes root; what cannot be had is left out with the reason.
#
#   sh Scripts/file-systems.sh swift test ...
set -eu
cd "$(dirname "$0")/.."

[ "$(id -u)" = 0 ] || echo "Not root: only what needs no mount can be tried." >&2
echo "$(uname -sr), $(date +%Y-%m-%d)"
export FILESINKI_FILE_SYSTEMS=all
exec "$@" --filter 'EndToEndTests.FileSystemTests'
