#!/bin/bash
# A Citus of a coordinator and two workers on loopback ports. For tests only.
#   Debian has no Citus: build it, or take its packages from Citus
#   start-citus.sh FOLDER [PORT]   prints CITUS_URL; PORT and the two after it must be free
#   start-citus.sh FOLDER end      ends it
set -eu
folder=$(realpath -m "$1"); port=${2:-9700}
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
PATH=${bin:+$bin:}$PATH
as() { if [ "$(id -u)" = 0 ]; then (cd / && setpriv --reuid postgres --regid postgres --clear-groups env HOME="$folder" PATH="$PATH" "$@"); else "$@"; fi; }
if [ "$port" = end ]; then
  for data in "$folder"/*/; do as pg_ctl -D "$data" -m immediate stop >/dev/null; done
  exit
fi
mkdir -p "$folder"
[ "$(id -u)" != 0 ] || chown postgres "$folder"
for at in $port $((port + 1)) $((port + 2)); do
  as initdb -D "$folder/$at" -U postgres -A trust -E UTF8 --locale=C --no-sync >/dev/null
  as tee -a "$folder/$at/postgresql.conf" >/dev/null <<CONF
shared_preload_libraries = 'citus'
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
port = $at
fsync = off
full_page_writes = off
synchronous_commit = off
jit = off
max_connections = 300
max_prepared_transactions = 300
citus.shard_count = 4
citus.enable_statistics_collection = off
CONF
  as pg_ctl -D "$folder/$at" -l "$folder/$at.log" -w start >/dev/null
  as createdb -h 127.0.0.1 -p "$at" -U postgres daybook
  as psql -h 127.0.0.1 -p "$at" -U postgres -qd daybook -c 'create extension citus'
done
as psql -h 127.0.0.1 -p "$port" -U postgres -v ON_ERROR_STOP=1 -qtAd daybook >/dev/null <<SQL
select citus_set_coordinator_host('127.0.0.1', $port);
select citus_add_node('127.0.0.1', $((port + 1)));
select citus_add_node('127.0.0.1', $((port + 2)));
SQL
echo "CITUS_URL=postgresql://postgres@127.0.0.1:$port/daybook"
