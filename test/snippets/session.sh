# The shell session of one page, started by test/snippets/world.ts: reads commands from descriptor 4,
# answers on descriptor 3. A block that fails ends the session, and so fails the page.
exec 4<&0 </dev/null
set -eo pipefail

# --- what a page can ask for in its comment `<!-- snippets: … -->` ---

# The page is left out where this program is not installed; with CI=true that is a failure (run-page.ts).
needs() { command -v "$1" >/dev/null; }

# A server on http://127.0.0.1:8000 whose key is $FOREBAY_KEY; arguments are further flags of `forebay serve`.
server() {
  mkdir -p "$WORLD/server"
  (cd "$WORLD/server" && exec forebay serve "$@" >"$WORLD/server.log" 2>&1 3>&- 4<&-) &
  until grep -q "^forebay ready" "$WORLD/server.log"; do
    if ! kill -0 $!; then cat "$WORLD/server.log"; return 1; fi
    sleep 0.05
  done
}

# `python` has the package runpod, as in a virtual environment where it was installed.
python_with_runpod() { PATH=$PYTHON_BIN:$PATH; }

# `python` has the package openai.
python_with_openai() { PATH=$OPENAI_PYTHON_BIN:$PATH; }

# A worker of this endpoint, which streams the words of its input. It needs python_with_runpod and a server.
streaming_worker() {
  forebay endpoints create "$1"
  forebay worker --endpoint "$1" -- python "$ROOT/examples/stream/worker.py" >"$WORLD/worker.log" 2>&1 3>&- 4<&- &
}

# `import` and `npx` find the packages of this repository, as in a project where they were installed.
packages() { ln -s "$ROOT/node_modules" "$WORLD/node_modules"; }

# Node finds @forebay/worker, as in a project where its tarball was installed.
worker_library() {
  library=$WORLD/node_modules/@forebay/worker
  mkdir -p "$library"
  cp "$ROOT/sdk/package.json" "$library"
  "$ROOT/node_modules/.bin/tsc" -p "$ROOT/sdk" --outDir "$library/dist"
}

# Ollama, a server with the API of OpenAI and ComfyUI, each at its usual port.
model_servers() {
  node "$ROOT/test/snippets/model-servers.mjs" >"$WORLD/models.log" 3>&- 4<&- &
  until [ -s "$WORLD/models.log" ]; do sleep 0.05; done
}

# The page begins in a fresh clone of the repository.
clone() {
  git -C "$ROOT" ls-files -z --cached --others --exclude-standard |
    (cd "$ROOT" && xargs -0 sh -c 'for file; do if [ -e "$file" ]; then printf "%s\0" "$file"; fi; done' sh) |
    tar -C "$ROOT" --null -T - -c | tar -x
}

# npm reaches its registry. (pip installs from files on every page, see world.ts.)
network() {
  [ -n "$ISOLATED" ] || return 0
  node "$ROOT/test/snippets/forward.mjs" "$GATEWAY" >"$WORLD/forward.log" 3>&- 4<&- &
  until [ -s "$WORLD/forward.log" ]; do sleep 0.05; done
  export npm_config_proxy=http://127.0.0.1:3128 npm_config_https_proxy=http://127.0.0.1:3128
}

# `forebay` is not on the PATH until the page installs it.
without_forebay() { rm "$WORLD/bin/forebay"; }

# What follows changes the system as the page sees it: never without namespaces.
own_system() {
  if [ -z "$ISOLATED" ]; then echo "this page needs namespaces: run it as root"; return 1; fi
}

# What the page writes into these directories of the system goes with it.
private() {
  own_system
  mkdir -p "$WORLD/layers"
  mountpoint -q "$WORLD/layers" || mount -t tmpfs layers "$WORLD/layers"
  for directory; do
    upper=$WORLD/layers/$(echo "$directory" | tr / _)
    mkdir -p "$directory" "$upper" "$upper.work"
    mount -t overlay overlay -o "lowerdir=$directory,upperdir=$upper,workdir=$upper.work" "$directory"
  done
}

# These names lead to this machine.
hosts() {
  private /etc
  echo "127.0.0.1 $*" >>/etc/hosts
}

# An empty PostgreSQL at its usual port, of the user postgres.
postgres() {
  programs=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)
  chmod 755 "$WORLD"
  mkdir "$WORLD/postgres"
  chown postgres "$WORLD/postgres"
  export PGHOST=$WORLD/postgres PATH=$PATH:$programs
  runuser -u postgres -- initdb --no-sync --auth-host=scram-sha-256 --auth-local=trust -D "$PGHOST/data" >/dev/null
  runuser -u postgres -- pg_ctl start --wait --silent -D "$PGHOST/data" --log "$PGHOST/log" \
    -o "-c unix_socket_directories=$PGHOST" 3>&- 4<&-
}

# A Docker Engine at its usual socket, with nothing in it.
docker_engine() {
  own_system
  mount -t tmpfs run /run
  dockerd --data-root "$WORLD/docker/data" --exec-root "$WORLD/docker/exec" --pidfile "$WORLD/docker.pid" \
    >"$WORLD/docker.log" 2>&1 3>&- 4<&- &
  until docker version >/dev/null 2>&1; do
    if ! kill -0 $!; then cat "$WORLD/docker.log"; return 1; fi
    sleep 0.05
  done
}

# That engine has an image with this name, of the example worker.
worker_image() { "$BUN" "$ROOT/test/snippets/page-image.ts" worker "$1"; }

# That engine has an image with this name, which stands in for a public one with Python. Its pip installs runpod.
python_image() { "$BUN" "$ROOT/test/snippets/page-image.ts" python "$1"; }

# `.forebay` is the data directory of a server that has stopped.
data_directory() {
  forebay serve --port 8009 >"$WORLD/stopped.log" 2>&1 3>&- 4<&- &
  until grep -q "^forebay ready" "$WORLD/stopped.log"; do sleep 0.05; done
  kill $!
  wait $!
}

# --- the session ---

if [ -n "$ISOLATED" ]; then ip link set lo up; fi
cd "$WORLD/work"

while read -r how number code <&4; do
  block=$WORLD/blocks/$number
  case $how in
    run) . "$block" >"$block.out" 2>&1 ;;
    fail)
      set +e
      (set -e; . "$block") >"$block.out" 2>&1
      ended=$?
      set -e
      if [ $ended -ne "$code" ]; then echo "exit code $ended, not $code" >>"$block.out"; exit 1; fi
      ;;
    background) (trap 'echo "ended with exit code $?"' EXIT; . "$block") >"$block.out" 2>&1 3>&- 4<&- & ;;
  esac
  echo "$number" >&3
done
