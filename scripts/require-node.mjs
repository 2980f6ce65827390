import { readFileSync } from 'node:fs';

/** Exits the process if this Node is older than package.json allows. */
export function requireNode() {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8'));
  const minMajor = Number(/^>=(\d+)$/.exec(engines.node)[1]);
  if (Number(process.versions.node.split('.')[0]) >= minMajor) return;
  console.error(
    `Daybook needs Node ${minMajor} or newer, and this is Node ${process.versions.node}. Install a newer one from https://nodejs.org.`,
  );
  process.exit(1);
}
