/**
 * Host names as people type them: one a line, or with commas or spaces between; each once, in small
 * letters.
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

/** One a line. */
export const hostsText = (hosts: readonly string[]): string => hosts.join('\n');
