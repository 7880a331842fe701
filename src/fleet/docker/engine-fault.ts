/** The engine refused a call, or does not answer; the message is what it said. */
export class EngineFault extends Error {
  /** The HTTP status; undefined when there was no answer. */
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }

  /** The engine said nothing but its status, as it does of a call that it does not have. */
  get isBare(): boolean {
    return this.message === bareAnswer(this.status);
  }

  /** It may come back by itself. */
  get isAway(): boolean {
    return this.status === undefined;
  }
}

export function bareAnswer(status: number | undefined): string {
  return `it answered ${status}`;
}
