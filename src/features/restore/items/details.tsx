import type { ReactNode } from 'react';
import { useZone } from '#src/app/session/session.ts';
import { formatBytes, formatUtc, formatWhen } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { useCapabilities } from '../capabilities.ts';
import type { ItemNode } from '../workload.ts';
import { personText, splitPeople } from './people.ts';
import { itemMessages as t } from './messages.en.ts';

/** What is known of an item without reading its content. */
export function ItemDetails({
  item,
  path,
  isBrief,
}: {
  readonly item: ItemNode;
  /** Null: unknown. */
  readonly path: string | null;
  /** Only people and date, beside the text of a mail. */
  readonly isBrief: boolean;
}) {
  const zone = useZone();
  const { history } = useCapabilities();
  const moment = (at: number): ReactNode => (
    <time data-tip={formatUtc(at)}>{formatWhen(at, zone)}</time>
  );
  const facts: readonly (readonly [string, ReactNode])[] = [
    ...peopleFacts(item),
    ...(item.at === null ? [] : [[DATE_LABELS[item.kind] ?? t.sent, moment(item.at)] as const]),
  ];
  const more: readonly (readonly [string, ReactNode])[] = [
    ...(path === null ? [] : [[t.path, path] as const]),
    ...(item.sizeBytes === null ? [] : [[t.size, formatBytes(item.sizeBytes)] as const]),
    ...ownFacts(item, history),
    ...(history
      ? ([
          [t.firstSeen, moment(item.seen.first)],
          [t.lastSeen, moment(item.seen.last)],
        ] as const)
      : []),
  ];
  return (
    <div className="px-4 pb-3 tablet:px-5">
      {item.deleted && (
        <p className="m-0 flex items-center gap-2 pb-2 text-warning">
          <Icon name="trash" />
          {t.deleted({ when: formatWhen(item.seen.last, zone) })}
        </p>
      )}
      <dl className="m-0 grid grid-cols-[minmax(4rem,max-content)_minmax(0,1fr)] gap-x-3">
        {[...facts, ...(isBrief ? [] : more)].map(([term, value]) => (
          <div key={term} className="col-span-2 grid grid-cols-subgrid border-b border-hair py-1.5">
            <dt className="text-ink-3">{term}</dt>
            <dd className="m-0 min-w-0 break-words">{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

const DATE_LABELS: Readonly<Partial<Record<ItemNode['kind'], string>>> = {
  file: t.changed,
  row: t.created,
  contact: t.created,
  event: t.starts,
  task: t.due,
};

/** What only items of this kind have. `hasState`: it is known whether they were read or done. */
function ownFacts(item: ItemNode, hasState: boolean): readonly (readonly [string, ReactNode])[] {
  switch (item.kind) {
    case 'file':
      return item.version === '' ? [] : [[t.version, item.version]];
    case 'post':
      return item.replies === null ? [] : [[t.replies, String(item.replies)]];
    case 'tab':
      return [[t.app, item.app]];
    case 'task':
      return hasState ? [[t.state, item.read ? t.completed : t.open]] : [];
    case 'row':
    case 'contact':
    case 'settings':
      return [];
    default:
      return [
        [t.attachments, item.attachments > 0 ? t.yes : t.none],
        ...(item.kind === 'mail' && hasState
          ? [[t.state, item.read ? t.read : t.unreadState] as const]
          : []),
      ];
  }
}

function peopleFacts(item: ItemNode): readonly (readonly [string, ReactNode])[] {
  if (item.kind === 'post') return [[t.from, item.author]];
  if (item.kind === 'file' || item.kind === 'row') return [[t.author, item.author]];
  if (!('people' in item) || item.kind === 'task') return [];
  if (item.kind === 'contact') return item.people === '' ? [] : [[t.emails, item.people]];
  const isEvent = item.kind === 'event';
  const [sender, ...others] = splitPeople(item.people);
  const shown = others.slice(0, MAX_PEOPLE).map(personText).join('; ');
  return [
    [
      isEvent ? t.organizer : t.from,
      sender === undefined ? (isEvent ? t.noOrganizer : t.noSender) : personText(sender),
    ],
    ...(others.length === 0
      ? []
      : [
          [
            isEvent ? t.attendees : t.to,
            others.length > MAX_PEOPLE
              ? t.morePeople({ people: shown, count: others.length - MAX_PEOPLE })
              : shown,
          ] as const,
        ]),
  ];
}
const MAX_PEOPLE = 10;

export function itemTitle({ kind, name }: ItemNode): string {
  if (kind === 'settings') return t.settings;
  return name === '' ? t.noSubject : name;
}
