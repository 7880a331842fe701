/** Exit code where a file neither exports a handler nor starts a worker: EX_CONFIG of sysexits(3). */
export const NO_HANDLER = 78;
