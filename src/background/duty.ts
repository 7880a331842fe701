/** Work that no request asks for. */
export interface Duty {
  readonly name: string;
  /** Milliseconds from the end of one run to the start of the next. */
  readonly every: number;
  /** While `leasesHold` the server has been away, and no worker is blamed for silence. */
  run(leasesHold: boolean): Promise<void>;
}
