import { useEffect, useState } from "preact/hooks";
import { ApiError } from "../api.ts";

const said = new EventTarget();

/** Shows a message for a few seconds, also to screen readers. */
export function say(sentence: string): void {
  said.dispatchEvent(new CustomEvent("said", { detail: sentence }));
}

/** Runs the action of a button, and shows the error if the server refuses it. */
export async function attempt(act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    say(`${error.message} (${error.code})`);
  }
}

/** How long a message is shown, ms. */
const STAY = 5_000;

/** The place where messages are shown. */
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
