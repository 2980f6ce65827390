/* oxlint-disable jsx-a11y/prefer-tag-over-role, jsx-a11y/click-events-have-key-events -- an ARIA list box instead of a select: only visible rows are rendered, and the list handles the keys */
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useId, useRef, useState } from 'react';
import type { KeyboardEvent, ReactNode } from 'react';
import { getFailureText } from '#src/app/failure-text.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Button, IconButton } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { formatCount } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { SearchField } from '#src/ui/search-field.tsx';
import { Tabs } from '#src/ui/tabs.tsx';
import { uiMessages as ui } from '#src/ui/messages.en.ts';
import { useTouch } from '../grid/use-touch.ts';
import { withPinned } from '../grid/virtual-window.ts';
import { getKey } from './items.ts';
import type { PickerKind, PickedItem } from './items.ts';
import { useDirectory } from './use-directory.ts';
import type { DirectoryItem } from './use-directory.ts';
import { directoryPickerMessages as t } from './messages.en.ts';

/** Chooses objects of a tenant: at the left all of them, at the right the chosen ones. */
export function ItemPicker<Item extends PickedItem>({
  organizationId,
  kinds,
  hasAllSites = false,
  items,
  makeItem,
  renderParts,
  error,
  onChange,
}: {
  readonly organizationId: string | null;
  /** What can be chosen. */
  readonly kinds: readonly [PickerKind, ...PickerKind[]];
  /** Whether all sites can be chosen as one item. */
  readonly hasAllSites?: boolean;
  readonly items: readonly Item[];
  /** Returns a newly chosen item. */
  readonly makeItem: (picked: PickedItem) => Item;
  /** Shows what else is chosen of an item. */
  readonly renderParts?: (item: Item, onChange: (changed: Item) => void) => ReactNode;
  readonly error: string | null;
  readonly onChange: (items: readonly Item[]) => void;
}) {
  const [kind, setKind] = useState<PickerKind>(kinds[0]);
  const [text, setText] = useState('');
  return (
    <div
      className="grid min-w-0 gap-6 desk:grid-cols-2"
      {...(error !== null && { 'data-error': '' })}
    >
      <section className="min-w-0">
        <Tabs
          label={t.kinds}
          chosen={kind}
          onChoose={(next) => {
            setKind(next);
            setText('');
          }}
          tabs={kinds.map((key) => ({ key, label: kindLabel(key) }))}
        >
          <Objects
            key={`${organizationId} ${kind}`}
            organizationId={organizationId}
            kind={kind}
            text={text}
            onText={setText}
            hasAllSites={hasAllSites}
            items={items}
            makeItem={makeItem}
            onChange={onChange}
          />
        </Tabs>
      </section>
      <section aria-label={t.chosen} className="min-w-0">
        <h3 className="m-0 flex h-10 items-center justify-between border-b border-rule text-[length:inherit]">
          {t.chosen}
          <span className="text-agate font-normal text-ink-3">
            {t.chosenCount({ count: items.length })}
          </span>
        </h3>
        {error !== null && <p className="m-0 pt-2 text-agate text-failed">{error}</p>}
        <Chosen items={items} onChange={onChange} {...(renderParts && { renderParts })} />
      </section>
    </div>
  );
}

