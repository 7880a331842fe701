/** A call that the server refused, or that it did not answer. */
export class ForebayError extends Error {
  override readonly name = "ForebayError";
  /**
   * The server's code (docs/errors.md), or `UNREACHABLE`: no answer arrived, or `NOT_FOREBAY`: somebody else
   * answered, a proxy for instance.
   */
  readonly code: string;
  /** The HTTP status; 0 when no answer arrived. */
  readonly status: number;

  constructor(sentence: string, code: string, status: number, options?: ErrorOptions) {
    super(sentence, options);
    this.code = code;
    this.status = status;
  }
}
