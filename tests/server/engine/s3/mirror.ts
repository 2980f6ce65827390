import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { S3StandIn } from './stand-in.ts';
import {
  askServer,
  createBucket,
  expectStatus,
  readElement,
  type RealReply,
  type RealServer,
  removeBucket,
} from './real-server.ts';
import type { Version } from './versioned.ts';

/** What the stand-in answers. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}
export interface MirroredRequest {
  readonly method: string;
  readonly key: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A bucket of a real server that does what the stand-in does, and must answer alike. */
export interface Mirror {
  /** Returns the answer of the real server; `answer` is the stand-in's. */
  handle(request: MirroredRequest, answer: (query: URLSearchParams) => Answer): Promise<Answer>;
  /** Removes the bucket. Throws if an answer was another one. */
  close(): Promise<void>;
}

/** Short, so that lists have several pages: as many as the stand-in's. */
const PAGES = { keys: 7, versions: 5 };
const FORWARDED =
  /^(?:content-md5|content-type|range|x-amz-object-lock-.*|x-amz-checksum-.*|x-amz-sdk-checksum-algorithm)$/;
/** Its own date, and what belongs to its connection, are not the client's. */
const ANSWERED = /^(?:content-type|content-range|etag|last-modified|accept-ranges|x-amz-.*)$/;
const md5 = (bytes: Buffer): string => createHash('md5').update(bytes).digest('base64');

/**
 * Sends each request of a stand-in to a real server, too, where it must have the same result: status,
 * error code, content, lists. Versions get the ids of the real server. The stand-in's clock may run
 * ahead: dates of locks are shifted, and a lock whose end it has passed is governance, and bypassed.
 */
