import type { Ms } from '#contract/ids.ts';
import { useZone } from '#src/app/session/session.ts';
import { formatAge, formatUtc, formatWhen } from '#src/ui/format.ts';

/** A past moment and its age; `never` instead if there is none. */
export function Moment({
  at,
  now,
  never,
}: {
  readonly at: Ms | null;
  readonly now: Ms;
  readonly never: string;
}) {
  const zone = useZone();
  return at === null ? (
    <span className="text-ink-3">{never}</span>
  ) : (
    <time data-tip={formatUtc(at)}>
      {formatWhen(at, zone)} <span className="inline-block text-ink-3">{formatAge(at, now)}</span>
    </time>
  );
}
