import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { type Answer, type Mirror, openMirror } from './mirror.ts';
import { REAL_SERVER } from './real-server.ts';
import { answerVersioned, type StorageRequest, type VersionedBucket } from './versioned.ts';

/**
 * An S3 server in memory, after the API's reference: path-style buckets, Signature Version 4 of each
 * request checked over its raw form, ListObjectsV2 (and V1 for other clients) by pages, ranges,
 * Content-MD5, aws-chunked bodies, and the errors as XML. restic's own client is the judge of it, and a
 * real server if `S3_URL` names one: it does the same, and the tests get its answers.
 */
export interface S3StandIn {
  readonly url: string;
  readonly objects: Map<string, Buffer>;
  /** Requests as `METHOD kind`, in order. */
  readonly requests: string[];
  /** Answers the next requests with these instead; `cut` ends the connection after doing the work. */
  readonly failures: ({ status: number; code: string } | 'cut' | 'cut-after')[];
  secret: string;
  /** The bucket has versions, and locks if it was created so; null: it has neither. */
  readonly versioned: VersionedBucket | null;
  /** The time of the storage. */
  now: () => number;
  /** Runs before each answer. */
  beforeAnswer: () => Promise<void>;
  /** The connections until now were closed while nobody used them, which the next request meets. */
  readonly forgetConnections: () => void;
}

export const REGION = 'eu-test-1';
export const KEY_ID = 'AKIATESTDAYBOOK';
export const SECRET = 'a secret of tests, not of anybody';
export const BUCKET = 'backups';
const PAGE_KEYS = 7;

/** A stand-in that runs until the current test has finished. */
export async function startS3(versioned: VersionedBucket | null = null): Promise<S3StandIn> {
  const standIn = await openS3(versioned);
  onTestFinished(standIn.stop);
  return standIn;
}

/** A stand-in that runs until it is stopped. */
export async function openS3(
  versioned: VersionedBucket | null = null,
): Promise<S3StandIn & { readonly stop: () => Promise<void> }> {
  const connections = new Set<Socket>();
  const forgotten = new WeakSet<Socket>();
  const standIn = {
    objects: versioned?.objects ?? new Map<string, Buffer>(),
    versioned,
    now: Date.now,
    requests: [] as string[],
    failures: [] as S3StandIn['failures'],
    secret: SECRET,
    url: '',
    beforeAnswer: (): Promise<void> => Promise.resolve(),
    forgetConnections: (): void => {
      for (const socket of connections) forgotten.add(socket);
    },
    async stop(): Promise<void> {
      server.closeAllConnections();
      server.close();
      await mirror?.close();
    },
  };
  const mirror = REAL_SERVER === null ? null : await openMirror(REAL_SERVER, standIn);
  const server = createServer((request, response) => {
    if (forgotten.has(request.socket)) {
      request.socket.destroy();
      return;
    }
    void respond(request, response);
  });
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const raw = await readBody(request);
    await standIn.beforeAnswer();
    await answer({ standIn, mirror, request, raw, response });
  }
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
  });
  // Connections are closed when a test says so, and not by how busy the machine is.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  standIn.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return standIn;
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
  return Buffer.concat(parts);
}

async function answer({
  standIn,
  mirror,
  request,
  raw,
  response,
}: {
  readonly standIn: S3StandIn;
  readonly mirror: Mirror | null;
  readonly request: IncomingMessage;
  readonly raw: Buffer;
  readonly response: ServerResponse;
}): Promise<void> {
  const url = new URL(request.url ?? '/', standIn.url);
  const [, bucket = '', ...rest] = decodeURIComponent(url.pathname).split('/');
  const key = rest.join('/');
  const method = request.method ?? '';
  const send = ({ status, headers, body }: Answer): void => {
    response.writeHead(status, headers);
    response.end(method === 'HEAD' ? undefined : body);
  };
  response.setHeader('date', new Date(standIn.now()).toUTCString());
  const isList = method === 'GET' && key === '';
  const isRetention = url.searchParams.has('retention');
  standIn.requests.push(`${method}${isList ? ' list' : ''}${isRetention ? ' retention' : ''}`);
  const failure = standIn.failures.shift();
  if (failure === 'cut') {
    request.socket.destroy();
    return;
  }
  if (failure !== undefined && failure !== 'cut-after') {
    send(refuse(failure.status, failure.code));
    return;
  }
  const signed = checkSignature(request, url, raw, standIn.secret);
  if (signed !== null) {
    send(refuse(403, signed));
    return;
  }
  if (bucket !== BUCKET) {
    send(refuse(404, 'NoSuchBucket'));
    return;
  }
  const body = isChunked(request) ? unchunk(raw) : raw;
  const { headers } = request;
  const answerHere = (query: URLSearchParams): Answer =>
    answerRequest(standIn, { method, key, query, headers, body, now: standIn.now() });
  const answered =
    mirror !== null && isAsUsual(standIn.versioned)
      ? await mirror.handle({ method, key, query: url.searchParams, headers, body }, answerHere)
      : answerHere(url.searchParams);
  if (failure === 'cut-after') request.socket.destroy();
  else send(answered);
}

