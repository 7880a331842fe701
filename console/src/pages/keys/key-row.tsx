import type { Key } from "../../answers.ts";
import { When } from "../../parts/when.tsx";

/** The action that a user chose for a key. */
export interface AskedOfKey {
  readonly what: "revoke" | "rotate";
  readonly key: Key;
}

/** A key, without its text: the server does not store it. */
export function KeyRow({ of: key, ask }: { of: Key; ask: (asked: AskedOfKey) => void }) {
  return (
    <tr>
      <th scope="row">
        {key.name} <small class="soft mono">{key.id}</small>
      </th>
      <td>{key.scopes.join(", ")}</td>
      <td class="mono">{key.endpoints?.join(", ") ?? "all"}</td>
      <td>
        <When at={key.createdAt} />
      </td>
      <td>
        <When at={key.lastUsedAt} />
      </td>
      <td>
        <div class="actions">
          <button type="button" class="small" onClick={() => ask({ what: "rotate", key })}>
            Rotate<span class="unseen"> {key.name}</span>
          </button>
          <button type="button" class="small danger" onClick={() => ask({ what: "revoke", key })}>
            Revoke<span class="unseen"> {key.name}</span>
          </button>
        </div>
      </td>
    </tr>
  );
}
