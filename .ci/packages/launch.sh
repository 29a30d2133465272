#!/bin/sh
# Starts the executable in ../lib/acq-server. glibc maps blocks of 1 MiB and more, which go back to the system
# when they are freed; by default it would keep up to 64 MiB in each thread. What the user sets comes later and counts.
export GLIBC_TUNABLES="glibc.malloc.mmap_threshold=1048576${GLIBC_TUNABLES:+:$GLIBC_TUNABLES}"
exec "$(dirname "$(readlink -f "$0")")/../lib/acq-server/acq-server" "$@"
