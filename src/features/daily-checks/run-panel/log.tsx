import { useState } from 'react';
import { Icon } from '#src/ui/icon.tsx';
import { logLines } from './log-lines.ts';
import { PanelPart, Unknown } from './part.tsx';
import type { ExecutionQuery } from './use-execution.ts';
import { runPanelMessages as t } from './messages.en.ts';

const SHOWN = 8;

/** The end of the log, which usually contains the error; the full log on request. */
export function RunLogPanel({ query }: { readonly query: ExecutionQuery }) {
  const [whole, setWhole] = useState(false);
  const lines = query.execution?.log ? logLines(query.execution.log) : [];
  const shown = whole ? lines : lines.slice(-SHOWN);
  return (
    <PanelPart
      title={t.log}
      more={
        lines.length <= SHOWN
          ? null
          : {
              open: whole,
              label: whole ? t.showLogEnd : t.showWholeLog({ count: lines.length }),
              onPress: () => setWhole(!whole),
            }
      }
    >
      <Unknown query={query} waiting={t.loadingLog} />
      {query.execution !== null && lines.length === 0 && (
        <p className="m-0 py-1 text-ink-3">
          {query.execution.isLogDeleted ? t.logDeleted : t.noLog}
        </p>
      )}
      {lines.length > 0 && (
        <ol className="rp-log" {...(whole && { 'tabIndex': 0, 'aria-label': t.log })}>
          {shown.map(({ time, text, tone }, i) => (
            <li key={lines.length - shown.length + i} data-tone={tone}>
              {time !== null && <time>{time}</time>}
              <span>
                {tone && (
                  <Icon
                    name={tone === 'error' ? 'failed' : 'warning'}
                    size={12}
                    label={tone}
                    className="mt-[3px]"
                  />
                )}
                <span className="min-w-0 break-words">{text}</span>
              </span>
            </li>
          ))}
        </ol>
      )}
    </PanelPart>
  );
}
