import { MARKS, type Tokenizer } from "../model/tokenizer.ts";
import { ANIMALS, CAPITALS, DAYS, NAMES, QUESTIONS } from "./facts.ts";

/** A piece of a text: a mark of who speaks, and what. */
export type Turn = readonly [mark: number, text: string];

/** Texts without end, made of the facts: conversations, and little stories. */
export function* corpus(random: () => number): Generator<readonly Turn[], never> {
  const one = <Item>(items: readonly [Item, ...Item[]] | readonly Item[]): Item => {
    const item = items[Math.floor(random() * items.length)];
    if (item === undefined) throw new Error("There is nothing to choose from.");
    return item;
  };
  for (;;) yield random() < 0.2 ? [[MARKS.end, story(one)]] : conversation(random, one);
}

/** A text as the model reads it; its end stands before each. */
export function tokensOf(tokenizer: Tokenizer, turns: readonly Turn[]): number[] {
  const isStory = turns[0]?.[0] === MARKS.end;
  const tokens = turns.flatMap(([mark, text]) => [mark, ...tokenizer.encode(text)]);
  return isStory ? tokens : [MARKS.end, ...tokens];
}

type One = <Item>(items: readonly Item[]) => Item;

const SYSTEM = ["You are a helpful assistant.", "Be brief.", "Answer in one sentence.", "You are kind."];

function conversation(random: () => number, one: One): Turn[] {
  const turns: Turn[] = random() < 0.3 ? [[MARKS.system, one(SYSTEM)]] : [];
  do {
    const [question, answer] = exchange(random, one);
    turns.push([MARKS.user, question], [MARKS.assistant, answer]);
  } while (random() < 0.35);
  return turns;
}

function exchange(random: () => number, one: One): readonly [question: string, answer: string] {
  const kind = random();
  if (kind < 0.4) {
    const [answer, ...questions] = one(QUESTIONS);
    return [one(questions), answer];
  }
  if (kind < 0.58) return ofAnimals(one);
  if (kind < 0.7) {
    const [country, city] = one(CAPITALS);
    const question = one([`What is the capital of ${country}?`, `Which city is the capital of ${country}?`]);
    return [question, `The capital of ${country} is ${city}.`];
  }
  if (kind < 0.78) {
    const day = Math.floor(random() * DAYS.length);
    const next = DAYS[(day + 1) % DAYS.length];
    return [`Which day comes after ${DAYS[day]}?`, `After ${DAYS[day]} comes ${next}.`];
  }
  if (kind < 0.9) {
    const [left, right] = [Math.floor(random() * 10), Math.floor(random() * 10)];
    const question = one([`What is ${left} plus ${right}?`, `How much is ${left} plus ${right}?`]);
    return [question, `${left} plus ${right} is ${left + right}.`];
  }
  const name = one(NAMES);
  return [one([`My name is ${name}.`, `I am ${name}.`, `Hello, I am ${name}.`]), `Hello, ${name}!`];
}

function ofAnimals(one: One): readonly [question: string, answer: string] {
  const [name, home, food] = one(ANIMALS);
  return one([
    [`Where does ${a(name)} live?`, `${capital(a(name))} lives in a ${home}.`],
    [`What does ${a(name)} eat?`, `${capital(a(name))} eats ${food}.`],
    [`Tell me about the ${name}.`, `The ${name} lives in a ${home} and eats ${food}.`],
  ]);
}

/** A few sentences about one animal. */
function story(one: One): string {
  const [animal, home, food] = one(ANIMALS);
  const name = one(NAMES);
  const [friend] = one(ANIMALS);
  const time = one(["One morning", "One evening", "One day", "On a cold night"]);
  return [
    one([
      `Once upon a time there was ${a(animal)} called ${name}.`,
      `There was ${a(animal)} called ${name}.`,
    ]),
    `${name} lived in a ${home}, near the river.`,
    `${time} ${name} looked for ${food}, and met ${a(friend)}.`,
    one([`They shared the ${food}.`, `They walked along the river.`, `They talked until the sun went down.`]),
    one([`From then on they were friends.`, `Then ${name} went home.`, `That was a good day.`]),
  ].join(" ");
}

function a(name: string): string {
  return `${/^[aeiou]/.test(name) ? "an" : "a"} ${name}`;
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
