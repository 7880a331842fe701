/** The message with which a promise is rejected, or a sentence that says that it was not. */
export async function rejection(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return "the promise was fulfilled";
}
