import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { ContentError } from '#server/engine/shared/content-error.ts';
import { getMessage } from '#server/engine/embedded/sources/mail-message.ts';
import { mailWriter } from '#server/engine/embedded/sources/mail-writer.ts';
import { mailSource } from '#server/engine/embedded/sources/mail.ts';
import type { SourceObject } from '#server/engine/embedded/types.ts';
import { getValue } from '../graph/fixtures.ts';
import { backUp, getInput, NO_ITEMS, WRITE_ROLES } from './restoring.ts';
import type { Stored } from './restoring.ts';
import { losing, ordinaryPeople, tenantGraph } from './tenant.ts';
import type { TenantGraph } from './tenant.ts';

interface Mail {
  readonly id: string;
  readonly changeKey: string;
  readonly parentFolderId: string;
  readonly subject: string;
  readonly receivedDateTime: string;
  readonly sentDateTime: string;
  readonly isRead: boolean;
  readonly isDraft: boolean;
  readonly internetMessageId: string;
  readonly importance: string;
  readonly categories: string[];
  readonly flag: { flagStatus: string };
  readonly body: { contentType: string; content: string };
  readonly attachments: { name: string; contentBytes: string; contentId: string | null }[];
}

const getMailbox = (graph: TenantGraph): SourceObject => {
  const [person] = ordinaryPeople(graph);
  return { kind: 'mailbox', id: person?.id ?? '', name: '', address: '' };
};

/** Asks Graph as any other application does. */
async function ask(graph: TenantGraph, path: string, init: RequestInit = {}): Promise<unknown> {
  const token = getValue(await graph.ports.tokens.get(graph.stop.signal));
  const headers = {
    'authorization': `Bearer ${token}`,
    'prefer': 'IdType="ImmutableId"',
    'content-type': 'application/json',
  };
  const response = await graph.tenant.fetch(
    new Request(`https://graph.microsoft.com/v1.0${path}`, { ...init, headers }),
  );
  return response.status === 204 ? null : await response.json();
}
const mailAt = async (graph: TenantGraph, { id }: SourceObject, key: string): Promise<Mail> =>
  (await ask(graph, `/users/${id}/messages/${key}?$expand=attachments`)) as Mail;

/** All mails of a folder, with one Message-ID. */
async function loadCopies(graph: TenantGraph, { item, place }: Stored): Promise<Mail[]> {
  const { id } = place.object;
  const filter = encodeURIComponent(`internetMessageId eq '${item.flags.messageId}'`);
  const { value } = (await ask(graph, `/users/${id}/messages?$filter=${filter}&$top=50`)) as {
    value: Mail[];
  };
  const folders = graph.tenant.admin.listFolders(id);
  const deletions = folders.find(({ well_known: name }) => name === 'recoverableitemsdeletions');
  return value.filter(({ parentFolderId: folder }) => folder !== deletions?.id);
}

