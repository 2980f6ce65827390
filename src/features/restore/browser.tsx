import { useEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { getFailureText } from '#src/app/failure-text.ts';
import { Button, IconButton } from '#src/ui/button.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { useIsDesk } from '#src/ui/use-is-desk.ts';
import { useIsTablet } from '#src/ui/use-is-tablet.ts';
import { DEFAULT_SORT } from './address.ts';
import type { RestorePlace } from './address.ts';
import { useOpenBasket } from './basket/use-basket.ts';
import { itemMessages as t } from './items/messages.en.ts';
import { isGroup } from './labels.ts';
import { OpenFolder } from './open-folder.tsx';
import { useLocate } from './search/use-locate.ts';
import { restoreSearchMessages as searchWords } from './search/messages.en.ts';
import type { ChosenNodes } from './task/draft.ts';
import { restoreTaskMessages } from './task/messages.en.ts';
import { RestorePanel } from './task/panel.tsx';
import { TEXTS } from './texts.ts';
import { FolderList, PathBar } from './tree/path.tsx';
import { NodeTree } from './tree/tree.tsx';
import type { NodeRow } from './tree/rows.ts';
import { findObject, useTree } from './tree/use-tree.ts';
import type { RestoreSession } from './use-restore-session.ts';
import type { WorkloadPage } from './workload.ts';

export interface BrowserProps {
  readonly workload: WorkloadPage;
  readonly session: RestoreSession & { readonly id: string };
  readonly organization: string;
  readonly place: RestorePlace;
  /** Ids of the expanded nodes; they stay expanded at another point. */
  readonly expanded: ReadonlySet<string>;
  readonly onExpand: (id: string, isExpanded: boolean) => void;
  readonly go: (change: Partial<RestorePlace>, how?: 'push' | 'replace') => void;
}

interface OpenRestore {
  /** Each restore has a panel of its own. */
  readonly n: number;
  readonly chosen: ChosenNodes;
}

/** What a session shows: the tree, the open folder, the open item, and a restore beside them. */
export function Browser(props: BrowserProps) {
  const { workload, session, organization, place, expanded, onExpand, go } = props;
  const isTablet = useIsTablet();
  const [search, setSearch] = useState('');
  const tree = useTree({
    workload,
    session: session.id,
    search: search.trim(),
    path: place.path,
    expanded,
    onRead: session.onRead,
  });
  const [isReading, setIsReading] = useState(false);
  const [restoring, setRestoring] = useState<OpenRestore | null>(null);
  const [located, setLocated] = useState<string | null>(null);
  const lost = useLocate({
    kind: workload.kind,
    session: place.at === null || session.chosenAt === place.at ? session.id : null,
    item: place.locate,
    onRead: session.onRead,
    onFound: ({ path, item }) => {
      for (const id of path.slice(0, -1)) onExpand(id, true);
      setLocated(item?.id ?? null);
      go({ path, item, locate: null, text: '', sort: DEFAULT_SORT }, 'replace');
    },
  });
  const openPath = (path: readonly string[]): void => {
    for (const id of path.slice(0, -1)) onExpand(id, true);
    if (path.join('~') !== place.path.join('~')) go({ path, item: null, text: '' });
  };
  const [top] = tree.chain;
  const isWhole = top !== undefined && tree.chain.length === place.path.length;
  const chain = isWhole ? ([top, ...tree.chain.slice(1)] as const) : null;
  const basket = useOpenBasket();
  const toggleInBasket = ({ node }: NodeRow): void => {
    const object = findObject(tree.branches, node.id);
    if (basket === null || object === null || session.point === null) return;
    const { id, at } = session.point;
    const { showDeleted } = place;
    const nodeAt = { workload: workload.kind, point: id, at, showDeleted, object };
    const nodes = [isGroup(node) ? object : node.id];
    if (basket.has(nodeAt, nodes)) basket.remove(nodeAt, nodes);
    else basket.add(nodeAt, nodes);
  };
  const nodeTree = (
    <NodeTree
      kind={workload.kind}
      tree={tree}
      search={search}
      onSearch={setSearch}
      expanded={expanded}
      onExpand={onExpand}
      open={place.path}
      onOpen={openPath}
      onBasket={toggleInBasket}
    />
  );
  const content =
    place.locate !== null ? (
      <Notice
        icon="search"
        level={2}
        title={lost === null ? searchWords.locating : t.missing}
        {...(lost !== null && {
          actions: <Button onClick={() => go({ locate: null })}>{t.toTop}</Button>,
        })}
      >
        {lost !== null && (
          <p className="m-0">{searchWords.notLocated({ message: getFailureText(lost) })}</p>
        )}
      </Notice>
    ) : tree.missing !== null ? (
      <Notice
        icon="history"
        level={2}
        title={t.missing}
        actions={<Button onClick={() => go({ path: [], item: null, text: '' })}>{t.toTop}</Button>}
      >
        <p className="m-0">{t.missingHint}</p>
      </Notice>
    ) : chain === null ? (
      place.path.length === 0 && isTablet ? (
        <Notice icon={TEXTS[workload.kind].icon} level={2} title={TEXTS[workload.kind].choose}>
          <p className="m-0">{TEXTS[workload.kind].chooseHint}</p>
        </Notice>
      ) : null
    ) : (
      <OpenFolder
        key={`${session.id} ${place.path.join('~')}`}
        {...props}
        chain={chain}
        located={located}
        restoring={restoring?.chosen ?? null}
        onRestore={(chosen) => setRestoring({ n: (restoring?.n ?? 0) + 1, chosen })}
        onSelect={(chosen) => {
          if (restoring !== null) setRestoring({ ...restoring, chosen });
        }}
        isReading={isReading}
        onReading={setIsReading}
        renderFolders={
          isTablet
            ? undefined
            : (isAlone) => (
                <FolderList
                  isAlone={isAlone}
                  branch={tree.branches.get(place.path.at(-1) ?? '')}
                  onShow={() => onExpand(place.path.at(-1) ?? '', true)}
                  onOpen={(id) => openPath([...place.path, id])}
                />
              )
        }
      />
    );
  const panel = restoring !== null && (
    <Restore
      key={restoring.n}
      workload={workload}
      session={{ id: session.id, organization }}
      chosen={restoring.chosen}
      onClose={() => {
        setRestoring(null);
        document.querySelector<HTMLElement>('[data-items], [role=tree]')?.focus();
      }}
    />
  );
  const isRoot = place.path.length === 0 && place.locate === null;
  // One frame for all widths, so that turning a tablet loses no selection and no restore.
  return (
    <div className="flex h-full min-h-0 min-w-0 max-tablet:flex-col">
      {(isTablet || isRoot) && (
        <div className="flex min-h-0 flex-col border-rule bg-paper max-tablet:grow tablet:w-[232px] tablet:shrink-0 tablet:border-r">
          {nodeTree}
        </div>
      )}
      {!isTablet && !isRoot && (
        <PathBar kind={workload.kind} chain={tree.chain} onOpen={openPath} />
      )}
      {(isTablet || !isRoot) && <div className="flex min-h-0 min-w-0 grow">{content}</div>}
      {panel}
    </div>
  );
}

/** The restore beside the list, or as a sheet where there is no room. */
function Restore({
  workload,
  session,
  chosen,
  onClose,
}: {
  readonly workload: WorkloadPage;
  readonly session: { readonly id: string; readonly organization: string };
  readonly chosen: ChosenNodes;
  readonly onClose: () => void;
}) {
  const isTablet = useIsTablet();
  const isDesk = useIsDesk();
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => head.current?.focus(), []);
  // Moves with its state, such as a code, to the other frame when the width changes.
  const [moving] = useState(() => document.createElement('div'));
  return (
    <RestorePanel
      workload={workload}
      session={session}
      chosen={chosen}
      onClose={onClose}
      renderFrame={(title, body, footer) => (
        <>
          {createPortal(body, moving)}
          {isDesk ? (
            <section
              aria-label={title}
              className="flex w-[320px] shrink-0 flex-col border-l border-rule bg-paper max-[1439px]:w-auto max-[1439px]:grow"
            >
              <header className="flex min-h-11 items-center gap-2 border-b border-hair px-4">
                <h2
                  ref={head}
                  tabIndex={-1}
                  className="m-0 min-w-0 grow truncate text-[length:inherit] outline-none"
                >
                  {title}
                </h2>
                <IconButton icon="close" label={restoreTaskMessages.close} onClick={onClose} />
              </header>
              <Slot className="min-h-0 grow overflow-auto px-4">{moving}</Slot>
              {footer !== null && (
                <footer className="flex flex-wrap gap-2 border-t border-rule px-4 py-3">
                  {footer}
                </footer>
              )}
            </section>
          ) : (
            <Dialog
              title={title}
              place={isTablet ? 'middle' : 'bottom'}
              onClose={onClose}
              footer={footer}
            >
              <Slot className="px-5">{moving}</Slot>
            </Dialog>
          )}
        </>
      )}
    />
  );
}

/** Where an element of the document is shown now. */
const Slot = ({
  className,
  children,
}: {
  readonly className: string;
  readonly children: HTMLElement;
}) => (
  <div
    className={className}
    ref={(slot) => {
      if (slot !== null && children.parentNode !== slot) slot.append(children);
    }}
  />
);
