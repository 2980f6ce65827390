import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freshStore, ONE } from '../db/databases.ts';
import { anOfficeWithHistory, type FilePlace } from './file-versions-bench.ts';
import { PASSWORD } from './restic/fixtures.ts';
import {
  expectNoError,
  listPrograms,
  missing,
  readWith,
  type ResticProgram,
  restoreFiles,
} from './restic/restic-reader.ts';

type Office = Awaited<ReturnType<typeof anOfficeWithHistory>>;

async function aPlace(place: FilePlace, texts: readonly string[]) {
  const office = await anOfficeWithHistory(await freshStore(ONE), 'all', place);
  const [file, other] = office.files();
  if (file === undefined || other === undefined) throw new Error('no files');
  for (const text of texts) office.save(file.id, text);
  return { office, file, other };
}

const getTexts = (rows: readonly { readonly text: string }[]): string[] =>
  rows.map(({ text }) => text);

/** What restic restores of the newest restore point. */
async function readNewest(office: Office, program: ResticProgram): Promise<string[]> {
  const place = { folder: join(office.repositoriesDir, office.repository), password: PASSWORD };
  await expectNoError(program, place);
  const snapshots = JSON.parse(await readWith(program, place, 'snapshots', '--json')) as {
    readonly id: string;
    readonly time: string;
  }[];
  const newest = snapshots.toSorted((a, b) => Date.parse(b.time) - Date.parse(a.time))[0];
  const files = await restoreFiles(program, place, newest?.id ?? '');
  return Object.entries(files).flatMap(([path, bytes]) =>
    path.endsWith('.daybook.jsonl') ? [] : [bytes.toString()],
  );
}

const TEXTS = ['the second text', 'the third text', 'the fourth text'];

for (const place of ['site', 'team'] as const) {
  test(`ENG-140, RES-140: the version history of a file of a ${place} is backed up, and one version or all are restored and undone`, async () => {
    const { office, file } = await aPlace(place, TEXTS);
    const { result } = await office.backUp();
    expect(result).toBe('success');
    const stored = office.listStored(file.id);
    expect(stored).toHaveLength(4);
    const { explorer, node, versions } = await office.findFile(file.name);
    const history = versions.filter(({ version }) => version !== null).toReversed();
    expect(history.map(({ version }) => version)).toEqual(stored.slice(0, -1).map(({ id }) => id));
    for (const [index, { node: one }] of history.entries()) {
      const { text, at, author } = stored[index] ?? {};
      expect([await office.readNode(explorer, one.id), one.at]).toEqual([text, at]);
      expect('author' in one ? one.author : '').toBe(author);
    }

    const second = history.find(({ version }) => version === '2.0')?.node.id ?? 'i1.1';
    const dry = await office.restore(explorer, [second], { dryRun: true });
    expect(dry.results.map(([outcome]) => outcome)).toEqual(['merged']);
    expect(getTexts(office.listStored(file.id)).at(-1)).toBe('the fourth text');
    const { task, results } = await office.restore(explorer, [second]);
    expect(results.map(([outcome]) => outcome)).toEqual(['merged']);
    expect(getTexts(office.listStored(file.id)).at(-1)).toBe('the second text');
    expect((await office.undo(task)).result).toBe('success');
    expect(getTexts(office.listStored(file.id)).at(-1)).toBe('the fourth text');

    office.remove(file.id);
    const all = await office.restore(explorer, [node.id], { versions: 'all' });
    expect(all.results.map(([outcome]) => outcome)).toEqual(['restored']);
    const back = office.files().find(({ name }) => name === file.name);
    expect(getTexts(office.listStored(back?.id ?? ''))).toEqual(getTexts(stored));
    expect((await office.undo(all.task)).result).toBe('success');
    expect(office.files().some(({ name }) => name === file.name)).toBe(false);
  });

  test.skipIf(missing !== '')(
    `ENG-140: restic restores every version of the files of a ${place}, and leaves out those that the tenant has removed by then${missing}`,
    async () => {
      const { office, file, other } = await aPlace(place, TEXTS);
      office.save(other.id, 'another file');
      await office.backUp();
      const texts = [...office.listStored(file.id), ...office.listStored(other.id)].map(
        ({ text }) => text,
      );
      for (const program of listPrograms()) {
        const restored = await readNewest(office, program);
        for (const text of texts) expect(restored.filter((one) => one === text)).toHaveLength(1);
      }
      office.office.admin.trimVersion(file.id, 2);
      office.save(file.id, 'the fifth text');
      await office.backUp();
      for (const program of listPrograms()) {
        const again = await readNewest(office, program);
        for (const text of [...texts, 'the fifth text'].filter((one) => one !== TEXTS[0]))
          expect(again.filter((one) => one === text)).toHaveLength(1);
        expect(again).not.toContain(TEXTS[0]);
      }
    },
  );
}
