import { version } from "../../package.json" with { type: "json" };

/** Set by the build of the executable; not defined elsewhere. */
declare const BUILT_COMMIT: string;

/** The version; in an executable also the commit that it was built from. */
export function versionLine(): string {
  const commit = typeof BUILT_COMMIT === "undefined" ? "" : BUILT_COMMIT;
  return commit === "" ? version : `${version} (${commit})`;
}
