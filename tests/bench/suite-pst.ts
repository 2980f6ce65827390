/**
 * How fast mails become a PST file: parsed in threads, written to a file, without reading them from a
 * repository. `MAILS` (100,000): how many, of 20 kB with an attachment each.
 */
import { mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { makePstPart } from '../../server/engine/embedded/exports/pst-part.ts';
import { makeMimeReader } from '../../server/engine/embedded/mail/mime-reader.ts';
import { systemClock } from '../../server/platform/clock.ts';
import type { Sheet } from './figures.ts';

const MAILS = Number(process.env['MAILS'] ?? 100_000);
const FOLDERS = 20;
/** As a download does. */
const AHEAD = 16;
const MINUTE = 60_000;

const makeMime = (n: number): Uint8Array<ArrayBuffer> =>
  new Uint8Array(
    Buffer.from(
      [
        `Message-ID: <${n}@example.com>`,
        'From: Ann Lee <ann@example.com>',
        'To: Ben Ito <ben@example.com>, Cy Roe <cy@example.com>',
        `Subject: Report ${n}`,
        'Date: Wed, 06 May 2026 07:08:09 +0000',
        'MIME-Version: 1.0',
        'Content-Type: multipart/mixed; boundary=x',
        '',
        '--x',
        'Content-Type: text/plain; charset=utf-8',
        '',
        'A line of a report that somebody reads.\r\n'.repeat(100),
        '--x',
        'Content-Type: application/octet-stream; name=data.bin',
        'Content-Disposition: attachment; filename=data.bin',
        'Content-Transfer-Encoding: base64',
        '',
        `${Buffer.alloc(57, n).toString('base64')}\r\n`.repeat(200),
        '--x--',
        '',
      ].join('\r\n'),
    ),
  );

export async function benchPst(say: (text: string) => void): Promise<Sheet> {
  const notes = [`load average ${(loadavg()[0] ?? 0).toFixed(1)} at the start`];
  say(`  PST of ${MAILS.toLocaleString('en')} mails …`);
  const folder = mkdtempSync(join(tmpdir(), 'daybook-bench-pst-'));
  const path = join(folder, 'mailbox.pst');
  const file = openSync(path, 'w');
  let rssBytes = 0;
  try {
    const began = performance.now();
    const reader = makeMimeReader({ clock: systemClock });
    const part = makePstPart(
      {
        write(bytes, at) {
          writeSync(file, bytes, 0, bytes.length, at);
          return Promise.resolve();
        },
        truncate: () => Promise.resolve(),
      },
      { name: 'Mailbox', id: 'bench', folders: [] },
    );
    const begin = (n: number) => reader.read(makeMime(n));
    const begun = Array.from({ length: Math.min(AHEAD, MAILS) }, (_, n) => begin(n));
    for (let n = 0; n < MAILS; n++) {
      const parsed = begun.shift();
      if (n + AHEAD < MAILS) begun.push(begin(n + AHEAD));
      const state = {
        receivedAt: 1_700_000_000_000 + n,
        isRead: true,
        isDraft: false,
        isFlagged: false,
        importance: null,
        categories: [],
      };
      const result = await parsed;
      await part.add(
        {
          name: '',
          bytes: 0,
          crc: 0,
          modifiedAt: 0,
          blobs: [],
          mail: { folder: [`Folder ${n % FOLDERS}`], subject: '', kind: 'mail', state },
        },
        {
          stream: none,
          collect: () => Promise.resolve(new Uint8Array()),
          parse: () => Promise.resolve(result?.kind === 'read' ? result.value : null),
          parseItem: () => Promise.resolve(null),
        },
      );
      if (n % 1_000 === 0) rssBytes = Math.max(rssBytes, process.memoryUsage().rss);
    }
    await part.finish();
    const ms = performance.now() - began;
    return {
      title: 'PST files',
      columns: ['daybook'],
      figures: [
        {
          what: `PST of ${MAILS.toLocaleString('en')} mails`,
          unit: 'min',
          values: { daybook: ms / MINUTE },
          ...(MAILS === 100_000 && { goal: '5' }),
        },
        { what: 'mails', unit: '/s', values: { daybook: MAILS / (ms / 1_000) } },
        { what: 'file', unit: 'MB', values: { daybook: statSync(path).size / 1_000_000 } },
        { what: 'memory', unit: 'MB RSS', values: { daybook: rssBytes / 1_000_000 } },
      ],
      notes,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function* none(): AsyncIterable<Uint8Array> {
  await Promise.resolve();
  yield new Uint8Array();
}
