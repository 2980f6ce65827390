import { createHash, timingSafeEqual } from 'node:crypto';
import { rm, rename, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import type { Ms } from '#contract/ids.ts';
import type { Chance, Clock, Log } from '../app-context.ts';
import type { BaseCopies } from './base-copies.ts';
import {
  type CopyAnswer,
  type CopyOffer,
  FILES_COPIED,
  getOfferFile,
  type LineReader,
  LOG_COPIED,
  makeLineReader,
} from './copy-protocol.ts';
import { removeLeftCopy } from './copy-running.ts';

/** How long a caller has to show the secret, and a command to copy. */
const FIRST_LINE_MS: Ms = 5_000;
const COPY_MS: Ms = 15 * 60_000;

/**
 * Lets commands on this machine copy the embedded database of a data folder while the server writes
 * to it. Listens on a port of the loopback interface. `before` runs before each copy.
 */
export async function offerCopies(
  {
    dataDir,
    copies,
    before,
  }: {
    readonly dataDir: string;
    readonly copies: BaseCopies;
    readonly before: () => Promise<void>;
  },
  { clock, chance, log }: { readonly clock: Clock; readonly chance: Chance; readonly log: Log },
): Promise<{ stop(): Promise<void> }> {
  const secret = Buffer.from(chance.bytes(32)).toString('base64url');
  const open = new Set<Socket>();
  const running = new Set<Promise<void>>();
  let isBusy = false;

  async function serve(socket: Socket): Promise<void> {
    const answer = (line: CopyAnswer): void => void socket.write(`${JSON.stringify(line)}\n`);
    const lines = makeLineReader(socket);
    const late = clock.after(FIRST_LINE_MS, () => socket.destroy());
    const isAllowed = isSame(await lines.next(), secret);
    late.cancel();
    if (!isAllowed) return;
    if (isBusy) return answer({ kind: 'busy' });
    isBusy = true;
    try {
      await copy(socket, lines, answer);
      // Until the command has ended, its copy counts as in use.
      await lines.next();
    } finally {
      isBusy = false;
    }
  }

  async function copy(
    socket: Socket,
    lines: LineReader,
    answer: (line: CopyAnswer) => void,
  ): Promise<void> {
    const since = clock.now();
    const late = clock.after(COPY_MS, () => socket.destroy());
    try {
      await before();
      const one = await copies.start();
      if (one === null) return answer({ kind: 'busy' });
      try {
        answer({ kind: 'begun' });
        if ((await lines.next()) !== FILES_COPIED) return;
        answer({ kind: 'finished', ...(await one.finish()) });
        if ((await lines.next()) !== LOG_COPIED) return;
        answer({ kind: 'ended' });
        log.info('the database was copied for a command', { ms: clock.now() - since });
      } finally {
        await one.end();
      }
    } catch (error) {
      log.error('the database could not be copied for a command', { error });
      answer({ kind: 'failed' });
      socket.end();
    } finally {
      late.cancel();
    }
  }

  await removeLeftCopy(dataDir, clock.now());
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined); // closed next
    socket.on('close', () => open.delete(socket));
    const done = serve(socket).finally(() => {
      running.delete(done);
      socket.end();
    });
    running.add(done);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const offer: CopyOffer = { port: (server.address() as AddressInfo).port, secret };
  const file = getOfferFile(dataDir);
  try {
    await writeFile(`${file}.new`, JSON.stringify(offer), { mode: 0o600 });
    await rename(`${file}.new`, file);
  } catch (error) {
    server.close();
    throw error;
  }
  return {
    async stop() {
      server.close();
      await rm(file, { force: true });
      for (const socket of open) socket.destroy();
      await Promise.all(running);
    },
  };
}

function isSame(line: string | null, secret: string): boolean {
  const [one, other] = [line ?? '', secret].map((text) =>
    createHash('sha256').update(text).digest(),
  );
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}
