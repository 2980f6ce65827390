import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { LIMITS } from '#contract/limits.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { useZone } from '#src/app/session/session.ts';
import { Button, IconButton } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { RetryCallout } from '#src/ui/retry-callout.tsx';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { formatBytes, formatCount } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { Select } from '#src/ui/select.tsx';
import { Switch } from '#src/ui/switch.tsx';
import { useIsTablet } from '#src/ui/use-is-tablet.ts';
import type { RestorePlace, ItemSort } from '../address.ts';
import { basketMessages as bt } from '../basket/messages.en.ts';
import { getReason, useCapabilities } from '../capabilities.ts';
import { compareMessages as ct } from '../compare/messages.en.ts';
import { restoreDownloadMessages as dt } from '../download/messages.en.ts';
import type { SessionDownload } from '../download/use-download.ts';
import { containerName, isGroup } from '../labels.ts';
import { TEXTS } from '../texts.ts';
import type { ContainerNode, WorkloadKind } from '../workload.ts';
import { ItemList } from './item-list.tsx';
import type { Items } from './use-items.ts';
import { canRestoreItems, type ItemSelection } from './selection.ts';
import { itemMessages as t } from './messages.en.ts';

export interface FolderPaneProps {
  readonly kind: WorkloadKind;
  readonly folder: ContainerNode;
  /** The open node is the mailbox or drive itself. */
  readonly isTop: boolean;
  readonly place: RestorePlace;
  readonly items: Items;
  readonly selection: ItemSelection;
  readonly listKey: string;
  /** The limit of a selection was reached. */
  readonly isFull: boolean;
  readonly onSort: (sort: ItemSort) => void;
  readonly onDeleted: (showDeleted: boolean) => void;
  readonly onMove: (index: number) => void;
  readonly onOpen: (index: number) => void;
  readonly onToggle: (index: number) => void;
  readonly onRange: (index: number) => void;
  readonly onSelectAll: () => void;
  readonly onClear: () => void;
  readonly onRestoreItems: () => void;
  readonly onRestoreFolder: () => void;
  readonly onShowAll: () => void;
  readonly download: SessionDownload;
  readonly canDownload: boolean;
  /** The engine saves the selection, or the folder. */
  readonly isSaved: boolean;
  /** Downloads the selection, or the folder. */
  readonly onDownload: () => void;
  readonly isInBasket: (nodes: readonly string[]) => boolean;
  /** The selection, or the folder. */
  readonly basketNodes: readonly string[];
  /** Adds them to the basket, or removes them. */
  readonly onBasket: () => void;
  /** Compares the folder with production; null: its items can't be compared. */
  readonly onCompare: (() => void) | null;
  /** Folders inside, on a phone. */
  readonly renderFolders?: (isAlone: boolean) => ReactNode;
}

/** The items of the open folder, with what can be done with them. */
export function FolderPane(props: FolderPaneProps) {
  const { kind, folder, place, items, selection, download } = props;
  const zone = useZone();
  const capabilities = useCapabilities();
  const { count, failure, isMore } = items;
  const selected = selection.items.size;
  const name = containerName(folder);
  const isTablet = useIsTablet();
  const compare = props.onCompare !== null && (
    <IconButton icon="compare" label={ct.compareFolder} onClick={props.onCompare} />
  );
  return (
    <section aria-label={name} className="flex min-h-0 min-w-0 grow flex-col bg-sheet">
      <header className="flex min-h-11 shrink-0 flex-wrap items-center gap-x-3 gap-y-1.5 border-b border-hair px-4 py-1.5">
        {count !== null && count > 0 && (
          <SelectAll
            isOn={selected > 0 && selected >= count}
            isMixed={selected > 0 && selected < count}
            onToggle={selected > 0 ? props.onClear : props.onSelectAll}
          />
        )}
        <h2 className="m-0 min-w-0 truncate text-[length:inherit]">{name}</h2>
        <output className="ml-auto text-agate whitespace-nowrap text-ink-3">
          {count === null || (count === 0 && props.isTop && kind !== 'onedrive')
            ? ''
            : selected > 0
              ? isMore
                ? t.selectedMore({ count: formatCount(selected) })
                : t.selected({ count: formatCount(selected), total: formatCount(count) })
              : place.text === ''
                ? isMore
                  ? t.countMore({ count: formatCount(count - 1) })
                  : t.count({ count })
                : t.matches({ count })}
        </output>
        <span className="flex w-full flex-wrap items-center justify-between gap-2">
          <span className="flex flex-wrap gap-2">
            {selected > 0 ? (
              <Button
                variant="primary"
                size="sm"
                keycap="R"
                onClick={props.onRestoreItems}
                {...getReason(capabilities.restore && canRestoreItems(capabilities, selection))}
              >
                {t.restoreItems({ count: selected })}
              </Button>
            ) : (
              <Button
                size="sm"
                keycap="R"
                onClick={props.onRestoreFolder}
                {...getReason(capabilities.restore)}
              >
                {getRestoreLabel(kind, folder)}
              </Button>
            )}
            {props.canDownload && (
              <Button
                size="sm"
                keycap="D"
                busy={download.isBusy}
                data-tip={dt.downloadHint}
                onClick={props.onDownload}
                {...getReason(props.isSaved)}
              >
                {dt.download}
              </Button>
            )}
            <Button
              size="sm"
              keycap="B"
              data-tip={bt.addHint}
              onClick={props.onBasket}
              {...getReason(capabilities.basket)}
            >
              {props.isInBasket(props.basketNodes) ? bt.remove : bt.add}
            </Button>
            {isTablet && compare}
          </span>
        </span>
        <span className="flex w-full flex-wrap items-center justify-between gap-2">
          {capabilities.sorts && (
            <Select
              label={t.sort}
              hideLabel
              value={place.sort}
              options={SORT_OPTIONS.map((value) => ({ value, label: sortLabel(value) }))}
              onChange={props.onSort}
            />
          )}
          {!isTablet && compare}
          <span>
            <Switch label={t.showDeleted} on={place.showDeleted} onChange={props.onDeleted} />
          </span>
        </span>
      </header>
      {props.isFull && (
        <div className="p-3">
          <Callout tone="warning" alert>
            {t.tooMany({ max: formatCount(LIMITS.restoreNodes) })}
          </Callout>
        </div>
      )}
      <output className="block empty:hidden">
        {download.started !== null && (
          <p className="m-0 border-b border-hair px-4 py-2 break-words text-ink-2">
            {download.started.url === null ? (
              <>
                {dt.preparing({ name: download.started.name })}{' '}
                <Link to="/o365/restore/downloads/$fileId" params={{ fileId: download.started.id }}>
                  {dt.openDownloads}
                </Link>
              </>
            ) : (
              dt.started({
                name: download.started.name,
                size: formatBytes(download.started.bytes),
              })
            )}
            {download.started.missing > 0 && (
              <span className="block">{dt.missing({ count: download.started.missing })}</span>
            )}
          </p>
        )}
      </output>
      {download.failure !== null && (
        <div className="p-3">
          <RetryCallout failure={download.failure} onRetry={download.retry}>
            {getFailureText(download.failure)}
          </RetryCallout>
        </div>
      )}
      {props.renderFolders?.(count === 0)}
      {failure !== null && (
        <div className="p-3">
          <RetryCallout failure={failure} onRetry={items.retry}>
            {getFailureText(failure)}
          </RetryCallout>
        </div>
      )}
      {count === null ? (
        failure === null && (
          <DelayedFallback>
            <p className="m-0 px-4 py-3 text-ink-3">{t.loading}</p>
          </DelayedFallback>
        )
      ) : count === 0 ? (
        <Empty {...props} />
      ) : (
        <ItemList
          label={t.list({ name })}
          items={items}
          count={count}
          cursor={place.item?.index ?? null}
          selection={selection}
          zone={zone}
          listKey={props.listKey}
          isInBasket={props.isInBasket}
          onMove={props.onMove}
          onOpen={props.onOpen}
          onToggle={props.onToggle}
          onRange={props.onRange}
          onSelectAll={props.onSelectAll}
        />
      )}
    </section>
  );
}

