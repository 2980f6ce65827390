import { expect, test } from 'vitest';
import { eachDatabase } from '../../db/databases.ts';
import { aTeam } from './team-bench.ts';

/** Three looks at a place, then the item fails. */
const LOOKS = 3;

eachDatabase((kind, open) => {
  test(`RES-3, RES-4: a file that somebody creates or changes while it is restored is replaced as any other, and an undo puts it back (${kind})`, async () => {
    const bench = await aTeam(await open());
    const { fixture, office, teams, team, restore, undo, top } = bench;
    const [general] = teams.listChannels(team);
    const channel = general?.id ?? '';
    const [before] = teams.listFiles(team, channel);
    if (!before) throw new Error('no file');
    const find = () => teams.listFiles(team, channel).find(({ name }) => name === before.name);
    const read = (file = find()) => file && [file.size, Math.floor(file.file_changed_at / 1_000)];
    fixture.pass(60_000);
    teams.deleteFile(team, channel, before.id);
    let uploads = 0;
    let theirs: ReturnType<typeof read>;
    /** What others do at each of the first uploads of the file. */
    let others: readonly (() => void)[] = [];
    const create = (): void => void teams.addFile(team, channel, before.name);
    const change = (): void => teams.changeFile(team, channel, find()?.id ?? '');
    fixture.context.cloud.connectTo(async (request) => {
      if (request.method === 'POST' && request.url.endsWith('/createUploadSession')) {
        const act = others[uploads++];
        act?.();
        if (act) theirs = read();
      }
      return office.fetch(request);
    });
    others = [create, change];
    const { task, results } = await restore([top]);
    expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    expect(results.filter(({ outcome }) => outcome === 'merged')).toHaveLength(1);
    expect(uploads).toBe(LOOKS);
    expect(read()).toEqual(read(before));
    expect(theirs).not.toEqual(read(before));
    expect((await undo(task)).counts.failed).toBe(0);
    expect(read()).toEqual(theirs);

    // Somebody who never ends changing it.
    uploads = 0;
    others = Array.from({ length: 10 }, () => change);
    const refused = await restore([top]);
    expect(refused.results.filter(({ outcome }) => outcome === 'failed')).toHaveLength(1);
    expect(uploads).toBe(LOOKS);
    expect(read()).toEqual(theirs);
    office.close();
  });
});