async function aMailbox(options: Parameters<typeof tenantGraph>[0] = {}) {
  const graph = tenantGraph({ roles: WRITE_ROLES, mails: 40, ...options });
  const object = getMailbox(graph);
  const stored = await backUp(graph, mailSource(graph.ports), object);
  return { graph, object, kept: stored, writer: mailWriter(graph.ports) };
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64');
const byText = (a: string, b: string): number => (a < b ? -1 : 1);

/** What a person sees of a mail: everything but what the cloud numbers itself. */
const visible = (mail: Mail) => ({
  parentFolderId: mail.parentFolderId,
  subject: mail.subject,
  receivedDateTime: mail.receivedDateTime,
  sentDateTime: mail.sentDateTime,
  isRead: mail.isRead,
  isDraft: mail.isDraft,
  internetMessageId: mail.internetMessageId,
  importance: mail.importance,
  categories: mail.categories,
  flag: mail.flag.flagStatus,
  body: mail.body.contentType.toLowerCase(),
  text: mail.body.content.replaceAll(/\s+/g, ' ').trim(),
  attachments: mail.attachments
    .map(({ name, contentBytes, contentId }) => [name, sha256(contentBytes), contentId].join(' '))
    .sort(byText),
});

test('ENG-27: a mail that was deleted comes back to its folder as it was: dates, people, flags, body, attachments', async () => {
  const { graph, object, kept: stored, writer } = await aMailbox();
  expect(stored.length).toBeGreaterThan(30);
  let withAttachments = 0;
  for (const one of stored) {
    const before = await mailAt(graph, object, one.item.key);
    graph.tenant.admin.purgeMessage(object.id, before.id);
    expect(getValue(await writer.find(one.place, one.item, graph.call))).toBeNull();
    const written = getValue(await writer.write(one.place, one.item, getInput(one), graph.call));
    const after = await mailAt(graph, object, written.key);
    expect(visible(after)).toEqual(visible(before));
    expect(after.changeKey).toBe(written.changeKey);
    withAttachments += before.attachments.length > 0 ? 1 : 0;
    expect(getValue(await writer.find(one.place, one.item, graph.call))).toMatchObject({
      key: written.key,
      isSame: true,
    });
  }
  expect(withAttachments).toBeGreaterThan(3);
});

test('ENG-27: a mail that was answered is restored as one, with the picture that shows it', async () => {
  const { kept: stored } = await aMailbox();
  const [one] = stored;
  const mime = one?.parts.get('mime');
  if (one === undefined || mime === undefined) throw new Error('The mailbox is empty.');
  const read = async (flags: object): Promise<unknown> => {
    const item = { ...one.item, flags: { ...one.item.flags, ...flags } };
    return getValue(await getMessage(Uint8Array.from(mime), item, getInput(one).flags)).message[
      'singleValueExtendedProperties'
    ];
  };
  // [MS-OXOMSG] 2.2.1.4 and [MS-OXOMSG] 2.2.1.10.
  const expected = [
    { id: 'Integer 0x1081', value: '102' },
    { id: 'Integer 0x1080', value: '261' },
  ];
  expect(await read({ answered: true })).toEqual(expect.arrayContaining(expected));
  expect(await read({})).not.toEqual(expect.arrayContaining([expected[0]]));
});

const FULL_ROLES = [...WRITE_ROLES, 'MailboxItem.ImportExport.All'];

test('ENG-47: where the tenant permits it, mails are exported twenty at once, and imported with all that they had', async () => {
  const { graph, object, kept: stored, writer } = await aMailbox({ roles: FULL_ROLES });
  const exports = graph.requests.filter((name) => name.endsWith('/exportItems'));
  expect(exports.length).toBe(Math.ceil(stored.length / 20));
  expect(stored.every(({ parts }) => parts.has('fts') && parts.has('mime'))).toBe(true);
  for (const one of stored.slice(0, 12)) {
    const before = await mailAt(graph, object, one.item.key);
    graph.tenant.admin.purgeMessage(object.id, before.id);
    const written = getValue(await writer.write(one.place, one.item, getInput(one), graph.call));
    const after = await mailAt(graph, object, written.key);
    expect(visible(after)).toEqual(visible(before));
    expect([after.id, after.changeKey]).toEqual([written.key, written.changeKey]);
  }
  const one = stored.find(({ item }) => item.flags.read === true);
  if (one === undefined) throw new Error('no mail that was read');
  const flags = { ...getInput(one).flags, markRestoredAsUnread: true };
  const copy = getValue(
    await writer.write(one.place, one.item, getInput(one, { keepBoth: true, flags }), graph.call),
  );
  expect((await mailAt(graph, object, copy.key)).isRead).toBe(false);
  const posted = graph.requests.filter(
    (name) => name.startsWith('POST ') && name.endsWith('/messages'),
  );
  expect(posted).toEqual([]);
});

test('ENG-47: where the target permits no import, or its response is lost, the mail is written once all the same', async () => {
  const { graph, object, kept: stored } = await aMailbox({ roles: FULL_ROLES });
  const [one, other, third] = stored.filter(({ item }) => item.flags.draft !== true);
  if (one === undefined || other === undefined || third === undefined) throw new Error('no mails');
  for (const { item } of [one, other, third])
    graph.tenant.admin.purgeMessage(object.id, (await mailAt(graph, object, item.key)).id);
  const denied = mailWriter(graph.ports);
  graph.trouble = (request) =>
    request.url.endsWith('/createImportSession')
      ? Response.json({ error: { code: 'ErrorAccessDenied' } }, { status: 403 })
      : null;
  getValue(await denied.write(one.place, one.item, getInput(one), graph.call));
  expect((await loadCopies(graph, one)).length).toBe(1);
  // A stream that the target can't read.
  graph.trouble = (request) =>
    request.url.includes('/importItem')
      ? Response.json({ error: { code: 'ErrorInvalidRequest' } }, { status: 400 })
      : null;
  getValue(
    await mailWriter(graph.ports).write(other.place, other.item, getInput(other), graph.call),
  );
  expect((await loadCopies(graph, other)).length).toBe(1);
  graph.trouble = async (request) => {
    await graph.tenant.fetch(request);
    throw new Error('The response is lost.');
  };
  const lose = graph.trouble;
  graph.trouble = (request) => (request.url.includes('/importItem') ? lose(request) : null);
  getValue(
    await mailWriter(graph.ports).write(third.place, third.item, getInput(third), graph.call),
  );
  expect((await loadCopies(graph, third)).length).toBe(1);
});

test('ENG-47: an import whose link is refused is tried once more, and says nothing about the sign-in', async () => {
  const { graph, object, kept: stored } = await aMailbox({ roles: FULL_ROLES });
  const one = stored.find(({ item }) => item.flags.draft !== true);
  if (one === undefined) throw new Error('no mail');
  graph.tenant.admin.purgeMessage(object.id, (await mailAt(graph, object, one.item.key)).id);
  const write = () => mailWriter(graph.ports).write(one.place, one.item, getInput(one), graph.call);
  let refusals = Infinity;
  graph.trouble = (request) => {
    if (!request.url.includes('/importItem') || refusals === 0) return null;
    refusals -= 1;
    return Response.json({ error: { code: 'InvalidAuthenticationToken' } }, { status: 401 });
  };
  expect(await write()).toMatchObject({ ok: false, error: { kind: 'ended' } });
  expect((await loadCopies(graph, one)).length).toBe(0);
  refusals = 1;
  getValue(await write());
  expect((await loadCopies(graph, one)).length).toBe(1);
});

test('ENG-47: where the tenant permits no export, mails are backed up without, and asked for once', async () => {
  const { graph, object, kept: stored } = await aMailbox();
  expect(stored.every(({ parts }) => parts.has('mime') && !parts.has('fts'))).toBe(true);
  const source = mailSource(graph.ports);
  const tries = () => graph.requests.filter((name) => name.endsWith('/exportItems')).length;
  const before = tries();
  await backUp(graph, source, object);
  await backUp(graph, source, object);
  expect(tries() - before).toBe(1);
  // Permitted since.
  graph.tenant.admin.grantRoles(graph.appId, FULL_ROLES);
  await graph.clock.sleep(3_700_000, graph.stop.signal);
  const later = await backUp(graph, source, object);
  expect(later.every(({ parts }) => parts.has('fts'))).toBe(true);
});

test('ENG-27: folders that are missing are created once, and well-known folders are found in every language', async () => {
  const { graph, object, kept: stored, writer } = await aMailbox();
  const deep = stored.find(({ place }) => place.path.length === 3);
  if (deep === undefined) throw new Error('no mail in a deep folder');
  const [top] = deep.place.path;
  const folder = graph.tenant.admin.listFolders(object.id).find(({ name }) => name === top?.name);
  await ask(graph, `/users/${object.id}/mailFolders/${folder?.id}`, { method: 'DELETE' });
  expect(
    getValue(await mailWriter(graph.ports).find(deep.place, deep.item, graph.call)),
  ).toBeNull();
  const ensured = getValue(await writer.ensureFolder(deep.place, graph.call));
  expect(ensured.created.length).toBe(3);
  expect(ensured.created.at(-1)).toBe(ensured.key);
  expect(getValue(await mailWriter(graph.ports).ensureFolder(deep.place, graph.call))).toEqual({
    key: ensured.key,
    created: [],
  });
  const inbox = graph.tenant.admin
    .listFolders(object.id)
    .find(({ well_known: name }) => name === 'inbox');
  const place = { object, path: [{ name: 'Posteingang', wellKnown: 'inbox' }] };
  expect(getValue(await writer.ensureFolder(place, graph.call))).toEqual({
    key: inbox?.id,
    created: [],
  });
});

test('ENG-29: a mail is replaced or removed only in the state in which it was found or written', async () => {
  const { graph, object, kept: stored, writer } = await aMailbox();
  const [one, other] = stored.filter(({ item }) => item.flags.draft !== true);
  if (one === undefined || other === undefined) throw new Error('no mails');
  const change = (key: string, category: string) =>
    ask(graph, `/users/${object.id}/messages/${key}`, {
      method: 'PATCH',
      body: JSON.stringify({ categories: [category] }),
    });
  await change(one.item.key, 'Changed');
  const found = getValue(await writer.find(one.place, one.item, graph.call));
  expect(found).toMatchObject({ key: one.item.key, isSame: false });
  const written = getValue(
    await writer.write(one.place, one.item, getInput(one, { replaces: found }), graph.call),
  );
  expect((await loadCopies(graph, one)).map(({ id, categories }) => [id, categories])).toEqual([
    [written.key, one.item.flags.categories ?? []],
  ]);
  // Changed since it was found: nothing happens.
  await change(other.item.key, 'First');
  const state = getValue(await writer.find(other.place, other.item, graph.call));
  await change(other.item.key, 'Second');
  expect(
    await writer.write(other.place, other.item, getInput(other, { replaces: state }), graph.call),
  ).toMatchObject({ ok: false, error: { kind: 'conflict' } });
  expect((await loadCopies(graph, other)).map(({ categories }) => categories)).toEqual([
    ['Second'],
  ]);
  // Undo.
  await change(written.key, 'Mine');
  expect(await writer.remove(object, written, graph.call)).toMatchObject({
    ok: false,
    error: { kind: 'conflict' },
  });
  const { changeKey } = await mailAt(graph, object, written.key);
  getValue(await writer.remove(object, { key: written.key, changeKey }, graph.call));
  expect(await loadCopies(graph, one)).toEqual([]);
  for (const key of [written.key, 'AAkALgAAgone'])
    expect(await writer.remove(object, { key, changeKey }, graph.call)).toMatchObject({
      ok: false,
      error: { kind: 'missing' },
    });
});

test('ENG-29: a folder that was created is removed only while it is empty', async () => {
  const { graph, object, kept: stored, writer } = await aMailbox();
  const [one] = stored;
  if (one === undefined) throw new Error('no mails');
  const place = { object, path: [{ name: "Restored 'Ärger' & more", wellKnown: null }] };
  const { key } = getValue(await writer.ensureFolder(place, graph.call));
  const written = getValue(await writer.write(place, one.item, getInput(one), graph.call));
  expect(await writer.removeFolder(object, key, graph.call, NO_ITEMS)).toMatchObject({
    ok: false,
    error: { kind: 'conflict', message: "The folder isn't empty." },
  });
  getValue(await writer.remove(object, written, graph.call));
  getValue(await writer.removeFolder(object, key, graph.call, NO_ITEMS));
  getValue(await writer.removeFolder(object, key, graph.call, NO_ITEMS));
  expect(graph.tenant.admin.listFolders(object.id).map(({ id }) => id)).not.toContain(key);
  expect(getValue(await writer.ensureFolder(place, graph.call)).created.length).toBe(1);
});

test('ENG-27: a copy beside the mail, as unread if asked for', async () => {
  const { graph, kept: stored, writer } = await aMailbox();
  const one = stored.find(({ item }) => item.flags.read === true && item.flags.draft !== true);
  if (one === undefined) throw new Error('no mail that was read');
  const flags = { ...getInput(one).flags, markRestoredAsUnread: true };
  getValue(
    await writer.write(one.place, one.item, getInput(one, { keepBoth: true, flags }), graph.call),
  );
  const copies = await loadCopies(graph, one);
  expect(new Set(copies.map(({ isRead }) => isRead))).toEqual(new Set([false, true]));
  expect(copies.length).toBe(2);
});

test('ENG-28: wherever a response is lost, writing again leads to one mail', async () => {
  const lost = losing();
  const { graph, kept: stored, writer, object } = await aMailbox({ over: lost.over });
  const mails = stored.filter(({ item }) => item.flags.draft !== true).slice(0, 12);
  for (const [n, one] of mails.entries()) {
    const isReplaced = n % 2 === 0;
    if (isReplaced)
      await ask(graph, `/users/${object.id}/messages/${one.item.key}`, {
        method: 'PATCH',
        body: JSON.stringify({ categories: ['Changed'] }),
      });
    else graph.tenant.admin.purgeMessage(object.id, (await mailAt(graph, object, one.item.key)).id);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      lost.next(attempt === 0 ? Math.floor(n / 2) : null);
      const found = getValue(await writer.find(one.place, one.item, graph.call));
      if (found?.isSame) break;
      await writer.write(one.place, one.item, getInput(one, { replaces: found }), graph.call);
    }
    lost.next(null);
    const copies = await loadCopies(graph, one);
    expect(
      copies.map(({ categories }) => categories),
      `mail ${n}`,
    ).toEqual([one.item.flags.categories ?? []]);
  }
});

