/** The input of a job that every worker completes, with this as its output. */
export const CANARY = "a canary that lives";
