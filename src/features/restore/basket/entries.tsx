import { useState } from 'react';
import { ITEM_KINDS } from '#contract/restore/search-calls.ts';
import { useZone } from '#src/app/session/session.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { Button, IconButton } from '#src/ui/button.tsx';
import { formatBytes, formatCount, formatUtc, formatWhen } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import type { IconName } from '#src/ui/icon.tsx';
import { RetryCallout } from '#src/ui/retry-callout.tsx';
import { containerIcon, containerName, itemIcon } from '../labels.ts';
import { splitPeople } from '../items/people.ts';
import { TEXTS } from '../texts.ts';
import type { ContainerNode, ItemNode, WorkloadKind } from '../workload.ts';
import { isWhole } from './basket.ts';
import type { BasketGroup, NamedEntry } from './basket.ts';
import { basketMessages as t } from './messages.en.ts';
import type { GroupContent } from './use-contents.ts';

const ORDER: readonly WorkloadKind[] = ['outlook', 'onedrive', 'sharepoint', 'teams'];
/** Entries of an object that are shown at first. */
const FIRST_ENTRIES = 50;

interface EntriesProps {
  readonly contents: readonly GroupContent[];
  readonly isOffline: boolean;
  readonly onRemove: (group: BasketGroup, nodes: readonly string[]) => void;
  readonly onRetry: () => void;
}

/** What is in the basket, by service and by object with its restore point. */
export function Entries({ contents, isOffline, onRemove, onRetry }: EntriesProps) {
  const failure = contents.find((content) => content.failure !== null)?.failure ?? null;
  return (
    <>
      {failure !== null && !isOffline && (
        <RetryCallout failure={failure} onRetry={onRetry}>
          {getFailureText(failure)}
        </RetryCallout>
      )}
      {ORDER.map((kind) => {
        const ofKind = contents.filter(({ group }) => group.workload === kind);
        return ofKind.length === 0 ? null : (
          <section key={kind} aria-label={TEXTS[kind].objects}>
            <h3 className="m-0 flex items-center gap-2 border-b-3 border-double border-head-rule pt-2 pb-1 text-[length:inherit]">
              <Icon name={TEXTS[kind].icon} className="text-ink-3" />
              {TEXTS[kind].objects}
            </h3>
            {ofKind.map((content) => (
              <Group
                key={content.key}
                content={content}
                isOffline={isOffline}
                onRemove={(nodes) => onRemove(content.group, nodes)}
              />
            ))}
          </section>
        );
      })}
    </>
  );
}

function Group({
  content: { group, named, object, size, failure },
  isOffline,
  onRemove,
}: {
  readonly content: GroupContent;
  readonly isOffline: boolean;
  readonly onRemove: (nodes: readonly string[]) => void;
}) {
  const zone = useZone();
  const [isAll, setIsAll] = useState(false);
  const name = object === null ? null : getEntryName(object);
  const known = new Map<string, NamedEntry>(named?.map((entry) => [entry.id, entry]));
  const shown = isAll ? group.nodes : group.nodes.slice(0, FIRST_ENTRIES);
  return (
    <div className="border-b border-hair py-2">
      <div className="flex items-start gap-2">
        <div className="min-w-0 grow">
          <h4 className="m-0 text-[length:inherit] font-semibold break-words">
            {name ?? (named === null ? t.entries({ count: group.nodes.length }) : t.gone)}
          </h4>
          <p className="m-0 flex flex-wrap gap-x-2 text-agate text-ink-3">
            <time data-tip={formatUtc(group.at)}>
              {t.point({ when: formatWhen(group.at, zone) })}
            </time>
            {group.showDeleted && <span>{t.withDeleted}</span>}
            {size !== null && (
              <span>{t.holds({ count: size.items, size: formatBytes(size.bytes) })}</span>
            )}
          </p>
        </div>
        <IconButton
          icon="trash"
          label={t.removeGroup({ name: name ?? t.entries({ count: group.nodes.length }) })}
          onClick={() => onRemove(group.nodes)}
        />
      </div>
      {named === null ? (
        failure === null && (
          <p className="m-0 text-agate text-ink-3">{isOffline ? t.noNames : t.loading}</p>
        )
      ) : isWhole(group) ? (
        named.length > 0 && <p className="m-0 pl-1 text-ink-2">{t.whole}</p>
      ) : (
        <ul className="m-0 list-none p-0">
          {shown.map((id) => (
            <Entry key={id} entry={known.get(id) ?? null} onRemove={() => onRemove([id])} />
          ))}
        </ul>
      )}
      {named !== null && shown.length < group.nodes.length && (
        <Button size="sm" onClick={() => setIsAll(true)}>
          {t.showAll({ count: formatCount(group.nodes.length) })}
        </Button>
      )}
    </div>
  );
}

/** `entry` null: the restore point doesn't have it any more. */
function Entry({
  entry,
  onRemove,
}: {
  readonly entry: NamedEntry | null;
  readonly onRemove: () => void;
}) {
  const zone = useZone();
  const name = entry === null ? t.gone : getEntryName(entry);
  const details =
    entry === null
      ? []
      : [
          splitPeople(entry.people)[0]?.name ?? '',
          entry.at === null ? '' : formatWhen(entry.at, zone),
          entry.sizeBytes === null ? '' : formatBytes(entry.sizeBytes),
        ].filter((part) => part !== '');
  return (
    <li className="flex min-h-9 items-center gap-2 pl-1">
      <Icon
        name={entry === null ? 'warning' : getEntryIcon(entry)}
        className={entry === null ? 'text-warning' : 'text-ink-3'}
      />
      <span className="min-w-0 grow">
        <span className="block truncate" data-tip={name}>
          {name}
        </span>
        {details.length > 0 && (
          <span className="block truncate text-agate text-ink-3">{details.join(' · ')}</span>
        )}
      </span>
      <IconButton icon="close" label={t.removeNode({ name })} onClick={onRemove} />
    </li>
  );
}

/** The name of a mailbox, folder or item. */
export const getEntryName = ({ kind, name }: Pick<NamedEntry, 'kind' | 'name'>): string =>
  isItemKind(kind) ? name : containerName({ kind, name });

const getEntryIcon = ({ kind, id, name }: NamedEntry): IconName =>
  isItemKind(kind)
    ? itemIcon({ kind })
    : containerIcon({
        kind,
        id,
        name,
        sizeBytes: null,
        at: null,
        deleted: false,
        seen: { first: 0, last: 0 },
        children: null,
      });

const ITEMS: ReadonlySet<string> = new Set(ITEM_KINDS);
const isItemKind = (kind: ContainerNode['kind'] | ItemNode['kind']): kind is ItemNode['kind'] =>
  ITEMS.has(kind);
