import { sql } from 'kysely';
import type { BackupRepositoryRow } from '#contract/backup/repositories.ts';
import type { BackupRepositoryId, Ms } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { loadPortalAddress } from '#server/platform/tenancy/portal-address.ts';
import { mailAdministrators } from '#server/platform/mail/mail-administrators.ts';
import { backupMessages as t } from './messages.en.ts';

/** News of an earlier day no longer help. */
const MAX_AGE_MS: Ms = 24 * 3_600_000;

/** `before`: how many items were damaged before. */
type Finding =
  | {
      readonly type: 'backuprepository.verified@1';
      readonly data: { readonly id: BackupRepositoryId; readonly damaged: number };
      readonly before: number | null;
    }
  | {
      readonly type: 'backuprepository.tampered@1';
      readonly data: {
        readonly id: BackupRepositoryId;
        readonly recovered: number;
        readonly lost: number;
      };
      readonly before: null;
    };

/**
 * SUITE-35: emails the administrators who see the company about data of a repository that the log
 * says is damaged, or that somebody else deleted or overwrote, between two events.
 */
export async function warnOfRepositories(
  tx: TenantTx,
  context: AppContext,
  after: number,
  to: number,
): Promise<void> {
  const { rows } = await sql<Finding>`
    select e.type, e.data, (
      select (b.data ->> 'damaged')::int from event as b
      where b.tenant_id = ${tx.tenant} and b.entity = e.entity and b.entity not like 'run:%'
        and b.type = 'backuprepository.verified@1' and b.seq < e.seq order by b.seq desc limit 1) as before
    from event as e
    where e.tenant_id = ${tx.tenant} and e.seq > ${after} and e.seq <= ${to}
      and e.type in ('backuprepository.verified@1', 'backuprepository.tampered@1')
      and e.at > ${context.clock.now() - MAX_AGE_MS}
    order by e.seq`.execute(tx.sql);
  const news = rows.filter(
    ({ type, data, before }) =>
      type === 'backuprepository.tampered@1' || data.damaged > (before ?? 0),
  );
  if (news.length === 0) return;
  const known = await tx.rows('backupRepository', [...new Set(news.map(({ data }) => data.id))]);
  const address = await loadPortalAddress(tx, context);
  const link = address === null ? '' : `\n\n${address}/o365/repositories`;
  for (const finding of news) {
    const repository = known.get(finding.data.id);
    if (repository?.removedAt !== null) continue;
    await mailAdministrators(tx, context, repository.company, (company) => {
      const [subject, ...lines] = write(finding, { name: repository.name, company });
      return { subject, text: `${lines.join('\n\n')}${link}\n` };
    });
  }
}

function write(
  finding: Finding,
  about: Pick<BackupRepositoryRow, 'name'> & { readonly company: string },
): readonly [string, ...string[]] {
  if (finding.type === 'backuprepository.verified@1')
    return [
      t.damagedSubject(about),
      t.damaged({ ...about, count: finding.data.damaged }),
      t.damagedNext,
    ];
  const { recovered, lost } = finding.data;
  return [
    t.tamperedSubject(about),
    ...(recovered > 0 ? [t.recovered({ ...about, count: recovered })] : []),
    ...(lost > 0 ? [t.lost({ ...about, count: lost })] : []),
    t.tamperedNext,
  ];
}
