/** What is wrong with the grammar of a rendered sentence: `a endpoint`, `1 jobs`, `requests requests`. */
export function grammarFaults(sentence: string): string[] {
  return Object.entries(FAULTS).flatMap(([fault, pattern]) =>
    [...sentence.matchAll(pattern)].map(([found]) => `${fault}: "${found}"`),
  );
}

const COUNTED =
  "job|worker|endpoint|template|webhook|attempt|request|key|byte|payload|chunk|host|GPU|secret|file|line";

const FAULTS: Readonly<Record<string, RegExp>> = {
  "a doubled word": /\b([a-z]+) \1\b/gi,
  "a before a vowel": /\ba (?!one\b|once\b|unique|unit|us[ei]|uuid|un[ai]|one-)[aeiou][a-z]+/g,
  "an before a consonant": /\ban (?!hour|honest)[b-df-hj-np-tv-z][a-z]+/g,
  "one of several": new RegExp(`(?<![\\w.,:×-])1 (${COUNTED})s\\b`, "g"),
  "several of one": new RegExp(`\\b12 (${COUNTED})\\b(?! (is|of))`, "g"),
  "a value that is missing": /\bundefined\b|\[object |\bas \.|\(\)\.|: \.(?!\w)/g,
  "a doubled sign": /[a-z)]\.\.(?!\.)|[,;]{2}|[a-z] [.,;](?= |$)/g,
};
