/** The engine refused a call, or does not answer; the message is what it said. */
export class EngineFault extends Error {
  /** The HTTP status; undefined when there was no answer. */
  readonly status: number | undefined;

  /** It was not said in the form of the Engine API, as of a call that the engine does not have. */
  readonly isBare: boolean;

  constructor(message: string, status?: number, isBare = false) {
    super(message);
    this.status = status;
    this.isBare = isBare;
  }

  /** It may come back by itself. */
  get isAway(): boolean {
    return this.status === undefined;
  }
}
