/** What chat and completions call the same things. */
export interface Dialect {
  readonly prefix: string;
  readonly object: string;
  readonly chunk: string;
  /** What a choice has of the whole text. */
  readonly whole: (text: string) => object;
  /** What a choice has of a piece of it; `isFirst` of the first one. */
  readonly part: (text: string, isFirst: boolean) => object;
}

export const CHAT: Dialect = {
  prefix: "chatcmpl-",
  object: "chat.completion",
  chunk: "chat.completion.chunk",
  whole: (content) => ({ message: { role: "assistant", content, refusal: null } }),
  part: (content, isFirst) => ({
    delta: { ...(isFirst && { role: "assistant" }), ...((isFirst || content !== "") && { content }) },
  }),
};

export const COMPLETION: Dialect = {
  prefix: "cmpl-",
  object: "text_completion",
  chunk: "text_completion",
  whole: (text) => ({ text }),
  part: (text) => ({ text }),
};
