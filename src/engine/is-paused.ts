import type { Engine } from "./engine.ts";

/** Whether the jobs of the endpoint wait until it goes on; calls for jobs are held meanwhile. */
export function isPaused({ configuration }: Pick<Engine, "configuration">, endpoint: string): boolean {
  return configuration.get("endpoint", endpoint)?.isPaused ?? false;
}
