import { useEffect, useRef, useState } from "preact/hooks";
import { api, ApiError } from "../api.ts";
import type { Session } from "../answers.ts";
import { Sign } from "../parts/icons.tsx";

/** Asks for an API key. The server keeps it in a cookie that scripts cannot read. */
export function SignIn({
  said,
  enter,
}: {
  said: string | undefined;
  enter: (session: Session) => Promise<void>;
}) {
  const [key, setKey] = useState("");
  const [wrong, setWrong] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    document.title = "Sign in · Forebay";
    input.current?.focus();
  }, []);

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setWrong(undefined);
    try {
      await enter(await api.signIn(key));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setWrong(error);
      setBusy(false);
      input.current?.select();
    }
  }

  return (
    <main class="sign-in">
      <form onSubmit={(event) => void submit(event)}>
        <span class="brand">
          <Sign />
          Forebay
        </span>
        <h1>Sign in</h1>
        <div class="field">
          <label for="key">API key</label>
          <input
            id="key"
            ref={input}
            type="password"
            required
            autocomplete="current-password"
            spellcheck={false}
            value={key}
            aria-describedby="said about-keys"
            aria-invalid={wrong !== undefined}
            onInput={(event) => setKey(event.currentTarget.value)}
          />
        </div>
        <button type="submit" class="first" disabled={isBusy}>
          Sign in
        </button>
        <p id="said" class="said" role="status">
          {wrong === undefined ? said : <span class="wrong-key">{sentenceOf(wrong)}</span>}
        </p>
        <AboutKeys />
      </form>
    </main>
  );
}

function AboutKeys() {
  return (
    <p id="about-keys" class="soft">
      <small>
        The first start of the server printed a key. To create another one, run{" "}
        <code>forebay keys create NAME --scope manage</code>. The browser keeps you signed in for 12 hours.
      </small>
    </p>
  );
}

function sentenceOf({ code, message }: ApiError): string {
  return code === "KEY_UNKNOWN" ? "This key is unknown. Check that you copied all of it." : message;
}
