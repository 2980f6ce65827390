import type { Failure } from '#contract/errors.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { Callout } from '#src/ui/callout.tsx';
import { Icon } from '#src/ui/icon.tsx';
import { restoreTaskMessages as t } from './messages.en.ts';

/** RES-47, RES-48: what an undo can't take back, and who gets access, is said before the restore. */
export const PostsStay = () => (
  <div className="py-2">
    <Callout tone="warning">{t.postsStay}</Callout>
  </div>
);
/** RES-47: who gets a channel that is created again. */
export const ChannelPeople = () => <p className="m-0 py-2 text-ink-2">{t.privateChannels}</p>;
/** A second person has to approve a restore. */
export const Awaiting = () => (
  <div className="grid gap-2 py-3">
    <output className="flex items-center gap-2 font-semibold">
      <Icon name="clock" className="text-warning" />
      {t.awaiting}
    </output>
    <p className="m-0 text-ink-2">{t.awaitingHint}</p>
  </div>
);

/** The server wants a reason for a restore that has none. */
export const asksForReason = (failure: Failure | null): boolean =>
  failure?.kind === 'bad-input' && failure.issues.some(({ path }) => path === 'reason');

/** Why a restore was not started, or failed. */
export function RefusalNotice({ failure }: { readonly failure: Failure }) {
  return (
    <Callout tone="failed" alert>
      {getFailureText(failure)}
    </Callout>
  );
}
