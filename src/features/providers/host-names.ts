/**
 * Parses typed host names: one per line, or separated by commas or spaces; without duplicates, in
 * lower case.
 */
export const hostsIn = (text: string): readonly string[] => [
  ...new Set(
    text
      .toLowerCase()
      .split(/[\s,;]+/)
      .map((host) => host.replace(/^https?:\/\//, '').replace(/[/:].*$/, ''))
      .filter((host) => host !== ''),
  ),
];

/** Formats host names, one per line. */
export const hostsText = (hosts: readonly string[]): string => hosts.join('\n');
