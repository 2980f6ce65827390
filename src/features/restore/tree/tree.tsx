import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useId, useRef, useState } from 'react';
import type { KeyboardEvent } from 'react';
import { getFailureText } from '#src/app/failure-text.ts';
import { formatCount } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { SearchField } from '#src/ui/search-field.tsx';
import { useTouch } from '../../shared/grid/use-touch.ts';
import { withPinned } from '../../shared/grid/virtual-window.ts';
import type { WorkloadKind } from '../workload.ts';
import { TEXTS } from '../texts.ts';
import { containerIcon, containerName } from '../labels.ts';
import { findActiveIndex, getTreeRows, moveInTree, ROOT } from './rows.ts';
import type { ActiveRow, NodeRow, TreeRow } from './rows.ts';
import { findObject } from './use-tree.ts';
import type { Tree } from './use-tree.ts';
import { treeMessages as t } from './messages.en.ts';

const ROW_PX = 28;
const TOUCH_ROW_PX = 44;
const PAGE = 10;

/** Mailboxes or drives with their folders. */
export function NodeTree({
  kind,
  tree,
  search,
  onSearch,
  expanded,
  onExpand,
  open,
  onOpen,
  onBasket,
}: {
  readonly kind: WorkloadKind;
  readonly tree: Tree;
  readonly search: string;
  readonly onSearch: (text: string) => void;
  readonly expanded: ReadonlySet<string>;
  readonly onExpand: (id: string, isExpanded: boolean) => void;
  /** The open path. */
  readonly open: readonly string[];
  readonly onOpen: (path: readonly string[]) => void;
  /** Adds a node to the basket, or removes it. */
  readonly onBasket: (row: NodeRow) => void;
}) {
  'use no memo'; // the virtualizer mutates its state in place
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const rowPx = useTouch() ? TOUCH_ROW_PX : ROW_PX;
  const rows = getTreeRows(tree.branches, expanded);
  const [active, setActive] = useState<ActiveRow | null>(null);
  const openId = open.at(-1) ?? null;
  const at = findActiveIndex(rows, active, openId);
  const activate = (index: number): void => {
    const row = rows[index];
    setActive(row ? { id: row.id, index } : null);
  };
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan: 8,
    rangeExtractor: (range) => withPinned(range, at),
  });
  const visible = virtual.getVirtualItems();
  const last = rows[visible.at(-1)?.index ?? -1];
  const more = visible.map(({ index }) => rows[index]).find((row) => row?.kind === 'more');
  const { load, branches } = tree;
  const loadRow = (row: TreeRow): void => {
    if (row.kind === 'node' || row.kind === 'loading') return;
    load(
      row.parent,
      findObject(branches, row.parent) ?? '',
      branches.get(row.parent)?.next ?? null,
    );
  };
  useEffect(() => {
    if (more) loadRow(more);
  });
  useEffect(() => virtual.measure(), [virtual, rowPx]);
  useEffect(() => {
    if (openId === null) return;
    const index = rows.findIndex((row) => row.id === openId);
    if (index >= 0) virtual.scrollToIndex(index, { align: 'auto' });
    // eslint-disable-next-line react/exhaustive-deps -- scrolls only when another place opens
  }, [openId]);

  const press = (row: NodeRow, index: number): void => {
    activate(index);
    if (row.isExpanded === false) onExpand(row.id, true);
    onOpen(row.path);
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const row = rows[at];
    if ((event.key === 'Enter' || event.key === ' ') && row && row.kind !== 'node') {
      event.preventDefault();
      loadRow(row);
      return;
    }
    if (event.key.toLowerCase() === 'b' && row?.kind === 'node') {
      event.preventDefault();
      onBasket(row);
      return;
    }
    const move = moveInTree(rows, at, event.key, PAGE);
    if (move === null) return;
    event.preventDefault();
    if (move.kind === 'focus') {
      activate(move.index);
      virtual.scrollToIndex(move.index, { align: 'auto' });
    } else if (move.kind === 'open') press(move.row, at);
    else onExpand(move.row.id, move.kind === 'expand');
  };
  const root = branches.get(ROOT);
  const count = search === '' ? (root?.count ?? null) : null;
  const isEmpty = root?.state === 'loaded' && root.nodes.length === 0;
  const texts = TEXTS[kind];
  return (
    <div className="flex min-h-0 min-w-0 grow flex-col bg-paper">
      <div className="border-b border-hair px-3 py-1.5">
        <SearchField label={texts.searchObjects(count)} value={search} onChange={onSearch} />
      </div>
      {isEmpty && (
        <p className="m-0 px-4 py-3 text-ink-2">{search !== '' ? t.noMatches : texts.noObjects}</p>
      )}
      <div ref={scroller} className="min-h-0 grow overflow-auto px-2 py-1.5">
        <div
          role="tree"
          tabIndex={0}
          aria-label={texts.objects}
          aria-busy={last === undefined || root?.state === 'loading'}
          {...(rows.length > 0 && { 'aria-activedescendant': `${id}-${at}` })}
          className="relative rounded-part"
          style={{ height: Math.max(virtual.getTotalSize(), rowPx) }}
          onKeyDown={onKey}
          onMouseDown={(event) => {
            // The tree has the focus, not its rows.
            event.preventDefault();
            event.currentTarget.focus();
          }}
        >
          {visible.map(({ index, start }) => {
            const row = rows[index];
            return row ? (
              <Row
                key={row.id}
                id={`${id}-${index}`}
                row={row}
                top={start}
                height={rowPx}
                isActive={index === at}
                isOpen={row.id === openId}
                onPress={() => (row.kind === 'node' ? press(row, index) : loadRow(row))}
                onExpand={(isExpanded) => {
                  activate(index);
                  onExpand(row.id, isExpanded);
                }}
              />
            ) : null;
          })}
        </div>
      </div>
    </div>
  );
}