/** A real bucket with Object Lock is so, and its owner is allowed everything. */
const isAsUsual = (bucket: VersionedBucket | null): boolean =>
  bucket === null ||
  (bucket.hasLock &&
    bucket.hasVersions &&
    bucket.defaultDays === null &&
    !bucket.ignoresLocks &&
    bucket.denied.size === 0);

const asXml = (status: number, body = '', headers: Record<string, string> = {}): Answer => ({
  status,
  headers: { 'content-type': 'application/xml', ...headers },
  body: Buffer.from(body),
});
const refuse = (status: number, code: string): Answer =>
  asXml(
    status,
    `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`,
  );

function answerRequest(standIn: S3StandIn, request: StorageRequest): Answer {
  const { method, key, query, headers, body } = request;
  const range = headers.range ?? '';
  if (standIn.versioned !== null) {
    const answered = answerVersioned(standIn.versioned, request);
    if (answered?.error !== undefined) return refuse(answered.status, answered.error);
    if (answered?.object !== undefined) return toAnswer(answered.object, range);
    if (answered !== null) return asXml(answered.status, answered.body, answered.headers);
  }
  if (query.has('retention')) return refuse(400, 'InvalidRequest');
  const isList = method === 'GET' && key === '';
  if (isList && query.has('location'))
    return asXml(200, `<LocationConstraint>${REGION}</LocationConstraint>`);
  if (isList) return asXml(200, list(standIn, query));
  if (key === '' && method === 'HEAD') return asXml(200);
  const object = standIn.objects.get(key);
  if (method === 'PUT') {
    const md5 = headers['content-md5'];
    if (md5 !== undefined && md5 !== hash('md5', body).toString('base64'))
      return refuse(400, 'BadDigest');
    standIn.objects.set(key, body);
    return asXml(200, '', { etag: `"${hash('md5', body).toString('hex')}"` });
  }
  if (method === 'DELETE') {
    standIn.objects.delete(key);
    return asXml(204);
  }
  return object === undefined ? refuse(404, 'NoSuchKey') : toAnswer(object, range);
}

function toAnswer(object: Buffer, wanted: string): Answer {
  const range = /^bytes=(\d+)-(\d*)$/.exec(wanted);
  const from = Number(range?.[1] ?? 0);
  if (range !== null && from >= object.length) return refuse(416, 'InvalidRange');
  const to = Math.min(object.length, range?.[2] ? Number(range[2]) + 1 : object.length);
  return {
    status: range === null ? 200 : 206,
    headers: {
      'content-type': 'application/octet-stream',
      'etag': `"${hash('md5', object).toString('hex')}"`,
      'last-modified': 'Wed, 06 May 2026 07:08:09 GMT',
      'accept-ranges': 'bytes',
      'content-length': String(to - from),
      ...(range !== null && { 'content-range': `bytes ${from}-${to - 1}/${object.length}` }),
    },
    body: object.subarray(from, to),
  };
}

