import { useState } from "preact/hooks";
import { Command } from "./copy.tsx";

interface CodeViewProperties {
  /** The same request, by the name of its language or tool. */
  readonly samples: Readonly<Record<string, string>>;
}

/** A request as code, in one of several languages. */
export function CodeView({ samples }: CodeViewProperties) {
  const languages = Object.keys(samples);
  const [chosen, setChosen] = useState(languages[0] ?? "");
  return (
    <div class="stack close">
      <div class="actions" role="group" aria-label="Language">
        {languages.map((each) => (
          <button
            key={each}
            type="button"
            class={each === chosen ? "small chosen" : "small"}
            aria-pressed={each === chosen}
            onClick={() => setChosen(each)}
          >
            {each}
          </button>
        ))}
      </div>
      <Command text={samples[chosen] ?? ""} label={`Request with ${chosen}`} />
      <p class="soft">
        <small>
          <code>FOREBAY_KEY</code> is a key with the scope <code>write</code>. Create one for your program
          under Keys.
        </small>
      </p>
    </div>
  );
}
