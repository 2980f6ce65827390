import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { toFolderPath } from '#server/engine/embedded/imports/archives/folder-path.ts';
import {
  type ArchiveStep,
  readMailArchive,
} from '#server/engine/embedded/imports/archives/read-archive.ts';
import { PROOF } from '../engine/restic/fixtures.ts';
import { askPython, makeMail, makeZip, noPython, toArchive } from './archives.ts';
import { makeFraction, mutate } from './mutations.ts';

const hash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

async function readAll(bytes: Buffer, stem?: string) {
  const mails: { path: string; subject: string; hash: string }[] = [];
  const others: { path: string; name: string; what: string }[] = [];
  let place: Extract<ArchiveStep, { kind: 'reading' }> | null = null;
  let end = 'end';
  for await (const step of readMailArchive(toArchive(bytes, stem), 0)) {
    if (step.kind === 'reading') place = step;
    else if (step.kind === 'mail')
      mails.push({
        path: place?.path.join('/') ?? '',
        subject: step.summary.title,
        hash: hash(step.mime),
      });
    else if (!('reason' in step)) end = step.kind;
    else
      others.push({
        path: place?.path.join('/') ?? '',
        name: place?.name ?? '',
        what: step.reason,
      });
  }
  return { mails, others, end };
}

const QUOTED = 'Hello\n\nFrom here on, it is easy.\n>From there too.\nThe end.';
const toMbox = (mails: readonly Buffer[]): Buffer =>
  Buffer.concat(
    mails.map((mail) =>
      Buffer.from(
        `From ann@example.com Tue Nov  3 09:00:00 2020\n${mail
          .toString('latin1')
          .replaceAll(/^(>*From )/gm, '>$1')}\n`,
        'latin1',
      ),
    ),
  );

test.skipIf(noPython !== '')(
  `IMP-2: an mbox file has the mails that Python finds in it, byte for byte${noPython}`,
  async () => {
    // Also across the borders of what is read at a time.
    const mails = Array.from({ length: 520 }, (_, n) =>
      makeMail(n, {
        ...(n % 7 === 0 && { body: QUOTED }),
        ...(n % 11 === 0 && { body: 'x'.repeat(n * 97) }),
        ...(n % 5 === 0 && { subject: '=?utf-8?q?Gr=C3=B6=C3=9Fe?=' }),
      }),
    );
    const mbox = toMbox(mails);
    expect(mbox.length).toBeGreaterThan(1 << 20);
    const expected = askPython(
      `
import mailbox, sys, json, hashlib, re
from email.header import decode_header, make_header
out = []
box = mailbox.mbox(sys.argv[1], create=False)
for key in box.keys():
    raw = re.sub(rb'(?m)^>(>*From )', rb'\\1', box.get_bytes(key))
    out.append({'hash': hashlib.sha256(raw).hexdigest(), 'subject': str(make_header(decode_header(box[key]['subject'])))})
print(json.dumps(out))`,
      mbox,
    );
    const found = await readAll(mbox);
    expect(found.mails.map(({ hash: sum, subject }) => ({ hash: sum, subject }))).toEqual(expected);
    expect(found.mails.map(({ hash: sum }) => sum)).toEqual(mails.map(hash));
    expect([...new Set(found.mails.map(({ path }) => path))]).toEqual(['Old mail']);
    expect([found.others, found.end]).toEqual([[], 'end']);
  },
);

test('IMP-2: lines of Windows and a missing last line end change nothing in the mails of an mbox file', async () => {
  const mails = [makeMail(1), makeMail(2, { body: QUOTED })];
  const windows = toMbox(mails).toString('latin1').replaceAll('\n', '\r\n');
  const found = await readAll(Buffer.from(windows.slice(0, -4), 'latin1'));
  const sent = mails.map((mail) => mail.toString().replaceAll('\n', '\r\n'));
  expect(found.mails.map(({ hash: sum }) => sum)).toEqual([
    hash(Buffer.from(sent[0] ?? '')),
    hash(Buffer.from((sent[1] ?? '').slice(0, -2))),
  ]);
});

