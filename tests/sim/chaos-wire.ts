import { createServer, request as ask } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestClock } from './clock.ts';
import { makeChance } from './random.ts';

/** How often of a thousand requests, or pieces of a stream, what goes wrong. */
export interface Chaos {
  /** Before the request goes on and before the answer does, up to 8 s: so requests overtake. */
  readonly latency: number;
  /** The connection breaks before the request arrives. */
  readonly cutBefore: number;
  /** The connection breaks after the server has answered. */
  readonly cutAfter: number;
  /** Nothing comes until the device gives up. */
  readonly silence: number;
  /** The same request arrives twice. */
  readonly double: number;
  /** An earlier answer of the same call to the same device. */
  readonly old: number;
  /** An earlier answer of the same call to anybody. */
  readonly others: number;
  /** The answer ends too soon, with or without an error. */
  readonly truncate: number;
  /** Some bits of the answer, as it was compressed, are others. */
  readonly flip: number;
}
export const CALM: Chaos = {
  latency: 0,
  cutBefore: 0,
  cutAfter: 0,
  silence: 0,
  double: 0,
  old: 0,
  others: 0,
  truncate: 0,
  flip: 0,
};

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** The device, or rather the browser around it: its cookies and the way of its requests. */
export interface Line {
  readonly fetch: typeof fetch;
  chaos: Chaos;
  up: boolean;
  /** Breaks the connections that are open, such as streams. */
  cut(): void;
}

/** One request on its way. */
interface Passage {
  readonly line: LineState;
  readonly call: string;
  /** Whether the test's clock waits for it. */
  isBusy: boolean;
}
interface LineState extends Line {
  readonly name: string;
  readonly host: string;
  readonly chance: ReturnType<typeof makeChance>;
  readonly jar: Map<string, string>;
  readonly open: Set<ServerResponse>;
}

const CODINGS = ['gzip', 'br', 'zstd', 'identity'] as const;
const MAX_ANSWERS = 30;
const HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length']);

/**
 * A proxy on a real socket between devices and a real server. What goes wrong for a device is drawn from
 * its own seed, and takes its time on the clock of the test.
 */
export class ChaosWire {
  /** What went wrong how often. */
  readonly counts: Record<string, number> = {};
  readonly #clock: TestClock;
  readonly #port: number;
  readonly #proxy: Server;
  readonly #passages = new Map<string, Passage>();
  readonly #answers = new Map<string, (Answer & { readonly to: LineState })[]>();
  #next = 0;
  #busy = 0;

