import { expect, test } from 'vitest';
import { parseMime } from '#server/engine/embedded/mail/read-mime.ts';
import { getMessage } from '#server/engine/embedded/sources/mail-message.ts';
import { readShownMail } from '#server/features/restore/preview/read-mail.ts';
import { readAttachment } from '#server/features/restore/preview/read-attachment.ts';

/** Mails that are forwarded as attachments have no name of a file, and some programs say `inline`. */
const makeMail = (parts: readonly (readonly string[])[]): Uint8Array<ArrayBuffer> =>
  new Uint8Array(
    Buffer.from(
      [
        'From: Ann <ann@example.com>',
        'To: Ben <ben@example.com>',
        'Subject: Fwd: two mails',
        'Message-ID: <outer@example.com>',
        'MIME-Version: 1.0',
        'Content-Type: multipart/mixed; boundary="edge"',
        '',
        '--edge',
        'Content-Type: text/plain; charset=utf-8',
        '',
        'See below.',
        ...parts.flatMap((part) => ['--edge', ...part]),
        '--edge--',
        '',
      ].join('\r\n'),
    ),
  );
const innerMail = (subject: readonly string[], text: string): readonly string[] => [
  'From: Cleo <cleo@example.com>',
  ...subject,
  'Content-Type: text/plain; charset=utf-8',
  '',
  text,
];

const MAIL = makeMail([
  [
    'Content-Type: message/rfc822',
    'Content-Disposition: inline',
    '',
    ...innerMail(['Subject: =?utf-8?Q?Re:_Rota_f=C3=BCr_12/24?='], 'The rota.'),
  ],
  [
    'Content-Type: message/rfc822',
    'Content-Disposition: attachment',
    '',
    ...innerMail(['Subject: Invoice 7'], 'The invoice.'),
  ],
  [
    'Content-Type: message/rfc822; name="named.eml"',
    'Content-Disposition: attachment; filename="named.eml"',
    '',
    ...innerMail(['Subject: Another'], 'Named.'),
  ],
  ['Content-Type: message/rfc822', '', ...innerMail([], 'Without a subject.')],
]);
const NAMES = ['Re Rota für 12 24.eml', 'Invoice 7.eml', 'named.eml', 'attachment-4'];

test('DL-7: a preview lists mails that are attached without a name by their subject, and opens them', async () => {
  const mail = await readShownMail(MAIL);
  expect(mail.attachments.map(({ name }) => name)).toEqual(NAMES);
  expect(mail.body).toEqual({ kind: 'text', content: expect.stringMatching(/^See below\.\s*$/) });
  for (const [n, text] of ['The rota.', 'The invoice.', 'Named.', 'Without a subject.'].entries())
    expect(await readAttachment(MAIL, [n])).toMatchObject({
      kind: 'mail',
      mail: { body: { kind: 'text', content: expect.stringContaining(text) as string } },
    });
});

test('ENG-47: a mail that is restored without the import of Exchange keeps the mails that are attached to it', async () => {
  const item = {
    at: 1_700_000_000_000,
    flags: { read: true },
  };
  const made = await getMessage(MAIL, item as never, { markRestoredAsUnread: false } as never);
  if (!made.ok) throw new Error(made.error.message);
  const { body, attachments } = made.value.message as {
    readonly body: { readonly content: string };
    readonly attachments: readonly {
      readonly name: string;
      readonly contentType: string;
      readonly contentBytes: string;
    }[];
  };
  expect(body.content.trim()).toBe('See below.');
  expect(attachments.map(({ name }) => name)).toEqual(NAMES);
  expect(new Set(attachments.map(({ contentType }) => contentType))).toEqual(
    new Set(['message/rfc822']),
  );
  expect(
    attachments.map(({ contentBytes }) => Buffer.from(contentBytes, 'base64').toString().trim()),
  ).toEqual([
    expect.stringMatching(/^From: Cleo .*The rota\.$/s),
    expect.stringMatching(/^From: Cleo .*The invoice\.$/s),
    expect.stringMatching(/^From: Cleo .*Named\.$/s),
    expect.stringMatching(/^From: Cleo .*Without a subject\.$/s),
  ]);
});

test('DL-22: a mail in a mail that is too deep to be read is a file with its subject as the name', async () => {
  let mime: string = innerMail(['Subject: Deepest'], 'The end.').join('\r\n');
  for (let depth = 0; depth < 9; depth += 1)
    mime = [
      `Subject: Depth ${depth}`,
      'MIME-Version: 1.0',
      `Content-Type: multipart/mixed; boundary="edge${depth}"`,
      '',
      `--edge${depth}`,
      'Content-Type: message/rfc822',
      '',
      mime,
      `--edge${depth}--`,
      '',
    ].join('\r\n');
  let names: string[] = [];
  for (let mail = await parseMime(Buffer.from(mime)); ;) {
    const [inner] = mail.attachments;
    if (inner === undefined) break;
    names = [...names, inner.name];
    if (inner.kind === 'file') break;
    mail = inner.message;
  }
  expect(names).toEqual([
    ...[7, 6, 5, 4, 3, 2, 1, 0].map((depth) => `Depth ${depth}`),
    'Deepest.eml',
  ]);
});
