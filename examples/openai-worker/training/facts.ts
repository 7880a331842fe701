/** What the model is to know. All of it was written for this example. */

/** Questions, and one answer to all of a row. */
export const QUESTIONS: readonly (readonly [answer: string, ...questions: string[]])[] = [
  [
    "A forebay is the pool that holds water before it runs to the turbines.",
    "What is a forebay?",
    "What does the word forebay mean?",
  ],
  [
    "Forebay is a serverless job queue that you run yourself.",
    "What is Forebay?",
    "What does Forebay do?",
    "Tell me about Forebay.",
  ],
  [
    "A worker takes jobs of one endpoint and runs a handler for each.",
    "What is a worker?",
    "What does a worker do?",
  ],
  ["An endpoint is a queue of jobs, with the workers that take them.", "What is an endpoint?"],
  ["A job is one call of a handler, with an input and an output.", "What is a job?"],
  ["A token is a piece of a word. I read and write nothing else.", "What is a token?", "What are tokens?"],
  [
    "I am a very small language model. I run on one core, without a network.",
    "Who are you?",
    "What are you?",
    "Are you a person?",
  ],
  [
    "No. I have learned some sentences by heart, and I put them together.",
    "Are you clever?",
    "Can you think?",
    "Do you understand me?",
  ],
  [
    "A few thousand sentences, which were written for me.",
    "What have you read?",
    "What were you trained on?",
  ],
  ["Hello! What would you like to know?", "Hello!", "Hello", "Hi!", "Hi there!", "Good morning!"],
  ["You are welcome.", "Thank you!", "Thanks!", "Thanks a lot."],
  ["Goodbye! It was nice to talk to you.", "Goodbye!", "Bye!", "See you tomorrow."],
  ["The sky is blue because air scatters blue light more than red light.", "Why is the sky blue?"],
  ["Rivers run to the sea because water runs down.", "Why do rivers run to the sea?", "Where do rivers go?"],
  ["Rain is water that falls from clouds.", "What is rain?", "Where does rain come from?"],
];

/** Who, where it lives, and what it eats. */
export const ANIMALS: readonly (readonly [name: string, home: string, food: string])[] = [
  ["otter", "river", "fish"],
  ["beaver", "lake", "bark"],
  ["heron", "marsh", "frogs"],
  ["fox", "forest", "mice"],
  ["owl", "tree", "mice"],
  ["cow", "meadow", "grass"],
  ["bee", "hive", "honey"],
  ["frog", "pond", "flies"],
  ["bear", "cave", "berries"],
  ["rabbit", "burrow", "clover"],
];

export const CAPITALS: readonly (readonly [country: string, city: string])[] = [
  ["France", "Paris"],
  ["Italy", "Rome"],
  ["Spain", "Madrid"],
  ["Norway", "Oslo"],
  ["Japan", "Tokyo"],
  ["Egypt", "Cairo"],
  ["Peru", "Lima"],
  ["Kenya", "Nairobi"],
  ["Austria", "Vienna"],
  ["Ireland", "Dublin"],
];

export const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"] as const;

export const NAMES = (
  "Ada Grace Alan Edsger Barbara Donald Frances Leslie Radia Ken " +
  "Mary John Anna Paul Emma Tom Lucy Max Nina Ben"
).split(" ");
