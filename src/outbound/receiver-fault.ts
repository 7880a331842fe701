/** A call that failed because of its receiver. The message is a sentence for whoever named it. */
export class ReceiverFault extends Error {
  override readonly name = "ReceiverFault";
}
