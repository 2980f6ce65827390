import type { Ms } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { formatWhen } from '#src/ui/format.ts';

interface RefusedProps {
  readonly fault: string;
  /** When what is shown below was told; null where nothing is. */ readonly at: Ms | null;
  readonly own: boolean;
  readonly zone: string;
  readonly onAgain: () => void;
}

/** Why the server's part is not there, or not new. */
export function Refused({ fault, at, own, zone, onAgain }: RefusedProps) {
  const offline = fault === MESSAGES.needsNetwork;
  return (
    <div className="px-4 py-3 desk:px-6">
      <Callout
        tone={offline ? 'warning' : 'failed'}
        alert
        action={
          <Button size="sm" onClick={onAgain}>
            Try again
          </Button>
        }
      >
        {offline && at === null && !own ? `This device does not keep these days. ${fault}` : fault}
        {at !== null && (
          <span className="block text-agate text-ink-3">
            What stands below was told {formatWhen(at, zone)}.
          </span>
        )}
        {at === null && own && (
          <span className="block text-agate text-ink-3">
            What stands below is what this device keeps.
          </span>
        )}
      </Callout>
    </div>
  );
}

/** No result in the time, and what to do. */
export function NoResults({
  narrowed,
  onAll,
  onLonger,
}: {
  readonly narrowed: boolean;
  readonly onAll: () => void;
  readonly onLonger: () => void;
}) {
  return (
    <Notice icon="trends" level={2} title="No results in this time">
      <p className="m-0">
        {narrowed
          ? 'No job of these companies, sources and types has a result in these days.'
          : 'Nothing has reported in these days.'}
      </p>
      <p className="m-0 flex flex-wrap justify-center gap-2 pt-2">
        <Button onClick={onLonger}>Show the last 30 days</Button>
        {narrowed && <Button onClick={onAll}>All companies, sources and types</Button>}
      </p>
    </Notice>
  );
}

/** A time of more than twelve months. */
export const TooLong = () => (
  <div className="px-4 py-3 desk:px-6">
    <Callout tone="warning" alert>
      {MESSAGES.evidenceTooLong}
    </Callout>
  </div>
);
