import { formatUtc, formatWhen } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { toHistoryLine } from './history-entries.ts';
import { PanelPart, Unheard } from './part.tsx';
import type { ExecutionQuery } from './use-execution.ts';
import { runPanelMessages as t } from './messages.en.ts';
import { richText } from '#src/ui/rich-text.tsx';

/** History of the problem: who did what and when, newest first. */
export function History({
  query,
  zone,
}: {
  readonly query: ExecutionQuery;
  readonly zone: string;
}) {
  const { execution, message } = query;
  if (execution === null)
    return message === null ? null : (
      <Unheard
        title={t.history}
        offline={t.historyNeedsNetwork}
        unreadable={t.historyUnreadable}
        query={query}
      />
    );
  const { problem, history, historyArchivedUntil: until } = execution;
  if (problem === null || (history.length === 0 && until === null)) return null;
  return (
    <PanelPart title={t.history}>
      {history.length > 0 && (
        <ol className="rp-history">
          {history.map((entry, place) => {
            const { icon, who, did, message } = toHistoryLine(entry, problem.state, zone);
            const at = Date.parse(entry.at);
            return (
              <li key={history.length - place}>
                <Icon name={icon} className="mt-px text-ink-3" />
                <span className="min-w-0 break-words">
                  {typeof did === 'string' ? did : richText(did, { who: <b>{who}</b> })}
                </span>
                <time className="dc-ag" dateTime={entry.at} data-tip={formatUtc(at)}>
                  {formatWhen(at, zone)}
                </time>
                {message !== null && (
                  <span className="col-[2/-1] break-words whitespace-pre-line text-ink-2">
                    {message}
                  </span>
                )}
              </li>
            );
          })}
        </ol>
      )}
      {until !== null && (
        <p className="mt-2 mb-0 text-ink-2">
          {t.historyArchived({ time: formatWhen(Date.parse(until), zone) })}
        </p>
      )}
    </PanelPart>
  );
}
