/** A network that has not answered within this time counts as offline if a cached page exists. */
export const PATIENCE_MS = 3_000;

export interface Navigation {
  readonly network: Promise<Response>;
  readonly readCache: () => Promise<Response | undefined>;
  /** Resolves after `ms` milliseconds. */
  readonly after: (ms: number) => Promise<void>;
}

/**
 * Returns the page for a navigation. The server's answer has priority if it arrives in time, so
 * that nobody sees an outdated build. The cached page is used offline, after a time-out, and when a
 * gateway reports that the server is down.
 */
export async function answerPage({ network, readCache, after }: Navigation): Promise<Response> {
  const settled: Promise<Response | null> = network.then(
    (response) => (response.status < 500 ? response : null),
    () => null,
  );
  const inTime = await Promise.race([settled, after(PATIENCE_MS).then(() => null)]);
  return inTime ?? (await readCache()) ?? (await network);
}
