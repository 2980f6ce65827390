import { createHash, randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/**
 * Versions and Object Lock of the stand-in, after Amazon's API reference and its guide to Object Lock:
 * a DELETE without a version adds a marker; a locked version can't be deleted, and its date not be
 * brought forward; a PUT with a lock needs a checksum and a bucket with Object Lock. Nobody here has the
 * permission to bypass governance, as nobody sends its header.
 */
export interface VersionedBucket {
  /** The current versions. */
  readonly objects: Map<string, Buffer>;
  /** Newest first. */
  readonly versions: Map<string, Version[]>;
  hasLock: boolean;
  hasVersions: boolean;
  defaultDays: number | null;
  /** The storage takes locks and doesn't heed them. */
  ignoresLocks: boolean;
  /** Actions that the key isn't allowed. */
  readonly denied: Set<string>;
}
export interface Version {
  readonly id: string;
  /** Null: a delete marker. */
  readonly bytes: Buffer | null;
  readonly at: number;
  lock: { readonly mode: string; readonly until: number } | null;
}

export const makeVersionedBucket = (): VersionedBucket => ({
  objects: new Map(),
  versions: new Map(),
  hasLock: true,
  hasVersions: true,
  defaultDays: null,
  ignoresLocks: false,
  denied: new Set(),
});

export interface StorageRequest {
  readonly method: string;
  readonly key: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly now: number;
}
interface Answered {
  readonly status: number;
  readonly error?: string;
  readonly body?: string;
  readonly headers?: Record<string, string>;
  readonly object?: Buffer;
}

const PAGE_VERSIONS = 5;
const refuse = (status: number, error: string): Answered => ({ status, error });
const DENIED = refuse(403, 'AccessDenied');
const md5 = (bytes: Buffer) => createHash('md5').update(bytes).digest();
const hasChecksum = (headers: IncomingHttpHeaders): boolean =>
  Object.keys(headers).some(
    (name) =>
      name === 'content-md5' || (name.startsWith('x-amz-checksum-') && !name.endsWith('-type')),
  );
const isRightMd5 = ({ headers, body }: StorageRequest): boolean =>
  headers['content-md5'] === undefined || headers['content-md5'] === md5(body).toString('base64');

/** Returns null for what a bucket without versions answers in the same way. */
export function answerVersioned(bucket: VersionedBucket, request: StorageRequest): Answered | null {
  const { method, key, query } = request;
  const action = getAction(request);
  if (bucket.denied.has(action)) return DENIED;
  if (key === '' && method === 'GET') {
    if (query.has('versioning'))
      return {
        status: 200,
        body: `<VersioningConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${bucket.hasVersions ? '<Status>Enabled</Status>' : ''}</VersioningConfiguration>`,
      };
    if (query.has('object-lock')) return getLockConfiguration(bucket);
    if (query.has('versions')) return { status: 200, body: listVersions(bucket, query) };
    return null;
  }
  if (query.has('retention')) return answerRetention(bucket, request);
  if (method === 'PUT') return put(bucket, request);
  if (method === 'DELETE') return remove(bucket, request);
  if (method !== 'GET') return null;
  const id = query.get('versionId');
  if (id === null) return null;
  const version = bucket.versions.get(key)?.find((one) => one.id === id);
  if (version === undefined) return refuse(404, 'NoSuchVersion');
  return version.bytes === null
    ? refuse(405, 'MethodNotAllowed')
    : { status: 200, object: version.bytes };
}

function getAction({ method, key, query, headers }: StorageRequest): string {
  if (key === '' && query.has('versioning')) return 's3:GetBucketVersioning';
  if (key === '' && query.has('object-lock')) return 's3:GetBucketObjectLockConfiguration';
  if (key === '' && query.has('versions')) return 's3:ListBucketVersions';
  if (key === '') return 's3:ListBucket';
  if (query.has('retention'))
    return method === 'PUT' ? 's3:PutObjectRetention' : 's3:GetObjectRetention';
  const suffix = query.has('versionId') ? 'Version' : '';
  if (method === 'DELETE') return `s3:DeleteObject${suffix}`;
  if (method === 'PUT')
    return 'x-amz-object-lock-mode' in headers ? 's3:PutObjectRetention' : 's3:PutObject';
  return `s3:GetObject${suffix}`;
}

function getLockConfiguration({ hasLock, defaultDays }: VersionedBucket): Answered {
  if (!hasLock) return refuse(404, 'ObjectLockConfigurationNotFoundError');
  const rule =
    defaultDays === null
      ? ''
      : `<Rule><DefaultRetention><Mode>GOVERNANCE</Mode><Days>${defaultDays}</Days></DefaultRetention></Rule>`;
  return {
    status: 200,
    body: `<ObjectLockConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><ObjectLockEnabled>Enabled</ObjectLockEnabled>${rule}</ObjectLockConfiguration>`,
  };
}

function put(bucket: VersionedBucket, request: StorageRequest): Answered {
  const { key, headers, body, now } = request;
  const mode = headers['x-amz-object-lock-mode'];
  const date = headers['x-amz-object-lock-retain-until-date'];
  if ((mode === undefined) !== (date === undefined)) return refuse(400, 'InvalidArgument');
  if (mode !== undefined && !bucket.hasLock) return refuse(400, 'InvalidRequest');
  if (mode !== undefined && !hasChecksum(headers)) return refuse(400, 'InvalidRequest');
  const until = Date.parse(String(date));
  if (mode !== undefined && !(until > now)) return refuse(400, 'InvalidArgument');
  if (mode !== undefined && mode !== 'GOVERNANCE' && mode !== 'COMPLIANCE')
    return refuse(400, 'InvalidArgument');
  if (!isRightMd5(request)) return refuse(400, 'BadDigest');
  const lock = mode === undefined ? null : { mode, until };
  const id = add(bucket, key, { bytes: body, at: now, lock });
  return {
    status: 200,
    headers: { 'etag': `"${md5(body).toString('hex')}"`, 'x-amz-version-id': id },
  };
}

/** Adds a version, as anybody with the access key can. */
export function add(bucket: VersionedBucket, key: string, version: Omit<Version, 'id'>): string {
  const id = randomUUID();
  const former = bucket.hasVersions ? (bucket.versions.get(key) ?? []) : [];
  bucket.versions.set(key, [{ ...version, id }, ...former]);
  show(bucket, key);
  return id;
}

function show({ objects, versions }: VersionedBucket, key: string): void {
  const bytes = versions.get(key)?.[0]?.bytes ?? null;
  if (bytes === null) objects.delete(key);
  else objects.set(key, bytes);
}

/** A DELETE, as anybody with the access key can send it. */
export function remove(
  bucket: VersionedBucket,
  { key, query, now }: Pick<StorageRequest, 'key' | 'query' | 'now'>,
): Answered {
  const id = query.get('versionId');
  if (id === null) {
    const marker = add(bucket, key, { bytes: null, at: now, lock: null });
    return {
      status: 204,
      headers: { 'x-amz-delete-marker': 'true', 'x-amz-version-id': marker },
    };
  }
  const versions = bucket.versions.get(key) ?? [];
  const version = versions.find((one) => one.id === id);
  if (version?.lock && version.lock.until > now && !bucket.ignoresLocks) return DENIED;
  const left = versions.filter((one) => one !== version);
  if (left.length === 0) bucket.versions.delete(key);
  else bucket.versions.set(key, left);
  show(bucket, key);
  const isMarker = version !== undefined && version.bytes === null;
  return {
    status: 204,
    headers: { 'x-amz-version-id': id, ...(isMarker && { 'x-amz-delete-marker': 'true' }) },
  };
}

function answerRetention(bucket: VersionedBucket, request: StorageRequest): Answered {
  const { method, key, query, headers, body, now } = request;
  const versions = bucket.versions.get(key) ?? [];
  const id = query.get('versionId');
  const version = id === null ? versions[0] : versions.find((one) => one.id === id);
  if (!bucket.hasLock) return refuse(400, 'InvalidRequest');
  if (version === undefined) return refuse(404, id === null ? 'NoSuchKey' : 'NoSuchVersion');
  if (version.bytes === null) return refuse(405, 'MethodNotAllowed');
  if (method === 'GET')
    return version.lock === null
      ? refuse(404, 'NoSuchObjectLockConfiguration')
      : {
          status: 200,
          body: `<Retention xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Mode>${version.lock.mode}</Mode><RetainUntilDate>${new Date(version.lock.until).toISOString()}</RetainUntilDate></Retention>`,
        };
  if (!hasChecksum(headers)) return refuse(400, 'InvalidRequest');
  if (!isRightMd5(request)) return refuse(400, 'BadDigest');
  const [, mode = ''] = /<Mode>(\w+)<\/Mode>/.exec(body.toString()) ?? [];
  const [, date = ''] = /<RetainUntilDate>([^<]+)</.exec(body.toString()) ?? [];
  const until = Date.parse(date);
  if (!(until > now)) return refuse(400, 'InvalidArgument');
  const { lock } = version;
  if (lock !== null && lock.until > now && (until < lock.until || mode !== lock.mode))
    return DENIED;
  version.lock = { mode, until };
  return { status: 200 };
}

function listVersions({ versions }: VersionedBucket, query: URLSearchParams): string {
  const prefix = query.get('prefix') ?? '';
  const [afterKey, afterId] = [query.get('key-marker'), query.get('version-id-marker')];
  const all = [...versions]
    .filter(([key]) => key.startsWith(prefix))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([key, list]) => list.map((version, at) => ({ key, version, isLatest: at === 0 })));
  const from =
    afterKey === null
      ? 0
      : all.findLastIndex(
          ({ key, version }) => key === afterKey && (afterId === null || version.id === afterId),
        ) + 1;
  const page = all.slice(from, from + PAGE_VERSIONS);
  const last = page.at(-1);
  const isMore = from + page.length < all.length;
  const rows = page.map(({ key, version, isLatest }) => {
    const about = `<Key>${key}</Key><VersionId>${version.id}</VersionId><IsLatest>${isLatest}</IsLatest><LastModified>${new Date(version.at).toISOString()}</LastModified>`;
    return version.bytes === null
      ? `<DeleteMarker>${about}</DeleteMarker>`
      : `<Version>${about}<ETag>"${md5(version.bytes).toString('hex')}"</ETag><Size>${version.bytes.length}</Size><StorageClass>STANDARD</StorageClass></Version>`;
  });
  const next =
    isMore && last
      ? `<NextKeyMarker>${last.key}</NextKeyMarker><NextVersionIdMarker>${last.version.id}</NextVersionIdMarker>`
      : '';
  return `<?xml version="1.0" encoding="UTF-8"?><ListVersionsResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Prefix>${prefix}</Prefix><IsTruncated>${isMore}</IsTruncated>${next}${rows.join('')}</ListVersionsResult>`;
}
