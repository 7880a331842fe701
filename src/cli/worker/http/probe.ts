import { connect } from "node:net";

/** An upstream that takes longer to answer a probe counts as away, ms. */
const LIMIT = 5_000;

/**
 * Why jobs cannot be sent to the upstream; undefined if they can. The health path must answer below 400;
 * without one, the port must accept connections.
 */
export function probe(upstream: URL, health: URL | undefined): Promise<string | undefined> {
  return health === undefined ? probePort(upstream) : probeHealth(health);
}

async function probeHealth(health: URL): Promise<string | undefined> {
  try {
    const response = await fetch(health, { keepalive: false, signal: AbortSignal.timeout(LIMIT) });
    await response.body?.cancel();
    return response.status < 400 ? undefined : `${health.href} answers ${response.status}`;
  } catch (error) {
    return `${health.href} does not answer (${error instanceof Error ? error.message : String(error)})`;
  }
}

function probePort({ protocol, hostname, port, host }: URL): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const socket = connect({
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? ({ "http:": 80, "https:": 443 }[protocol] ?? 80) : Number(port),
    timeout: LIMIT,
  });
  socket.on("connect", () => resolve(undefined));
  socket.on("timeout", () => resolve(`${host} did not accept a connection in time`));
  socket.on("error", (error) => resolve(`${host} refused the connection (${error.message})`));
  return promise.finally(() => socket.destroy());
}
