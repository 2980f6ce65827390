import type { ReactNode } from 'react';
import { MESSAGES } from '#contract/messages.ts';
import { formatCount, formatWhen } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { StateMark } from '#src/ui/state-mark.tsx';
import type { Test } from './use-test.ts';
import { conflictText } from './labels.ts';
import { ruleMessages as t } from './messages.en.ts';

/** Results that the rule would have matched, and other rules that match them. */
export function Tested({
  test: { tested, isLoading, error },
  ready,
  offline,
  zone,
}: {
  readonly test: Test;
  readonly ready: boolean;
  readonly offline: boolean;
  readonly zone: string;
}) {
  return (
    <section
      aria-labelledby="rule-test"
      aria-busy={isLoading}
      className="min-w-0 self-start min-[1360px]:sticky min-[1360px]:top-4"
    >
      <h2 id="rule-test" className="m-0 border-t-2 border-head-rule py-3 text-body font-semibold">
        {t.test}
      </h2>
      <div aria-live="polite">
        {offline ? (
          <Said>{MESSAGES.needsNetwork}</Said>
        ) : !ready ? (
          <Said>{t.testHint}</Said>
        ) : error !== null ? (
          <p className="m-0 flex gap-2 text-failed">
            <Icon name="failed" className="mt-px" />
            {error}
          </p>
        ) : tested === null ? (
          <Said>{t.searching}</Said>
        ) : (
          <p className="m-0">
            <b>{t.matched({ count: tested.count })}</b>
            <span className="block text-ink-2">
              {tested.all
                ? t.checkedAll({ looked: tested.looked })
                : t.checkedNewest({ looked: tested.looked })}{' '}
              {tested.count > tested.rows.length &&
                t.matchedShown({ count: formatCount(tested.rows.length) })}{' '}
              {isLoading && t.updating}
            </span>
          </p>
        )}
      </div>
      {ready && !offline && error === null && tested !== null && tested.conflicts.length > 0 && (
        <ul
          className="m-0 mt-3 grid list-none gap-2 border-t border-rule p-0 pt-3"
          aria-label={t.otherRules}
        >
          {tested.conflicts.map(({ _id: id, name, count, above, same }) => (
            <li key={id} className="grid grid-cols-[16px_minmax(0,1fr)] gap-2">
              <Icon
                name={same.length > 0 ? 'warning' : 'rules'}
                className={`mt-px ${same.length > 0 ? 'text-warning' : 'text-ink-3'}`}
              />
              <span className="break-words">
                <b>{name}</b>
                <span className="block text-ink-2">
                  {conflictText(formatCount(count), above, same)}
                </span>
              </span>
            </li>
          ))}
        </ul>
      )}
      {ready && !offline && error === null && tested !== null && tested.rows.length > 0 && (
        <ol
          className={`m-0 mt-3 list-none border-t border-rule p-0 ${isLoading ? 'text-ink-3' : ''}`}
          aria-label={t.matchedResults}
        >
          {tested.rows.map(({ run, startedAt, job, computer, company, state, message }) => (
            <li key={run} className="grid gap-0.5 border-b border-hair py-2">
              <span className="flex flex-wrap items-baseline gap-x-3">
                <StateMark state={state} />
                <span
                  className="min-w-0 grow truncate"
                  data-tip={`${jobText(job, computer)}, ${company}`}
                >
                  <b>{company}</b> {jobText(job, computer)}
                </span>
                <time className="text-agate text-ink-3">{formatWhen(startedAt, zone)}</time>
              </span>
              <span className="truncate text-ink-2" data-tip={message}>
                {message}
              </span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

const jobText = (job: string, computer: string): string =>
  computer === '' ? job : t.jobOnComputer({ job, computer });

const Said = ({ children }: { readonly children: ReactNode }) => (
  <p className="m-0 text-ink-2">{children}</p>
);