function list({ objects }: S3StandIn, query: URLSearchParams): string {
  const [prefix, delimiter] = [query.get('prefix') ?? '', query.get('delimiter') ?? ''];
  const isV2 = query.get('list-type') === '2';
  const isEncoded = query.get('encoding-type') === 'url';
  const show = (key: string): string =>
    isEncoded ? key.split('/').map(encode).join('/') : escapeXml(key);
  const after = query.get(isV2 ? 'continuation-token' : 'marker') ?? query.get('start-after') ?? '';
  const max = Math.min(PAGE_KEYS, Number(query.get('max-keys') ?? PAGE_KEYS));
  const found: { key: string; isPrefix: boolean }[] = [];
  for (const key of [...objects.keys()].sort()) {
    if (!key.startsWith(prefix)) continue;
    const end = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
    const shown = end === -1 ? key : key.slice(0, end + 1);
    if (shown > after && found.at(-1)?.key !== shown)
      found.push({ key: shown, isPrefix: end !== -1 });
  }
  const page = found.slice(0, max);
  const last = page.at(-1)?.key ?? '';
  const isMore = found.length > page.length;
  const rows = page.map(({ key, isPrefix }) =>
    isPrefix
      ? `<CommonPrefixes><Prefix>${show(key)}</Prefix></CommonPrefixes>`
      : `<Contents><Key>${show(key)}</Key><LastModified>2026-05-06T07:08:09.000Z</LastModified><ETag>"0"</ETag><Size>${objects.get(key)?.length ?? 0}</Size><StorageClass>STANDARD</StorageClass></Contents>`,
  );
  const next = isMore
    ? isV2
      ? `<NextContinuationToken>${escapeXml(last)}</NextContinuationToken>`
      : `<NextMarker>${show(last)}</NextMarker>`
    : '';
  return `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>${BUCKET}</Name><Prefix>${show(prefix)}</Prefix>${isEncoded ? '<EncodingType>url</EncodingType>' : ''}<KeyCount>${page.length}</KeyCount><MaxKeys>${max}</MaxKeys><IsTruncated>${isMore}</IsTruncated>${next}${rows.join('')}</ListBucketResult>`;
}

const escapeXml = (text: string): string =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
const hash = (kind: 'sha256' | 'md5', bytes: string | Buffer): Buffer =>
  createHash(kind).update(bytes).digest();
const hmac = (key: string | Buffer, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest();

const isChunked = ({ headers }: IncomingMessage): boolean =>
  String(headers['x-amz-content-sha256'] ?? '').startsWith('STREAMING-');

/** Takes the chunks of an aws-chunked body, without checking their own signatures. */
function unchunk(raw: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < raw.length;) {
    const end = raw.indexOf('\r\n', at);
    const length = Number.parseInt(raw.subarray(at, end).toString('latin1'), 16);
    if (!(length > 0)) break;
    parts.push(raw.subarray(end + 2, end + 2 + length));
    at = end + 2 + length + 2;
  }
  return Buffer.concat(parts);
}

const encode = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** Returns the error of the API; null: the request is signed with the secret. */
function checkSignature(
  request: IncomingMessage,
  url: URL,
  raw: Buffer,
  secret: string,
): string | null {
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([\da-f]{64})$/.exec(
      request.headers.authorization ?? '',
    );
  if (form === null) return 'AccessDenied';
  const [, id = '', day = '', region = '', names = '', signature = ''] = form;
  if (id !== KEY_ID) return 'InvalidAccessKeyId';
  if (region !== REGION) return 'AuthorizationHeaderMalformed';
  const content = String(request.headers['x-amz-content-sha256'] ?? '');
  const isPlain = /^[\da-f]{64}$/.test(content);
  if (isPlain && content !== hash('sha256', raw).toString('hex'))
    return 'XAmzContentSHA256Mismatch';
  const query = [...url.searchParams]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&');
  const path = decodeURIComponent(url.pathname).split('/').map(encode).join('/');
  const headers = names
    .split(';')
    .map((name) => `${name}:${String(request.headers[name] ?? '').trim()}\n`)
    .join('');
  const canonical = [request.method, path, query, headers, names, content].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = [
    'AWS4-HMAC-SHA256',
    String(request.headers['x-amz-date'] ?? ''),
    scope,
    hash('sha256', canonical).toString('hex'),
  ].join('\n');
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secret}`);
  return hmac(key, text).toString('hex') === signature ? null : 'SignatureDoesNotMatch';
}
