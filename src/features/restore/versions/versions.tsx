import { type ReactNode, useState } from 'react';
import { getFailureText } from '#src/app/failure-text.ts';
import { useZone } from '#src/app/session/session.ts';
import { Badge } from '#src/ui/badge.tsx';
import { Button } from '#src/ui/button.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { formatBytes, formatUtc, formatWhen } from '#src/ui/format.ts';
import { RetryCallout } from '#src/ui/retry-callout.tsx';
import { useIsTablet } from '#src/ui/use-is-tablet.ts';
import { useQuery } from '../../shared/queries/use-query.ts';
import { getReason, useCapabilities } from '../capabilities.ts';
import { splitPeople } from '../items/people.ts';
import type { ItemNode } from '../workload.ts';
import { Comparison } from './comparison.tsx';
import { getVersionMoment, type Version } from './version.ts';
import { restoreVersionMessages as t } from './messages.en.ts';

interface VersionsProps {
  readonly session: string;
  readonly item: string;
  readonly kind: ItemNode['kind'];
  readonly mayRead: boolean;
  /** The content of a version; null: it can't be shown. */
  readonly renderContent: ((version: Version) => ReactNode) | null;
  readonly onRestore: (version: Version) => void;
  /** Null: they can't be downloaded. */
  readonly onDownload: ((version: Version) => void) | null;
}

/** The versions of an item over its restore points, once a person asks for them. */
export function Versions(props: VersionsProps) {
  const { versions: listed } = useCapabilities();
  const [isOn, setIsOn] = useState(false);
  return (
    <section aria-label={t.title} className="px-4 pb-4 tablet:px-5">
      <Button
        size="sm"
        icon="history"
        aria-expanded={isOn}
        onClick={() => setIsOn(!isOn)}
        {...getReason(listed.includes(props.kind))}
      >
        {isOn ? t.hide : t.show}
      </Button>
      {isOn && <VersionList {...props} />}
    </section>
  );
}

function VersionList({
  session,
  item,
  mayRead,
  renderContent,
  onRestore,
  onDownload,
}: VersionsProps) {
  const zone = useZone();
  const { value, failure, again } = useQuery('listItemVersions', {
    restoreSessionId: session,
    itemId: item,
  });
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [isComparing, setIsComparing] = useState(false);
  const [read, setRead] = useState<Version | null>(null);
  const isTablet = useIsTablet();
  if (failure !== null)
    return (
      <div className="pt-3">
        <RetryCallout failure={failure} onRetry={again}>
          {getFailureText(failure)}
        </RetryCallout>
      </div>
    );
  if (value === null) return <output className="block pt-3 text-ink-3">{t.loading}</output>;
  const { rows } = value;
  // The older one first.
  const pair = rows.filter(({ id }) => chosen.includes(id)).toReversed();
  const [before, after] = pair;
  return (
    <>
      <ul aria-label={t.title} className="m-0 list-none p-0 pt-2">
        {rows.map((version) => (
          <VersionRow
            key={version.id}
            version={version}
            zone={zone}
            isShown={version.id === item}
            isChosen={chosen.includes(version.id)}
            isFull={chosen.length >= 2}
            canChoose={rows.length > 1 && mayRead}
            onChoose={(isChosen) =>
              setChosen(
                isChosen ? [...chosen, version.id] : chosen.filter((id) => id !== version.id),
              )
            }
            onShow={renderContent === null ? null : () => setRead(version)}
            onRestore={() => onRestore(version)}
            onDownload={onDownload === null ? null : () => onDownload(version)}
          />
        ))}
      </ul>
      {rows.length === 1 ? (
        <p className="m-0 pt-2 text-agate text-ink-3">{t.only}</p>
      ) : (
        mayRead && (
          <div className="flex flex-wrap items-center gap-3 pt-3">
            <Button
              size="sm"
              disabled={pair.length !== 2}
              data-tip={pair.length === 2 ? undefined : t.compareHint}
              onClick={() => setIsComparing(true)}
            >
              {t.compare}
            </Button>
            <span className="text-agate text-ink-3">{t.hint}</span>
          </div>
        )
      )}
      {read !== null && renderContent !== null && (
        <Dialog
          title={t.content({ when: formatWhen(getVersionMoment(read), zone) })}
          place={isTablet ? 'middle' : 'bottom'}
          wide
          onClose={() => setRead(null)}
        >
          <div className="flex min-h-96 flex-col pt-3">{renderContent(read)}</div>
        </Dialog>
      )}
      {isComparing && before !== undefined && after !== undefined && (
        <Comparison
          session={session}
          before={before}
          after={after}
          onClose={() => setIsComparing(false)}
        />
      )}
    </>
  );
}

function VersionRow({
  version,
  zone,
  isShown,
  isChosen,
  isFull,
  canChoose,
  onChoose,
  onShow,
  onRestore,
  onDownload,
}: {
  readonly version: Version;
  readonly zone: string;
  readonly isShown: boolean;
  readonly isChosen: boolean;
  readonly isFull: boolean;
  readonly canChoose: boolean;
  readonly onChoose: (isChosen: boolean) => void;
  readonly onShow: (() => void) | null;
  readonly onRestore: () => void;
  readonly onDownload: (() => void) | null;
}) {
  const { history } = useCapabilities();
  const { seen, sizeBytes, people, name, kind, version: number } = version;
  const first = formatWhen(seen.first, zone);
  const last = formatWhen(getVersionMoment(version), zone);
  const who = kind === 'file' ? (splitPeople(people)[0]?.name ?? '') : '';
  return (
    <li className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2.5 border-b border-hair py-2">
      <span className="grid w-6 justify-items-start">
        {canChoose && (
          <input
            type="checkbox"
            aria-label={t.select({ when: last })}
            checked={isChosen}
            disabled={!isChosen && isFull}
            onChange={(event) => onChoose(event.target.checked)}
            className="m-0 mt-0.5 size-4 accent-accent pointer-coarse:size-6"
          />
        )}
      </span>
      <span className="grid min-w-0 gap-0.5">
        <span className="flex flex-wrap items-baseline gap-x-2">
          <span data-tip={formatUtc(getVersionMoment(version))} className="font-semibold">
            {number !== null
              ? t.ofHistory({ number, when: last })
              : !history
                ? t.changedAt({ when: last })
                : seen.first === seen.last
                  ? t.seenOnce({ when: last })
                  : t.seen({ first, last })}
          </span>
          {isShown && <Badge>{t.shown}</Badge>}
        </span>
        <span className="min-w-0 text-agate break-words text-ink-2">
          {[name, who, sizeBytes === null ? '' : formatBytes(sizeBytes)]
            .filter((part) => part !== '')
            .join(' · ')}
        </span>
        <span className="flex flex-wrap gap-2 pt-1">
          {onShow !== null && (
            <Button size="sm" aria-label={t.showOf({ when: last })} onClick={onShow}>
              {t.showContent}
            </Button>
          )}
          <Button size="sm" aria-label={t.restoreOf({ when: last })} onClick={onRestore}>
            {t.restore}
          </Button>
          {onDownload !== null && (
            <Button size="sm" aria-label={t.downloadOf({ when: last })} onClick={onDownload}>
              {t.download}
            </Button>
          )}
        </span>
      </span>
    </li>
  );
}
