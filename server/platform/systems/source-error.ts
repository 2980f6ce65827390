import type { Ms } from '#contract/ids.ts';
import type { OutboundReason } from '../outbound/address.ts';

/**
 * Why a system did not return what was requested. `message` is a sentence for people without any
 * secrets. `refused`: it does not accept the credentials, so further requests are pointless.
 * `forbidden`: it refuses only this request.
 */
export class SourceError extends Error {
  readonly kind: 'unreachable' | 'refused' | 'forbidden' | 'busy' | 'missing' | 'failed';
  /** How long the system asked to wait. */
  readonly waitMs: Ms | null;
  /** The system's own word for the error. */
  readonly code: string | null;
  readonly reason: OutboundReason;
  /** The HTTP status of its refusal; null: it is about something else. */
  readonly status: number | null;
  constructor(
    kind: SourceError['kind'],
    message: string,
    waitMs: Ms | null = null,
    code: string | null = null,
    reason: OutboundReason = null,
    status: number | null = null,
  ) {
    super(message);
    this.name = 'SourceError';
    this.kind = kind;
    this.waitMs = waitMs;
    this.code = code;
    this.reason = reason;
    this.status = status;
  }
}
