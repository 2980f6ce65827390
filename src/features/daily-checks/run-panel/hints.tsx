import { useState } from 'react';
import { MESSAGES } from '#contract/messages.ts';
import type { HintShown } from '#contract/hints/calls.ts';
import { hintsFor } from '#contract/hints/hints.ts';
import type { RunView } from '#contract/runs/query.ts';
import { useAbility } from '#src/app/session/use-ability.ts';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { useBranding } from '#src/app/session/session.ts';
import { Button } from '#src/ui/button.tsx';
import { showFailure } from '#src/ui/toasts.ts';
import { SectionLink } from '../../shared/section-link.tsx';
import { getHintAddress } from '../../shared/page-links/hints.ts';
import { HintBody } from '../../shared/hint-body.tsx';
import { PanelPart } from './part.tsx';
import { runPanelMessages as t } from './messages.en.ts';

/**
 * Hints that have helped with similar results (HINT-4): the most specific one first, the others
 * collapsed. Offline it shows the server's last answer.
 *
 * `isReady`: what is above them is loaded, so that a button doesn't move while it is pressed.
 */
export function Hints({
  row,
  canAct,
  isReady,
}: {
  readonly row: RunView;
  readonly canAct: boolean;
  readonly isReady: boolean;
}) {
  const on = useBranding()?.features.hints === true;
  const reads = useAbility('monitoring.daily-checks');
  const canManage = useAbility('monitoring.hints');
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const request = useCachedQuery('listApplicableHints', EMPTY, { wanted: on && reads });
  const [all, setAll] = useState(false);
  const { problem } = row;
  if (!on || !isReady || problem === null) return null;
  const texts = [row.message, row.template].flatMap((text) => text ?? []);
  const found = hintsFor(request.value?.hints ?? [], {
    texts,
    kind: problem.kind,
    source: row.source,
  });
  const shown = all ? found : found.slice(0, 1);
  const write = canManage && (
    <p className="m-0 pt-3">
      <SectionLink
        href={getHintAddress(row)}
        className="text-accent underline pointer-coarse:inline-block pointer-coarse:min-h-11"
      >
        {t.createHint}
      </SectionLink>
    </p>
  );
  if (found.length === 0) return write || null;
  return (
    <>
      <PanelPart
        title={found.length === 1 ? t.hint : t.hints}
        more={
          found.length < 2
            ? null
            : {
                open: all,
                label: all ? t.showFirstHint : t.showAllHints({ count: found.length }),
                onPress: () => setAll(!all),
              }
        }
      >
        {shown.map(({ _id: id, ...hint }) => (
          <Hint key={id} id={id} hint={hint} row={row} canAct={canAct} offline={offline} />
        ))}
      </PanelPart>
      {write}
    </>
  );
}

function Hint({
  id,
  hint,
  row,
  canAct,
  offline,
}: {
  readonly id: string;
  readonly hint: Omit<HintShown, '_id'>;
  readonly row: RunView;
  readonly canAct: boolean;
  readonly offline: boolean;
}) {
  const mutation = useServerMutation();
  const helped = row.problem?.helpedBy?.includes(id) === true;
  async function say(): Promise<void> {
    const details = await mutation.send(() =>
      client().ask('rateHint', { id, run: row.n, helped: !helped }),
    );
    if (!details.ok) showFailure(details.failure.message);
  }
  return (
    <div className="border-t border-hair py-2 first:border-0 first:pt-0">
      <p className="m-0 font-semibold break-words">{hint.name}</p>
      <HintBody {...hint} />
      {canAct && (
        <Button
          variant="quiet"
          size="sm"
          className="-ml-2 mt-1"
          icon={helped ? 'tick' : 'hint'}
          aria-pressed={helped}
          busy={mutation.busy}
          disabled={offline}
          {...(offline && { 'data-tip': MESSAGES.needsNetwork })}
          onClick={() => void say()}
        >
          {helped ? t.helped : t.markHelped}
        </Button>
      )}
    </div>
  );
}

const EMPTY = {};
