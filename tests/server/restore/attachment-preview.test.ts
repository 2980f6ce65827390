import { expect, test } from 'vitest';
import type { MailContent } from '#server/engine/embedded/mail/mail-content.ts';
import { writeMsgFile } from '#server/engine/embedded/msg/msg-file.ts';
import { anyDatabase } from '../db/databases.ts';
import { aLibrary, cookiesIn, openLibrary, readingsIn } from './content.ts';
import { PICTURES } from './hostile-files.ts';

interface Preview {
  readonly url: string;
  readonly subject: string;
  readonly attachments: readonly { readonly name: string }[];
  readonly file?: { readonly shows: string };
}

/** A mail with files, each as its type, name and bytes. */
const makeMail = (
  subject: string,
  text: string,
  files: readonly (readonly [type: string, name: string, bytes: Uint8Array])[],
): Buffer =>
  Buffer.from(
    [
      'From: Ann <ann@example.com>',
      `Subject: ${subject}`,
      'MIME-Version: 1.0',
      `Content-Type: multipart/mixed; boundary="of-${subject}"`,
      '',
      `--of-${subject}`,
      'Content-Type: text/html; charset=utf-8',
      '',
      text,
      ...files.flatMap(([type, name, bytes]) => [
        `--of-${subject}`,
        `Content-Type: ${type}; name="${name}"`,
        `Content-Disposition: attachment; filename="${name}"`,
        ...(type === 'message/rfc822'
          ? ['', Buffer.from(bytes).toString('latin1')]
          : ['Content-Transfer-Encoding: base64', '', Buffer.from(bytes).toString('base64')]),
      ]),
      `--of-${subject}--`,
      '',
    ].join('\r\n'),
    'latin1',
  );

const EVIL =
  '<p>Inner <b>text</b></p><script>steal()</script><img src="https://t.example.com/a.gif">';
const INNER = makeMail('Inner', EVIL, [
  ['text/plain', 'deep.txt', Buffer.from('Deep <i>text</i>')],
]);
const MAIL = makeMail('Outer', '<p>Outer text</p>', [
  ['image/png', 'dot.bin', PICTURES.png],
  ['image/png', 'fake.png', Buffer.from('<script>steal()</script>')],
  ['message/rfc822', 'inner.eml', INNER],
  ['application/octet-stream', 'program.exe', Buffer.from([0x4d, 0x5a, 0, 1, 2, 3])],
  ['application/octet-stream', 'broken.msg', Buffer.from('d0cf11e0a1b11ae1', 'hex')],
]);
const NO_MAIL: MailContent = {
  subject: 'In pieces',
  from: null,
  sender: null,
  recipients: [],
  sentAt: null,
  headers: '',
  text: 'Text of the pieces',
  html: null,
  messageId: null,
  inReplyTo: null,
  references: null,
  importance: 'normal',
  attachments: [],
};

anyDatabase((kind, open) => {
  test(`DL-7, G64: attachments are shown as files and mails are, also those of attached mails, and each reading is recorded (${kind})`, async () => {
    const library = await aLibrary(await open());
    const { admin, ours, visit, ground: fixture } = library;
    const msg = writeMsgFile(
      {
        ...NO_MAIL,
        subject: 'Around',
        attachments: [
          {
            kind: 'message',
            name: 'x',
            mediaType: 'message/rfc822',
            contentId: null,
            isInline: false,
            message: NO_MAIL,
          },
        ],
      },
      {
        receivedAt: 0,
        isRead: true,
        isDraft: false,
        isFlagged: false,
        importance: null,
        categories: [],
      },
    );
    const ids = await library.store(ours, 1, 'mailbox', [
      { path: ['Inbox'], title: 'Outer', content: MAIL },
      { path: ['Inbox'], title: 'Around', content: msg },
    ]);
    const session = await openLibrary(admin, ours);
    const ask = (attachment?: readonly number[], title = 'Outer') =>
      admin<Preview>(
        'POST',
        `o365/restore/restoresessions/${session}/mailboxes/o1/items/${ids.get(title)}/preview`,
        attachment === undefined ? {} : { attachment },
      );
    const show = async (attachment: readonly number[], title?: string) => {
      const answer = await ask(attachment, title);
      if (answer.status !== 200) throw new Error(answer.text);
      // Another server reads it again.
      if (attachment.length > 1) fixture.context.mailPreviews.bodies.clear();
      const page = await visit(answer.body.data.url, cookiesIn(answer));
      expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'.*sandbox/);
      return { ...answer.body.data, page: page.text };
    };
    const names = (await ask()).body.data.attachments.map(({ name }) => name);
    expect(names).toEqual(['dot.bin', 'fake.png', 'inner.eml', 'program.exe', 'broken.msg']);

    const picture = await show([0]);
    expect(picture).toMatchObject({ subject: 'dot.bin', file: { shows: 'picture' } });
    expect(picture.page).toContain(
      `src="data:image/png;base64,${Buffer.from(PICTURES.png).toString('base64')}"`,
    );
    const fake = await show([1]);
    expect(fake.file?.shows).toBe('text');
    expect(fake.page).toContain('&lt;script&gt;steal()');

    const before = (await readingsIn(library)).length;
    const inner = await show([2]);
    expect(inner).toMatchObject({
      subject: 'Inner',
      from: { name: 'Ann', address: 'ann@example.com' },
      heldPictures: 1,
      attachments: [{ name: 'deep.txt' }],
    });
    expect(inner.file).toBeUndefined();
    expect(inner.page).toContain('<p>Inner <b>text</b></p>');
    expect(inner.page).not.toMatch(/steal|t\.example/);
    expect((await readingsIn(library)).slice(before)).toMatchObject([
      { read: 'content', node: ids.get('Outer') },
      { read: 'preview', node: ids.get('Outer') },
    ]);
    const deep = await show([2, 0]);
    expect([deep.subject, deep.file?.shows]).toEqual(['deep.txt', 'text']);
    expect(deep.page).toContain('<pre>Deep &lt;i&gt;text&lt;/i&gt;');
    const pieces = await show([0], 'Around');
    expect([pieces.subject, pieces.file]).toEqual(['In pieces', undefined]);
    expect(pieces.page).toContain('Text of the pieces');

    for (const [path, status] of [
      [[3], 409],
      [[4], 409],
      [[9], 404],
      [[2, 5], 404],
      [[0, 0], 404],
    ] as const)
      expect([path, (await ask(path)).status]).toEqual([path, status]);
    expect((await ask([-1])).status).toBe(400);
  });
});
