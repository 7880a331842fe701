import { portHolder } from "./port-holder.ts";

/** What a user is told if another program has the port of the server. */
export function takenPort(port: number): string {
  const holder = portHolder(port);
  const who = holder === undefined ? "another program" : `${holder.name} (process ${holder.pid})`;
  return `Port ${port} is in use by ${who}. Stop it, or choose a port with --port.`;
}
