const NEEDED = 20;

/** Refuses a Node that is too old. This file and those that import it avoid syntax that old versions cannot read. */
export function checkNode() {
  const { node } = process.versions;
  if (Number(node.split(".")[0]) >= NEEDED) return;
  console.error(
    `forebay: this is Node ${node}, and Forebay needs Node ${NEEDED} or newer. Install a newer Node.`,
  );
  process.exit(2);
}
