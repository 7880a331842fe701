import { ForebayError } from "../domain/errors.ts";

/** A path was asked with a method that it does not take: the answer names its own (RFC 9110, 15.5.6). */
export class MethodNotAllowed extends ForebayError {
  readonly headers: Readonly<Record<string, string>>;

  constructor(method: string, allowed: readonly string[]) {
    super("METHOD_NOT_ALLOWED", `This path takes ${METHOD_LIST.format(allowed)}, not ${method}.`);
    this.headers = { allow: allowed.join(", ") };
  }
}

const METHOD_LIST = new Intl.ListFormat("en-GB");
