import { expect, test } from 'vitest';
import { freshStore, ONE } from '../../db/databases.ts';
import { aRandomOffice } from '../restore/random/random-office.ts';
import { getValue } from '../restic/fixtures.ts';
import { NO_FLAGS } from '../restore/no-flags.ts';

test('RES-82, RES-21: a comparison and a restore judge the same of mails that were changed, moved there and back, or not at all', async () => {
  const office = await aRandomOffice(await freshStore(ONE), 11);
  const { admin, engine, scope, targets } = office;
  const inbox = admin.listFolders(targets.user).find(({ well_known: name }) => name === 'inbox');
  const list = () => admin.listMessages(targets.user, inbox?.id);
  for (let n = list().length; n < 3; n += 1) admin.addMessage(targets.user, inbox?.id);
  const { at } = await office.backUp();
  const [edited, moved, ...others] = list();
  if (edited === undefined || moved === undefined) throw new Error('no mails');
  admin.editMessage(targets.user, edited.id, 'Somebody changed this.');
  // Another version with the same text.
  const away = admin.moveMessage(targets.user, moved.id, 'deleteditems');
  admin.moveMessage(targets.user, away.id, inbox?.id ?? '');
  const explorer = await office.open('outlook', at);
  const nodes = await office.walk(explorer);
  const folder = nodes.find(({ path }) => path.join('/') === 'Inbox')?.node.id ?? '';
  const page = getValue(
    await engine.compareFolder(scope, { explorer, parent: folder, cursor: null, limit: 50 }),
  );
  const changed = page.rows.filter(({ state }) => state !== 'same');
  expect(changed).toMatchObject([{ state: 'changed', content: 'changed' }]);
  expect(page.rows).toHaveLength(others.length + 2);
  expect(page.rows.filter(({ content }) => content === 'same')).toHaveLength(others.length + 1);
  const node = changed[0]?.node.id ?? '';
  expect(getValue(await engine.compare(scope, { explorer, node }))).toEqual(changed[0]);
  const restored = await office.restore({
    explorer,
    nodes: [folder],
    target: { kind: 'original' },
    select: 'both',
    onConflict: 'replace',
    versions: 'last',
    flags: NO_FLAGS,
    dryRun: true,
    reason: null,
  });
  expect(restored.done.counts).toEqual({
    restored: 0,
    merged: 1,
    skipped: others.length + 1,
    failed: 0,
  });
});
