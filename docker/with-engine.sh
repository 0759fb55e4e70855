#!/usr/bin/env bash
# Runs a command with a Docker engine: the one that answers, or one started for this command and ended after it.
#   docker/with-engine.sh COMMAND [ARGUMENT...]
set -euo pipefail

if ! command -v docker >/dev/null; then
  echo "There is no docker client. On Debian: apt-get install docker.io" >&2
  exit 1
fi
if docker version >/dev/null 2>&1; then
  exec "$@"
fi
if [ "$(id -u)" != 0 ] || ! command -v dockerd >/dev/null; then
  echo "No Docker engine answers. Start one, or run this as root with dockerd installed" >&2
  echo "(on Debian: apt-get install docker.io)." >&2
  exit 1
fi

log=$(mktemp)
# The engine listens on its unix socket only, and gets no say of the terminal's Ctrl-C before we do.
setsid dockerd >"$log" 2>&1 </dev/null &
engine=$!
finish() {
  kill "$engine" 2>/dev/null || true
  wait "$engine" 2>/dev/null || true
  rm -f "$log"
}
trap finish EXIT
for _ in $(seq 240); do
  if docker version >/dev/null 2>&1; then
    "$@"
    exit
  fi
  if ! kill -0 "$engine" 2>/dev/null; then
    break
  fi
  sleep 0.25
done
echo "The Docker engine did not start. The end of its log:" >&2
tail -n 20 "$log" >&2
exit 1
