import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { api, ApiError, session } from "./api.ts";
import type { Session } from "./answers.ts";
import type { App } from "./shell/app.tsx";
import { applyTheme } from "./parts/theme.ts";
import { SignIn } from "./shell/sign-in.tsx";

type AppComponent = typeof App;

applyTheme();
render(<Console />, document.body);

/** Without a session, only the small part of the script is loaded. */
function Console() {
  const [signedIn, setSignedIn] = useState<Session>();
  const [app, setApp] = useState<{ App: AppComponent }>();
  const [said, setSaid] = useState<string>();
  const [isAsked, setAsked] = useState(false);

  useEffect(() => {
    void api
      .session()
      .then(enter)
      .catch((error: unknown) => {
        if (!(error instanceof ApiError)) throw error;
        if (error.status !== 401) setSaid(error.message);
      })
      .finally(() => setAsked(true));
  }, []);

  async function enter(begun: Session): Promise<void> {
    setApp(await import("./shell/app.tsx"));
    session.onOver = () => show("Your session has ended, or its key was revoked. Sign in again.");
    setSignedIn(begun);
    setSaid(undefined);
  }

  /** Shows the sign-in page, with the reason. */
  function show(sentence: string): void {
    session.onOver = () => undefined;
    setSignedIn(undefined);
    setSaid(sentence);
  }

  async function leave(): Promise<void> {
    await api.signOut();
    show("You are signed out.");
  }

  if (!isAsked) return null;
  if (signedIn === undefined || app === undefined) return <SignIn said={said} enter={enter} />;
  return <app.App session={signedIn} leave={leave} />;
}
