import { isDeepStrictEqual } from 'node:util';
import type { OrganizationRow } from '#contract/backup/organizations.ts';
import type { TenantId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { SourceError } from '#server/platform/systems/source-error.ts';
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
  for (const { id } of links) {
    // Read again right before it is sent: a user may have kept the retention meanwhile.
    const link = await context.store.tenant(
      tenant,
      (tx) => findRepositoryLink(tx, organization, id),
      { readOnly: true },
    );
    const shortened = link?.detail.shortened;
    if (!link || !shortened || shortened.appliesAt > context.clock.now()) continue;
    try {
      await shorten(client, link, shortened);
    } catch (error) {
      if (!(error instanceof SourceError) || !OF_ONE.has(error.kind)) throw error;
      problems.push(t.notShortened({ organization: name, reason: error.message }));
      continue;
    }
    await context.store.tenant(tenant, async (tx) => {
      await tx.lock();
      const now = await findRepositoryLink(tx, organization, id);
      if (!isDeepStrictEqual(now?.detail.shortened, shortened)) return;
      // What is read next counts.
      await setShortened(tx, id, null, context.clock.now() - 1);
    });
  }
  return problems;
}

/** Refusals of one change: the server can be read nevertheless. */
const OF_ONE: ReadonlySet<SourceError['kind']> = new Set(['fault', 'forbidden', 'missing']);

async function shorten(
  client: Vb365Client,
  { key }: RepositoryLink,
  { before, retention }: NonNullable<RepositoryLink['detail']['shortened']>,
): Promise<void> {
  const found = await readRepository(client, key).catch((error: unknown) => {
    if (error instanceof SourceError && error.kind === 'missing') return null;
    throw error;
  });
  if (found === null || !isDeepStrictEqual(toRepository(found.row).retention, before)) return;
  await client.command(
    {
      method: 'PUT',
      path: getRepositoryPath(key),
      body: writeChangedRepository(found.raw, { retention }),
    },
    null,
  );
}