/** Selects all items, or clears the selection, in line with the boxes of the items. */
function SelectAll({
  isOn,
  isMixed,
  onToggle,
}: {
  readonly isOn: boolean;
  readonly isMixed: boolean;
  readonly onToggle: () => void;
}) {
  const hasAny = isOn || isMixed;
  return (
    <label
      data-tip={hasAny ? t.clearSelection : t.selectAll}
      className="-m-3 grid size-10 cursor-pointer place-items-center pointer-coarse:size-11"
    >
      <input
        type="checkbox"
        aria-label={t.selectAll}
        checked={isOn}
        ref={(box) => {
          if (box !== null) box.indeterminate = isMixed;
        }}
        onChange={onToggle}
        className="col-start-1 row-start-1 m-0 size-4 appearance-none rounded-box border border-control bg-sheet checked:border-accent checked:bg-accent indeterminate:border-accent indeterminate:bg-accent"
      />
      <span aria-hidden className="pointer-events-none col-start-1 row-start-1 text-on-accent">
        {hasAny && <Icon name={isOn ? 'check' : 'minus'} size={12} />}
      </span>
    </label>
  );
}

const RESTORE_LABELS: Readonly<Partial<Record<ContainerNode['kind'], string>>> = {
  folder: t.restoreFolder,
  dir: t.restoreFolder,
  library: t.restoreLibrary,
  list: t.restoreList,
  channel: t.restoreChannel,
};
const getRestoreLabel = (workload: WorkloadKind, { kind }: ContainerNode): string =>
  RESTORE_LABELS[kind] ?? TEXTS[workload].restoreObject;

function Empty({ kind, folder, isTop, place, onShowAll, renderFolders }: FolderPaneProps) {
  if (place.text !== '')
    return (
      <Notice
        icon="search"
        level={2}
        title={t.noMatches}
        actions={<Button onClick={onShowAll}>{t.showAll}</Button>}
      >
        <p className="m-0">{t.noMatchesHint}</p>
      </Notice>
    );
  if (isTop && kind === 'outlook')
    return renderFolders === undefined ? (
      <Notice icon="folder" level={2} title={t.emptyTop}>
        <p className="m-0">{t.emptyTopHint}</p>
      </Notice>
    ) : null;
  if (kind === 'sharepoint' && (isTop || isGroup(folder)))
    return renderFolders === undefined ? (
      <Notice icon="folder" level={2} title={t.emptySite}>
        <p className="m-0">{t.emptySiteHint}</p>
      </Notice>
    ) : null;
  return (
    <Notice icon="folder" level={2} title={t.empty}>
      <p className="m-0">{t.emptyHint}</p>
      {!place.showDeleted && <p className="m-0">{t.emptyDeletedHint}</p>}
    </Notice>
  );
}

const SORT_OPTIONS = ['-date', 'date', 'name', '-name', '-size', 'size'] as const;
const sortLabel = (sort: ItemSort): string =>
  ({
    '-date': t.sortNewest,
    'date': t.sortOldest,
    'name': t.sortName,
    '-name': t.sortNameDown,
    '-size': t.sortLargest,
    'size': t.sortSmallest,
  })[sort];
