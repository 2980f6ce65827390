import { useEffect, useEffectEvent, useState } from 'react';
import type { ReactNode } from 'react';
import { LIMITS } from '#contract/limits.ts';
import { Button } from '#src/ui/button.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { isTyping } from '#src/ui/is-typing.ts';
import { useIsDesk } from '#src/ui/use-is-desk.ts';
import { useIsTablet } from '#src/ui/use-is-tablet.ts';
import type { BrowserProps } from './browser.tsx';
import type { BasketPlace } from './basket/basket.ts';
import { getReason, useCapabilities } from './capabilities.ts';
import { basketMessages } from './basket/messages.en.ts';
import { useOpenBasket } from './basket/use-basket.ts';
import { FolderComparison } from './compare/folder-comparison.tsx';
import { isComparable, ItemComparison } from './compare/item-comparison.tsx';
import type { ComparedRow } from './compare/use-folder-comparison.ts';
import { DownloadDialog } from './download/dialog.tsx';
import { useDownload } from './download/use-download.ts';
import { ContentPreview, isReadable } from './items/content-preview.tsx';
import { useOperator } from './operator/context.ts';
import { ItemDetails, itemTitle } from './items/details.tsx';
import { FolderPane } from './items/folder-pane.tsx';
import { itemMessages as t } from './items/messages.en.ts';
import {
  NO_ITEMS_SELECTED,
  addItems,
  canRestoreItems,
  rangeTo,
  sumBytes,
  toggleItem,
} from './items/selection.ts';
import type { ItemSelection } from './items/selection.ts';
import { RowValues } from './items/row-values.tsx';
import { useItems } from './items/use-items.ts';
import { useRested } from './items/use-rested.ts';
import { containerName, getObject, isGroup, isObject } from './labels.ts';
import type { ChosenNodes } from './task/draft.ts';
import type { Version } from './versions/version.ts';
import { Versions } from './versions/versions.tsx';
import type { ContainerNode, ItemNode, WorkloadKind } from './workload.ts';