test('ENG-27, ENG-28: content that breaks off, mail that cannot be parsed and a full mailbox write nothing', async () => {
  const { graph, kept: stored, writer } = await aMailbox();
  const [one] = stored;
  if (one === undefined) throw new Error('no mails');
  const before = (await loadCopies(graph, one)).length;
  const broken = getInput(one, {
    content: async () => ({ ok: true, value: breaksOff() }),
  });
  expect(await writer.write(one.place, one.item, broken, graph.call)).toMatchObject({
    ok: false,
    error: { kind: 'damaged', message: 'planted' },
  });
  const nested = getInput(one, {
    content: async () => ({ ok: true, value: nestedMail() }),
  });
  expect(await writer.write(one.place, one.item, nested, graph.call)).toMatchObject({
    ok: false,
    error: { kind: 'damaged' },
  });
  graph.trouble = (request) =>
    request.method === 'POST' && request.url.endsWith('/messages')
      ? Response.json({ error: { code: 'ErrorQuotaExceeded' } }, { status: 507 })
      : null;
  expect(await writer.write(one.place, one.item, getInput(one), graph.call)).toMatchObject({
    ok: false,
    error: { kind: 'full' },
  });
  graph.trouble = () => null;
  expect((await loadCopies(graph, one)).length).toBe(before);
});

