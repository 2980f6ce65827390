import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { hidePerson, releasePerson } from '#server/engine/embedded/repositories/exclusions.ts';
import { isProtections } from '#server/engine/embedded/repositories/protections.ts';
import { begin, loadAttachment, work } from './attach-bench.ts';
import type { MemoryCopy } from './memory-source.ts';
import { getValue } from './restic/fixtures.ts';
import { loadFiles, type SessionBench } from './session-bench.ts';

export const USER = randomUUID();
type Copies = Readonly<Record<string, MemoryCopy>>;

export const filterBy = (copies: Copies, isIncluded: (person: string) => boolean): Copies =>
  Object.fromEntries(
    Object.entries(copies).filter(([name]) => isIncluded(name.split(' ')[1] ?? '')),
  );

/** Returns what ends the exclusion. */
export async function exclude(bench: SessionBench, person: string): Promise<() => Promise<void>> {
  const { organization, tenant, ground: fixture } = bench;
  const { store, clock } = fixture.context;
  const exclusion = randomUUID();
  await store.tenant(tenant, (tx) => hidePerson(tx, { organization, id: person }, clock.now()));
  const added = { id: exclusion, object: person, name: person, reason: 'A request', user: USER };
  await bench.append({
    type: 'organization.personexcluded@1',
    data: { id: organization, exclusion: added },
  });
  return async () => {
    await store.tenant(tenant, (tx) => releasePerson(tx, { organization, id: person }));
    await bench.append({
      type: 'organization.exclusionended@1',
      data: { id: organization, exclusion, user: USER, reason: 'Revoked' },
    });
  };
}

export const loadOrganization = async ({ ground: fixture, tenant, organization }: SessionBench) => {
  const row = await fixture.context.store.tenant(tenant, async (tx) =>
    (await tx.rows('organization', [organization])).get(organization),
  );
  return {
    holds: (row?.holds ?? []).map(({ kind, object, reason, until }) => ({
      kind,
      object,
      reason,
      until,
    })),
    excluded: (row?.exclusions ?? []).flatMap(({ object, endedAt }) =>
      endedAt === null ? [object] : [],
    ),
  };
};

export const getFound = async (bench: SessionBench) =>
  ((await loadAttachment(bench))?.problems ?? [])
    .map(({ kind, object }) => `${kind} ${object}`)
    .sort();

/** Contents that the repository has, read from its snapshots as restic does. */
export async function readRepository(bench: SessionBench) {
  const repository = await bench.open();
  const snapshots = getValue(await repository.listSnapshots());
  const texts = new Set<string>();
  for (const { tree } of snapshots)
    for (const text of (await loadFiles(repository, tree)).files.values()) texts.add(text);
  await repository.close();
  return { texts, records: snapshots.filter(isProtections).length };
}

export const attach = async (bench: SessionBench): Promise<void> => {
  await begin(bench);
  expect(await work(bench)).toBe(null);
};
