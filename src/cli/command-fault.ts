/**
 * What the user of a command got wrong, in one sentence that says what to do; the command ends with exit code
 * 2.
 */
export class CommandFault extends Error {}

/**
 * Ctrl-C ended the wait for a job, in a sentence that says how to go on; the command ends with exit code 130.
 */
export class Interrupted extends Error {}
