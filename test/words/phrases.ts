/** Phrases that need two readings, and what to say instead. */
const PHRASES: readonly (readonly [phrase: RegExp, say: string])[] = [
  [/one that does for all/i, "the leader"],
  [/\bdut(y|ies)\b/i, "background job"],
  [/\bsightings?\b/i, "heartbeat"],
  [/\b(is|are|was|were|be|gets?) told\b/i, "is notified, is stopped"],
  [/\b(?:tells?|said) (how|what|its|the rest|which)\b/i, "shows"],
  [/\bknown rows\b/i, "cache"],
  [/\bqueued again\b/i, "retries, back in the queue"],
  [/what (its|the|a) (last )?workers? (has )?print/i, "logs"],
  [/\bmay run, and live\b/i, "execution timeout, TTL"],
  [/\bleave it$/i, "Cancel"],
  [/\bword too many\b|\bslip of the hand\b/i, "unexpected argument, unknown flag"],
  [/\bunless you say\b/i, "default"],
  [/\bsay (your|which|what|the|another|one|it)\b/i, "enter, name, give"],
  [/\b(can|must|may) be said\b|\bnot said\b/i, "can be given, is required"],
  [/\bcame? so far as\b/i, "exited before they connected"],
  [/\bwaits? ever longer\b/i, "waits longer before each start"],
  [/\bcomes? by (itself|themselves)\b|\bcame by (itself|themselves)\b/i, "is started by you"],
  [/\b(ends?|ended) by (itself|themselves)\b/i, "exited"],
  [/\bmend(s|ed)?\b/i, "fix"],
  [/\btake (it|them|that) away\b/i, "remove"],
  [/\bmake (the|an?|one) (new )?(endpoint|template|key|account|registry login|host|secret)\b/i, "create"],
  [
    /\bmakes (an?|the|one) (new )?(endpoint|template|key|account|login|host|secret|token|worker)\b/i,
    "creates",
  ],
  [/\bthose that there are\b/i, "shows all"],
  [/\bto be had\b|\bis had\b/i, "is available"],
  [/\bnot to be relied on\b/i, "unreliable"],
  [/\b(begins?|starts?) anew\b/i, "starts over, restarts"],
  [/\bserves on\b/i, "keeps running"],
  [/\bputs? out\b/i, "output"],
  [/\bbrings? back what\b/i, "rolls back"],
  [/\bopens? nothing\b/i, "is revoked, has no access"],
  [/\bis there\. (Make|Choose)\b/i, "is created"],
  [/\bthe one before\b/i, "the previous one, the old one"],
  [/\b(key|secret|one) from before\b/i, "old"],
  [/\bhow it is with\b|\bhow a job is\b/i, "the state of"],
  [/\bwishes of\b/i, "settings of"],
  [/\bwhoever's\b/i, "of any account"],
  [/\bthe own account\b/i, "your own"],
  [/\bthe server pushes no news\b/i, "sends no updates"],
  [/\bis answered$/i, "the answer"],
  [
    /(?<!\bthere )\bis no (directory|pipe|id|name|text|Forebay|SQLite|JSON|number|backup|data|tar)\b/i,
    "is not a",
  ],
];

/** The banned phrases in a text, with what to say. */
export function bannedIn(text: string): string[] {
  return PHRASES.flatMap(([phrase, say]) => {
    const found = phrase.exec(text)?.[0];
    return found === undefined ? [] : [`"${found}": say "${say}"`];
  });
}
