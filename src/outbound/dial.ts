import { connect, type Socket } from "node:net";
import { connect as connectSecurely } from "node:tls";
import { errorCode } from "../domain/errors.ts";
import { onAbort } from "../domain/on-abort.ts";
import { type Receiver, ReceiverFault } from "./receiver.ts";

/**
 * Connects to this address of a receiver and to no other. With https, the certificate must be valid for the
 * host. Throws ReceiverFault, or the reason of the signal.
 */
export async function dial(
  address: string,
  receiver: Receiver,
  authorities: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<Socket> {
  // The address is not resolved again: it is the one that was checked.
  const socket = connect({ host: address, port: receiver.port });
  await opened(socket, "connect", signal, notConnected);
  if (!receiver.isSecure) return socket;
  const host = receiver.host.replace(/\.$/, "");
  const secured = connectSecurely({
    socket,
    // The certificate must be valid for this name. It is sent unless it is an address (RFC 6066, section 3).
    host,
    ...(authorities === undefined ? {} : { ca: [...authorities] }),
    ALPNProtocols: ["http/1.1"],
    // Even if NODE_TLS_REJECT_UNAUTHORIZED is set.
    rejectUnauthorized: true,
  });
  try {
    await opened(secured, "secureConnect", signal, notSecured);
    return secured;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function opened(
  socket: Socket,
  event: string,
  signal: AbortSignal,
  reason: (error: Error) => string,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let unlisten = (): void => undefined;
    const end = (fault: unknown): void => {
      unlisten();
      socket.destroy();
      reject(fault);
    };
    // These two listeners stay, for errors after the promise has settled.
    socket.on("error", (error) => end(new ReceiverFault(reason(error))));
    socket.on("close", () => end(new ReceiverFault("The receiver closed the connection at once.")));
    socket.once(event, () => {
      unlisten();
      resolve();
    });
    unlisten = onAbort(signal, () => end(signal.reason));
  });
}

const CONNECT_FAULTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "The receiver refused the connection.",
  ECONNRESET: "The receiver reset the connection.",
  EHOSTUNREACH: "The network has no route to the receiver.",
  ENETUNREACH: "The network has no route to the receiver.",
};

function notConnected(error: Error): string {
  const code = errorCode(error);
  return CONNECT_FAULTS[code] ?? `The connection to the receiver failed (${code}).`;
}

/** The message may contain text of the certificate, which a stranger wrote. */
function notSecured(error: Error): string {
  const message = error.message.replaceAll(/[^\x20-\x7e]+/g, " ").slice(0, 200);
  return `The TLS connection to the receiver failed (${errorCode(error)}: ${message}).`;
}
