import type { ReactNode } from 'react';
import { uiMessages } from '#src/ui/messages.en.ts';
import type { EventListed } from '#contract/providers/admin-calls.ts';
import { Button } from '#src/ui/button.tsx';
import { CopyText } from '#src/ui/copy-text.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { formatCount, formatUtc, formatWhen } from '#src/ui/format.ts';
import { formatData } from './address.ts';
import { EventActor } from './event-list.tsx';
import { adminEventsMessages as t } from './messages.en.ts';

export interface EventPanelProps {
  readonly one: EventListed;
  readonly zone: string;
  readonly onClose: () => void;
  /** Filters the log by the same subject. */
  readonly onAbout: () => void;
}

/** All logged data of one event. */
export function EventPanel({ one, zone, onClose, onAbout }: EventPanelProps) {
  const lines: readonly (readonly [string, ReactNode])[] = [
    [t.number, formatCount(one.seq)],
    [
      t.when,
      <>
        {formatWhen(one.at, zone)} <span className="text-ink-3">({formatUtc(one.at)})</span>
      </>,
    ],
    [t.about, one.entity],
    [t.company, one.company ?? t.none],
    [t.who, <EventActor key="who" one={one} />],
    ...(one.isImpersonated && one.subject !== null ? [[t.onBehalfOf, one.subject] as const] : []),
    [t.type, one.type],
  ];
  return (
    <Dialog
      title={one.type.replace(/@\d+$/, '')}
      wide
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{uiMessages.close}</Button>
          <Button variant="quiet" onClick={onAbout}>
            {t.filterByObject}
          </Button>
        </>
      }
    >
      <dl className="m-0 grid grid-cols-[112px_minmax(0,1fr)] gap-y-1.5 px-5 py-4">
        {lines.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-ink-3">{name}</dt>
            <dd className="m-0 break-words">{value}</dd>
          </div>
        ))}
      </dl>
      <div className="px-5 pb-5">
        <h3 className="m-0 pb-1.5 text-body">{t.data}</h3>
        <CopyText text={formatData(one.data)} label={t.copyData} copied={t.dataCopied} />
      </div>
    </Dialog>
  );
}
