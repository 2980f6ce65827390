import { createHash, createHmac, randomUUID } from 'node:crypto';
import { request as sendRequest } from 'node:http';
import { request as sendTlsRequest } from 'node:https';

/**
 * A real server of S3's protocol, which `S3_URL`, `S3_KEY_ID` and `S3_SECRET` (and `S3_REGION`) name. Its
 * key may create buckets. Null: none is named.
 */
export interface RealServer {
  readonly url: string;
  readonly region: string;
  readonly keyId: string;
  readonly secret: string;
}
export interface RealRequest {
  readonly method: string;
  /** With the bucket, unencoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}
export interface RealReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const { S3_URL, S3_KEY_ID, S3_SECRET, S3_REGION } = process.env;
export const REAL_SERVER: RealServer | null =
  S3_URL === undefined || S3_KEY_ID === undefined || S3_SECRET === undefined
    ? null
    : { url: S3_URL, keyId: S3_KEY_ID, secret: S3_SECRET, region: S3_REGION ?? 'us-east-1' };
/** Why nothing runs on a real server, for the names of what is skipped; empty where it does. */
export const missingServer = REAL_SERVER === null ? ' (skipped: S3_URL names no server)' : '';

const encode = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Sends a request with Signature Version 4, independently of the client that is tested. */
export async function askServer(server: RealServer, input: RealRequest): Promise<RealReply> {
  const { method, query = {}, body = Buffer.alloc(0) } = input;
  const { host, protocol, hostname, port } = new URL(server.url);
  const path = input.path.split('/').map(encode).join('/');
  const search = Object.entries(query)
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&');
  const time = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  const content = sha256(body);
  const headers: Record<string, string> = {
    ...input.headers,
    host,
    'x-amz-date': time,
    'x-amz-content-sha256': content,
  };
  const names = Object.keys(headers).sort();
  const canonical = [
    method,
    path,
    search,
    names.map((name) => `${name}:${headers[name]?.trim() ?? ''}\n`).join(''),
    names.join(';'),
    content,
  ].join('\n');
  const scope = [time.slice(0, 8), server.region, 's3', 'aws4_request'];
  const text = ['AWS4-HMAC-SHA256', time, scope.join('/'), sha256(canonical)].join('\n');
  const key = scope.reduce<string | Buffer>(
    (former, part) => createHmac('sha256', former).update(part).digest(),
    `AWS4${server.secret}`,
  );
  const signature = createHmac('sha256', key).update(text).digest('hex');
  const authorization = `AWS4-HMAC-SHA256 Credential=${server.keyId}/${scope.join('/')}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
  return new Promise((resolve, reject) => {
    const send = protocol === 'https:' ? sendTlsRequest : sendRequest;
    const sent = send(
      {
        method,
        hostname,
        ...(port !== '' && { port }),
        path: search === '' ? path : `${path}?${search}`,
        headers: { ...headers, authorization, 'content-length': String(body.length) },
      },
      (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('error', reject);
        answer.on('end', () => {
          const answered = Object.entries(answer.headers).map(([name, value]) => [
            name,
            String(value),
          ]);
          resolve({
            status: answer.statusCode ?? 0,
            headers: Object.fromEntries(answered) as Record<string, string>,
            body: Buffer.concat(parts),
          });
        });
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Creates a bucket and returns its name. With `hasLock`, it has versions and Object Lock. */
export async function createBucket(server: RealServer, hasLock: boolean): Promise<string> {
  const bucket = `daybook-${randomUUID()}`;
  await expectStatus(server, 200, {
    method: 'PUT',
    path: `/${bucket}`,
    headers: hasLock ? { 'x-amz-bucket-object-lock-enabled': 'true' } : {},
  });
  return bucket;
}

/** Removes a bucket with all that nothing locks; locked versions stay with their bucket. */
export async function removeBucket(server: RealServer, bucket: string): Promise<void> {
  const path = `/${bucket}`;
  let marker: Record<string, string> | null = {};
  while (marker !== null) {
    const { body } = await askServer(server, {
      method: 'GET',
      path,
      query: { versions: '', ...marker },
    });
    const text = body.toString();
    for (const [, entry = ''] of text.matchAll(
      /<(?:Version|DeleteMarker)>(.*?)<\/(?:Version|DeleteMarker)>/gs,
    ))
      await askServer(server, {
        method: 'DELETE',
        path: `${path}/${readElement(entry, 'Key')}`,
        query: { versionId: readElement(entry, 'VersionId') },
        headers: { 'x-amz-bypass-governance-retention': 'true' },
      });
    marker =
      readElement(text, 'IsTruncated') === 'true'
        ? {
            'key-marker': readElement(text, 'NextKeyMarker'),
            'version-id-marker': readElement(text, 'NextVersionIdMarker'),
          }
        : null;
  }
  await askServer(server, { method: 'DELETE', path });
}

/** Sends a request that must be answered with a status. */
export async function expectStatus(
  server: RealServer,
  status: number,
  input: RealRequest,
): Promise<RealReply> {
  const reply = await askServer(server, input);
  if (reply.status !== status)
    throw new Error(`${input.method} ${input.path}: ${reply.status} ${reply.body.toString()}`);
  return reply;
}

/** The text of the first element of a name in XML; empty: there is none. */
export function readElement(xml: string, name: string): string {
  const [, text = ''] = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml) ?? [];
  return text
    .replace(/&quot;/g, '"')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&');
}
