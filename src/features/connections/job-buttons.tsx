import type { FoundEntities } from '#contract/connections/calls.ts';
import type { JOB_ACTIONS } from '#contract/connections/connection.ts';
import { MESSAGES } from '#contract/messages.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { getFailureText } from '#src/app/failure-text.ts';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { showSuccess, showFailure } from '#src/ui/toasts.ts';
import { connectionMessages as t } from './messages.en.ts';

type Action = (typeof JOB_ACTIONS)[number];

/** Starts or stops a job on its server, and switches its schedule on or off. */
export function JobButtons({
  connection,
  job: { uid, name, detail },
  offline,
  onDone,
}: {
  readonly connection: string;
  readonly job: Pick<FoundEntities, 'uid' | 'name' | 'detail'>;
  readonly offline: boolean;
  readonly onDone: () => void;
}) {
  const mutation = useServerMutation();
  const isRunning = detail['lastStatus'] === 'Running';
  const actions: readonly Action[] = [
    isRunning ? 'stop' : 'start',
    detail['enabled'] === false ? 'enable' : 'disable',
  ];

  async function act(action: Action): Promise<void> {
    const answer = await mutation.send(
      () => client().ask('commandServerJob', { id: connection, job: uid, action }),
      action,
    );
    if (answer.ok) showSuccess(WORDS[action].done({ name }));
    else showFailure(getFailureText(answer.failure));
    onDone();
  }

  return (
    <span className="flex flex-wrap gap-2">
      {actions.map((action) => (
        <CallButton
          key={action}
          call="commandServerJob"
          size="sm"
          busy={mutation.pending === action}
          disabled={offline || mutation.busy}
          {...(offline && { 'data-tip': MESSAGES.needsNetwork })}
          aria-label={WORDS[action].named({ name })}
          onClick={() => void act(action)}
        >
          {WORDS[action].short}
        </CallButton>
      ))}
    </span>
  );
}

const WORDS = {
  start: { short: t.startJob, named: t.startJobNamed, done: t.jobStarted },
  stop: { short: t.stopJob, named: t.stopJobNamed, done: t.jobStopping },
  enable: { short: t.enableJob, named: t.enableJobNamed, done: t.jobEnabled },
  disable: { short: t.disableJob, named: t.disableJobNamed, done: t.jobSwitchedOff },
} as const;