/** The open folder with its selection, and the open item. */
export function OpenFolder({
  workload,
  session,
  place,
  go,
  chain,
  located,
  restoring,
  onRestore,
  onSelect,
  isReading,
  onReading,
  renderFolders,
}: BrowserProps & {
  readonly chain: readonly [ContainerNode, ...ContainerNode[]];
  /** The item that a search opened. */
  readonly located: string | null;
  readonly restoring: ChosenNodes | null;
  readonly onRestore: (chosen: ChosenNodes) => void;
  /** Another selection, while the form of a restore of items is open. */
  readonly onSelect: (chosen: ChosenNodes) => void;
  readonly isReading: boolean;
  readonly onReading: (isReading: boolean) => void;
  readonly renderFolders: ((isAlone: boolean) => ReactNode) | undefined;
}) {
  const isTablet = useIsTablet();
  const isDesk = useIsDesk();
  const capabilities = useCapabilities();
  const folder = chain.at(-1) ?? chain[0];
  const object = getObject(chain);
  const isTop = isObject(folder);
  const text = useRested(place.text);
  const items = useItems({
    workload,
    session: session.id,
    at: { object: object.id, folder: isTop ? null : folder.id, kind: folder.kind },
    text,
    sort: place.sort,
    onRead: session.onRead,
  });
  const [selection, setSelection] = useState<ItemSelection>(NO_ITEMS_SELECTED);
  const download = useDownload(workload.kind, session.id);
  const [isFull, setIsFull] = useState(false);
  const [isSheet, setIsSheet] = useState(located !== null && located === place.item?.id);
  const { item: opened } = place;
  const known = opened === null ? null : items.itemAt(opened.index);
  const item = known !== null && known.id === opened?.id ? known : null;

  const put = (next: ItemSelection): void => {
    setSelection(next);
    setIsFull(false);
    if (restoring?.level === 'items') onSelect(chosenItems(next));
  };
  const chosenItems = ({ items: chosen }: ItemSelection): ChosenNodes => ({
    level: 'items',
    chain,
    nodes: [...chosen.keys()],
    itemKind: chosen.values().next().value?.kind,
    size: { items: chosen.size, bytes: sumBytes({ items: chosen, anchor: null }) },
  });
  const select = async (from: number, to: number, base: ItemSelection): Promise<void> => {
    const max = LIMITS.restoreNodes;
    const rows = await items.read(from, Math.min(to, from + max));
    if (!rows.ok) return;
    const next = addItems(base, rows.value, max);
    put(next);
    setIsFull(rows.value.some(({ id }) => !next.items.has(id)));
  };
  const move = (index: number): void => {
    const to = items.itemAt(index);
    if (to !== null) go({ item: { id: to.id, index } }, 'replace');
  };
  const whole: ChosenNodes = {
    level: isTop || isGroup(folder) ? 'object' : 'folder',
    chain,
    nodes: [isGroup(folder) ? object.id : folder.id],
    size: null,
  };
  const getChosenVersion = ({ id, kind, sizeBytes }: Version): ChosenNodes => ({
    level: 'items',
    chain,
    nodes: [id],
    itemKind: kind,
    size: { items: 1, bytes: sizeBytes ?? 0 },
  });
  const getComparedItems = (rows: readonly ComparedRow[]): ChosenNodes => ({
    level: 'items',
    chain,
    nodes: rows.map(({ id }) => id),
    itemKind: rows[0]?.kind,
    size: { items: rows.length, bytes: rows.reduce((sum, row) => sum + (row.sizeBytes ?? 0), 0) },
  });
  const [isComparing, setIsComparing] = useState(false);
  const canCompare = isComparableFolder(items.itemAt(0));
  const restoreItems = (): void => {
    if (capabilities.restore && canRestoreItems(capabilities, selection))
      onRestore(chosenItems(selection));
  };
  const restoreFolder = (): void => {
    if (capabilities.restore) onRestore(whole);
  };
  const [downloading, setDownloading] = useState<ChosenNodes | null>(null);
  const operator = useOperator();
  const canDownload = operator?.mayDownload !== false && isDownloadable(workload.kind, folder);
  const isSaved = capabilities.saveChannels || isSavedInChannel(folder, selection.items.size > 0);
  const startDownload = (): void => {
    if (canDownload && isSaved)
      setDownloading(selection.items.size > 0 ? chosenItems(selection) : whole);
  };
  const basket = useOpenBasket();
  const basketPlace: BasketPlace | null =
    session.point === null
      ? null
      : {
          workload: workload.kind,
          point: session.point.id,
          at: session.point.at,
          showDeleted: place.showDeleted,
          object: object.id,
        };
  const isInBasket = (nodes: readonly string[]): boolean =>
    basket !== null && basketPlace !== null && basket.has(basketPlace, nodes);
  const toggleInBasket = (nodes: readonly string[]): void => {
    if (basket === null || basketPlace === null) return;
    if (isInBasket(nodes)) basket.remove(basketPlace, nodes);
    else basket.add(basketPlace, nodes);
  };
  const basketNodes = selection.items.size > 0 ? [...selection.items.keys()] : whole.nodes;
  const onKey = useEffectEvent((event: KeyboardEvent): void => {
    // The list box handles its own keys, but not this one.
    const isInList = event.target instanceof Element && event.target.closest('[data-items]');
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.toLowerCase();
    if (!KEYS.has(key) || (!isInList && isTyping(event))) return;
    event.preventDefault();
    if (key === 'b')
      toggleInBasket(
        isInList && item !== null && selection.items.size === 0 ? [item.id] : basketNodes,
      );
    else if (key === 'd') startDownload();
    else if (selection.items.size > 0) restoreItems();
    else restoreFolder();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => onKey(event);
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
  // A server that searches below the folder doesn't say where it found an item.
  const isFoundBelow = text !== '' && !capabilities.sorts;
  const path = isFoundBelow ? null : chain.map(containerName).join(' / ');
  const showVersion = (version: Version): ReactNode => (
    <ContentPreview
      kind="file"
      session={session.id}
      object={object.id}
      item={version.id}
      title={version.name}
      isOn
      onTurn={null}
      onRead={session.onRead}
    />
  );
  const details = (shown: ItemNode): ReactNode => (
    <>
      <ItemDetails item={shown} path={path} isBrief={isReading && isReadable(shown)} />
      <div className="px-4 pb-3 tablet:px-5">
        <Button
          size="sm"
          icon="basket"
          onClick={() => toggleInBasket([shown.id])}
          {...getReason(capabilities.basket)}
        >
          {isInBasket([shown.id]) ? basketMessages.remove : basketMessages.add}
        </Button>
      </div>
      {isReadable(shown) && operator?.mayRead !== false && (
        <ContentPreview
          kind={shown.kind}
          session={session.id}
          object={object.id}
          item={shown.id}
          title={itemTitle(shown)}
          isOn={isReading}
          onTurn={onReading}
          onRead={session.onRead}
        />
      )}
      {isComparable(shown) && session.point !== null && (
        <ItemComparison
          key={`compare ${session.id} ${shown.id}`}
          session={session.id}
          item={shown}
          pointAt={session.point.at}
        />
      )}
      {shown.kind !== 'settings' && (
        <Versions
          key={`${session.id} ${shown.id}`}
          session={session.id}
          item={shown.id}
          kind={shown.kind}
          mayRead={operator?.mayRead !== false}
          renderContent={shown.kind === 'file' && operator?.mayRead !== false ? showVersion : null}
          onRestore={(version) => onRestore(getChosenVersion(version))}
          onDownload={
            canDownload && isSaved ? (version) => setDownloading(getChosenVersion(version)) : null
          }
        />
      )}
      {shown.kind === 'row' && operator?.mayRead !== false && (
        <RowValues
          session={session.id}
          site={object.id}
          item={shown.id}
          isOn={isReading}
          onTurn={onReading}
        />
      )}
    </>
  );
  return (
    <>
      <div
        className={`flex min-h-0 min-w-0 flex-col ${isDesk ? 'w-[340px] shrink-0 border-r border-rule' : 'grow'}`}
      >
        <FolderPane
          kind={workload.kind}
          folder={folder}
          isTop={isTop}
          // The items are those of the text that was searched, not of the one being typed.
          place={{ ...place, text }}
          items={items}
          selection={selection}
          listKey={`${session.id} ${folder.id} ${place.sort} ${text}`}
          isFull={isFull}
          onSort={(sort) => go({ sort, item: null }, 'replace')}
          onDeleted={(showDeleted) => go({ showDeleted, item: null })}
          onMove={move}
          onOpen={(index) => {
            move(index);
            if (!isDesk) setIsSheet(true);
          }}
          onToggle={(index) => {
            const row = items.itemAt(index);
            if (row === null) return;
            move(index);
            if (selection.items.size >= LIMITS.restoreNodes && !selection.items.has(row.id))
              setIsFull(true);
            else put(toggleItem(selection, row, index));
          }}
          onRange={(index) => {
            const anchor = selection.anchor ?? place.item?.index ?? index;
            const base = { ...selection, anchor };
            const [from, to] = rangeTo(base, index);
            void select(from, to, base);
          }}
          onSelectAll={() => void select(0, (items.count ?? 1) - 1, selection)}
          onClear={() => put(NO_ITEMS_SELECTED)}
          onRestoreItems={restoreItems}
          onRestoreFolder={restoreFolder}
          isInBasket={isInBasket}
          basketNodes={basketNodes}
          onBasket={() => toggleInBasket(basketNodes)}
          download={download}
          canDownload={canDownload}
          isSaved={isSaved}
          onDownload={startDownload}
          onCompare={canCompare && capabilities.compare ? () => setIsComparing(true) : null}
          onShowAll={() => go({ text: '', item: null }, 'replace')}
          {...(renderFolders !== undefined && { renderFolders })}
        />
      </div>
      {isDesk && (
        <section
          aria-label={t.details}
          className={`flex min-w-0 grow flex-col overflow-auto bg-sheet ${restoring === null ? '' : 'max-[1439px]:hidden'}`}
        >
          {item === null ? (
            <p className="m-0 px-5 py-4 text-ink-3">{t.chooseItem}</p>
          ) : (
            <>
              <h2 className="m-0 px-5 pt-3.5 pb-2 text-head break-words">{itemTitle(item)}</h2>
              {details(item)}
            </>
          )}
        </section>
      )}
      {isComparing && (
        <FolderComparison
          session={session.id}
          folder={folder.id}
          name={containerName(folder)}
          onOpen={(locate) => {
            setIsComparing(false);
            go({ locate });
          }}
          onRestore={(rows) => {
            setIsComparing(false);
            onRestore(getComparedItems(rows));
          }}
          onClose={() => setIsComparing(false)}
        />
      )}
      {downloading !== null && (
        <DownloadDialog
          kind={workload.kind}
          session={session.id}
          chosen={downloading}
          onStart={(options) => {
            setDownloading(null);
            download.start(downloading, options);
          }}
          onClose={() => setDownloading(null)}
        />
      )}
      {!isDesk && isSheet && item !== null && (
        <Dialog
          title={itemTitle(item)}
          place={isTablet ? 'middle' : 'bottom'}
          onClose={() => setIsSheet(false)}
        >
          <div className="flex flex-col pt-3">{details(item)}</div>
        </Dialog>
      )}
    </>
  );
}

/** Restore, download, and the basket. */
const KEYS: ReadonlySet<string> = new Set(['r', 'd', 'b']);

/** Whether the items of a folder can be compared: rows, posts and tabs can't. */
const isComparableFolder = (item: ItemNode | null): boolean => item !== null && isComparable(item);

/** Of sites, libraries, their folders and files can be downloaded; of teams, what is in channels. */
function isDownloadable(workload: WorkloadKind, { kind }: ContainerNode): boolean {
  if (workload === 'sharepoint') return kind === 'library' || kind === 'dir';
  return workload !== 'teams' || kind !== 'team';
}

/** Whether a server that saves no whole channels and no tabs saves the folder, or items of it. */
const isSavedInChannel = ({ kind, holds }: ContainerNode, hasItems: boolean): boolean =>
  holds !== 'tabs' && (kind !== 'channel' || hasItems);
