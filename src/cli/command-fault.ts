/** An error of the user, in one sentence that says what to do. The command exits with code 2. */
export class CommandFault extends Error {}

/** Ctrl-C ended the wait for a job. The sentence says how to continue. The command exits with code 130. */
export class Interrupted extends Error {}
