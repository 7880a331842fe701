import type { Command } from "./command.ts";
import { CommandFault } from "./command-fault.ts";
import { parseWords } from "./parse-words.ts";

type Commands = ReadonlyMap<string, Command>;

/** Prints the script with which a shell completes the names of commands and flags. */
export function completion(commands: () => Promise<Commands>): Command {
  return {
    words: "<bash|zsh|fish>",
    about: `
Prints the completion script of your shell: Tab then completes the commands and
their flags. Add the line of the example to the start file of your shell.
`,
    flags: {},
    examples: [
      'eval "$(forebay completion bash)"',
      'eval "$(forebay completion zsh)"',
      "forebay completion fish | source",
    ],
    async run(args) {
      const { positionals } = parseWords(args, {});
      const script = SCRIPTS[positionals[0] ?? ""];
      if (script === undefined || positionals.length > 1)
        throw new CommandFault("name the shell: bash, zsh or fish.");
      console.log(script(await commands()));
    },
  };
}

const SCRIPTS: Readonly<Record<string, (commands: Commands) => string>> = { bash, zsh, fish };

function bash(commands: Commands): string {
  return `_forebay() {
  local words
  case "\${COMP_WORDS[*]:1:COMP_CWORD-1} " in
${cases(commands)}
    " ") words="${begins(commands)}" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _forebay forebay`;
}

/** zsh reads completions written for bash. */
function zsh(commands: Commands): string {
  return `autoload -U +X bashcompinit && bashcompinit\n${bash(commands)}`;
}

function fish(commands: Commands): string {
  const names = [...commands.keys()];
  const first = begins(commands)
    .split(" ")
    .map((word) => `complete -c forebay -n __fish_use_subcommand -f -a ${word}`);
  const second = names
    .filter((name) => name.includes(" "))
    .map((name) => name.split(" "))
    .map(
      ([begin = "", end = ""]) =>
        `complete -c forebay -n '__fish_seen_subcommand_from ${begin}' -f -a ${end}`,
    );
  const flags = [...commands].flatMap(([name, command]) => {
    const seen = name
      .split(" ")
      .map((word) => `__fish_seen_subcommand_from ${word}`)
      .join("; and ");
    return Object.entries(command.flags).map(
      ([flag, { type }]) => `complete -c forebay -n '${seen}' -l ${flag}${type === "string" ? " -r" : ""}`,
    );
  });
  return [...first, ...second, ...flags].join("\n");
}

/** Longest names first: the words before the completed one begin with one of them. */
function cases(commands: Commands): string {
  const entries = [...commands].toSorted(([a], [b]) => b.length - a.length);
  const own = entries.map(([name, { flags }]) => {
    const words = [...seconds(commands, name), ...Object.keys(flags).map((flag) => `--${flag}`)];
    return `    "${name} "*) words="${words.join(" ")}" ;;`;
  });
  const groups = new Set(entries.map(([name]) => name.split(" ")[0] ?? ""));
  const others = [...groups]
    .filter((group) => !commands.has(group))
    .map((group) => `    "${group} ") words="${seconds(commands, group).join(" ")}" ;;`);
  return [...own, ...others].join("\n");
}

/** The second words of the commands that begin with this one. */
function seconds(commands: Commands, begin: string): string[] {
  return [...commands.keys()].flatMap((name) =>
    name.startsWith(`${begin} `) ? [name.slice(begin.length + 1)] : [],
  );
}

function begins(commands: Commands): string {
  return [...new Set([...commands.keys()].map((name) => name.split(" ")[0]))].join(" ");
}
