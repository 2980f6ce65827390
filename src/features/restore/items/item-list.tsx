/* oxlint-disable jsx-a11y/prefer-tag-over-role -- an ARIA list box: only visible rows are rendered */
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useId, useRef } from 'react';
import type { KeyboardEvent } from 'react';
import { Icon } from '#src/ui/icon.tsx';
import { formatBytes, formatWhen } from '#src/ui/format.ts';
import { getStretch, withPinned } from '../../shared/grid/virtual-window.ts';
import type { ItemNode } from '../workload.ts';
import { itemIcon } from '../labels.ts';
import type { Items } from './use-items.ts';
import type { ItemSelection } from './selection.ts';
import { basketMessages } from '../basket/messages.en.ts';
import { splitPeople } from './people.ts';
import { itemMessages as t } from './messages.en.ts';

export const ITEM_PX = 52;

export interface ItemListProps {
  readonly label: string;
  readonly items: Items;
  readonly count: number;
  /** The index of the open item; null: none. */
  readonly cursor: number | null;
  readonly selection: ItemSelection;
  readonly zone: string;
  /** Identifies the list. When it changes, the list scrolls to its cursor or to the top. */
  readonly listKey: string;
  readonly isInBasket: (nodes: readonly string[]) => boolean;
  readonly onMove: (index: number) => void;
  readonly onToggle: (index: number) => void;
  readonly onRange: (index: number) => void;
  readonly onSelectAll: () => void;
  readonly onOpen: (index: number) => void;
}

/**
 * The items of a folder. Arrows, J and K move; X and Space select; Shift extends the selection;
 * Ctrl A selects all.
 */
export function ItemList(props: ItemListProps) {
  'use no memo'; // the virtualizer mutates its state in place
  const { items, count, cursor, selection, zone, listKey, onMove, onToggle, onRange, onOpen } =
    props;
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => list.current,
    estimateSize: () => ITEM_PX,
    overscan: 8,
    rangeExtractor: (range) => withPinned(range, cursor),
  });
  const visible = virtual.getVirtualItems();
  const { first, count: shown } = getStretch(visible.map(({ index }) => index));
  useEffect(() => items.show(first, Math.max(first, first + shown - 1)));
  useEffect(() => {
    if (cursor === null) list.current?.scrollTo({ top: 0 });
    else virtual.scrollToIndex(cursor, { align: 'center' });
    // eslint-disable-next-line react/exhaustive-deps -- scrolls only when another list opens
  }, [listKey]);
  const go = (to: number, isRange: boolean): void => {
    const next = Math.max(0, Math.min(count - 1, to));
    virtual.scrollToIndex(next, { align: 'auto' });
    if (isRange) onRange(next);
    onMove(next);
  };
  const onKey = (event: KeyboardEvent): void => {
    const at = cursor ?? -1;
    const key = event.key.toLowerCase();
    if (event.ctrlKey || event.metaKey) {
      if (key !== 'a') return;
      event.preventDefault();
      props.onSelectAll();
      return;
    }
    if (event.altKey) return;
    const page = Math.max(1, Math.floor((list.current?.clientHeight ?? 0) / ITEM_PX) - 1);
    const steps: Readonly<Record<string, number>> = {
      arrowdown: 1,
      j: 1,
      arrowup: -1,
      k: -1,
      pagedown: page,
      pageup: -page,
    };
    const step = steps[key];
    if (step !== undefined) go(at + step, event.shiftKey);
    else if (key === 'home') go(0, event.shiftKey);
    else if (key === 'end') go(count - 1, event.shiftKey);
    else if ((key === ' ' || key === 'x') && at >= 0) (event.shiftKey ? onRange : onToggle)(at);
    else if (key === 'enter' && at >= 0) onOpen(at);
    else return;
    event.preventDefault();
  };
  return (
    <div
      ref={list}
      role="listbox"
      tabIndex={0}
      aria-multiselectable
      aria-label={props.label}
      data-items=""
      {...(cursor !== null && { 'aria-activedescendant': `${id}-${cursor}` })}
      className="min-h-0 grow overflow-auto focus-visible:-outline-offset-2"
      onKeyDown={onKey}
      onMouseDown={(event) => {
        // The list has the focus, not its rows.
        event.preventDefault();
        list.current?.focus();
      }}
      onFocus={(event) => {
        if (cursor === null && count > 0 && event.target.matches(':focus-visible')) onMove(0);
      }}
    >
      <div className="relative" style={{ height: virtual.getTotalSize() }}>
        {visible.map(({ index, start }) => {
          const item = items.itemAt(index);
          return (
            <ItemRow
              key={index}
              id={`${id}-${index}`}
              item={item}
              index={index}
              count={count}
              top={start}
              zone={zone}
              isSelected={item !== null && selection.items.has(item.id)}
              isCursor={index === cursor}
              isInBasket={item !== null && props.isInBasket([item.id])}
              onPress={(kind) => {
                if (kind === 'range') onRange(index);
                else if (kind === 'select') onToggle(index);
                else onOpen(index);
              }}
            />
          );
        })}
      </div>
    </div>
  );
}

