import { isDeepStrictEqual } from 'node:util';
import type { OrganizationRow } from '#contract/backup/organizations.ts';
import type { TenantId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { SourceError } from '#server/platform/systems/source-error.ts';
import type { Vb365Client } from './client.ts';
import { toRepository, writeChangedRepository } from './map-repository.ts';
import { vb365Messages as t } from './messages.en.ts';
import { getRepositoryPath, readRepository } from './read-repository.ts';
import { listRepositoryLinks, type RepositoryLink, setShortened } from './repository-links.ts';

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
  for (const link of links) {
    const { shortened } = link.detail;
    if (shortened === undefined || shortened.appliesAt > context.clock.now()) continue;
    try {
      await shorten(client, link, shortened);
    } catch (error) {
      if (!(error instanceof SourceError) || error.kind !== 'fault') throw error;
      problems.push(t.notShortened({ organization: name, reason: error.message }));
      continue;
    }
    await context.store.tenant(tenant, (tx) =>
      // What is read next counts.
      setShortened(tx, link.id, null, context.clock.now() - 1),
    );
  }
  return problems;
}

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
