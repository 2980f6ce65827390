import { useId, useRef } from 'react';
import type { KeyboardEvent, ReactNode } from 'react';
import { formatCount } from './format.ts';

export interface Tab<K extends string> {
  readonly key: K;
  readonly label: string;
  /** Number of items in the tab. */
  readonly count?: number | null;
}

export interface TabsProps<K extends string> {
  /** What the tabs select: `Lists`. */
  readonly label: string;
  readonly tabs: readonly Tab<K>[];
  readonly chosen: K;
  readonly onChoose: (key: K) => void;
  /** The chosen tab's content; it is the tab panel. */
  readonly children: ReactNode;
  readonly className?: string;
  readonly panelClassName?: string;
}

/**
 * Tabs with counts; the selected one has a rule. Arrow keys, Home and End move between tabs and
 * select them.
 */
export function Tabs<K extends string>({
  label,
  tabs,
  chosen,
  onChoose,
  children,
  className = '',
  panelClassName = '',
}: TabsProps<K>) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const step = (event: KeyboardEvent): void => {
    const at = tabs.findIndex(({ key }) => key === chosen);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    const next = to === undefined ? undefined : tabs[(to + tabs.length) % tabs.length];
    if (!next) return;
    event.preventDefault();
    onChoose(next.key);
    list.current?.querySelector<HTMLElement>(`[data-key="${next.key}"]`)?.focus();
  };
  return (
    <>
      <div
        ref={list}
        role="tablist"
        tabIndex={-1}
        aria-label={label}
        className={`flex min-w-0 gap-5 overflow-x-auto border-b border-rule ${className}`}
        onKeyDown={step}
      >
        {tabs.map(({ key, label, count }) => (
          <button
            key={key}
            type="button"
            role="tab"
            id={`${id}-${key}`}
            data-key={key}
            aria-selected={key === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={key === chosen ? 0 : -1}
            className="-mb-px inline-flex h-10 shrink-0 items-center gap-1.5 border-b-2 border-transparent whitespace-nowrap text-ink-2 hover:text-ink focus-visible:-outline-offset-2
              aria-selected:border-accent aria-selected:font-semibold aria-selected:text-ink pointer-coarse:h-11"
            onClick={() => onChoose(key)}
          >
            {label}
            {count != null && <span className="font-normal text-ink-3">{formatCount(count)}</span>}
          </button>
        ))}
      </div>
      <div
        role="tabpanel"
        id={`${id}-panel`}
        aria-labelledby={`${id}-${chosen}`}
        className={panelClassName}
      >
        {children}
      </div>
    </>
  );
}
