/** Tells the data of one deployment from all others, wherever it is kept. There is one record of it. */
export interface Deployment {
  readonly id: "deployment";
  /** Never the same for two deployments: names what is theirs on a machine that both use. */
  readonly name: string;
}