function Objects<Item extends PickedItem>({
  organizationId,
  kind,
  text,
  onText,
  hasAllSites,
  items,
  makeItem,
  onChange,
}: {
  readonly organizationId: string | null;
  readonly kind: PickerKind;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly hasAllSites: boolean;
  readonly items: readonly Item[];
  readonly makeItem: (picked: PickedItem) => Item;
  readonly onChange: (items: readonly Item[]) => void;
}) {
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const { rows, isComplete, failure } = useDirectory(organizationId, kind, hasAllSites);
  const [at, setAt] = useState(0);
  const id = useId();
  const field = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const rowPx = useTouch() ? TOUCH_ROW_PX : ROW_PX;
  const chosen = new Set(items.map(getKey));
  const isChosen = ({ id }: DirectoryItem): boolean => chosen.has(getKey({ type: kind, id }));
  const found = findItems(rows, text);
  const current = Math.min(at, Math.max(0, found.length - 1));
  // eslint-disable-next-line react/incompatible-library -- React Compiler skips this component
  const virtual = useVirtualizer({
    count: found.length,
    getScrollElement: () => list.current,
    estimateSize: () => rowPx,
    overscan: 8,
    rangeExtractor: (range) => withPinned(range, current),
  });
  useEffect(() => virtual.measure(), [virtual, rowPx]);
  const search = (next: string): void => {
    setAt(0);
    list.current?.scrollTo({ top: 0 });
    onText(next);
  };
  const set = (objects: readonly DirectoryItem[], isOn: boolean): void => {
    const changed = new Set(objects.map(({ id }) => getKey({ type: kind, id })));
    const stored = items.filter((item) => !changed.has(getKey(item)));
    const had = new Map(items.map((item) => [getKey(item), item]));
    onChange(
      isOn
        ? [
            ...stored,
            ...objects.map(
              ({ id, name, address }) =>
                had.get(getKey({ type: kind, id })) ??
                makeItem({ type: kind, id, name: name || address }),
            ),
          ]
        : stored,
    );
  };
  const isAll = found.length > 0 && found.every(isChosen);
  const go = (to: number): void => {
    const next = Math.max(0, Math.min(found.length - 1, to));
    setAt(next);
    virtual.scrollToIndex(next);
  };
  const onKey = (event: KeyboardEvent): void => {
    const page = Math.max(1, Math.floor((list.current?.clientHeight ?? 0) / rowPx) - 1);
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page }[event.key];
    const object = found[current];
    const hasModifier = event.ctrlKey || event.metaKey || event.altKey;
    if (event.key.length === 1 && event.key !== ' ' && !hasModifier) {
      // The letter itself goes to the field, which has the focus from here on.
      field.current?.querySelector('input')?.select();
      return;
    }
    if (step !== undefined) go(current + step);
    else if (event.key === 'Home') go(0);
    else if (event.key === 'End') go(found.length - 1);
    else if (event.key === ' ' && object) set([object], !isChosen(object));
    else if (event.key.toLowerCase() === 'a' && (event.ctrlKey || event.metaKey))
      set(found, !isAll);
    else return;
    event.preventDefault();
  };

  if (failure !== null && rows.length === 0)
    return (
      <div className="pt-3">
        <Callout tone={offline ? 'warning' : 'failed'} alert>
          {offline ? t.offlineItems : getFailureText(failure)}
        </Callout>
      </div>
    );
  return (
    <div className="grid gap-2 pt-2">
      <div
        ref={field}
        role="presentation"
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return;
          event.preventDefault();
          list.current?.focus();
        }}
      >
        <SearchField
          label={t.searchItems}
          value={text}
          onChange={search}
          onLeave={() => list.current?.focus()}
        />
      </div>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <output className="text-agate text-ink-2">
          {isComplete
            ? t.matches({ count: formatCount(found.length), total: formatCount(rows.length) })
            : t.loadingItems({ count: formatCount(rows.length) })}
        </output>
        <Button size="sm" disabled={found.length === 0} onClick={() => set(found, !isAll)}>
          {(isAll ? t.clearAll : t.selectAll)({ count: formatCount(found.length) })}
        </Button>
      </div>
      {isComplete && rows.length === 0 ? (
        <p className="m-0 py-3 text-ink-2">{t.noItems}</p>
      ) : (
        <div
          ref={list}
          role="listbox"
          tabIndex={0}
          aria-multiselectable
          aria-label={t.searchItems}
          {...(found.length > 0 && { 'aria-activedescendant': `${id}-${current}` })}
          className="h-[360px] overflow-auto border-t border-head-rule focus-visible:-outline-offset-2"
          onKeyDown={onKey}
          onMouseDown={(event) => {
            // The list has the focus, not its rows. A scroll would move the row from under the finger.
            event.preventDefault();
            list.current?.focus({ preventScroll: true });
          }}
        >
          <div className="relative" style={{ height: virtual.getTotalSize() }}>
            {virtual.getVirtualItems().map(({ index, start }) => {
              const object = found[index];
              if (!object) return null;
              const isOn = isChosen(object);
              return (
                <div
                  key={object.id}
                  id={`${id}-${index}`}
                  role="option"
                  tabIndex={-1}
                  aria-selected={isOn}
                  aria-setsize={found.length}
                  aria-posinset={index + 1}
                  className={`absolute inset-x-0 flex cursor-pointer items-center gap-3 border-b border-hair px-2 ${isOn ? 'bg-accent-wash' : 'hover:bg-wash'} ${index === current ? 'outline-1 -outline-offset-1 outline-accent-line' : ''}`}
                  style={{ height: rowPx, top: start }}
                  onClick={() => {
                    setAt(index);
                    set([object], !isOn);
                  }}
                >
                  <span
                    aria-hidden
                    className={`grid size-4 shrink-0 place-items-center rounded-box border ${isOn ? 'border-accent bg-accent text-on-accent' : 'border-control bg-sheet'}`}
                  >
                    {isOn && <Icon name="check" size={12} />}
                  </span>
                  <span className="min-w-0 grow truncate">
                    <span className={isOn ? 'font-semibold' : ''}>{object.name}</span>{' '}
                    <span className="text-agate text-ink-3">{object.address}</span>
                  </span>
                </div>
              );
            })}
          </div>
        </div>
      )}
    </div>
  );
}

