import { useState } from 'react';
import { Icon } from '#src/ui/icon.tsx';
import { Button } from '#src/ui/button.tsx';
import { plural } from '#src/ui/format.ts';
import { logLines } from './log-lines.ts';
import type { Asked } from './use-execution.ts';

const SHOWN = 8;

/** The end of the log, where it says what went wrong; the whole of it on demand. */
export function Log({ asked, again }: { readonly asked: Asked; readonly again: () => void }) {
  const [whole, setWhole] = useState(false);
  const lines = asked.execution?.log ? logLines(asked.execution.log) : [];
  const shown = whole ? lines : lines.slice(-SHOWN);
  return (
    <section className="pt-3">
      <h3 className="m-0 flex items-baseline gap-2 pb-1">
        Log
        {lines.length > SHOWN && (
          <button type="button" className="ml-auto text-agate font-normal text-accent" aria-expanded={whole} onClick={() => setWhole(!whole)}>
            {whole ? 'The end of it' : `Whole log, ${plural(lines.length, 'line')}`}
          </button>
        )}
      </h3>
      {asked.is === 'failed' && (
        <p className="m-0 flex items-center gap-2 py-1 text-ink-2">
          <span className="grow">{asked.message}</span><Button variant="quiet" size="sm" onClick={again}>Try again</Button>
        </p>
      )}
      {asked.is === 'asking' && asked.execution === null && <div className="rp-wait"><span className="sr-only">The log is on its way</span><i /><i /><i /></div>}
      {asked.execution !== null && lines.length === 0 && <p className="m-0 py-1 text-ink-3">No log came with this result.</p>}
      {lines.length > 0 && (
        <ol className="rp-log" {...(whole && { 'tabIndex': 0, 'aria-label': 'Log' })}>
          {shown.map(({ time, text, tone }, i) => (
            <li key={lines.length - shown.length + i} data-tone={tone}>
              {time !== null && <time>{time}</time>}
              <span>{tone && <Icon name={tone === 'error' ? 'failed' : 'warning'} size={12} label={tone} className="mt-[3px]" />}<span className="min-w-0 break-words">{text}</span></span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
