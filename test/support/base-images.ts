import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { copyInto, copyProgram, libraries } from "./copied-programs.ts";
import type { DockerHost } from "./docker-host.ts";
import { temporaryDirectory } from "./temporary-directory.ts";

// Images of the Docker Hub, made from the Debian packages that are installed here: tests reach no registry.

/** What `debian:12-slim` has and its users use; the libraries of these programs come with their packages. */
const PACKAGES =
  "base-files libc6 dash coreutils grep sed tar dpkg libacl1 libattr1 libgmp10 libselinux1 libpcre2-8-0 " +
  "libgcc-s1 gzip libmd0 zlib1g libbz2-1.0 liblzma5 libzstd1 gcc-12-base";

/** What this machine trusts. A proxy in front of the npm registry can have an authority of its own. */
const CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt";

/** As `debian:12-slim`, with its list of packages. */
export async function importDebian(host: DockerHost): Promise<void> {
  await imported(host, "debian:12-slim", debianRoot, 'CMD ["sh"]');
}

/** As `node:22-slim`, with the Node and npm of this machine. */
export async function importNode(host: DockerHost): Promise<void> {
  const modules = run("npm", "root", "-g").trim();
  await imported(
    host,
    "node:22-slim",
    (root) => {
      debianRoot(root);
      copyProgram(root, run("sh", "-c", "readlink -f $(command -v node)").trim(), "/usr/bin/node");
      copyInto(root, join(modules, "npm"), "/usr/lib/node_modules/npm");
      for (const name of ["npm", "npx"]) {
        symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(root, "usr/bin", name));
      }
      copyInto(root, CERTIFICATES);
    },
    `ENV NODE_EXTRA_CA_CERTS=${CERTIFICATES}`,
  );
}

/** As `nginx:1.28`, with the version of this machine. */
export async function importNginx(host: DockerHost): Promise<void> {
  await imported(
    host,
    "nginx:1.28",
    (root) => {
      debianRoot(root);
      copyProgram(root, "/usr/sbin/nginx");
      for (const path of ["var/log/nginx", "var/lib/nginx"]) mkdirSync(join(root, path), { recursive: true });
    },
    'CMD ["nginx","-g","daemon off;"]',
  );
}

/** As `postgres:17`, with the version of this machine: the variables of the real one, at its first start. */
export async function importPostgres(host: DockerHost): Promise<void> {
  await imported(
    host,
    "postgres:17",
    (root) => {
      debianRoot(root);
      const [version = ""] = readdirSync("/usr/lib/postgresql");
      const programs = join("/usr/lib/postgresql", version);
      // Without its compiler, which brings LLVM along.
      const filter = (path: string): boolean => !/bitcode|llvmjit/.test(path);
      cpSync(programs, join(root, programs), { recursive: true, dereference: true, filter });
      copyInto(root, join("/usr/share/postgresql", version));
      const found = readdirSync(programs, { recursive: true, encoding: "utf8" }).filter(filter);
      const linked = found.filter((name) => /^bin\/|\.so$/.test(name)).map((name) => join(programs, name));
      for (const library of libraries(...linked)) copyInto(root, library);
      copyInto(root, "/usr/share/zoneinfo");
      writeFileSync(join(root, "entrypoint"), POSTGRES_ENTRYPOINT.replaceAll("VERSION", version), {
        mode: 0o755,
      });
    },
    'ENTRYPOINT ["/entrypoint"]',
    `ENV PATH=/usr/bin:/usr/sbin:/usr/lib/postgresql/${readdirSync("/usr/lib/postgresql")[0]}/bin`,
  );
}

const POSTGRES_ENTRYPOINT = `#!/bin/sh
set -eu
data=/var/lib/postgresql/data
chown -R postgres "$data"
if [ ! -e "$data/PG_VERSION" ]; then
  echo "$POSTGRES_PASSWORD" >/tmp/password
  chown postgres /tmp/password
  chroot --userspec=postgres / /usr/lib/postgresql/VERSION/bin/initdb --auth=scram-sha-256 \\
    --username="$POSTGRES_USER" --pwfile=/tmp/password --encoding=UTF8 --locale=C -D "$data"
  echo "host all all all scram-sha-256" >>"$data/pg_hba.conf"
  echo "CREATE DATABASE \\"$POSTGRES_DB\\"" |
    chroot --userspec=postgres / /usr/lib/postgresql/VERSION/bin/postgres --single -D "$data" postgres
fi
mkdir -p /var/run/postgresql
chown postgres /var/run/postgresql
exec chroot --userspec=postgres / /usr/lib/postgresql/VERSION/bin/postgres -D "$data" \\
  -c listen_addresses='*' -c unix_socket_directories=/var/run/postgresql
`;

/** A root with the files of Debian packages, merged as Debian merges them. */
function debianRoot(root: string): void {
  for (const name of ["bin", "sbin", "lib", "lib64"]) {
    mkdirSync(join(root, "usr", name), { recursive: true });
    symlinkSync(`usr/${name}`, join(root, name));
  }
  const packages = PACKAGES.split(" ");
  const files = run("dpkg-query", "-L", ...packages)
    .split("\n")
    .filter((file) => existsSync(file) && !/^\/usr\/share\/(doc|man|locale)\//.test(file));
  const tar = spawnSync("tar", ["-c", "-P", "--no-recursion", "-T", "-"], {
    input: files.join("\n"),
    maxBuffer: 1e9,
  });
  const extract = ["-x", "--keep-directory-symlink", "-C", root];
  spawnSync("tar", extract, { input: tar.stdout });
  for (const file of ["passwd", "group", "nsswitch.conf"]) copyInto(root, join("/etc", file));
  mkdirSync(join(root, "tmp"), { recursive: true, mode: 0o1777 });
  for (const file of ["status", "info/format"]) copyInto(root, join("/var/lib/dpkg", file));
  const lists = readdirSync("/var/lib/dpkg/info").filter((file) => {
    const [, name = ""] = /^([^:]+)(:[a-z0-9]+)?\.list$/.exec(file) ?? [];
    return packages.includes(name);
  });
  for (const list of lists) cpSync(join("/var/lib/dpkg/info", list), join(root, "var/lib/dpkg/info", list));
}

async function imported(
  host: DockerHost,
  image: string,
  fill: (root: string) => void,
  ...changes: string[]
): Promise<void> {
  await using root = await temporaryDirectory();
  fill(root.path);
  await host.import(root.path, image, ...changes);
}

function run(program: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8", maxBuffer: 1e9 });
  if (status !== 0) throw new Error(`${program}: ${stderr}`);
  return stdout;
}
