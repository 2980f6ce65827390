import type { Ms } from '#contract/ids.ts';
import type { Overview } from '#contract/dashboard/overview.ts';
import { formatSpan } from '#src/ui/format.ts';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { Icon } from '#src/ui/icon.tsx';
import { StateMark } from '#src/ui/state-mark.tsx';
import { headline, whom } from '../attention.ts';
import { getQuietState } from './freshness.ts';
import { wallMessages as t } from './messages.en.ts';

/** Open issues, worst first, as many lines as fit. */
export function WallAttention({
  overview,
  now,
}: {
  readonly overview: Overview | null | undefined;
  readonly now: Ms;
}) {
  if (!overview)
    return (
      <section className="wall-needs" aria-busy="true">
        {overview === null && (
          <DelayedFallback>
            <p>{t.loading}</p>
          </DelayedFallback>
        )}
      </section>
    );
  const { attention } = overview;
  if (attention.length === 0) {
    const quiet = getQuietState(overview);
    return (
      <section className="wall-needs wall-clear" data-quiet={quiet.kind}>
        <p>
          {quiet.kind === 'clear' && <Icon name="tick" size={64} stroke={1.25} />}
          {quiet.words}
        </p>
      </section>
    );
  }
  return (
    <section className="wall-needs" aria-label={t.needsAttention}>
      <h2>{t.needsAttention}</h2>
      <ol>
        {attention.map((of) => (
          <li key={`${of.cause ?? 'job'} ${of.run}`}>
            <StateMark state={of.state} className="wall-mark" />
            <span className="wall-what" data-tip={headline(of)}>
              {headline(of)}
            </span>
            <span className="wall-whom" data-tip={whom(of)}>
              {whom(of)}
            </span>
            <span className="wall-age">{formatSpan(of.since, now) ?? t.now}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
