import { Suspense, useState } from 'react';
import type { Ms } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { lazyDialog } from '#src/ui/lazy-dialog.ts';
import { ok } from '#contract/result.ts';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { unignoreMissed, ignoreMissed } from '../../shared/lists/actions.ts';
import { listMessages as t } from '#src/features/shared/lists/messages.en.ts';

const IgnoreForm = lazyDialog(
  async () => (await import('../../shared/lists/ignore-form.tsx')).IgnoreForm,
);

export interface IgnoreMissedProps {
  /** The job's id at its source; null if it is unknown here. */
  readonly jobInstanceUid: string | null;
  /** `SQL nightly, Aldergate Vets`. */
  readonly about: string;
  /** A user has already marked the job as not expected to run. */
  readonly ignored: boolean;
  readonly zone: string;
  readonly now: Ms;
}

/**
 * For a job that did not run: stops expecting its results until a date, or expects them again. It
 * requires a connection and says so.
 */
export function IgnoreMissed({ jobInstanceUid, about, ignored, zone, now }: IgnoreMissedProps) {
  const [asking, setAsking] = useState(false);
  const mutation = useServerMutation();
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const change = async (action: Promise<boolean>): Promise<void> => {
    await mutation.send(async () => ok(await action));
  };
  const blocked = offline || jobInstanceUid === null;
  return (
    <>
      <Button
        variant="quiet"
        size="sm"
        busy={mutation.busy}
        disabled={blocked}
        {...(offline && { 'data-tip': MESSAGES.needsNetwork })}
        onClick={() => {
          if (ignored && jobInstanceUid !== null)
            void change(unignoreMissed({ jobInstanceUid }, about));
          else setAsking(true);
        }}
      >
        {ignored ? t.expectAgain : t.ignoreUntil}
      </Button>
      {asking && jobInstanceUid !== null && (
        <Suspense>
          <IgnoreForm
            title={t.ignoreItem({ name: about })}
            description={t.ignoreMissedHint}
            forGood={false}
            zone={zone}
            now={now}
            onClose={() => setAsking(false)}
            ignore={(until) =>
              until === null
                ? Promise.resolve(ok(null))
                : ignoreMissed({ jobInstanceUid }, until, about)
            }
            onIgnored={() => setAsking(false)}
          />
        </Suspense>
      )}
    </>
  );
}

const EMPTY = {};
