import { isDeepStrictEqual } from 'node:util';
import type { OrganizationRow } from '#contract/backup/organizations.ts';
import type { Ms, OrganizationId, TenantId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { Vb365Detail } from '#server/platform/db/database-vb365.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { SourceError } from '#server/platform/systems/source-error.ts';
import { done } from '../result.ts';
import type { Vb365Client } from './client.ts';
import { toRepository, writeChangedRepository } from './map-repository.ts';
import { vb365Messages as t } from './messages.en.ts';
import { getRepositoryPath, readRepository } from './read-repository.ts';
import {
  findRepositoryLink,
  listRepositoryLinks,
  type RepositoryLink,
  setShortened,
} from './repository-links.ts';
import { saveAlone } from './repository-saves.ts';

/**
 * G73: sends the shorter retentions whose wait is over. One that was changed on the server meanwhile
 * stays as it is there. Returns why some couldn't be sent: the next reading tries again.
 */
export async function shortenDueRetentions(
  context: AppContext,
  tenant: TenantId,
  client: Vb365Client,
  { id: organization, name }: Pick<OrganizationRow, 'id' | 'name'>,
): Promise<string[]> {
  const links = await context.store.tenant(tenant, (tx) => listRepositoryLinks(tx, organization), {
    readOnly: true,
  });
  const problems: string[] = [];
  for (const { id, detail } of links) {
    if (!isDue(detail.shortened, context.clock.now())) continue;
    try {
      // While somebody saves it, it waits for the next reading.
      await saveAlone(context, { tenant, organization }, id, async ({ key }) => {
        await shorten(context, tenant, client, { organization, id, key });
        return done;
      });
    } catch (error) {
      if (!(error instanceof SourceError) || !OF_ONE.has(error.kind)) throw error;
      problems.push(t.notShortened({ organization: name, reason: error.message }));
    }
  }
  return problems;
}

type Shortened = Vb365Detail['shortened'];
const isDue = (shortened: Shortened, now: Ms): shortened is NonNullable<Shortened> =>
  shortened !== undefined && shortened.appliesAt <= now;

/** Refusals of one change: the server can be read nevertheless. */
const OF_ONE: ReadonlySet<SourceError['kind']> = new Set(['failed', 'forbidden', 'missing']);

async function shorten(
  context: AppContext,
  tenant: TenantId,
  client: Vb365Client,
  {
    organization,
    id,
    key,
  }: Pick<RepositoryLink, 'id' | 'key'> & { readonly organization: OrganizationId },
): Promise<void> {
  const found = await readRepository(client, key).catch((error: unknown) => {
    if (error instanceof SourceError && error.kind === 'missing') return null;
    throw error;
  });
  const load = (tx: TenantTx) => findRepositoryLink(tx, organization, id);
  // Read right before it is sent: a user may have kept the retention meanwhile.
  const link = await context.store.tenant(tenant, load, { readOnly: true });
  const shortened = link?.detail.shortened;
  if (!isDue(shortened, context.clock.now())) return;
  const { before, retention } = shortened;
  if (found !== null && isDeepStrictEqual(toRepository(found.row).retention, before))
    await client.command(
      {
        method: 'PUT',
        path: getRepositoryPath(key),
        body: writeChangedRepository(found.raw, { retention }),
      },
      null,
    );
  await context.store.tenant(tenant, async (tx) => {
    await tx.lock();
    if (!isDeepStrictEqual((await load(tx))?.detail.shortened, shortened)) return;
    // What is read next counts.
    await setShortened(tx, id, null, context.clock.now() - 1);
  });
}
