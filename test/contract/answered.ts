import { THROWS } from "../model/model-outcomes.ts";

/** The answer to a step, or `THROWS` where the store refused it by throwing. */
export async function answered<Answer>(answer: Promise<Answer>): Promise<Answer | typeof THROWS> {
  try {
    return await answer;
  } catch {
    return THROWS;
  }
}
