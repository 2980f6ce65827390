import { expect, test } from 'vitest';
import type { RestoreInput } from '#contract/engine/engine.ts';
import type { MessageProps } from '#server/demo/tenant/mailbox-store.ts';
import { freshStore, ONE } from '../../db/databases.ts';
import { aRandomOffice } from './random/random-office.ts';
import { NO_FLAGS } from './no-flags.ts';

const TERMS: Omit<RestoreInput, 'explorer' | 'nodes' | 'dryRun'> = {
  target: { kind: 'original' },
  select: 'both',
  onConflict: 'replace',
  versions: 'last',
  flags: NO_FLAGS,
  reason: null,
};

test('RES-1, RES-2, RES-4: a renamed file gets its name back, once, and an undo takes that back', async () => {
  const office = await aRandomOffice(await freshStore(ONE), 11);
  const { admin, targets } = office;
  const { at } = await office.backUp();
  const [file] = admin.listFiles(targets.user);
  if (file === undefined) throw new Error('no file');
  const list = () =>
    admin
      .listFiles(targets.user)
      .map((one) => [
        one.id,
        one.name,
        Buffer.from(admin.readVersion(admin.listVersions(one.id)[0]!)).toString('base64'),
      ]);
  const atPoint = list();
  await office.send('PATCH', `/drives/${file.drive_id}/items/${file.id}`, { name: 'Renamed.txt' });
  admin.changeFile(targets.user, file.id, Buffer.from('changed'));
  const changed = list();
  const explorer = await office.open('onedrive', at);
  const node = (await office.walk(explorer)).find((one) => one.node.name === file.name)?.node;
  const input = { ...TERMS, explorer, nodes: [node?.id ?? ''] };
  const getOutcomes = ({ results }: Awaited<ReturnType<typeof office.restore>>) =>
    results.map(({ outcome }) => outcome);
  expect(getOutcomes(await office.restore({ ...input, dryRun: true }))).toEqual(['merged']);
  expect(list()).toEqual(changed);
  const restored = await office.restore({ ...input, dryRun: false });
  expect([getOutcomes(restored), list()]).toEqual([['merged'], atPoint]);
  expect(getOutcomes(await office.restore({ ...input, dryRun: false }))).toEqual(['skipped']);
  expect([(await office.undo(restored.task)).done.result, list()]).toEqual(['success', changed]);
});

test("RES-4: files that took each other's names get them back, and an undo takes that back", async () => {
  const office = await aRandomOffice(await freshStore(ONE), 11);
  const { admin, targets } = office;
  const { at } = await office.backUp();
  const list = () => admin.listFiles(targets.user).map(({ id, name }) => [id, name]);
  const atPoint = list();
  const folders = Map.groupBy(admin.listFiles(targets.user), (one) => one.parent_id);
  // Undone first, while the other one still has its name.
  const [older, newer] =
    [...folders.values()]
      .find((files) => files.length > 1)
      ?.toSorted((a, b) => a.file_created_at - b.file_created_at) ?? [];
  if (older === undefined || newer === undefined) throw new Error('no files');
  const rename = ({ drive_id: drive, id }: typeof older, name: string) =>
    office.send('PATCH', `/drives/${drive}/items/${id}`, { name });
  await rename(newer, 'Other.txt');
  await rename(older, newer.name);
  const changed = list();
  const explorer = await office.open('onedrive', at);
  const drive = (await office.walk(explorer)).find(({ path }) => path.length === 0);
  const input = { ...TERMS, explorer, nodes: [drive?.node.id ?? ''], dryRun: false };
  // The newer one is looked for when the older one has its name again.
  const renamed = Promise.withResolvers<undefined>();
  office.context.cloud.connectTo(async (request) => {
    if (request.method === 'GET' && request.url.endsWith(newer.id)) await renamed.promise;
    const response = await office.office.fetch(request);
    if (request.method === 'PATCH' && request.url.endsWith(older.id)) renamed.resolve(undefined);
    return response;
  });
  const restored = await office.restore(input);
  expect([restored.done.counts.merged, list()]).toEqual([2, atPoint]);
  const undone = await office.undo(restored.task);
  expect([undone.done.counts.restored, undone.done.counts.skipped, list()]).toEqual([
    2,
    0,
    changed,
  ]);
});

