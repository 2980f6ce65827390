/* oxlint-disable jsx-a11y/prefer-tag-over-role -- a non-modal popover next to its cell: the grid stays usable */
import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';
import type { RefObject } from 'react';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { IconButton } from '#src/ui/button.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { DayResults, getResults } from './day-results.tsx';
import type { DayResultsProps } from './day-results.tsx';
import { shortDay, weekdayName } from './steps.ts';
import { uiMessages } from '#src/ui/messages.en.ts';
import { calendarMessages as t } from './messages.en.ts';

/** `detail`: the job's company and computer. */
export interface Names {
  readonly title: string;
  readonly detail: string;
}

interface DayPopoverProps extends Omit<DayResultsProps, 'first' | 'view'> {
  /** Null if the row is out of sight. */
  readonly names: Names | null;
  readonly phone: boolean;
  /**
   * The element that contains the popover and the cell.
   * `cell`: null if it is out of sight.
   */
  readonly around: RefObject<HTMLElement | null>;
  readonly cell: () => Element | null;
  readonly onClose: () => void;
}

/** Details of a cell's day: a popover beside it, on a phone a sheet. */
export function DayPopover({ names, phone, around, cell, onClose, ...request }: DayPopoverProps) {
  const view = useWatch('runs', getResults(request.opened, request.rule));
  const [known, setKnown] = useState(names);
  if (names && (known?.title !== names.title || known.detail !== names.detail)) setKnown(names);
  const rest = { ...request, view };
  const run = view?.rows[0];
  const { title, detail } = known ?? {
    title: run?.jobName ?? t.job,
    detail: run?.companyName ?? '',
  };
  const { day } = rest.opened;
  const when = `${weekdayName(day, 'short')} ${shortDay(day)}`;
  if (phone) {
    return (
      <Dialog title={title} place="bottom" onClose={onClose}>
        <p className="m-0 px-4 pt-2 pb-3 text-ink-2">
          {detail}
          {detail !== '' && ', '}
          {when}
        </p>
        <DayResults {...rest} />
      </Dialog>
    );
  }
  return (
    <AnchoredPopover
      {...rest}
      title={title}
      detail={detail}
      when={when}
      around={around}
      cell={cell}
      onClose={onClose}
    />
  );
}

const GAP = 6;
const EDGE = 8;

function AnchoredPopover({
  title,
  detail,
  when,
  around,
  cell,
  onClose,
  ...rest
}: Omit<DayPopoverProps, 'phone' | 'names'> &
  Names &
  Pick<DayResultsProps, 'view'> & { readonly when: string }) {
  const pop = useRef<HTMLDivElement>(null);
  const first = useRef<HTMLAnchorElement>(null);
  // Below the cell if there is room, otherwise above, within the calendar.
  const place = useEffectEvent((): void => {
    const own = pop.current;
    const room = around.current?.getBoundingClientRect();
    const at = cell()?.getBoundingClientRect();
    if (!own || !room) return;
    const { offsetWidth: width, offsetHeight: height } = own;
    const right = at ? at.right - room.left : room.width - EDGE;
    const below = at ? at.bottom - room.top + GAP : EDGE;
    const top = below + height <= room.height || !at ? below : at.top - room.top - GAP - height;
    own.style.left = `${Math.max(EDGE, Math.min(right - width, room.width - width - EDGE))}px`;
    own.style.top = `${Math.max(EDGE, Math.min(top, room.height - height - EDGE))}px`;
  });
  useLayoutEffect(() => {
    const own = pop.current;
    const room = around.current;
    if (!own || !room) return;
    const look = (): void => place();
    const sizes = new ResizeObserver(look);
    sizes.observe(own);
    sizes.observe(room);
    room.addEventListener('scroll', look, { capture: true, passive: true });
    look();
    return () => {
      sizes.disconnect();
      room.removeEventListener('scroll', look, { capture: true });
    };
  }, [around]);
  useEffect(() => first.current?.focus({ preventScroll: true }), []);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === 'Escape' && !event.defaultPrevented) onClose();
    };
    const onDown = (event: PointerEvent): void => {
      if (event.target instanceof Element && !event.target.closest('.cal-pop, [data-line]'))
        onClose();
    };
    addEventListener('pointerdown', onDown);
    addEventListener('keydown', onKey);
    return () => {
      removeEventListener('pointerdown', onDown);
      removeEventListener('keydown', onKey);
    };
  }, [onClose]);
  return (
    <div ref={pop} role="dialog" aria-labelledby="cal-pop-title" tabIndex={-1} className="cal-pop">
      <div className="flex items-start gap-2 pt-3 pr-2 pb-2 pl-4">
        <div className="min-w-0 grow">
          <h2 id="cal-pop-title" className="m-0 text-body break-words">
            {title}
          </h2>
          <p className="m-0 break-words text-ink-2">{detail}</p>
        </div>
        <span className="shrink-0 pt-0.5 text-agate text-ink-2">{when}</span>
        <IconButton icon="close" label={uiMessages.close} className="-mt-1" onClick={onClose} />
      </div>
      <DayResults {...rest} first={first} />
    </div>
  );
}