export async function openMirror(server: RealServer, standIn: S3StandIn): Promise<Mirror> {
  const { objects, versioned } = standIn;
  const bucket = await createBucket(server, versioned !== null);
  const known = new Map<string, Buffer>();
  const sent = new WeakSet<Version>();
  const tokens = new Map<string, string>();
  const problems: string[] = [];
  let shift: number | null = null;
  let turn: Promise<unknown> = Promise.resolve();

  const toReal = (at: number): number => at + (shift ??= Date.now() - standIn.now());
  const lockHeaders = (until: number): Record<string, string> => ({
    'x-amz-object-lock-mode': 'GOVERNANCE',
    'x-amz-object-lock-retain-until-date': new Date(toReal(until)).toISOString(),
  });

  /** What a test put into the stand-in itself. */
  async function copyChanges(): Promise<void> {
    if (versioned === null) {
      for (const [key, bytes] of objects) if (known.get(key) !== bytes) await put(key, bytes);
      for (const key of known.keys())
        if (!objects.has(key))
          await expectStatus(server, 204, { method: 'DELETE', path: `/${bucket}/${key}` });
      noteState();
      return;
    }
    for (const [key, versions] of versioned.versions)
      for (const version of versions.toReversed()) {
        if (sent.has(version)) continue;
        const { headers } =
          version.bytes === null
            ? await expectStatus(server, 204, { method: 'DELETE', path: `/${bucket}/${key}` })
            : await put(key, version.bytes, getLeft(version));
        Object.assign(version, { id: headers['x-amz-version-id'] });
        sent.add(version);
      }
  }
  /** The end of a lock that has not passed; it may be short. */
  const getLeft = ({ lock }: Version): number | undefined =>
    lock !== null && toReal(lock.until) > Date.now() + 1_000 ? lock.until : undefined;
  const put = (key: string, body: Buffer, until?: number): Promise<RealReply> =>
    expectStatus(server, 200, {
      method: 'PUT',
      path: `/${bucket}/${key}`,
      body,
      headers: { 'content-md5': md5(body), ...(until !== undefined && lockHeaders(until)) },
    });
  function noteState(): void {
    known.clear();
    for (const [key, bytes] of objects) known.set(key, bytes);
  }

  function translate({ method, key, query, headers, body }: MirroredRequest) {
    const forwarded: Record<string, string> = {};
    for (const [name, value] of Object.entries(headers))
      if (FORWARDED.test(name) && typeof value === 'string') forwarded[name] = value;
    const date = forwarded['x-amz-object-lock-retain-until-date'];
    if (date !== undefined) Object.assign(forwarded, lockHeaders(Date.parse(date)));
    let content = body;
    if (method === 'PUT' && query.has('retention')) {
      content = Buffer.from(
        body
          .toString()
          .replace(/<Mode>\w+</, '<Mode>GOVERNANCE<')
          .replace(/<RetainUntilDate>([^<]+)</, (_, at: string) => {
            const until = new Date(toReal(Date.parse(at))).toISOString();
            return `<RetainUntilDate>${until}<`;
          }),
      );
      delete forwarded['x-amz-sdk-checksum-algorithm'];
      for (const name of Object.keys(forwarded))
        if (name.startsWith('x-amz-checksum-')) delete forwarded[name];
      forwarded['content-md5'] = md5(content);
    }
    const search = Object.fromEntries(query);
    if (method === 'GET' && key === '' && !query.has('versioning') && !query.has('object-lock')) {
      const page = query.has('versions') ? PAGES.versions : PAGES.keys;
      search['max-keys'] = String(Math.min(page, Number(query.get('max-keys') ?? page)));
    }
    const version = versioned?.versions.get(key)?.find(({ id }) => id === query.get('versionId'));
    if (method !== 'GET' && version?.lock && version.lock.until <= standIn.now())
      forwarded['x-amz-bypass-governance-retention'] = 'true';
    return { method, path: `/${bucket}/${key}`, query: search, headers: forwarded, body: content };
  }

  function compare({ method, key, query }: MirroredRequest, mine: Answer, real: RealReply): void {
    const describe = ({ status, headers, body }: Answer): unknown => {
      const xml = body.toString();
      if (status >= 400) return { status, code: method === 'HEAD' ? '' : readElement(xml, 'Code') };
      if (query.has('retention') && method === 'GET')
        return { status, hasDate: readElement(xml, 'RetainUntilDate') !== '' };
      if (query.has('versioning')) return { status, state: readElement(xml, 'Status') };
      if (query.has('object-lock'))
        return {
          status,
          state: readElement(xml, 'ObjectLockEnabled'),
          isRule: xml.includes('Rule'),
        };
      if (query.has('location')) return { status };
      if (query.has('versions'))
        return {
          status,
          more: readElement(xml, 'IsTruncated'),
          entries: readEntries(xml, ['Key', 'VersionId', 'IsLatest', 'Size', 'ETag']),
        };
      if (method === 'GET' && key === '')
        return {
          status,
          more: readElement(xml, 'IsTruncated'),
          entries: readEntries(xml, ['Key', 'Prefix', 'Size']),
        };
      return {
        status,
        ...(method === 'GET' && {
          content: md5(body),
          length: body.length,
          range: headers['content-range'],
        }),
        ...(method !== 'DELETE' && { etag: headers['etag'] }),
        version: headers['x-amz-version-id'] !== undefined && method !== 'GET',
        marker: headers['x-amz-delete-marker'],
      };
    };
    const [expected, found] = [mine, real].map((one) => JSON.stringify(describe(one)));
    if (expected !== found)
      problems.push(`${method} ${key}?${query.toString()}: ${expected}, really ${found}`);
  }

  async function handleNext(
    request: MirroredRequest,
    answer: (query: URLSearchParams) => Answer,
  ): Promise<Answer> {
    await copyChanges();
    const real = await askServer(server, translate(request));
    const query = new URLSearchParams(request.query);
    for (const name of ['continuation-token', 'marker']) {
      const token = tokens.get(query.get(name) ?? '');
      if (token !== undefined) query.set(name, token);
    }
    const before = versioned?.versions.get(request.key)?.[0];
    const mine = answer(query);
    const [added] = versioned?.versions.get(request.key) ?? [];
    const id = real.headers['x-amz-version-id'];
    if (added !== undefined && added !== before && !sent.has(added)) {
      Object.assign(added, { id: id ?? added.id });
      sent.add(added);
    }
    noteState();
    compare(request, mine, real);
    const xml = real.body.toString();
    for (const name of ['NextContinuationToken', 'NextMarker'])
      if (readElement(xml, name) !== '')
        tokens.set(readElement(xml, name), readElement(mine.body.toString(), name));
    const headers = Object.fromEntries(
      Object.entries(real.headers).filter(([name]) => ANSWERED.test(name)),
    );
    const isLock = request.method === 'GET' && request.query.has('retention');
    if (!isLock || real.status !== 200) return { ...real, headers };
    const [mode, until] = [
      readElement(mine.body.toString(), 'Mode'),
      readElement(xml, 'RetainUntilDate'),
    ];
    const date = new Date(Date.parse(until) - (shift ?? 0)).toISOString();
    return {
      ...real,
      headers,
      body: Buffer.from(xml.replace(/<Mode>\w+</, `<Mode>${mode}<`).replace(until, date)),
    };
  }

  return {
    handle(request, answer) {
      const next = turn.then(() => handleNext(request, answer));
      turn = next.catch(() => undefined);
      return next;
    },
    async close() {
      await turn;
      await removeBucket(server, bucket);
      if (problems.length > 0)
        throw new Error(`The real server answers otherwise:\n${[...new Set(problems)].join('\n')}`);
    },
  };
}

/** The entries of a list in XML, with some of their elements. */
function readEntries(xml: string, names: readonly string[]): unknown[] {
  const entries = /<(Version|DeleteMarker|Contents|CommonPrefixes)>(.*?)<\/\1>/gs;
  const isEncoded = readElement(xml, 'EncodingType') === 'url';
  return [...xml.matchAll(entries)].map(([, kind, entry = '']) => [
    kind,
    ...names
      .filter((name) => kind !== 'DeleteMarker' || (name !== 'Size' && name !== 'ETag'))
      .map((name) => readElement(entry, name))
      // Whether slashes are encoded, too, is up to the server.
      .map((text) => (isEncoded ? decodeURIComponent(text) : text)),
  ]);
}