function Row({
  id,
  row,
  top,
  height,
  isActive,
  isOpen,
  onPress,
  onExpand,
}: {
  readonly id: string;
  readonly row: TreeRow;
  readonly top: number;
  readonly height: number;
  readonly isActive: boolean;
  readonly isOpen: boolean;
  readonly onPress: () => void;
  readonly onExpand: (isExpanded: boolean) => void;
}) {
  const style = { top, height, paddingLeft: 4 + (row.level - 1) * 16 };
  const edge = isActive ? 'outline-1 -outline-offset-1 outline-accent-line' : '';
  if (row.kind !== 'node')
    return (
      <div
        id={id}
        role="treeitem"
        aria-level={row.level}
        aria-selected={false}
        tabIndex={-1}
        className={`absolute inset-x-0 flex items-center rounded-part pr-2 text-agate ${edge} ${row.kind === 'loading' ? '' : 'cursor-pointer'} ${row.kind === 'failed' ? 'text-failed' : 'text-ink-3'}`}
        style={{ ...style, paddingLeft: style.paddingLeft + 22 }}
        onClick={onPress}
        onKeyDown={undefined}
      >
        <span className="min-w-0 truncate">{loadLabel(row)}</span>
      </div>
    );
  const { node, isExpanded } = row;
  const name = containerName(node);
  return (
    <div
      id={id}
      role="treeitem"
      aria-level={row.level}
      aria-posinset={row.position}
      aria-setsize={row.siblings}
      aria-selected={isOpen}
      tabIndex={-1}
      {...(isExpanded !== null && { 'aria-expanded': isExpanded })}
      className={`absolute inset-x-0 grid cursor-pointer grid-cols-[16px_16px_minmax(0,1fr)_auto] items-center gap-1.5 pointer-coarse:grid-cols-[32px_16px_minmax(0,1fr)_auto] rounded-part pr-2 ${edge} ${isOpen ? 'bg-accent-wash font-semibold' : 'hover:bg-wash'}`}
      style={style}
      onClick={onPress}
      onKeyDown={undefined}
    >
      {isExpanded === null ? (
        <span />
      ) : (
        <span
          aria-hidden
          data-expander=""
          className="grid size-4 place-items-center text-ink-3 hover:text-ink pointer-coarse:h-full pointer-coarse:w-8"
          onClick={(event) => {
            event.stopPropagation();
            onExpand(!isExpanded);
          }}
        >
          <Icon name={isExpanded ? 'chevron-down' : 'chevron-right'} />
        </span>
      )}
      <Icon name={containerIcon(node)} className={isOpen ? 'text-accent' : 'text-ink-3'} />
      <span
        className={`min-w-0 truncate ${node.deleted ? 'text-ink-3' : ''}`}
        data-tip={name}
        data-name=""
      >
        {name}
      </span>
      {node.deleted ? (
        <Icon name="trash" size={12} className="text-ink-3" label={t.deleted} />
      ) : (
        node.children !== null && (
          <span className={`text-agate ${isOpen ? 'text-accent' : 'text-ink-3'}`}>
            <span aria-hidden>{formatCount(node.children)}</span>
            <span className="sr-only">{t.items({ count: node.children })}</span>
          </span>
        )
      )}
    </div>
  );
}

const loadLabel = ({ kind, failure }: Exclude<TreeRow, NodeRow>): string =>
  kind === 'failed'
    ? t.retry({ message: failure === null ? '' : getFailureText(failure) })
    : kind === 'more'
      ? t.more
      : t.loading;
