import { execFileSync, spawnSync } from 'node:child_process';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { mailPage } from '#server/features/restore/preview/mail-page.ts';
import { makeMailReader } from '#server/features/restore/preview/mail-reader.ts';
import { readShownMail } from '#server/features/restore/preview/read-mail.ts';
import type { Clock } from '#server/platform/app-context.ts';
import { systemClock } from '#server/platform/clock.ts';
import { HOSTILE_HTML } from './hostile-mails.ts';

const PROOF = Number(process.env['PROOF'] ?? 1);
const skipped = spawnSync('python3', ['--version']).status === 0 ? '' : ' (skipped: no python3)';

/** What another parser finds in documents that runs, loads, sends or leads somewhere. */
const FINDINGS = `
import html.parser, json, re, sys
SAFE = set('html head meta title style body main pre p br hr div span b i u s em strong small big sub sup font center table tbody thead tfoot tr td th caption col colgroup ul ol li dl dt dd blockquote q cite code kbd samp var tt mark del ins strike abbr address article aside bdi bdo details summary dfn figcaption figure footer header h1 h2 h3 h4 h5 h6 section time wbr img'.split())
PICTURE = re.compile(r'data:image/(png|jpe?g|gif|webp|bmp);base64,[A-Za-z0-9+/=\\s]*$')
class Reader(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []
        self.depth = 0
    def handle_starttag(self, tag, attrs):
        names = dict(attrs)
        if tag not in SAFE: self.found.append('tag ' + tag)
        if tag == 'meta' and 'http-equiv' in names: self.found.append('meta')
        for name, value in attrs:
            value = value or ''
            if name.startswith('on') or name in ('href', 'srcset', 'background', 'action', 'formaction', 'ping', 'poster', 'cite', 'data', 'srcdoc', 'id', 'name') and tag != 'meta': self.found.append(tag + ' ' + name)
            if name == 'src' and not PICTURE.match(value): self.found.append('src ' + value[:40])
            if name == 'style' and re.search(r'url|expression|@|\\\\|image|position|var\\(', value, re.I): self.found.append('style ' + value[:60])
    handle_startendtag = handle_starttag
def findings(text):
    reader = Reader()
    reader.feed(text)
    reader.close()
    return reader.found
print(json.dumps([findings(text) for text in json.load(sys.stdin)]))
`;