async function* breaksOff(): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode('From: a@example.com\r\n');
  throw new ContentError({ kind: 'damaged', message: 'planted' });
}
async function* nestedMail(): AsyncGenerator<Uint8Array> {
  for (let depth = 0; depth < 400; depth += 1)
    yield new TextEncoder().encode(
      `Content-Type: multipart/mixed; boundary="b${depth}"\r\n\r\n--b${depth}\r\n`,
    );
}

const mailWith = (files: readonly Buffer[], { item }: Stored): Buffer =>
  Buffer.from(
    [
      'From: Ada <ada@example.com>',
      'To: bob@example.com',
      'Subject: Large',
      `Message-ID: ${item.flags.messageId}`,
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary="x"',
      '',
      '--x',
      'Content-Type: text/plain',
      '',
      'Hello',
      ...files.flatMap((file, n) => [
        '--x',
        `Content-Type: application/octet-stream; name="${n}.bin"`,
        `Content-Disposition: attachment; filename="${n}.bin"`,
        'Content-Transfer-Encoding: base64',
        '',
        file.toString('base64').replaceAll(/.{76}/g, '$&\r\n'),
      ]),
      '--x--',
      '',
    ].join('\r\n'),
  );

test('ENG-27: attachments that are too large for one request follow the mail', async () => {
  const { graph, object, kept: stored, writer } = await aMailbox();
  const [one] = stored;
  if (one === undefined) throw new Error('no mails');
  const files = [1, 2, 3].map((n) => Buffer.alloc(1_500_000, `file ${n}`));
  const mime = mailWith(files, one);
  const large: Stored = { ...one, parts: new Map([['mime', mime]]) };
  const written = getValue(
    await writer.write(one.place, one.item, getInput(large, { keepBoth: true }), graph.call),
  );
  const mail = await mailAt(graph, object, written.key);
  expect(mail.changeKey).toBe(written.changeKey);
  expect(
    mail.attachments.map(({ name, contentBytes }) => [
      name,
      contentBytes === files[Number(name[0])]?.toString('base64'),
    ]),
  ).toEqual([
    ['0.bin', true],
    ['1.bin', true],
    ['2.bin', true],
  ]);
});

