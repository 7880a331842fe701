/**
 * The seed of a test of random choices, which its name or its output shows. `SEED=…` repeats the choices.
 * What depends on the machine, such as the moment of a kill, differs again.
 */
export const SEED = process.env["SEED"] ?? String(crypto.getRandomValues(new Uint32Array(1))[0]);
