import { useEffect, useState } from "preact/hooks";
import { ApiError } from "../api.ts";

const said = new EventTarget();

/** Says what was done, on the screen for a few seconds and to screen readers. */
export function say(sentence: string): void {
  said.dispatchEvent(new CustomEvent("said", { detail: sentence }));
}

/** Does what a button says, and says it where the server refuses. */
export async function attempt(act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    say(`${error.message} (${error.code})`);
  }
}

/** How long a sentence stays, ms. */
const STAY = 5_000;

/** Where `say` is shown. */
export function Toast() {
  const [sentence, setSentence] = useState("");
  useEffect(() => {
    let timer = 0;
    const show = (event: Event): void => {
      if (!(event instanceof CustomEvent)) return;
      setSentence(String(event.detail));
      window.clearTimeout(timer);
      timer = window.setTimeout(() => setSentence(""), STAY);
    };
    said.addEventListener("said", show);
    return () => said.removeEventListener("said", show);
  }, []);
  return (
    <div class="toast" role="status">
      {sentence}
    </div>
  );
}