  private constructor(port: number, clock: TestClock) {
    this.#port = port;
    this.#clock = clock;
    this.#proxy = createServer((incoming, outgoing) => {
      void this.#pass(incoming, outgoing)
        .catch(() => outgoing.destroy())
        .finally(() => {
          // The device has given up meanwhile.
          const passage = this.#passages.get(String(incoming.headers['x-passage']));
          if (passage && outgoing.destroyed) this.#mark(passage, false);
        });
    });
  }

  /** `port`: the server's. */
  static async open(port: number, clock: TestClock): Promise<ChaosWire> {
    const wire = new ChaosWire(port, clock);
    await new Promise<void>((resolve) => {
      wire.#proxy.listen(0, '127.0.0.1', resolve);
    });
    return wire;
  }

  /** Whether everything that is under way waits for the clock. */
  get isIdle(): boolean {
    return this.#busy === 0;
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#proxy.close(() => resolve());
    });
    this.#proxy.closeAllConnections();
    await closed;
  }

  line(name: string, host: string, seed: number): Line {
    const { port } = this.#proxy.address() as AddressInfo;
    const state: LineState = {
      name,
      host,
      chance: makeChance(seed),
      jar: new Map(),
      open: new Set(),
      chaos: CALM,
      up: true,
      cut: () => {
        for (const one of state.open) one.destroy();
      },
      fetch: async (input, init) => {
        const given = input instanceof Request ? input : new Request(input, init);
        const url = new URL(given.url);
        const id = String((this.#next += 1));
        const passage: Passage = {
          line: state,
          call: getCallName(given.method, url),
          isBusy: false,
        };
        this.#passages.set(id, passage);
        this.#mark(passage, true);
        try {
          const onward = new Request(`http://127.0.0.1:${port}${url.pathname}${url.search}`, given);
          onward.headers.set('x-passage', id);
          return await fetch(onward);
        } catch (error) {
          this.#mark(passage, false);
          throw error;
        }
      },
    };
    return state;
  }

  async #pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const passage = this.#passages.get(String(incoming.headers['x-passage']));
    if (passage === undefined) throw new Error('unknown passage');
    const { line, call } = passage;
    line.open.add(outgoing);
    outgoing.on('error', () => {});
    outgoing.on('close', () => {
      line.open.delete(outgoing);
      this.#mark(passage, false);
    });
    const body = await readAll(incoming);
    const { chance, chaos } = line;
    const happens = (what: keyof Chaos): boolean => {
      const isNow = chance.below(1_000) < chaos[what];
      if (isNow) this.counts[what] = (this.counts[what] ?? 0) + 1;
      return isNow;
    };
    if (!line.up || happens('cutBefore')) return void outgoing.destroy();
    if (happens('silence')) return this.#mark(passage, false);
    if (happens('latency')) await this.#wait(passage, chance.below(8_000));
    if (happens('double')) this.#sendLater(passage, incoming, body, chance.below(5_000));
    const former = happens('others')
      ? this.#former(call, () => true, chance)
      : happens('old')
        ? this.#former(call, ({ to }) => to === line, chance)
        : undefined;
    const answer =
      former ?? (await this.#answer(passage, incoming, body, outgoing, happens, chance));
    if (answer === null) return;
    if (former === undefined) this.#keep(call, { ...answer, to: line });
    if (happens('cutAfter')) return void outgoing.destroy();
    if (happens('latency')) await this.#wait(passage, chance.below(8_000));
    if (outgoing.destroyed) return;
    // The browser has them as soon as it has the head of the answer.
    if (former === undefined) storeCookies(line.jar, answer.headers);
    const headers = withoutHop(answer.headers);
    let bytes = answer.body;
    if (bytes.length > 0 && happens('flip')) bytes = flipped(bytes, chance);
    if (bytes.length > 1 && happens('truncate')) {
      const left = bytes.subarray(0, 1 + chance.below(bytes.length - 1));
      outgoing.writeHead(answer.status, headers);
      if (chance.below(2) === 0) return void outgoing.end(left);
      outgoing.write(left, () => outgoing.destroy());
      return;
    }
    outgoing.writeHead(answer.status, { ...headers, 'content-length': bytes.length });
    outgoing.end(bytes);
  }

  /** Asks the server. Null: it was a stream, which has been passed on. */
  async #answer(
    passage: Passage,
    incoming: IncomingMessage,
    body: Buffer,
    outgoing: ServerResponse,
    happens: (what: keyof Chaos) => boolean,
    chance: ReturnType<typeof makeChance>,
  ): Promise<Answer | null> {
    const { line } = passage;
    const onward = this.#send(line, incoming, body);
    outgoing.on('close', () => onward.destroy());
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      onward.on('response', resolve);
      onward.on('error', reject);
    });
    if (!response.headers['content-type']?.startsWith('text/event-stream')) {
      return {
        status: response.statusCode ?? 0,
        headers: response.headers,
        body: await readAll(response),
      };
    }
    outgoing.writeHead(response.statusCode ?? 0, withoutHop(response.headers));
    outgoing.flushHeaders();
    // Nobody waits for a stream.
    this.#mark(passage, false);
    response.on('data', (piece: Buffer) => {
      const bytes = happens('flip') ? flipped(piece, chance) : piece;
      if (!happens('truncate')) return void outgoing.write(bytes);
      outgoing.write(bytes.subarray(0, chance.below(bytes.length)), () => outgoing.destroy());
    });
    response.on('end', () => outgoing.end());
    response.on('error', () => outgoing.destroy());
    return null;
  }

  #send(line: LineState, incoming: IncomingMessage, body: Buffer): ReturnType<typeof ask> {
    const { 'x-passage': _, ...headers } = withoutHop(incoming.headers);
    const cookie = [...line.jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const onward = ask({
      host: '127.0.0.1',
      port: this.#port,
      method: incoming.method,
      path: incoming.url,
      agent: false,
      headers: {
        ...headers,
        'host': line.host,
        'accept-encoding': line.chance.pick(CODINGS),
        ...(cookie !== '' && { cookie }),
        ...(body.length > 0 && { 'content-length': body.length }),
      },
    });
    onward.on('error', () => {});
    onward.end(body);
    return onward;
  }

  /** The twin of a request. Nobody reads its answer. */
  #sendLater(
    { line, call }: Passage,
    incoming: IncomingMessage,
    body: Buffer,
    afterMs: number,
  ): void {
    this.#clock.after(afterMs, () => {
      const twin: Passage = { line, call, isBusy: false };
      this.#mark(twin, true);
      const onward = this.#send(line, incoming, body);
      onward.on('response', (response) => {
        if (response.headers['content-type']?.startsWith('text/event-stream')) onward.destroy();
        else response.resume();
      });
      onward.on('close', () => this.#mark(twin, false));
    });
  }

  #former(
    call: string,
    isFit: (one: { readonly to: LineState }) => boolean,
    chance: ReturnType<typeof makeChance>,
  ): Answer | undefined {
    const fit = (this.#answers.get(call) ?? []).filter(isFit);
    return fit.length === 0 ? undefined : chance.pick(fit);
  }

  #keep(call: string, answer: Answer & { readonly to: LineState }): void {
    const all = this.#answers.get(call) ?? [];
    this.#answers.set(call, all);
    all.push(answer);
    if (all.length > MAX_ANSWERS) all.shift();
  }

  async #wait(passage: Passage, ms: number): Promise<void> {
    this.#mark(passage, false);
    await new Promise<void>((resolve) => {
      this.#clock.after(ms, resolve);
    });
    this.#mark(passage, true);
  }

  #mark(passage: Passage, isBusy: boolean): void {
    if (passage.isBusy === isBusy) return;
    passage.isBusy = isBusy;
    this.#busy += isBusy ? 1 : -1;
  }
}

/** The call without its input: numbers and days in its path are input, too. */
const getCallName = (method: string, url: URL): string =>
  `${method} ${url.pathname.replaceAll(/\d+/g, 'N')}`;

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

const withoutHop = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP.has(name)));

function storeCookies(jar: Map<string, string>, headers: IncomingHttpHeaders): void {
  for (const cookie of headers['set-cookie'] ?? []) {
    const [pair = '', ...rest] = cookie.split(';');
    const name = pair.slice(0, pair.indexOf('='));
    if (rest.some((one) => one.trim().toLowerCase() === 'max-age=0')) jar.delete(name);
    else jar.set(name, pair.slice(pair.indexOf('=') + 1));
  }
}

/** A copy with one to three flipped bits. */
function flipped(bytes: Buffer, chance: ReturnType<typeof makeChance>): Buffer {
  const copy = Buffer.from(bytes);
  for (let left = 1 + chance.below(3); left > 0; left--) {
    const at = chance.below(copy.length);
    copy[at] = (copy[at] ?? 0) ^ (1 << chance.below(8));
  }
  return copy;
}
