import { useState } from "preact/hooks";
import type { Session } from "../answers.ts";
import { PageHead } from "../parts/page-head.tsx";
import { goTo, to } from "../parts/route.ts";

/** For keys that may not list endpoints: those that the key is bound to, or one by its id. */
export function OpenEndpoint({ session: { endpoints, scopes } }: { session: Session }) {
  const [id, setId] = useState("");
  return (
    <>
      <PageHead title="Endpoints" />
      <div class="card padded stack">
        {endpoints === undefined ? (
          <p>
            This key has the scope {scopes.join(", ")}, which lists no endpoints. Open one by its id, or sign
            in with a key that has <code>manage</code>.
          </p>
        ) : (
          <>
            <p>This key is bound to these endpoints.</p>
            <ul>
              {endpoints.map((each) => (
                <li key={each}>
                  <a href={to("endpoints", each)}>{each}</a>
                </li>
              ))}
            </ul>
          </>
        )}
        {endpoints === undefined ? (
          <form
            class="bar"
            onSubmit={(event) => {
              event.preventDefault();
              if (id.trim() !== "") goTo("endpoints", id.trim());
            }}
          >
            <label>
              <span class="label">Id of the endpoint</span>
              <input value={id} onInput={(event) => setId(event.currentTarget.value)} />
            </label>
            <button type="submit" class="first">
              Open
            </button>
          </form>
        ) : null}
      </div>
    </>
  );
}
