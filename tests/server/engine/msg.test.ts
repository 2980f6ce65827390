import { array, assert, constantFrom, nat, property, record, string, uint8Array } from 'fast-check';
import { expect, test } from 'vitest';
import type {
  MailAttachment,
  MailContent,
  MailState,
} from '#server/engine/embedded/mail/mail-content.ts';
import { writeMsgFile } from '#server/engine/embedded/msg/msg-file.ts';
import { NO_MAIL, STATE } from './mails.ts';
import { MsgReader } from './msg-reader.ts';

const PROOF = Number(process.env['PROOF'] ?? 1);
const makeFile = (name: string, bytes: Uint8Array): MailAttachment => ({
  kind: 'file',
  name,
  bytes,
  mediaType: 'application/octet-stream',
  contentId: null,
  isInline: false,
});

const open = (mail: MailContent, state: MailState = STATE) => {
  const bytes = writeMsgFile(mail, state);
  const reader = new MsgReader(bytes.buffer);
  return { reader, data: reader.getFileData() };
};

test('DL-22: another program reads the subject, texts, people, dates and attachments of an MSG file', () => {
  const big = new Uint8Array(20_000_000).map((_, n) => (n * 7) % 251);
  const mail: MailContent = {
    ...NO_MAIL,
    subject: 'RE: Übersicht 田中',
    from: { name: 'Ann Calloway', address: 'ann@example.com' },
    recipients: [
      { kind: 'to', name: 'Bob', address: 'bob@example.net' },
      { kind: 'cc', name: '', address: 'cora@example.com' },
      { kind: 'bcc', name: '田中 太郎', address: 'tanaka@example.org' },
    ],
    sentAt: Date.UTC(2026, 2, 2, 7, 30),
    headers: 'Message-ID: <1@example.com>\r\nX-Own: yes\r\n',
    text: 'Plain text',
    html: '<p>Rich <b>text</b></p>',
    messageId: '<1@example.com>',
    attachments: [
      makeFile('Q1 größe 田.pdf', new Uint8Array([0, 1, 2, 3])),
      makeFile('Large file.bin', big),
      {
        kind: 'message',
        name: 'Forwarded',
        mediaType: 'message/rfc822',
        contentId: null,
        isInline: false,
        message: {
          ...NO_MAIL,
          subject: 'Inside',
          text: 'Inner text',
          from: { name: 'Dora', address: 'dora@example.com' },
          recipients: [{ kind: 'to', name: 'Emil', address: 'emil@example.net' }],
          sentAt: Date.UTC(2025, 0, 1, 12),
          attachments: [makeFile('inner.txt', Buffer.from('deep'))],
        },
      },
    ],
  };
  const { reader, data } = open(mail, { ...STATE, categories: ['Blue', 'Müller'] });
  expect(data.subject).toBe('RE: Übersicht 田中');
  expect(data.body).toBe('Plain text');
  expect(Buffer.from(data.html ?? []).toString()).toBe('<p>Rich <b>text</b></p>');
  expect([data.senderName, data.senderEmail]).toEqual(['Ann Calloway', 'ann@example.com']);
  expect(data.headers).toContain('X-Own: yes');
  expect(data.recipients?.map(({ name, email, recipType }) => [name, email, recipType])).toEqual([
    ['Bob', 'bob@example.net', 'to'],
    ['cora@example.com', 'cora@example.com', 'cc'],
    ['田中 太郎', 'tanaka@example.org', 'bcc'],
  ]);
  expect(Date.parse(data.clientSubmitTime ?? '')).toBe(mail.sentAt);
  expect(Date.parse(data.messageDeliveryTime ?? '')).toBe(STATE.receivedAt);
  const [small, large, inner] = data.attachments ?? [];
  expect(small?.fileName).toBe('Q1 größe 田.pdf');
  expect([...reader.getAttachment(0).content]).toEqual([0, 1, 2, 3]);
  expect(large?.fileName).toBe('Large file.bin');
  expect(Buffer.from(reader.getAttachment(1).content).equals(Buffer.from(big))).toBe(true);
  const nested = inner?.innerMsgContentFields;
  expect([nested?.subject, nested?.body]).toEqual(['Inside', 'Inner text']);
  expect([nested?.senderName, nested?.senderEmail]).toEqual(['Dora', 'dora@example.com']);
  expect(nested?.recipients?.map(({ name, email }) => [name, email])).toEqual([
    ['Emil', 'emil@example.net'],
  ]);
  expect(Date.parse(nested?.clientSubmitTime ?? '')).toBe(Date.UTC(2025, 0, 1, 12));
  const [deep] = nested?.attachments ?? [];
  if (deep === undefined) throw new Error('The attached mail has no attachment.');
  expect(deep.fileName).toBe('inner.txt');
  expect(Buffer.from(reader.getAttachment(deep).content).toString()).toBe('deep');
});

test('DL-22: any mail of any size is read with every attachment byte', () => {
  const file = record({
    name: string({ minLength: 1, maxLength: 30 }).map((name) => `a${name.replaceAll('\0', '')}`),
    bytes: uint8Array({ maxLength: 9_000 }),
  });
  const mail = record({
    subject: constantFrom('', 'Short', 'x'.repeat(3_000), 'ü田'),
    text: string({ maxLength: 5_000 }).map((one) => one.replaceAll('\0', '').toWellFormed()),
    files: array(file, { maxLength: 20 }),
    people: nat(60),
  });
  assert(
    property(mail, ({ subject, text, files, people }) => {
      const { reader, data } = open({
        ...NO_MAIL,
        subject,
        text,
        recipients: Array.from({ length: people }, (_, n) => ({
          kind: 'to',
          name: `P ${n}`,
          address: `p${n}@example.com`,
        })),
        attachments: files.map(({ name, bytes }) => makeFile(name, bytes)),
      });
      expect(data.subject ?? '').toBe(subject);
      expect(data.body ?? '').toBe(text);
      expect(data.recipients?.length ?? 0).toBe(people);
      expect(data.attachments?.length ?? 0).toBe(files.length);
      files.forEach(({ bytes }, n) =>
        expect([...reader.getAttachment(n).content]).toEqual([...bytes]),
      );
    }),
    { numRuns: 40 * PROOF },
  );
});
