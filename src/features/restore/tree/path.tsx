import { useEffect, useEffectEvent } from 'react';
import { formatCount } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { TEXTS } from '../texts.ts';
import { containerIcon, containerName } from '../labels.ts';
import type { ContainerNode, WorkloadKind } from '../workload.ts';
import type { Branch } from './rows.ts';
import { treeMessages as t } from './messages.en.ts';

/** The open place as a path, where there is no room for the tree. */
export function PathBar({
  kind,
  chain,
  onOpen,
}: {
  readonly kind: WorkloadKind;
  readonly chain: readonly ContainerNode[];
  readonly onOpen: (path: readonly string[]) => void;
}) {
  const steps = [
    { name: TEXTS[kind].objects, path: [] as readonly string[] },
    ...chain.map((node, index) => ({
      name: containerName(node),
      path: chain.slice(0, index + 1).map(({ id }) => id),
    })),
  ];
  return (
    <nav aria-label={t.path} className="shrink-0 border-b border-hair bg-paper px-2">
      <ol className="m-0 flex list-none items-center overflow-x-auto p-0">
        {steps.map(({ name, path }, index) => {
          const isLast = index === steps.length - 1;
          return (
            <li key={path.join('~')} className="flex shrink-0 items-center">
              {index > 0 && <Icon name="chevron-right" size={12} className="text-ink-3" />}
              <button
                type="button"
                {...(isLast && { 'aria-current': 'location' })}
                className={`h-11 max-w-44 truncate rounded-part px-2 ${isLast ? 'font-semibold' : 'text-accent'}`}
                onClick={() => onOpen(path)}
              >
                {name}
              </button>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}

/** The folders inside the open one, where there is no room for the tree. */
export function FolderList({
  branch,
  isAlone,
  onShow,
  onOpen,
}: {
  readonly branch: Branch | undefined;
  /** There are no items below. */
  readonly isAlone: boolean;
  /** Loads them. */
  readonly onShow: () => void;
  readonly onOpen: (id: string) => void;
}) {
  const isUnknown = branch === undefined;
  const show = useEffectEvent(onShow);
  useEffect(() => {
    if (isUnknown) show();
  }, [isUnknown]);
  if (branch === undefined || branch.nodes.length === 0) return null;
  return (
    <ul
      aria-label={t.folders}
      className={`m-0 list-none overflow-auto border-b border-rule p-0 ${isAlone ? 'min-h-0 grow' : 'max-h-44 shrink-0'}`}
    >
      {branch.nodes.map((node) => (
        <li key={node.id} className="border-b border-hair last:border-0">
          <button
            type="button"
            className="flex min-h-11 w-full items-center gap-2.5 px-4"
            onClick={() => onOpen(node.id)}
          >
            <Icon name={containerIcon(node)} className="text-ink-3" />
            <span className={`min-w-0 grow truncate ${node.deleted ? 'text-ink-3' : ''}`}>
              {containerName(node)}
            </span>
            {node.deleted && <Icon name="trash" size={12} label={t.deleted} />}
            {node.children !== null && (
              <span className="text-agate text-ink-3">{formatCount(node.children)}</span>
            )}
            <Icon name="chevron-right" className="text-ink-3" />
          </button>
        </li>
      ))}
    </ul>
  );
}
