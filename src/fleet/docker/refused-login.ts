import type { RegistryLogin } from "../provider.ts";
import { EngineFault } from "./engine-fault.ts";

/** The words of engines and registries for it. */
const REFUSAL = /unauthorized|denied|authentication required|no basic auth|forbidden|incorrect username/i;

/**
 * What is said of a pull with a login that failed: that the registry refuses it, where it does, and what it
 * says. A registry could repeat what it was sent: what has the password in it is left out.
 */
export function refusedLogin(fault: EngineFault, { server, username, password }: RegistryLogin): EngineFault {
  const told = [
    password,
    encodeURIComponent(password),
    Buffer.from(`${username}:${password}`).toString("base64"),
  ];
  const repeats = told.some((secret) => fault.message.includes(secret));
  const words = repeats ? "its words are left out, since they have the password in them" : fault.message;
  if (!REFUSAL.test(fault.message)) return new EngineFault(words, fault.status);
  const sentence = `the registry ${server} does not give this image to the registry login of the template`;
  return new EngineFault(`${sentence} (${words})`, fault.status);
}
