import { logLabels } from './log-labels.messages.en.ts';

/**
 * Returns the description of a kind. A kind without one is described by its name:
 * `device.forgotten` is "Device forgotten".
 */
export function getWords(what: string): string {
  const said =
    (logLabels as Readonly<Record<string, string>>)[what] ?? what.replaceAll(/[.-]/g, ' ');
  return said.charAt(0).toUpperCase() + said.slice(1);
}