function Chosen<Item extends PickedItem>({
  items,
  renderParts,
  onChange,
}: {
  readonly items: readonly Item[];
  readonly renderParts?: (item: Item, onChange: (changed: Item) => void) => ReactNode;
  readonly onChange: (items: readonly Item[]) => void;
}) {
  if (items.length === 0) return <p className="m-0 py-3 text-ink-2">{t.chosenNone}</p>;
  const shown = items.slice(0, MAX_SHOWN);
  return (
    <ul className="m-0 max-h-[420px] list-none overflow-auto p-0">
      {shown.map((item) => (
        <li
          key={getKey(item)}
          className="flex min-h-10 flex-wrap items-center gap-x-3 gap-y-1 border-b border-hair py-1"
        >
          <span className="min-w-0 grow basis-32 truncate font-semibold">{item.name}</span>
          {renderParts && (
            <span className="order-last basis-full empty:hidden tablet:order-none tablet:basis-auto">
              {renderParts(item, (changed) =>
                onChange(items.map((one) => (one === item ? changed : one))),
              )}
            </span>
          )}
          <IconButton
            icon="close"
            label={ui.removeItem({ name: item.name })}
            onClick={() => onChange(items.filter((one) => one !== item))}
          />
        </li>
      ))}
      {items.length > shown.length && (
        <li className="py-2 text-agate text-ink-2">
          {t.chosenFirst({ count: formatCount(items.length - shown.length) })}
        </li>
      )}
    </ul>
  );
}

/** Returns the objects whose name or address contains the text, ignoring case. */
export function findItems(rows: readonly DirectoryItem[], text: string): readonly DirectoryItem[] {
  const wanted = text.trim().toLowerCase();
  return wanted === ''
    ? rows
    : rows.filter(
        ({ name, address }) =>
          name.toLowerCase().includes(wanted) || address.toLowerCase().includes(wanted),
      );
}

const kindLabel = (kind: PickerKind): string =>
  ({ User: t.users, Group: t.groups, Team: t.teams, Site: t.sites })[kind];
const ROW_PX = 36;
const TOUCH_ROW_PX = 44;
/** Of more chosen items, the first are listed. */
const MAX_SHOWN = 200;
const EMPTY = {};
