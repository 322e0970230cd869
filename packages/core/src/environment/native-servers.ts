import { shellWord } from './shell-text.ts';
import type { EnvironmentService } from './source.ts';

/** The servers' data is in the home folder, so that a kept setup contains it. */
const DATA = '$HOME/.local/share/ship-services';

/**
 * Functions that each start one server with its data, credentials and port, and return when it answers. The servers listen on
 * the loopback interface only. Durability is off: a sandbox that dies loses its data anyway.
 */
const FUNCTIONS = `ship_root="${DATA}"
ship_wait() {
  local i
  for i in $(seq 150); do "$@" >/dev/null 2>&1 && return 0; sleep 0.2; done
  return 1
}
ship_pg_bin() {
  local newest
  newest=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
  printf '%s' "\${newest:-$(dirname "$(command -v postgres)")}"
}
ship_postgres() {
  local data="$ship_root/$1" port=$2 user=$3 password=$4 database=$5 bin auth=scram-sha-256
  bin=$(ship_pg_bin)
  [ -n "$password" ] || auth=trust
  if [ ! -f "$data/PG_VERSION" ]; then
    rm -rf "$data" "$data.new"
    "$bin/initdb" -D "$data.new" -U "$user" -E UTF8 --locale=C.UTF-8 --no-sync \\
      --auth-local=trust --auth-host="$auth" --pwfile=<(printf '%s\\n' "\${password:-none}") >"$data.log" 2>&1 || { cat "$data.log"; return 1; }
    mv "$data.new" "$data"
  fi
  "$bin/pg_isready" -q -h 127.0.0.1 -p "$port" || {
    rm -f "$data/postmaster.pid"
    "$bin/pg_ctl" -D "$data" -l "$data.log" -w -t 30 start -o "-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories=/tmp -c fsync=off -c full_page_writes=off" >/dev/null || { tail -n 20 "$data.log"; return 1; }
  }
  "$bin/createdb" -h /tmp -p "$port" -U "$user" "$database" 2>/dev/null
  "$bin/psql" -h /tmp -p "$port" -U "$user" -d "$database" -Atqc 'select 1' >/dev/null
}
ship_redis() {
  local data="$ship_root/$1" port=$2 password=$4
  mkdir -p "$data"
  ship_redis_ping() { REDISCLI_AUTH="$password" redis-cli -h 127.0.0.1 -p "$port" ping 2>/dev/null | grep -q PONG; }
  ship_redis_ping || printf '%s\\n' "port $port" 'bind 127.0.0.1' "dir $data" 'save ""' 'daemonize yes' "logfile $data.log" "pidfile $data.pid" \${password:+"requirepass \\"$password\\""} | redis-server - >/dev/null
  ship_wait ship_redis_ping || { tail -n 20 "$data.log"; return 1; }
}
ship_mariadb() {
  local data="$ship_root/$1" port=$2 user=$3 password=$4 database=$5 socket="/tmp/ship-mariadb-$2.sock"
  if [ ! -d "$data/mysql" ]; then
    rm -rf "$data"
    mariadb-install-db --no-defaults --datadir="$data" --auth-root-authentication-method=normal --skip-test-db >"$data.log" 2>&1 || { tail -n 20 "$data.log"; return 1; }
    rm -f "$data/ship-ready"
  fi
  [ -S "$socket" ] && mariadb-admin --no-defaults -S "$socket" ping >/dev/null 2>&1 ||
    setsid mariadbd --no-defaults --datadir="$data" --port="$port" --bind-address=127.0.0.1 --socket="$socket" --pid-file="$data.pid" --innodb-flush-log-at-trx-commit=0 >>"$data.log" 2>&1 </dev/null &
  ship_wait mariadb-admin --no-defaults -S "$socket" --connect-timeout=1 ping || { tail -n 20 "$data.log"; return 1; }
  [ -f "$data/ship-ready" ] && return 0
  local word quoted
  word=\${password//\\\\/\\\\\\\\} quoted=\${word//\\'/\\'\\'}
  { [ -z "$database" ] || printf 'CREATE DATABASE IF NOT EXISTS \`%s\`;\\n' "\${database//\\\`/}"
    if [ "$user" != root ]; then
      printf "CREATE USER IF NOT EXISTS '%s'@'%%' IDENTIFIED BY '%s'; GRANT ALL ON *.* TO '%s'@'%%';\\n" "\${user//\\'/}" "$quoted" "\${user//\\'/}"
    else
      printf "CREATE USER IF NOT EXISTS 'root'@'127.0.0.1' IDENTIFIED BY '%s'; GRANT ALL ON *.* TO 'root'@'127.0.0.1' WITH GRANT OPTION;\\n" "$quoted"
    fi
  } | mariadb --no-defaults -S "$socket" -u root && touch "$data/ship-ready"
}
ship_service() {
  local server=$1 name=$2 port=$3
  shift
  mkdir -p "$ship_root"
  if "ship_$server" "$@"; then printf '==> service %s: %s answers at 127.0.0.1:%s\\n' "$name" "$server" "$port"
  else printf '==> service %s: %s did not start\\n' "$name" "$server"; return 1; fi
}`;

const STOP = `ship_stop_services() {
  local pid
  for pid in "$ship_root"/*/postmaster.pid; do
    [ -f "$pid" ] && "$(ship_pg_bin)/pg_ctl" -D "$(dirname "$pid")" -m fast -w stop >/dev/null 2>&1
  done
  for pid in "$ship_root"/*.pid; do
    [ -f "$pid" ] || continue
    kill -TERM "$(cat "$pid")" 2>/dev/null
    ship_wait test ! -e "$pid"
  done
}`;

/** A script that starts the services in parallel and ends when all of them answer; it fails when one does not. */
export function servicesScript(services: readonly EnvironmentService[]): string {
  if (services.length === 0) return '';
  const calls = services.map((service) => {
    const words = [service.user, service.password, service.database].map(shellWord);
    const name = service.name.replaceAll(/[^A-Za-z0-9_.-]/g, '-');
    return `ship_service ${service.server} ${name} ${service.port} ${words.join(' ')} & ship_pids+=($!)`;
  });
  return `${FUNCTIONS}
ship_pids=()
${calls.join('\n')}
ship_code=0
for ship_pid in "\${ship_pids[@]}"; do wait "$ship_pid" || ship_code=1; done
unset ship_pids`;
}

/** Stops the services before their files are kept: a running server's files are not consistent. */
export function stopServicesScript(services: readonly EnvironmentService[]): string {
  return services.length === 0 ? '' : `${STOP}\nship_stop_services`;
}
