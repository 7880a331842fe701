import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Certificate, makeCertificate } from "./certificate.ts";
import { isListening } from "./load-balancer.ts";
import { temporaryDirectory } from "./temporary-directory.ts";
import { until } from "./until.ts";

/** What differs from the file in deploy/tls: the ports, the server behind it, and the certificate. */
export interface ProxyPlace {
  readonly plainPort: number;
  readonly port: number;
  readonly server: string;
  readonly directory: string;
}

export interface TlsProgram {
  readonly file: string;
  readonly settings: (text: string, place: ProxyPlace) => string;
  readonly command: (configuration: string, directory: string) => readonly string[];
}

export const NGINX_TLS: TlsProgram = {
  file: "nginx.conf",
  settings: (text, { plainPort, port, server, directory }) =>
    text
      .replace("listen 80;", `listen 127.0.0.1:${plainPort};`)
      .replace("listen 443 ssl", `listen 127.0.0.1:${port} ssl`)
      .replaceAll("queue.example.com", "localhost")
      .replaceAll("/etc/forebay/tls", directory)
      .replace("127.0.0.1:8000", server)
      .replace("worker_processes auto", "worker_processes 1"),
  command: (configuration, directory) => {
    const own = `daemon off; pid ${directory}/pid; error_log ${directory}/log;`;
    return ["/usr/sbin/nginx", "-c", configuration, "-p", directory, "-g", own];
  },
};

export const HAPROXY_TLS: TlsProgram = {
  file: "haproxy.cfg",
  settings: (text, { plainPort, port, server, directory }) =>
    text
      .replace("bind :80", `bind 127.0.0.1:${plainPort}`)
      .replace("bind :443", `bind 127.0.0.1:${port}`)
      .replaceAll("/etc/forebay/tls", directory)
      .replace("127.0.0.1:8000", server),
  command: (configuration) => ["/usr/sbin/haproxy", "-db", "-f", configuration],
};

/** With a certificate of its own in place of the one that it would get from an authority. */
export const CADDY_TLS: TlsProgram = {
  file: "Caddyfile",
  settings: (text, { plainPort, port, server, directory }) =>
    `{\n\tadmin off\n\thttp_port ${plainPort}\n\thttps_port ${port}\n\tskip_install_trust\n}\n` +
    text
      .replace(
        /^queue\.example\.com \{$/m,
        `localhost {\n\ttls ${directory}/fullchain.pem ${directory}/privkey.pem`,
      )
      .replace("127.0.0.1:8000", server),
  command: (configuration) => ["caddy", "run", "--adapter", "caddyfile", "--config", configuration],
};

export interface TlsProxy extends AsyncDisposable {
  readonly certificate: Certificate;
}

/** Runs a program with its file of deploy/tls in front of a server. */
export async function startTlsProxy(
  program: TlsProgram,
  given: Omit<ProxyPlace, "directory">,
): Promise<TlsProxy> {
  const directory = await temporaryDirectory();
  const certificate = makeCertificate({ subject: "localhost", names: ["localhost"] });
  const { cert, key } = certificate;
  await writeFile(join(directory.path, "fullchain.pem"), cert);
  await writeFile(join(directory.path, "privkey.pem"), key);
  await writeFile(join(directory.path, "forebay.pem"), cert + key);
  const text = readFileSync(join(import.meta.dir, "../../deploy/tls", program.file), "utf8");
  const configuration = join(directory.path, program.file);
  await writeFile(configuration, program.settings(text, { ...given, directory: directory.path }));
  const [command = "", ...args] = program.command(configuration, directory.path);
  const env = { ...process.env, XDG_DATA_HOME: directory.path, XDG_CONFIG_HOME: directory.path };
  const child = spawn(command, args, { stdio: "ignore", detached: true, env });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  await until(`${command} listens`, () => {
    if (child.exitCode !== null) throw new Error(`${command} ended with code ${child.exitCode}`);
    return isListening(given.port);
  });
  return {
    certificate,
    async [Symbol.asyncDispose]() {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      await ended;
      await directory[Symbol.asyncDispose]();
    },
  };
}
