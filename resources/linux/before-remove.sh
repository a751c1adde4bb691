#!/bin/sh
# Before the package is removed (not while it is updated): each user's client apps get their files back as they were.
set -e
[ "$1" = remove ] || exit 0
getent passwd | while IFS=: read -r name _ uid _ _ home _; do
  [ -d "$home/.local/share/tooltray" ] || [ -d "$home/.config/tooltray" ] || continue
  runuser --user "$name" -- env HOME="$home" XDG_RUNTIME_DIR="/run/user/$uid" tooltray uninstall --all --quiet </dev/null ||
    echo "tooltray: The client apps of $name may still have an entry of Tooltray." >&2
done
exit 0
