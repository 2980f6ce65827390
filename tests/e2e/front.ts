import { createServer, request } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readAssets, serveAsset } from '../../server/platform/http/assets.ts';
import type { Assets } from '../../server/platform/http/assets.ts';
import { setSecurityHeaders } from '../../server/platform/http/security-headers.ts';

/** A gateway before the server that can serve another build, answer slowly, or be unavailable. */
export interface Front {
  readonly url: string;
  /** A folder with a built page. */
  use(dist: string): void;
  /**
   * `away`: answers 502. `silent`: never answers requests for pages.
   * `without`: requests to these paths are dropped before they reach the product. A route of the
   * browser can't do that: it lets requests through when their worker ends with its page.
   */
  be(how: 'well' | 'away' | 'silent' | { readonly without: RegExp }): void;
  /**
   * Closes the connection after half of the next answer to a path. Returns the ranges that answers to
   * it have had so far: '' for the whole.
   */
  cut(path: RegExp): readonly string[];
  stop(): Promise<void>;
}

export async function startFront(portalUrl: string, dist: string): Promise<Front> {
  let assets = built(dist);
  let how: Parameters<Front['be']>[0] = 'well';
  let cutting: { readonly path: RegExp; readonly ranges: string[]; isDone: boolean } | null = null;
  const server = createServer((query, answer) => {
    if (how === 'away') {
      answer.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>');
      return;
    }
    if (typeof how === 'object' && 'without' in how && how.without.test(query.url ?? '')) {
      query.socket.destroy();
      return;
    }
    if (/^\/(api|ping|download|preview)\//.test(query.url ?? '')) {
      const isCut = cutting?.path.test(query.url ?? '') ?? false;
      if (isCut) cutting?.ranges.push(query.headers.range ?? '');
      passOn(query, answer, portalUrl, isCut && cutting?.isDone === false);
      if (isCut && cutting !== null) cutting.isDone = true;
      return;
    }
    const isPage = query.headers.accept?.includes('text/html') ?? false;
    if (!isPage || how !== 'silent') void serve(assets, query, answer);
  });
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    use(next) {
      assets = built(next);
    },
    be(next) {
      how = next;
    },
    cut(path) {
      cutting = { path, ranges: [], isDone: false };
      return cutting.ranges;
    },
    stop: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => {
          done();
        });
      }),
  };
}

function built(dist: string): Assets {
  const assets = readAssets(dist);
  if (assets === null) throw new Error(`no page in ${dist}`);
  return assets;
}

async function serve(
  assets: Assets,
  query: IncomingMessage,
  answer: ServerResponse,
): Promise<void> {
  const headers = Object.entries(query.headers).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' ? [[name, value]] : [],
  );
  const response = serveAsset(
    assets,
    new Request(`http://${query.headers.host}${query.url}`, { headers }),
  );
  setSecurityHeaders(response.headers, false);
  answer
    .writeHead(response.status, Object.fromEntries(response.headers))
    .end(Buffer.from(await response.arrayBuffer()));
}

function passOn(
  query: IncomingMessage,
  answer: ServerResponse,
  portalUrl: string,
  isCut: boolean,
): void {
  const on = request(
    `${portalUrl}${query.url}`,
    { method: query.method ?? 'GET', headers: query.headers },
    (reply) => {
      answer.writeHead(reply.statusCode ?? 502, reply.headers);
      if (isCut) sendHalf(reply, answer);
      else reply.pipe(answer);
    },
  );
  on.on('error', () => {
    answer.destroy();
  });
  answer.on('close', () => {
    on.destroy();
  });
  query.pipe(on);
}

/** Sends the first half of an answer, and closes the connection. */
function sendHalf(reply: IncomingMessage, answer: ServerResponse): void {
  let left = Math.floor(Number(reply.headers['content-length']) / 2);
  reply.on('data', (chunk: Buffer) => {
    if (left <= 0) return;
    answer.write(chunk.subarray(0, left));
    left -= chunk.length;
    if (left > 0) return;
    reply.destroy();
    answer.socket?.end();
  });
}