test('RES-1, ENG-71: a dry run says that a meeting with attendees will not be replaced', async () => {
  const office = await aRandomOffice(await freshStore(ONE), 11);
  const { admin, targets } = office;
  const mail = admin.listUsers().find(({ id }) => id === targets.user)?.mail ?? '';
  const event = admin.outlook
    .list(targets.user, 'event')
    .find(({ props }) => props.includes(`"address":"${mail}"`));
  if (event === undefined) throw new Error('no event');
  const guest = { emailAddress: { name: 'Guest', address: 'guest@example.com' }, type: 'required' };
  admin.outlook.change(targets.user, 'event', event.id, {
    subject: 'Our meeting',
    attendees: [guest],
    organizer: { emailAddress: { name: 'Me', address: mail } },
  });
  const { at } = await office.backUp();
  admin.outlook.change(targets.user, 'event', event.id, { location: { displayName: 'Elsewhere' } });
  const explorer = await office.open('outlook', at);
  const node = (await office.walk(explorer)).find((one) => one.node.name === 'Our meeting')?.node;
  const input = { ...TERMS, explorer, nodes: [node?.id ?? ''] };
  const dry = await office.restore({ ...input, dryRun: true });
  const { results } = await office.restore({ ...input, dryRun: false });
  expect(dry.results).toEqual(results);
  expect(results).toMatchObject([
    { outcome: 'failed', message: expect.stringContaining('attendees') },
  ]);
});

test('RES-21, RES-2: a draft whose text was changed gets its text back, once', async () => {
  const office = await aRandomOffice(await freshStore(ONE), 11);
  const { admin, targets } = office;
  const made = await office.send('POST', `/users/${targets.user}/messages`, {
    subject: 'My draft',
    body: { contentType: 'text', content: 'The first text' },
  });
  const { id } = (await made.json()) as { readonly id: string };
  const { at } = await office.backUp();
  const path = `/users/${targets.user}/messages/${encodeURIComponent(id)}`;
  await office.send('PATCH', path, { body: { contentType: 'text', content: 'The second text' } });
  const list = () =>
    admin
      .listMessages(targets.user, 'drafts')
      .map(({ props }) => (JSON.parse(props) as MessageProps).body.content);
  expect(list()).toEqual(['The second text']);
  const explorer = await office.open('outlook', at);
  const node = (await office.walk(explorer)).find((one) => one.node.name === 'My draft')?.node;
  for (const [onConflict, texts] of [
    ['keep-both', ['The first text', 'The second text']],
    ['replace', ['The first text']],
  ] as const) {
    const input = { ...TERMS, explorer, nodes: [node?.id ?? ''], onConflict, dryRun: false };
    const restored = await office.restore(input);
    expect(list().toSorted()).toEqual(texts);
    expect((await office.restore(input)).results).toMatchObject([{ outcome: 'skipped' }]);
    expect((await office.undo(restored.task)).done.result).toBe('success');
    expect(list()).toEqual(['The second text']);
  }
});

test('RES-21, RES-2, RES-4: a received mail whose text was changed gets its text back, one that was only read does not', async () => {
  const office = await aRandomOffice(await freshStore(ONE), 11);
  const { admin, targets } = office;
  const inbox = admin.listFolders(targets.user).find(({ well_known: name }) => name === 'inbox');
  const list = () => admin.listMessages(targets.user, inbox?.id);
  for (let n = list().length; n < 2; n += 1) admin.addMessage(targets.user, inbox?.id);
  const { at } = await office.backUp();
  const readTexts = () =>
    list()
      .map(({ props }) => JSON.parse(props) as MessageProps)
      .map(({ internetMessageId, body }) => `${internetMessageId} ${body.content}`)
      .toSorted();
  const before = readTexts();
  const [edited, ...others] = list();
  if (edited === undefined) throw new Error('no mail');
  for (const { id, read } of others)
    await office.send('PATCH', `/users/${targets.user}/messages/${encodeURIComponent(id)}`, {
      isRead: read === 0,
    });
  admin.editMessage(targets.user, edited.id, 'Somebody changed this.');
  const changed = readTexts();
  const explorer = await office.open('outlook', at);
  const folder = (await office.walk(explorer)).find(({ path }) => path.join('/') === 'Inbox');
  const input: RestoreInput = { ...TERMS, explorer, nodes: [folder?.node.id ?? ''], dryRun: false };
  const count = ({ done }: Awaited<ReturnType<typeof office.restore>>) => done.counts;
  const expected = { restored: 0, merged: 1, skipped: others.length, failed: 0 };
  expect(count(await office.restore({ ...input, dryRun: true }))).toEqual(expected);
  const restored = await office.restore(input);
  expect([count(restored), readTexts()]).toEqual([expected, before]);
  expect(count(await office.restore(input))).toEqual({
    ...expected,
    merged: 0,
    skipped: others.length + 1,
  });
  expect([(await office.undo(restored.task)).done.result, readTexts()]).toEqual([
    'success',
    changed,
  ]);
});
