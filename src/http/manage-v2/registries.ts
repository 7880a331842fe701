import { registryLoginsOf } from "../../engine/records/registry-logins.ts";
import { accountOperation } from "../account-operation.ts";
import { presentLogin, REGISTRY_LOGIN } from "../answers/template.ts";
import { V2_REGISTRIES } from "../answers/v2-template.ts";
import { listReply } from "../list-reply.ts";
import { createLogin, readLogin, removeLogin } from "../manage/registry-logins.ts";
import type { Operation } from "../operation.ts";
import { created } from "../reply.ts";

const list = accountOperation({
  id: "listRegistriesV2",
  method: "GET",
  path: "/v2/registries",
  access: "manage",
  tag: "managementV2",
  summary: "List registry logins",
  answers: { 200: { description: "The registry logins.", json: V2_REGISTRIES } },
  handle({ engine, budgets }, call, { access: { account } }) {
    const logins = registryLoginsOf(engine, account);
    async function* records() {
      for (const login of logins) yield () => [JSON.stringify(presentLogin(login))];
    }
    return listReply(call, budgets.answers.clients, records(), "registries");
  },
});

/** Registry logins in the shapes of the public API v2, which are those of v1 but for the list. */
export const V2_REGISTRY_OPERATIONS = [
  list,
  {
    ...createLogin,
    id: "createRegistryV2",
    path: "/v2/registries",
    tag: "managementV2",
    answers: { 201: { description: "The registry login.", json: REGISTRY_LOGIN } },
    serve(context) {
      const handle = createLogin.serve(context);
      return async (call) => created(await handle(call));
    },
  },
  { ...readLogin, id: "readRegistryV2", path: "/v2/registries/{registryLogin}", tag: "managementV2" },
  { ...removeLogin, id: "deleteRegistryV2", path: "/v2/registries/{registryLogin}", tag: "managementV2" },
] as const satisfies readonly Operation[];
