/** An engine that is reached by `ssh`. */
export interface SshTarget {
  /** The machine, with the user before it if there is one: as `ssh` takes it. */
  readonly destination: string;
  /** Undefined: that of the configuration of `ssh`. */
  readonly port: string | undefined;
  /** The engine's socket on that machine. */
  readonly socket: string;
}

// Neither the user nor the machine begins with a dash, which `ssh` would take for an option.
const USER = /(?:[a-z_][\w.-]*@)?/;
const MACHINE = /[a-z\d](?:[a-z\d.-]*[a-z\d])?|\[[\da-f:]+\]/;
const PORT_AND_SOCKET = /(?::(\d{1,5}))?(\/[^\s:]+)?\/?/;
const ADDRESS = new RegExp(`^ssh://(${USER.source}(?:${MACHINE.source}))${PORT_AND_SOCKET.source}$`, "i");

const DOCKER_SOCKET = "/var/run/docker.sock";

/** Reads `ssh://user@host:port/path/of/socket`; undefined if it is no such address. */
export function sshTarget(address: string): SshTarget | undefined {
  const [, destination, port, socket = DOCKER_SOCKET] = ADDRESS.exec(address) ?? [];
  if (destination === undefined) return undefined;
  return { destination: destination.replace(/\[(.+)\]/, "$1"), port, socket };
}

/** What `ssh` does besides the forwarding: no questions, an end if the other machine is gone. */
const OPTIONS = {
  BatchMode: "yes",
  ExitOnForwardFailure: "yes",
  StreamLocalBindUnlink: "yes",
  ConnectTimeout: "10",
  ServerAliveInterval: "10",
  ServerAliveCountMax: "3",
  // Another connection of the user must not take the forwarding over.
  ControlMaster: "no",
  ControlPath: "none",
};

/** The arguments of `ssh` that connect the socket with the engine's. */
export function sshArguments(
  { destination, port, socket }: SshTarget,
  configFile: string,
  socketPath: string,
): string[] {
  return [
    ...(configFile === "" ? [] : ["-F", configFile]),
    "-NT",
    ...Object.entries(OPTIONS).flatMap(([name, value]) => ["-o", `${name}=${value}`]),
    ...(port === undefined ? [] : ["-p", port]),
    "-L",
    `${socketPath}:${socket}`,
    "--",
    destination,
  ];
}

/** What the last line of `ssh` means, as a clause. */
export function sshFault(line: string, { destination, socket }: SshTarget): string {
  const known = FAULTS.find(([pattern]) => pattern.test(line));
  if (known !== undefined) return known[1](destination, socket);
  return line === ""
    ? `ssh to ${destination} has ended`
    : `ssh to ${destination}: ${line.replace(/\.$/, "")}`;
}

const FAULTS: readonly (readonly [RegExp, (destination: string, socket: string) => string])[] = [
  [
    /Host key verification failed/,
    (to) =>
      `ssh does not accept the host key of ${to}; add it to known_hosts of the user that runs the server, ` +
      "or fix it there",
  ],
  [
    /Permission denied/,
    (to) => `ssh to ${to}: permission denied; allow the key of the user that runs the server on that host`,
  ],
  [/Could not resolve hostname/, (to) => `ssh cannot find a host named ${to}`],
  [
    /open failed/,
    (to, socket) =>
      `ssh reaches ${to}, but nothing answers at ${socket} there, or the user has no access to it`,
  ],
];
