/** What a handler returned, apart from its wish that the worker be replaced after the job. */
export class Answer {
  readonly value: unknown;
  readonly wantsRefresh: boolean;

  constructor(value: unknown, wantsRefresh: boolean) {
    this.value = value;
    this.wantsRefresh = wantsRefresh;
  }

  /** The member `refresh_worker` of an object is taken out, and is the wish if it is truthy. */
  static of(returned: unknown): Answer {
    if (returned instanceof Answer) return returned;
    if (!hasWish(returned)) return new Answer(returned, false);
    const { refresh_worker: wish, ...value } = returned;
    return new Answer(value, Boolean(wish));
  }
}

function hasWish(value: unknown): value is { refresh_worker: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value) && "refresh_worker" in value;
}
