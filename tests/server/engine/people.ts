import { createHash, randomUUID } from 'node:crypto';
import type { ExclusionId, OrganizationId } from '#contract/ids.ts';
import { hidePerson, releasePerson } from '#server/engine/embedded/repositories/exclusions.ts';
import { byClock } from '../db/drafts.ts';
import { memoryObject, type MemoryObject } from './memory-source.ts';
import type { SessionBench } from './session-bench.ts';

/** Ann has a mailbox and a drive, Bob a mailbox, Cem a drive. What one loses, others still need. */
export function makePeople(): MemoryObject[] {
  const objects = [
    memoryObject('mailbox', 'ann'),
    memoryObject('drive', 'ann'),
    memoryObject('mailbox', 'bob'),
    memoryObject('drive', 'cem'),
  ];
  for (const memory of objects) {
    memory.putFolder('top', null, 'Inbox');
    for (let n = 0; n < 3; n += 1) memory.putItem(`i${n}`, 'top', `shared ${n}`);
    memory.putItem('own', 'top', `only of ${memory.object.kind} ${memory.object.id}`);
  }
  return objects;
}

/** Excludes a person as the call does, and returns what ends the exclusion. */
export async function exclude(bench: SessionBench, id: string): Promise<() => Promise<void>> {
  const { ground: fixture, tenant } = bench;
  const { store, clock } = fixture.context;
  const organization = bench.organization as OrganizationId;
  const exclusion = randomUUID() as ExclusionId;
  const user = randomUUID();
  const by = () => ({ ...byClock, at: clock.now() });
  const entity = 'test:1';
  await store.tenant(tenant, async (tx) => {
    await hidePerson(tx, { organization, id }, clock.now());
    const added = { id: exclusion, object: id, name: id, reason: 'Requested', user };
    const data = { id: organization, exclusion: added };
    await tx.append(
      [{ company: 1, entity, event: { type: 'organization.personexcluded@1', data } }],
      by(),
    );
  });
  return () =>
    store.tenant(tenant, async (tx) => {
      await releasePerson(tx, { organization, id });
      const data = { id: organization, exclusion, user, reason: 'Revoked' };
      await tx.append(
        [{ company: 1, entity, event: { type: 'organization.exclusionended@1', data } }],
        by(),
      );
    });
}

/** Which of the contents the repository has in any pack. */
export async function findStored(
  bench: SessionBench,
  contents: Iterable<string>,
): Promise<readonly string[]> {
  const repository = await bench.open();
  const found: string[] = [];
  for (const content of new Set(contents)) {
    const id = createHash('sha256').update(content).digest('hex');
    if ((await repository.readBlob('data', id)).ok) found.push(content);
  }
  await repository.close();
  return found.sort();
}