test.skipIf(noPython !== '')(
  `IMP-2: a ZIP archive has the mails that Python finds in it, in their folders, and names what is left out${noPython}`,
  async () => {
    const zip = askPython(
      `
import sys, json, io, zipfile, base64, hashlib
mail = open(sys.argv[1], 'rb').read()
buffer = io.BytesIO()
with zipfile.ZipFile(buffer, 'w', zipfile.ZIP_DEFLATED) as z:
    z.writestr('Inbox/first.eml', mail)
    z.writestr('Inbox/Größe/zweite.EML', mail + b'2', zipfile.ZIP_STORED)
    z.writestr('top.eml', mail + b'3')
    z.writestr('Inbox/', b'')
    z.writestr('Inbox/picture.png', b'png')
    z.writestr('old/archive.zip', b'zip')
    with z.open(zipfile.ZipInfo('Sent/large header.eml'), 'w', force_zip64=True) as f: f.write(mail + b'4')
buffer.seek(0)
z = zipfile.ZipFile(buffer)
files = {n: hashlib.sha256(z.read(n)).hexdigest() for n in z.namelist() if n.lower().endswith('.eml')}
print(json.dumps({'zip': base64.b64encode(buffer.getvalue()).decode(), 'files': files}))`,
      makeMail(1),
    ) as { zip: string; files: Record<string, string> };
    const found = await readAll(Buffer.from(zip.zip, 'base64'), 'My mail');
    expect(
      Object.fromEntries(found.mails.map(({ path, hash: sum }) => [`${path} ${sum}`, true])),
    ).toEqual(
      Object.fromEntries(
        Object.entries(zip.files).map(([name, sum]) => [
          `${name.includes('/') ? name.slice(0, name.lastIndexOf('/')) : 'My mail'} ${sum}`,
          true,
        ]),
      ),
    );
    expect(found.others).toEqual([
      { path: 'Inbox', name: 'picture.png', what: 'other' },
      { path: 'old', name: 'archive.zip', what: 'packed' },
    ]);
  },
);

test('IMP-2: what is wrong with an entry of a ZIP archive is wrong with it alone', async () => {
  const content = makeMail(1);
  const found = await readAll(
    makeZip([
      { name: 'a.eml', content },
      { name: 'encrypted.eml', content, flags: 1 },
      { name: 'wrong-sum.eml', content, crc: 1 },
      { name: 'too-long.eml', content, bytes: content.length - 1 },
      { name: 'too-large.eml', content, bytes: 230 * 1_048_576 },
      { name: 'b.eml', content },
    ]),
  );
  expect([found.mails.length, found.end]).toEqual([1, 'damaged']);
  const small = await readAll(
    makeZip([
      { name: 'encrypted.eml', content, flags: 1 },
      { name: 'wrong-sum.eml', content, crc: 1 },
      { name: 'too-long.eml', content, bytes: content.length - 1 },
      { name: 'b.eml', content },
    ]),
  );
  expect(small.others.map(({ name, what }) => [name, what])).toEqual([
    ['encrypted.eml', 'encrypted'],
    ['wrong-sum.eml', 'damaged'],
    ['too-long.eml', 'damaged'],
  ]);
  expect([small.mails.length, small.end]).toEqual([1, 'end']);
});

test('IMP-2: an archive is known by its content, not by its name', async () => {
  expect((await readAll(makeMail(1))).mails).toHaveLength(1);
  for (const other of ['', 'Just a text.', '%PDF-1.7', '\xd0\xcf\x11\xe0'])
    expect((await readAll(Buffer.from(other, 'latin1'))).end).toBe('unknown');
  expect((await readAll(Buffer.from('PK\x03\x04 and nothing else'))).end).toBe('damaged');
});

test('G66: names in archives never lead out of the folders that they are in', () => {
  const parts = ['..', '.', '', '/', 'C:', '~', 'nul', '\u202egpj.exe', 'a\0b', 'x'.repeat(5_000)];
  const random = makeFraction(66);
  const pick = (): string => parts[Math.floor(random() * parts.length)] ?? '';
  for (let n = 0; n < 500; n++) {
    const names = Array.from({ length: Math.floor(random() * 60) }, () => pick() + pick());
    const path = toFolderPath(names);
    expect(path.length).toBeLessThanOrEqual(32);
    for (const part of path) {
      expect(part).not.toMatch(/^\.*$|[\p{Cc}\p{Cf}]/u);
      expect(part.length).toBeLessThanOrEqual(200);
    }
  }
});

test('G67: no mutation of an archive throws, hangs or makes more than it has', async () => {
  const archives = [
    toMbox([makeMail(1), makeMail(2, { body: QUOTED }), makeMail(3)]),
    makeZip([
      { name: 'Inbox/a.eml', content: makeMail(1) },
      { name: 'Inbox/b/c.eml', content: makeMail(2) },
    ]),
    makeMail(4),
  ];
  const random = makeFraction(67);
  for (let n = 0; n < 300 * PROOF; n++) {
    const archive = archives[n % archives.length] ?? Buffer.alloc(0);
    const { mails, others } = await readAll(mutate(archive, random));
    expect(mails.length + others.length).toBeLessThan(20);
  }
});
