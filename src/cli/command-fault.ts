/**
 * What the user of a command got wrong, in one sentence that says what to do; the command ends with exit code
 * 2.
 */
export class CommandFault extends Error {}
