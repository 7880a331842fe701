/** What calls say of their worker. A ping leaves `hungUp` open, and any other call `stray`. */
export interface Contact {
  readonly endpoint: string;
  readonly worker: string;
  readonly at: number;
  readonly pings: boolean;
  readonly hungUp: boolean | null;
  readonly stray: string | null;
}

/** Both together, the first one first. After a hang-up a ping renews nothing. */
export function bothContacts(before: Contact, after: Contact): Contact {
  const isZombie = before.hungUp === true && after.hungUp === null;
  return {
    ...after,
    at: isZombie ? before.at : Math.max(before.at, after.at),
    pings: before.pings || after.pings,
    hungUp: after.hungUp ?? before.hungUp,
    stray: after.stray ?? before.stray,
  };
}
