import type { Key } from "../../answers.ts";
import { When } from "../../parts/when.tsx";

interface KeyTableProperties {
  readonly keys: readonly Key[];
  readonly rotate: (key: Key) => void;
  readonly revoke: (key: Key) => void;
}

/** Keys, without the keys themselves: the server does not keep them. */
export function KeyTable({ keys, rotate, revoke }: KeyTableProperties) {
  return (
    <div class="scroll">
      <table>
        <caption class="unseen">Keys</caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Scope</th>
            <th scope="col">Endpoints</th>
            <th scope="col">Made</th>
            <th scope="col">Last used</th>
            <th scope="col">
              <span class="unseen">What can be done</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <tr key={key.id}>
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
                  <button type="button" class="small" onClick={() => rotate(key)}>
                    Rotate<span class="unseen"> {key.name}</span>
                  </button>
                  <button type="button" class="small danger" onClick={() => revoke(key)}>
                    Revoke<span class="unseen"> {key.name}</span>
                  </button>
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
