/** What is wrong with a call, as model servers tell it: the answer has the status `code`. */
export class ModelError extends Error {
  readonly told: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: number;
  };

  private constructor(code: number, type: string, message: string, param: string | null) {
    super(message);
    this.told = { message, type, param, code };
  }

  /** 404: no such model, or no such route. */
  static notFound(message: string, param: string | null = null): ModelError {
    return new ModelError(404, "NotFoundError", message, param);
  }

  /** 400: the member `param` of the body cannot be as it is. */
  static badRequest(message: string, param: string): ModelError {
    return new ModelError(400, "BadRequestError", message, param);
  }
}
