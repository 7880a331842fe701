/** The engine refused a call, or does not answer; the message is what it said. */
export class EngineFault extends Error {
  /** The HTTP status; undefined when there was no answer. */
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }

  /** It may come back by itself. */
  get isAway(): boolean {
    return this.status === undefined;
  }
}
