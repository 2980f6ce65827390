/** A network that has not answered by then counts as none, where there is a kept page to show. */
export const PATIENCE_MS = 3_000;

export interface Navigation {
  readonly network: Promise<Response>;
  readonly kept: () => Promise<Response | undefined>;
  /** Resolves after so many milliseconds. */
  readonly after: (ms: number) => Promise<void>;
}

/**
 * The page for where a person goes: the server's while it answers in time, so that nobody sees an
 * older build than needed; the kept one where there is no network, where it takes too long, and
 * where something before the server says that the server is away.
 */
export async function answerPage({ network, kept, after }: Navigation): Promise<Response> {
  const settled: Promise<Response | null> = network.then(
    (response) => (response.status < 500 ? response : null),
    () => null,
  );
  const inTime = await Promise.race([settled, after(PATIENCE_MS).then(() => null)]);
  return inTime ?? (await kept()) ?? (await network);
}
