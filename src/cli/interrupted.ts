/**
 * Ctrl-C ended the wait for a job, in a sentence that says how to go on; the command ends with exit code 130.
 */
export class Interrupted extends Error {}