function ItemRow({
  id,
  item,
  index,
  count,
  top,
  zone,
  isSelected,
  isCursor,
  isInBasket,
  onPress,
}: {
  readonly id: string;
  readonly item: ItemNode | null;
  readonly index: number;
  readonly count: number;
  readonly top: number;
  readonly zone: string;
  readonly isSelected: boolean;
  readonly isCursor: boolean;
  readonly isInBasket: boolean;
  readonly onPress: (kind: 'open' | 'select' | 'range') => void;
}) {
  const place = {
    id,
    'aria-posinset': index + 1,
    'aria-setsize': count,
    'style': { top, height: ITEM_PX },
  } as const;
  if (item === null)
    return (
      <div
        {...place}
        role="option"
        tabIndex={-1}
        aria-selected={false}
        aria-label={t.loading}
        className="absolute inset-x-0 grid content-center gap-2 border-b border-hair px-4"
      >
        <span className="h-2.5 w-2/5 rounded-part bg-hair" />
        <span className="h-2 w-3/5 rounded-part bg-hair" />
      </div>
    );
  const words = itemWords(item);
  return (
    <div
      {...place}
      role="option"
      aria-selected={isSelected}
      tabIndex={-1}
      className={`absolute inset-x-0 grid cursor-pointer grid-cols-[16px_minmax(0,1fr)] content-center gap-x-2.5 border-b border-hair px-4 ${isSelected ? 'bg-accent-wash' : 'hover:bg-wash'} ${isCursor ? 'outline-2 -outline-offset-2 outline-accent' : ''}`}
      onClick={(event) =>
        onPress(
          event.shiftKey
            ? 'range'
            : event.ctrlKey ||
                event.metaKey ||
                (event.target instanceof Element && event.target.closest('[data-select]'))
              ? 'select'
              : 'open',
        )
      }
      onKeyDown={undefined}
    >
      <span
        data-select=""
        aria-hidden
        className="row-span-2 -m-3 grid size-10 place-items-center self-center pointer-coarse:-m-3.5 pointer-coarse:size-11"
      >
        <span
          className={`grid size-4 place-items-center rounded-box border ${isSelected ? 'border-accent bg-accent text-on-accent' : 'border-control bg-sheet'}`}
        >
          {isSelected && <Icon name="check" size={12} />}
        </span>
      </span>
      <span className="flex min-w-0 items-baseline gap-2">
        {item.kind === 'mail' && !item.read && (
          <span className="size-2 shrink-0 rounded-full bg-accent">
            <span className="sr-only">{t.unread}</span>
          </span>
        )}
        <span
          data-tip={words.first}
          className={`min-w-0 grow truncate font-semibold ${item.deleted ? 'text-ink-3' : ''}`}
        >
          {words.first}
        </span>
        <span className="shrink-0 text-agate text-ink-2">
          {item.at === null ? '' : formatWhen(item.at, zone)}
        </span>
      </span>
      <span className="flex min-w-0 items-center gap-2 text-ink-2">
        {item.deleted && (
          <Icon name="trash" size={12} className="text-ink-2" label={t.deletedShort} />
        )}
        {item.kind !== 'mail' && item.kind !== 'file' && (
          <Icon name={itemIcon(item)} size={12} className="text-ink-3" />
        )}
        <span
          data-tip={words.second}
          className={`min-w-0 grow truncate ${item.deleted ? 'text-ink-3' : ''}`}
        >
          {words.second}
        </span>
        {isInBasket && (
          <Icon name="basket" size={14} className="text-accent" label={basketMessages.inBasket} />
        )}
        {'attachments' in item && item.attachments > 0 && (
          <Icon name="attachment" size={14} className="text-ink-3" label={t.hasAttachments} />
        )}
        <span className="shrink-0 text-agate">
          {item.sizeBytes === null ? '' : formatBytes(item.sizeBytes)}
        </span>
      </span>
    </div>
  );
}

/**
 * Mails have the sender above the subject, files their name above who changed them, rows their title
 * above their first values.
 */
export function itemWords(item: ItemNode): { readonly first: string; readonly second: string } {
  if (item.kind === 'file') return { first: item.name, second: item.author };
  if (item.kind === 'row')
    return {
      first: item.name,
      second: Object.entries(item.fields)
        .map(([name, value]) => t.columnValue({ name, value }))
        .join(' · '),
    };
  if (item.kind === 'post') return { first: item.author, second: item.name };
  if (item.kind === 'tab') return { first: item.name, second: item.app };
  if (item.kind === 'settings') return { first: t.settings, second: item.name };
  const title = item.name === '' ? t.noSubject : item.name;
  return item.kind === 'mail'
    ? { first: splitPeople(item.people)[0]?.name ?? t.noSender, second: title }
    : { first: title, second: item.people };
}
