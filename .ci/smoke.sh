#!/usr/bin/env bash
# Runs an executable on a system that has nothing but a shell, such as an old one: smoke.sh EXECUTABLE examples/line_scan.oir
set -euo pipefail
program=$1 sample=$2
log=$(mktemp)

"$program" --version
"$program" info "$sample" | grep -q '"format": *"oir"' || { echo "info does not tell the format" >&2; exit 1; }
# A sample is four bytes: never nothing.
[ "$("$program" plane "$sample" | wc -c)" -gt 0 ] || { echo "plane wrote nothing" >&2; exit 1; }

"$program" --port 0 2>"$log" &
server=$!
trap 'kill "$server" 2>/dev/null || true; rm -f "$log"' EXIT
port=
for _ in $(seq 100); do
  port=$(sed -nE 's|.*http://127\.0\.0\.1:([0-9]+).*|\1|p' "$log" | head -n 1)
  [ -n "$port" ] && break
  kill -0 "$server" || { cat "$log" >&2; exit 1; }
  sleep 0.1
done
[ -n "$port" ] || { cat "$log" >&2; exit 1; }
exec 3<>"/dev/tcp/127.0.0.1/$port"
printf 'GET /api/v2/health HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nConnection: close\r\n\r\n' "$port" >&3
answer=$(cat <&3)
grep -q '^HTTP/1.1 200' <<<"$answer" || { echo "$answer" >&2; exit 1; }
kill "$server"
wait "$server" || { echo "the server did not end by itself" >&2; exit 1; }
echo "It starts, answers and ends"
