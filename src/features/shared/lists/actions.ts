import type { InputOf } from '#contract/calls.ts';
import type { Ms } from '#contract/ids.ts';
import type { Result } from '#contract/result.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { showSuccess, showFailure, showWithUndo } from '#src/ui/toasts.ts';
import { listMessages as t } from './messages.en.ts';

/** Identifies a job for the server. `key`: its source, if two sources use the same job id. */
export interface JobName {
  readonly jobInstanceUid: string;
  readonly key?: string;
}

/** Makes the call and shows that it succeeded. The form shows a failure. */
async function send(
  asking: Promise<Result<unknown>>,
  details: string,
  undo?: () => void,
): Promise<Result<unknown>> {
  const answer = await asking;
  if (answer.ok) {
    if (undo) showWithUndo(details, undo);
    else showSuccess(details);
  }
  return answer;
}

/** Makes the call and shows its outcome. Returns whether it succeeded. */
async function done(
  asking: Promise<Result<unknown>>,
  details: string,
  undo?: () => void,
): Promise<boolean> {
  const answer = await send(asking, details, undo);
  if (!answer.ok) showFailure(getFailureText(answer.failure));
  return answer.ok;
}

export const ignoreDisabled = (job: JobName, about: string): Promise<boolean> =>
  done(
    client().ask('ignoreDisabled', job),
    t.ignoredToast({ name: about }),
    () => void unignoreDisabled(job, about),
  );
export const unignoreDisabled = (job: JobName, about: string): Promise<boolean> =>
  done(client().ask('unignoreDisabled', job), t.notIgnoredToast({ name: about }));

export const ignoreMissed = (job: JobName, until: Ms, about: string): Promise<Result<unknown>> =>
  send(
    client().ask('ignoreMissed', { ...job, ignoredUntil: getIso(until) }),
    t.notExpectedToast({ name: about }),
    () => void unignoreMissed(job, about),
  );
export const unignoreMissed = (job: JobName, about: string): Promise<boolean> =>
  done(client().ask('unignoreMissed', job), t.expectedToast({ name: about }));

/** `until`: null for permanently. `onUndone`: runs after an undo. */
export const ignoreComputer = (
  id: string,
  until: Ms | null,
  about: string,
  onUndone: () => void,
): Promise<Result<unknown>> =>
  send(
    client().ask('ignoreComputer', { id, ...(until !== null && { ignoredUntil: getIso(until) }) }),
    t.ignoredToast({ name: about }),
    () => void unignoreComputer(id, about, onUndone),
  );
export async function unignoreComputer(id: string, about: string, then: () => void): Promise<void> {
  if (await done(client().ask('unignoreComputer', { id }), t.notIgnoredToast({ name: about })))
    then();
}
export const noteComputer = (
  { id, note }: InputOf<'noteComputer'>,
  about: string,
): Promise<Result<unknown>> =>
  send(
    client().ask('noteComputer', { id, note }),
    (note === '' ? t.noteDeleted : t.noteSaved)({ name: about }),
  );

const getIso = (at: Ms): string => new Date(at).toISOString();
