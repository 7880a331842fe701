import { api } from "../../api.ts";
import { Field } from "../../parts/field.tsx";
import { to } from "../../parts/route.ts";
import { usePolled } from "../../parts/use-polled.ts";

interface LoginFieldProperties {
  /** The id of the chosen login; empty: none. */
  readonly value: string;
  readonly wrong: string | undefined;
  readonly choose: (id: string) => void;
}

/** Chooses the login for the registry of an image. */
export function LoginField({ value, wrong, choose }: LoginFieldProperties) {
  const logins = usePolled("logins", 0, (signal) => api.registryLogins(signal));
  const hint = (
    <>
      Used to pull a private image. <a href={to("templates", "registry-logins")}>Registry logins</a>
    </>
  );
  return (
    <Field label="Registry login" hint={hint} wrong={wrong}>
      {(given) => (
        <select {...given} value={value} onChange={(event) => choose(event.currentTarget.value)}>
          <option value="">none</option>
          {logins.value?.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
