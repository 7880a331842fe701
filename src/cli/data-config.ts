import { type Config, loadConfig } from "../config.ts";

/** The settings of a command that works on a data directory: its flags, else the environment. */
export function dataConfig(values: Readonly<Record<string, string | boolean | undefined>>): Config {
  const given = Object.entries(values).filter((entry): entry is [string, string] => {
    return typeof entry[1] === "string";
  });
  return loadConfig(Object.fromEntries(given), process.env);
}
