import type { OutputOf } from '#contract/calls.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { useZone } from '#src/app/session/session.ts';
import { Dialog } from '#src/ui/dialog.tsx';
import { formatBytes, formatWhen } from '#src/ui/format.ts';
import { RetryCallout } from '#src/ui/retry-callout.tsx';
import { useIsTablet } from '#src/ui/use-is-tablet.ts';
import { useQuery } from '../../shared/queries/use-query.ts';
import { PropertyTable } from './property-table.tsx';
import { TextDifference } from './text-difference.tsx';
import { getVersionMoment, type Version } from './version.ts';
import { restoreVersionMessages as t } from './messages.en.ts';

type Compared = OutputOf<'compareItemVersions'>;

/** Two versions of an item beside each other. */
export function Comparison({
  session,
  before,
  after,
  onClose,
}: {
  readonly session: string;
  readonly before: Version;
  readonly after: Version;
  readonly onClose: () => void;
}) {
  const zone = useZone();
  const isTablet = useIsTablet();
  const { value, failure, again } = useQuery('compareItemVersions', {
    restoreSessionId: session,
    beforeId: before.id,
    afterId: after.id,
  });
  return (
    <Dialog title={t.comparison} place={isTablet ? 'middle' : 'bottom'} wide onClose={onClose}>
      <div className="grid gap-4 px-5 py-3">
        {failure !== null && (
          <RetryCallout failure={failure} onRetry={again}>
            {getFailureText(failure)}
          </RetryCallout>
        )}
        {value === null && failure === null && (
          <output className="block text-ink-3">{t.comparing}</output>
        )}
        {value !== null && (
          <>
            <PropertyTable
              before={t.older({ when: formatWhen(getVersionMoment(before), zone) })}
              after={t.newer({ when: formatWhen(getVersionMoment(after), zone) })}
              rows={getProperties(before, after, value, zone).map(([name, older, newer]) => ({
                name,
                before: older,
                after: newer,
                isSame: older === newer,
              }))}
            />
            <TextDifference difference={value} />
          </>
        )}
      </div>
    </Dialog>
  );
}

const toText = (size: number | null): string => (size === null ? '' : formatBytes(size));

/** What can be said of both versions: name, older, newer. */
function getProperties(
  before: Version,
  after: Version,
  { fields }: Compared,
  zone: string,
): readonly (readonly [string, string, string])[] {
  const when = (at: number | null): string => (at === null ? '' : formatWhen(at, zone));
  const size = [t.size, toText(before.sizeBytes), toText(after.sizeBytes)] as const;
  if (fields.length > 0)
    return [
      ...fields.map(({ name, before: older, after: newer }) => {
        const show = (value: string): string =>
          name === 'sent' && value !== '' ? when(Number(value)) : value;
        return [LABELS[name], show(older), show(newer)] as const;
      }),
      size,
    ];
  return [
    [t.name, before.name, after.name],
    [after.kind === 'file' ? t.people : t.sender, before.people, after.people],
    [t.changed, when(before.at), when(after.at)],
    size,
  ];
}

const LABELS: Readonly<Record<Compared['fields'][number]['name'], string>> = {
  subject: t.subject,
  from: t.from,
  to: t.to,
  cc: t.cc,
  sent: t.sent,
  attachments: t.attachments,
};
