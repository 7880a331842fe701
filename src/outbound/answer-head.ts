import { ReceiverFault } from "./receiver.ts";

/** The head of an answer, and how much of its body arrived with it. */
interface AnswerHead {
  readonly status: number;
  /** The length of the body in bytes, if the head has it. */
  readonly bodyLength: number | undefined;
  /** Bytes. */
  readonly bodyRead: number;
}

/** Reads the head of an HTTP/1.1 answer piece by piece (RFC 9112). Skips informational answers (1xx). */
interface AnswerHeadReader {
  /**
   * Takes the next bytes. Returns the head when it is complete. Throws ReceiverFault for what is not HTTP,
   * and for a head without end.
   */
  read(bytes: Buffer): AnswerHead | undefined;
}

/** The most bytes before the body, with informational answers. */
const HEAD_LIMIT = 64 * 1024;

export function answerHeadReader(): AnswerHeadReader {
  let text = "";
  let total = 0;
  return {
    read(bytes) {
      // Searches only new bytes, and an end that arrived in two pieces.
      let from = Math.max(0, text.length - 3);
      text += bytes.toString("latin1");
      total += bytes.length;
      for (;;) {
        if (!"HTTP/1.".startsWith(text.slice(0, 7))) throw new ReceiverFault("The answer is not HTTP/1.1.");
        const { headEnd, bodyStart } = endOfHead(text, from);
        const body = headEnd === undefined ? 0 : text.length - bodyStart;
        if (total - body > HEAD_LIMIT) {
          throw new ReceiverFault(`The headers of the answer are longer than ${HEAD_LIMIT / 1_024} kB.`);
        }
        if (headEnd === undefined) return undefined;
        const { status, bodyLength } = parseHead(text.slice(0, headEnd));
        if (isFinal(status)) return { status, bodyLength, bodyRead: body };
        text = text.slice(bodyStart);
        from = 0;
      }
    },
  };
}

function endOfHead(text: string, from: number): { headEnd: number | undefined; bodyStart: number } {
  const end = /\r?\n\r?\n/g;
  end.lastIndex = from;
  const match = end.exec(text);
  return { headEnd: match?.index, bodyStart: end.lastIndex };
}

/** 101 is final: nobody asked for another protocol. */
function isFinal(status: number): boolean {
  return status >= 200 || status === 101;
}

function parseHead(text: string): Pick<AnswerHead, "status" | "bodyLength"> {
  const [first = "", ...headers] = text.split(/\r?\n/);
  const [, status] = /^HTTP\/1\.[0-9] ([1-9][0-9]{2})(?: .*)?$/.exec(first) ?? [];
  if (status === undefined) throw new ReceiverFault("The answer has no HTTP/1.1 status line.");
  if (["101", "204", "304"].includes(status)) return { status: Number(status), bodyLength: 0 };
  const [length, ...more] = headers.flatMap(
    (line) => /^content-length:[ \t]*([0-9]{1,15})[ \t]*$/i.exec(line)?.[1] ?? [],
  );
  const isKnown = length !== undefined && more.length === 0;
  return { status: Number(status), bodyLength: isKnown ? Number(length) : undefined };
}