test('ENG-27: a very large attachment is uploaded in pieces; if that fails, the mail is taken back', async () => {
  const { graph, kept: stored, writer } = await aMailbox();
  const [one] = stored;
  if (one === undefined) throw new Error('no mails');
  const file = Buffer.alloc(7_000_000, 'Daybook');
  const large: Stored = { ...one, parts: new Map([['mime', mailWith([file], one)]]) };
  const before = (await loadCopies(graph, one)).length;
  let session: unknown = null;
  let isFull = true;
  const received: Buffer[] = [];
  graph.trouble = async (request) => {
    if (request.url.endsWith('/attachments/createUploadSession')) {
      session = await request.json();
      return Response.json(
        { uploadUrl: 'https://outlook.office.com/upload?authtoken=x' },
        { status: 201 },
      );
    }
    if (isFull) return Response.json({ error: { code: 'ErrorQuotaExceeded' } }, { status: 507 });
    const [, from, last] =
      /^bytes (\d+)-(\d+)\/7000000$/.exec(request.headers.get('content-range') ?? '') ?? [];
    expect([request.method, request.headers.has('authorization')]).toEqual(['PUT', false]);
    expect(Number(last) - Number(from)).toBeLessThan(4_000_000);
    received.push(Buffer.from(await request.arrayBuffer()));
    return Number(last) === 6_999_999
      ? new Response(null, { status: 201 })
      : Response.json({ nextExpectedRanges: [`${Number(last) + 1}-`] });
  };
  const isUpload = graph.trouble;
  graph.trouble = (request) =>
    request.url.includes('/attachments/createUploadSession') ||
    request.url.includes('outlook.office.com')
      ? isUpload(request)
      : null;
  const input = getInput(large, { keepBoth: true });
  expect(await writer.write(one.place, one.item, input, graph.call)).toMatchObject({
    ok: false,
    error: { kind: 'full' },
  });
  expect((await loadCopies(graph, one)).length).toBe(before);
  isFull = false;
  getValue(await writer.write(one.place, one.item, input, graph.call));
  expect((await loadCopies(graph, one)).length).toBe(before + 1);
  expect(session).toMatchObject({
    AttachmentItem: { attachmentType: 'file', name: '0.bin', size: 7_000_000, isInline: false },
  });
  expect(Buffer.concat(received).equals(file)).toBe(true);
});
