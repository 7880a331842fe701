/** Throws, or rejects, when this worker is not fit to take jobs. */
export type FitnessCheck = () => unknown;

/** Runs the checks one after another. Rejects with a sentence that names the first one that does not pass. */
export async function passFitnessChecks(checks: readonly FitnessCheck[]): Promise<void> {
  for (const [index, check] of checks.entries()) {
    try {
      await check();
    } catch (error) {
      const name = check.name === "" ? `number ${index + 1}` : check.name;
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`The worker takes no jobs: its fitness check ${name} failed: ${reason}`, {
        cause: error,
      });
    }
  }
}
