/** The output of a program or a server: the value of a JSON document, or any other text as it is. */
export function valueOf(text: string): unknown {
  if (text.trim() === "") return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return text.replace(/\r?\n$/, "");
  }
}

/**
 * The same for bytes. Binary data becomes an object with the media type and the bytes in base64, so that
 * images and sounds arrive complete.
 */
export function valueOfBytes(bytes: Uint8Array, mediaType: string): unknown {
  const text = isBinary(mediaType) ? undefined : textOf(bytes);
  if (text !== undefined) return valueOf(text);
  return {
    contentType: mediaType === "" ? "application/octet-stream" : mediaType,
    base64: Buffer.from(bytes).toString("base64"),
  };
}

/** Content of these types is binary, even if it happens to be valid UTF-8. */
function isBinary(mediaType: string): boolean {
  return /^(?:image\/(?!svg)|audio\/|video\/|font\/|application\/(?:octet-stream|pdf|zip|gzip)$)/.test(
    mediaType,
  );
}

/** Undefined if the bytes are not UTF-8. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return undefined;
  }
}
