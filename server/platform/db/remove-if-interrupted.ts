import { rmSync } from 'node:fs';

const paths = new Set<string>();
const CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
const SIGNALS = Object.keys(CODES) as (keyof typeof CODES)[];

/**
 * Deletes a file or folder if a signal ends this command. Call the returned function once it may
 * stay, or is deleted.
 */
export function removeIfInterrupted(path: string): () => void {
  if (paths.size === 0) for (const signal of SIGNALS) process.on(signal, end);
  paths.add(path);
  return () => {
    paths.delete(path);
    if (paths.size === 0) for (const signal of SIGNALS) process.off(signal, end);
  };
}

function end(signal: keyof typeof CODES): never {
  for (const path of paths) rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  process.exit(CODES[signal]);
}
