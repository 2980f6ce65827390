import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { answerVersioned, type VersionedBucket } from './versioned.ts';

/**
 * An S3 server in memory, after the API's reference: path-style buckets, Signature Version 4 of each
 * request checked over its raw form, ListObjectsV2 (and V1 for other clients) by pages, ranges,
 * Content-MD5, aws-chunked bodies, and the errors as XML. restic's own client is the judge of it.
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
): Promise<S3StandIn & { readonly stop: () => void }> {
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
    stop: (): void => {
      server.closeAllConnections();
      server.close();
    },
  };
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
    answer(standIn, request, raw, response);
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

function answer(
  standIn: S3StandIn,
  request: IncomingMessage,
  raw: Buffer,
  response: ServerResponse,
): void {
  const url = new URL(request.url ?? '/', standIn.url);
  const [, bucket = '', ...rest] = decodeURIComponent(url.pathname).split('/');
  const key = rest.join('/');
  const method = request.method ?? '';
  const send = (status: number, body = '', headers: Record<string, string> = {}): void => {
    response.writeHead(status, { 'content-type': 'application/xml', ...headers });
    response.end(method === 'HEAD' ? '' : body);
  };
  const refuse = (status: number, code: string): void =>
    send(
      status,
      `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`,
    );
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
    refuse(failure.status, failure.code);
    return;
  }

  const signed = checkSignature(request, url, raw, standIn.secret);
  if (signed !== null) {
    refuse(403, signed);
    return;
  }
  if (bucket !== BUCKET) {
    refuse(404, 'NoSuchBucket');
    return;
  }
  if (standIn.versioned !== null) {
    const answered = answerVersioned(standIn.versioned, {
      method,
      key,
      query: url.searchParams,
      headers: request.headers,
      body: isChunked(request) ? unchunk(raw) : raw,
      now: standIn.now(),
    });
    if (answered !== null && failure === 'cut-after') {
      request.socket.destroy();
      return;
    }
    if (answered?.error !== undefined) {
      refuse(answered.status, answered.error);
      return;
    }
    if (answered?.object !== undefined) {
      sendObject(request, response, answered.object);
      return;
    }
    if (answered !== null) {
      send(answered.status, answered.body, answered.headers);
      return;
    }
  }
  if (isList && url.searchParams.has('location')) {
    send(200, `<LocationConstraint>${REGION}</LocationConstraint>`);
    return;
  }
  if (isList) {
    send(200, list(standIn, url.searchParams));
    return;
  }
  if (key === '' && method === 'HEAD') {
    send(200);
    return;
  }
  const object = standIn.objects.get(key);
  if (method === 'PUT') {
    const body = isChunked(request) ? unchunk(raw) : raw;
    const md5 = request.headers['content-md5'];
    if (md5 !== undefined && md5 !== hash('md5', body).toString('base64')) {
      refuse(400, 'BadDigest');
      return;
    }
    standIn.objects.set(key, body);
    if (failure === 'cut-after') {
      request.socket.destroy();
      return;
    }
    send(200, '', { etag: `"${hash('md5', body).toString('hex')}"` });
  } else if (method === 'DELETE') {
    standIn.objects.delete(key);
    send(204);
  } else if (object === undefined) refuse(404, 'NoSuchKey');
  else sendObject(request, response, object);
}

function sendObject(request: IncomingMessage, response: ServerResponse, object: Buffer): void {
  const headers = {
    'content-type': 'application/octet-stream',
    'etag': `"${hash('md5', object).toString('hex')}"`,
    'last-modified': 'Wed, 06 May 2026 07:08:09 GMT',
    'accept-ranges': 'bytes',
  };
  const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
  const from = Number(range?.[1] ?? 0);
  if (range !== null && from >= object.length) {
    response.writeHead(416, { 'content-type': 'application/xml' });
    response.end('<Error><Code>InvalidRange</Code></Error>');
    return;
  }
  const to = Math.min(object.length, range?.[2] ? Number(range[2]) + 1 : object.length);
  response.writeHead(range === null ? 200 : 206, {
    ...headers,
    'content-length': to - from,
    ...(range !== null && { 'content-range': `bytes ${from}-${to - 1}/${object.length}` }),
  });
  response.end(request.method === 'HEAD' ? undefined : object.subarray(from, to));
}

function list({ objects }: S3StandIn, query: URLSearchParams): string {
  const [prefix, delimiter] = [query.get('prefix') ?? '', query.get('delimiter') ?? ''];
  const isV2 = query.get('list-type') === '2';
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
      ? `<CommonPrefixes><Prefix>${key}</Prefix></CommonPrefixes>`
      : `<Contents><Key>${key}</Key><LastModified>2026-05-06T07:08:09.000Z</LastModified><ETag>"0"</ETag><Size>${objects.get(key)?.length ?? 0}</Size><StorageClass>STANDARD</StorageClass></Contents>`,
  );
  const next = isMore
    ? isV2
      ? `<NextContinuationToken>${last}</NextContinuationToken>`
      : `<NextMarker>${last}</NextMarker>`
    : '';
  return `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>${BUCKET}</Name><Prefix>${prefix}</Prefix><KeyCount>${page.length}</KeyCount><MaxKeys>${max}</MaxKeys><IsTruncated>${isMore}</IsTruncated>${next}${rows.join('')}</ListBucketResult>`;
}

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
