/**
 * Something that the person who runs the command or server has to put right: a missing file, a wrong key,
 * damaged data. The message is one sentence, or a few, that say what happened and what to do.
 */
export class OperatorFault extends Error {}
