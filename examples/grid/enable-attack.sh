#!/bin/sh
# Enables an attack in a running simulation (npm start) and prints the answer; fails unless it was enabled.
#
#   GRID_TOKEN=... sh examples/grid/enable-attack.sh [TYPE] [PARAMS] [URL]
#   GRID_TOKEN=... sh examples/grid/enable-attack.sh DROP '{"drop_percent": 50}'
#
# Disable all again: curl -X POST -H "Authorization: Bearer $GRID_TOKEN" http://127.0.0.1:8080/api/v1/attack/disable
type="${1:-NOISE}"
params="${2:-"{}"}"
url="${3:-http://127.0.0.1:8080}"
answer=$(curl -sS "$url/api/v1/attack/enable" -H "Authorization: Bearer ${GRID_TOKEN:-}" \
  -d "{\"type\": \"$type\", \"params\": $params}") || exit 1
printf '%s\n' "$answer"
# The status alone proves nothing: an attack that cannot be enabled is answered 200 with success false.
case "$answer" in *'"success": true'*) ;; *) exit 1 ;; esac
