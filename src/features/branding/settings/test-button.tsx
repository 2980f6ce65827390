import { useState } from 'react';
import type { OutputOf } from '#contract/calls.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { Callout } from '#src/ui/callout.tsx';
import type { SettingsPart } from './parts.ts';
import { settingsMessages as t } from './messages.en.ts';

export interface TryItProps {
  readonly id: string;
  readonly part: SettingsPart;
  readonly dirty: boolean;
  readonly offline: boolean;
}

/** Tests the saved settings and shows the result. */
export function TryIt({ id, part: { title, tried, tries }, dirty, offline }: TryItProps) {
  const trying = useServerMutation();
  const [outcome, setOutcome] = useState<OutputOf<'testProviderSettings'> | null>(null);
  if (tried === null) return <p className="m-0 text-agate text-ink-3">{tries}</p>;
  const what = tried;

  async function run(): Promise<void> {
    setOutcome(null);
    const answer = await trying.send(() => client().ask('testProviderSettings', { id, what }));
    setOutcome(answer.ok ? answer.value : { ok: false, message: answer.failure.message });
  }

  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap items-center gap-3">
        <CallButton
          call="testProviderSettings"
          busy={trying.busy}
          disabled={dirty || offline}
          aria-label={t.testSystem({ system: title })}
          onClick={() => void run()}
        >
          {t.test}
        </CallButton>
        <span className="min-w-0 text-agate text-ink-3">{dirty ? t.saveFirst : tries}</span>
      </div>
      {outcome !== null && (
        <Callout tone={outcome.ok ? 'success' : 'failed'} alert>
          {outcome.message}
        </Callout>
      )}
    </div>
  );
}