const makeMail = (html: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(
    Buffer.from(
      `From: ann@example.com\r\nSubject: x\r\nMIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from(html).toString('base64')}\r\n`,
    ),
  );

test.skipIf(skipped !== '')(
  `G64, G50: another parser finds nothing in the previews of hostile mails that runs, loads or links to an attack${skipped}`,
  async () => {
    expect(HOSTILE_HTML.length).toBeGreaterThan(200);
    const pages: string[] = [];
    for (const html of HOSTILE_HTML)
      pages.push(mailPage((await readShownMail(makeMail(html))).body, 'light'));
    const found = JSON.parse(
      execFileSync('python3', ['-c', FINDINGS], {
        input: JSON.stringify(pages),
        encoding: 'utf8',
        maxBuffer: 1 << 26,
      }),
    ) as string[][];
    expect(
      found.flatMap((list, n) => (list.length === 0 ? [] : [{ html: HOSTILE_HTML[n], list }])),
    ).toEqual([]);
  },
);

test('G64: a mail keeps its text, tables and colors', async () => {
  const { body, heldPictures } = await readShownMail(
    makeMail(
      '<h1 style="color: #c00; font-family: Arial, sans-serif">Report</h1><table border="1" cellpadding="4"><tr><td colspan="2" align="right">1 &lt; 2</td></tr></table><img src="https://example.com/a.png" alt="Chart"><ul><li>one</li></ul>',
    ),
  );
  expect(heldPictures).toBe(1);
  expect(body.content).toBe(
    '<h1 style="color:#c00;font-family:Arial, sans-serif">Report</h1><table border="1" cellpadding="4"><tr><td colspan="2" align="right">1 &lt; 2</td></tr></table><span class="held" title="Chart"></span><ul><li>one</li></ul>',
  );
});

const SEEDS = [
  'From: a@example.com\r\nTo: b@example.com\r\nSubject: =?utf-8?q?=C3=9C?=\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\nContent-Type: text/html; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n<p style=3D"color:red">a=\r\nb</p>\r\n--x\r\nContent-Type: message/rfc822\r\n\r\nSubject: inner\r\n\r\ntext\r\n--x--\r\n',
  'Subject: plain\r\nContent-Type: text/plain; charset=utf-16; format=flowed\r\n\r\nhello \r\nworld\r\n',
  'Content-Type: multipart/related; boundary="y"\r\n\r\n--y\r\nContent-Type: text/html\r\n\r\n<img src=cid:a><svg><style>x</style></svg>\r\n--y\r\nContent-ID: <a>\r\nContent-Type: image/gif\r\nContent-Transfer-Encoding: base64\r\n\r\nR0lGODlh\r\n--y--',
].map((text) => Buffer.from(text, 'latin1'));

test('G67: mails of any bytes are read or refused, and the next one is read as before', async () => {
  const reader = makeMailReader({ clock: systemClock });
  const cut = fc.record({
    at: fc.nat(400),
    length: fc.nat(30),
    bytes: fc.oneof(
      fc.uint8Array({ maxLength: 12 }),
      fc
        .constantFrom(
          '--x',
          '\r\n\r\n',
          'boundary=',
          '<'.repeat(50),
          '=?utf-8?b?',
          '<style>',
          '(((',
        )
        .map((text) => new Uint8Array(Buffer.from(text))),
    ),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...SEEDS),
      fc.array(cut, { minLength: 1, maxLength: 6 }),
      async (seed, cuts) => {
        let mime: Buffer = seed;
        for (const { at, length, bytes } of cuts)
          mime = Buffer.concat([mime.subarray(0, at), bytes, mime.subarray(at + length)]);
        const result = await reader.read(new Uint8Array(mime));
        expect(['read', 'refused']).toContain(result.kind);
      },
    ),
    { numRuns: 3_000 * PROOF },
  );
  const last = await reader.read(makeMail('<p>fine</p>'));
  expect(last).toMatchObject({ kind: 'read', value: { body: { content: '<p>fine</p>' } } });
});

test('G67: nested parts and long headers end in a refusal or a mail, not in a crash', async () => {
  const reader = makeMailReader({ clock: systemClock });
  const parts = Array.from(
    { length: 2_000 },
    (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`,
  );
  const bombs = [
    parts.join(''),
    `Subject: ${'a'.repeat(4_000_000)}\r\n\r\nx`,
    `To: ${'(a'.repeat(100_000)}\r\n\r\nx`,
    `Content-Type: text/html\r\n\r\n${'<div>'.repeat(200_000)}`,
    `Content-Type: text/html\r\n\r\n<p style="${'color:red;'.repeat(100_000)}">x</p>`,
  ];
  for (const bomb of bombs)
    expect(['read', 'refused']).toContain(
      (await reader.read(new Uint8Array(Buffer.from(bomb)))).kind,
    );
});

test('G67: a mail that crashes, fills or occupies its thread costs one preview', async () => {
  // The time limit ends when the test says so: on a busy machine, a thread takes seconds to start.
  const limits = new Set<() => void>();
  const clock: Clock = {
    ...systemClock,
    after(_ms, end) {
      limits.add(end);
      return { cancel: () => void limits.delete(end) };
    },
  };
  const reader = makeMailReader(
    { clock },
    { memoryMb: 32, script: new URL('./threads/crash.ts', import.meta.url) },
  );
  const OCCUPIES = 2;
  for (const first of [1, OCCUPIES, 3, 4]) {
    const result = reader.read(new Uint8Array([first]));
    if (first === OCCUPIES) {
      await expect.poll(() => limits.size).toBe(1);
      for (const end of limits) end();
    }
    expect(await result, `${first}`).toEqual({ kind: 'refused' });
    expect(await reader.read(new Uint8Array([0]))).toEqual({
      kind: 'read',
      value: { subject: 'read' },
    });
    expect(limits.size).toBe(0);
  }
});
