import { repositoryAttachment } from '#server/engine/embedded/attach/attach-job.ts';
import { beginAttachment, storeAttachment } from '#server/engine/embedded/attach/attachment.ts';
import { readRepositoryUsage } from '#server/engine/embedded/repositories/repositories.ts';
import type { RepositoryTarget } from '#server/engine/embedded/restic/target.ts';
import type { Store } from '#server/platform/db/store.ts';
import { getValue, makeMemoryTarget, PASSWORD } from './restic/fixtures.ts';
import {
  createRepositoryRow,
  makeSessionBench,
  type SessionBench,
  withoutWaits,
} from './session-bench.ts';

/** Another provider, of an own server, with the same tenant and the files of the repository. */
export async function makeSuccessor(
  store: Store,
  former: SessionBench,
  retention: Parameters<typeof createRepositoryRow>[1] = { retentionPolicy: 'Keep' },
): Promise<SessionBench> {
  const bench = await makeSessionBench(store, former.objects);
  bench.ground.pass(former.ground.context.clock.now() - bench.ground.context.clock.now());
  bench.files.clear();
  for (const [name, bytes] of former.files) bench.files.set(name, bytes);
  await createRepositoryRow(bench, retention);
  return bench;
}

export const begin = ({ ground: fixture, tenant, repository }: SessionBench): Promise<void> =>
  fixture.context.store.tenant(tenant, (tx) =>
    storeAttachment(tx, repository, beginAttachment(fixture.context.clock.now())),
  );

/** Works as a process does until it is done or dies. */
export const work = (
  bench: SessionBench,
  place: { readonly store?: Store; readonly target?: RepositoryTarget } = {},
) =>
  repositoryAttachment(
    { ...withoutWaits(bench), ...(place.store && { store: place.store }) },
    async () => ({
      ok: true,
      value: { target: place.target ?? makeMemoryTarget(bench.files), password: PASSWORD },
    }),
  )({
    tenant: bench.tenant,
    payload: { repository: bench.repository },
    now: bench.ground.context.clock.now(),
    signal: new AbortController().signal,
  });

export const loadAttachment = async ({
  ground: fixture,
  tenant,
  organization,
  repository,
}: SessionBench) =>
  getValue(
    await readRepositoryUsage(fixture.context, { tenant, organization, user: null }, repository),
  ).attachment;
