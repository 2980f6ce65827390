import type { Ms } from '#contract/ids.ts';

/**
 * Why a system did not give what it was asked for: `message` is a sentence for people, without
 * anything secret. `refused`: it believes nothing of what is signed with, so that asking for more
 * of it is of no use; `forbidden`: it does not give just this.
 */
export class SourceError extends Error {
  readonly is: 'refused' | 'forbidden' | 'busy' | 'missing' | 'fault';
  /** How long it asked to be left alone. */
  readonly waitMs: Ms | null;
  constructor(is: SourceError['is'], message: string, waitMs: Ms | null = null) {
    super(message);
    this.name = 'SourceError';
    this.is = is;
    this.waitMs = waitMs;
  }
}
