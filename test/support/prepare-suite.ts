/** A part that a suite needs is missing on this machine. The message says which one. */
export class PartMissing extends Error {}

/** Prepares what a suite needs. If a part is missing, the process says which one and exits with code 1. */
export function prepareSuite(prepare: () => void): void {
  try {
    prepare();
  } catch (error) {
    if (!(error instanceof PartMissing)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

/** For each package, whether it is installed. Throws PartMissing with the names of those that are not. */
export function requireInstalled(packages: Readonly<Record<string, boolean>>): void {
  const missing = Object.entries(packages).flatMap(([name, isInstalled]) => (isInstalled ? [] : [name]));
  if (missing.length === 0) return;
  throw new PartMissing(`not installed: ${missing.join(", ")} (Debian: apt-get install, as in .ci/run)`);
}

/** Throws PartMissing if the tests do not run as root. */
export function requireRoot(why: string): void {
  if (process.getuid?.() !== 0) throw new PartMissing(`needs root: ${why}`);
}
