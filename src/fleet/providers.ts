import { commandNameOf } from "../domain/template.ts";
import type { Provider } from "./provider.ts";

/** All that this server can run workers with. */
export interface Providers {
  readonly all: readonly Provider[];
  /** Undefined: the workers come by themselves. */
  of(imageName: string): Provider | undefined;
}

/** Images run on Docker where there is one, registered commands as processes (design, row 30). */
export function providersByImage(process: Provider, docker?: Provider): Providers {
  return {
    all: docker === undefined ? [process] : [process, docker],
    of: (imageName) => (commandNameOf(imageName) === undefined ? docker : process),
  };
}
