import { CommandFault } from "../command-fault.ts";

/** Characters that a shell would interpret outside quotes. */
const OPERATORS = "|&;<>";

/**
 * Splits a command line into words, with the quotes and backslashes of a POSIX shell. No shell runs, so
 * variables and patterns stay as they are. Throws CommandFault for syntax that needs a shell.
 */
export function splitWords(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined = undefined;
  let quote = "";
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at);
    if (character === quote) quote = "";
    else if (quote === "'") word += character;
    else if (character === "\\") {
      const next = line.charAt(++at);
      word = (word ?? "") + (quote === '"' && !'"\\$`'.includes(next) ? `\\${next}` : next);
    } else if (quote === '"') word += character;
    else if (character === "'" || character === '"') {
      quote = character;
      word ??= "";
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (OPERATORS.includes(character)) throw needsShell(character);
    else word = (word ?? "") + character;
  }
  if (quote !== "") throw new CommandFault(`--exec has a quote that is not closed: ${line}`);
  return word === undefined ? words : [...words, word];
}

function needsShell(operator: string): CommandFault {
  return new CommandFault(
    `--exec does not use a shell, so ${operator} has no effect. Quote it, or move the line to a script.`,
  );
}
