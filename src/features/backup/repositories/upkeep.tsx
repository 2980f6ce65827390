import { useState } from 'react';
import type { OutputOf } from '#contract/calls.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { getFailureText } from '#src/app/failure-text.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { formatBytes, formatCount } from '#src/ui/format.ts';
import { showSuccess, showFailure } from '#src/ui/toasts.ts';
import { backupRepositoryMessages as t } from './messages.en.ts';

type Row = OutputOf<'listBackupRepositories'>['rows'][number];
export type Upkeep = Pick<Row, 'cleanUpRequest' | 'verificationRequest'>;

/** Whether a clean-up or verification that somebody requested for is not done yet. */
export const hasOpenRequest = ({ cleanUpRequest, verificationRequest }: Upkeep): boolean =>
  cleanUpRequest?.endedAt === null || verificationRequest?.endedAt === null;

/** Buttons for a clean-up and a verification at once. `onRequested`: what is known is out of date. */
export function UpkeepButtons({
  id,
  upkeep,
  refusal,
  onRequested,
}: {
  readonly id: string;
  readonly upkeep: Upkeep | null;
  /** Why nothing can be requested; null: it can. */
  readonly refusal: string | null;
  readonly onRequested: () => void;
}) {
  const [busy, setBusy] = useState<UpkeepCall | null>(null);
  const request = async (call: UpkeepCall, confirmation: string): Promise<void> => {
    setBusy(call);
    const requested = await client().ask(call, { id });
    setBusy(null);
    if (requested.ok) showSuccess(confirmation);
    else showFailure(getFailureText(requested.failure));
    onRequested();
  };
  const button = (call: UpkeepCall, label: string, confirmation: string, isOpen: boolean) => (
    <CallButton
      call={call}
      size="sm"
      busy={busy === call}
      disabled={refusal !== null || isOpen}
      {...(refusal !== null && { 'data-tip': refusal })}
      onClick={() => void request(call, confirmation)}
    >
      {label}
    </CallButton>
  );
  return (
    <>
      {button(
        'cleanUpRepository',
        t.cleanUpNow,
        t.cleanUpStarted,
        upkeep?.cleanUpRequest?.endedAt === null,
      )}
      {button(
        'verifyRepository',
        t.verifyNow,
        t.verificationStarted,
        upkeep?.verificationRequest?.endedAt === null,
      )}
    </>
  );
}
type UpkeepCall = 'cleanUpRepository' | 'verifyRepository';

/** How far they are, and how the last ones ended. */
export function UpkeepState({ upkeep }: { readonly upkeep: Upkeep | null }) {
  const lines = [
    describeCleanUp(upkeep?.cleanUpRequest ?? null),
    describeVerification(upkeep?.verificationRequest ?? null),
  ].filter((line) => line !== null);
  return (
    <output className="grid gap-1 text-ink-2">
      {lines.map((line) => (
        <span key={line}>{line}</span>
      ))}
    </output>
  );
}

function describeCleanUp(request: Upkeep['cleanUpRequest']): string | null {
  if (request === null) return null;
  const { endedAt, message, removedPoints, freedBytes } = request;
  return endedAt === null
    ? describeOpen(t.cleaningUp, message)
    : t.cleanUpResult({ points: removedPoints, bytes: formatBytes(freedBytes) });
}

function describeVerification(request: Upkeep['verificationRequest']): string | null {
  if (request === null) return null;
  const { endedAt, message, parts, damaged } = request;
  if (endedAt !== null) return t.verificationResult({ damaged });
  const work =
    parts.total === null
      ? t.verifying
      : t.verifyingParts({ done: formatCount(parts.done), total: formatCount(parts.total) });
  return describeOpen(work, message);
}

const describeOpen = (work: string, reason: string | null): string =>
  reason === null ? work : t.waits({ work, reason });
