#!/bin/sh
# Starts PostgreSQL in a container. Knows what the official image knows: POSTGRES_USER, POSTGRES_PASSWORD,
# POSTGRES_DB, POSTGRES_HOST_AUTH_METHOD, POSTGRES_INITDB_ARGS, PGDATA; arguments go to the server.
set -eu

case "${1:-}" in
  "" | -*) set -- postgres "$@" ;;
  postgres) ;;
  *) exec "$@" ;;
esac
for argument; do
  case "$argument" in
    --help | -'?' | --version | -V | --describe-config | -C) exec "$@" ;; # asks a question, needs no data
  esac
done

: "${PGDATA:=/var/lib/postgresql/data}" "${POSTGRES_USER:=postgres}" "${POSTGRES_PASSWORD:=}"
: "${POSTGRES_DB:=$POSTGRES_USER}" "${POSTGRES_HOST_AUTH_METHOD:=scram-sha-256}" "${POSTGRES_INITDB_ARGS:=}"
export PGDATA POSTGRES_USER POSTGRES_PASSWORD POSTGRES_DB POSTGRES_HOST_AUTH_METHOD POSTGRES_INITDB_ARGS

if [ "$(id -u)" = 0 ]; then # PostgreSQL refuses to run as root
  mkdir -p "$PGDATA"
  chown postgres:postgres "$PGDATA"
  chmod 700 "$PGDATA"
  exec setpriv --reuid=postgres --regid=postgres --init-groups "$0" "$@"
fi

if [ ! -s "$PGDATA/PG_VERSION" ]; then
  if [ -z "$POSTGRES_PASSWORD" ] && [ "$POSTGRES_HOST_AUTH_METHOD" != trust ]; then
    echo "Set POSTGRES_PASSWORD: anyone who reaches the port could be the superuser otherwise." >&2
    exit 1
  fi
  secret=$(mktemp)
  printf '%s\n' "$POSTGRES_PASSWORD" >"$secret"
  # initdb refuses an empty password, so it only hears of one that is there.
  # shellcheck disable=SC2086 # POSTGRES_INITDB_ARGS is a list of words
  initdb --username="$POSTGRES_USER" --encoding=UTF8 --auth-local=trust \
    --auth-host="$POSTGRES_HOST_AUTH_METHOD" --no-instructions ${POSTGRES_PASSWORD:+--pwfile="$secret"} $POSTGRES_INITDB_ARGS
  rm "$secret"
  echo "host all all all $POSTGRES_HOST_AUTH_METHOD" >>"$PGDATA/pg_hba.conf"
  echo "listen_addresses = '*'" >>"$PGDATA/postgresql.conf" # within the container; publishing is docker's choice

  # Nobody outside can connect before the set-up is complete: there is no address to connect to.
  pg_ctl start --wait --silent --log=/dev/null --options="-c listen_addresses=''"
  if [ "$POSTGRES_DB" != postgres ]; then
    psql --quiet --no-psqlrc --username="$POSTGRES_USER" --dbname=postgres --set=name="$POSTGRES_DB" \
      --set=ON_ERROR_STOP=1 <<'SQL'
CREATE DATABASE :"name";
SQL
  fi
  for script in /docker-entrypoint-initdb.d/*.sql; do
    [ -e "$script" ] || continue
    psql --quiet --no-psqlrc --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" --set=ON_ERROR_STOP=1 --file="$script"
  done
  pg_ctl stop --wait --silent --mode=fast
fi

unset POSTGRES_PASSWORD
exec "$@"
