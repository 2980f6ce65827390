import type { OutputOf } from '#contract/calls.ts';
import { Callout } from '#src/ui/callout.tsx';
import { formatCount, formatDate } from '#src/ui/format.ts';
import { backupRepositoryMessages as t } from './messages.en.ts';

export type AttachedRow = NonNullable<
  OutputOf<'listBackupRepositories'>['rows'][number]['attachment']
>;

/** How far the index of a repository is read from it, and what was left out. */
export function AttachmentNote({
  attachment,
  zone,
}: {
  readonly attachment: AttachedRow | null;
  readonly zone: string;
}) {
  if (attachment === null) return null;
  const { isDone, points, objects, problems, problemCount } = attachment;
  if (!isDone)
    return (
      <Callout tone="running">
        <output className="block">{t.attaching}</output>
        <p className="m-0">{t.attachingPoints(getProgress(points))}</p>
        {objects.total !== null && (
          <p className="m-0">{t.attachingObjects(getProgress(objects))}</p>
        )}
      </Callout>
    );
  if (problemCount === 0) return null;
  return (
    <Callout tone="warning">
      <p className="m-0">{t.leftOut({ count: problemCount })}</p>
      <ul className="m-0 max-h-40 overflow-auto pl-5">
        {problems.map((problem, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- the list doesn't change
          <li key={at}>{describe(problem, zone)}</li>
        ))}
      </ul>
    </Callout>
  );
}

const getProgress = ({ done, total }: AttachedRow['points']) => ({
  done: formatCount(done),
  total: total === null ? '…' : formatCount(total),
});

const TEXTS = {
  'incomplete': t.leftOutIncomplete,
  'excluded': t.foundExcluded,
  'on-hold': t.foundOnHold,
  'excluded-on-hold': t.foundExcludedOnHold,
} as const;

function describe({ kind, at, object }: AttachedRow['problems'][number], zone: string): string {
  const day = at === null ? t.unknownDay : formatDate(at, zone);
  if (kind === 'foreign') return t.leftOutForeign({ day });
  if (kind === 'damaged') return t.leftOutDamaged({ day });
  return TEXTS[kind]({ day, object: object ?? '' });
}
