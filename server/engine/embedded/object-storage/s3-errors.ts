import type { EngineErrorKind } from '#contract/engine/engine.ts';
import type { S3Address } from '#contract/engine/repositories.ts';
import { OutboundError } from '#server/platform/outbound/address.ts';
import { failed, type Failed } from '../../result.ts';
import { objectStorageMessages as t } from './messages.en.ts';

/** Returns what an error of the storage means; null: it isn't one. */
export function toFailure(error: unknown, { bucket, endpoint }: S3Address): Failed | null {
  const host = new URL(endpoint).host;
  if (error instanceof OutboundError)
    return failed(error.kind === 'refused' ? 'invalid' : 'unreachable', error.message);
  if (!(error instanceof Error) || !('$metadata' in error)) return null;
  const { httpStatusCode: status = 0 } = error.$metadata as { readonly httpStatusCode?: number };
  const kind = KINDS[error.name] ?? getKindOfStatus(status);
  return failed(kind, describe(kind, { bucket, host, code: error.name }));
}

/** Error codes of the S3 API and of MinIO. */
const KINDS: Readonly<Record<string, EngineErrorKind>> = {
  NoSuchKey: 'missing',
  NoSuchVersion: 'missing',
  NoSuchObjectLockConfiguration: 'missing',
  ObjectLockConfigurationNotFoundError: 'missing',
  NoSuchBucket: 'invalid',
  InvalidRange: 'damaged',
  InvalidAccessKeyId: 'refused',
  SignatureDoesNotMatch: 'refused',
  RequestTimeTooSkewed: 'refused',
  AccessDenied: 'forbidden',
  AllAccessDisabled: 'forbidden',
  PermanentRedirect: 'invalid',
  AuthorizationHeaderMalformed: 'invalid',
  IllegalLocationConstraintException: 'invalid',
  SlowDown: 'busy',
  ServiceUnavailable: 'busy',
  QuotaExceeded: 'busy',
  XMinioStorageFull: 'busy',
};

function getKindOfStatus(status: number): EngineErrorKind {
  if (status === 404) return 'missing';
  if (status === 401 || status === 403) return 'forbidden';
  if (status === 416) return 'damaged';
  if (status === 429 || status === 503 || status === 507) return 'busy';
  return status >= 500 || status === 0 ? 'unreachable' : 'invalid';
}

function describe(
  kind: EngineErrorKind,
  at: { readonly bucket: string; readonly host: string; readonly code: string },
): string {
  switch (kind) {
    case 'missing':
      return t.fileMissing(at);
    case 'damaged':
      return t.rangeMissing(at);
    case 'refused':
      return t.keysRefused(at);
    case 'forbidden':
      return t.notAllowed(at);
    case 'busy':
      return t.busy(at);
    case 'invalid':
      return at.code === 'NoSuchBucket' ? t.noBucket(at) : t.notAccepted(at);
    default:
      return t.unreachable(at);
  }
}
