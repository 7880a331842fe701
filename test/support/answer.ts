/** What came back for a request. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of any shape
  readonly json: any;
  readonly text: string;
}

export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const mediaType = response.headers.get("content-type") ?? "";
  const isJson = /^application\/(?:problem\+)?json/.test(mediaType) && text !== "";
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson ? JSON.parse(text) : undefined,
  };
}
