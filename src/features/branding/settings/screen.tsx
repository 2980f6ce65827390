import { useState } from 'react';
import { ACCOUNT } from '#contract/messages/account.messages.en.ts';
import { BASE } from '#contract/messages/base.messages.en.ts';
import type { StoredSettings } from '#contract/branding/settings-calls.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { PageLoading } from '#src/app/shell/page-loading.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { ProviderChoice, useChosenProvider } from '#src/features/shared/provider-choice.tsx';
import { UnsavedQuestion } from '#src/app/shell/unsaved-question.tsx';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { useMe } from '#src/app/session/session.ts';
import { Callout } from '#src/ui/callout.tsx';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { RetryCallout } from '#src/ui/retry-callout.tsx';
import { AuditForm } from './audit-form.tsx';
import { PartForm } from './part-form.tsx';
import { PART_NAMES } from './parts.ts';
import { PolicyForm } from './policy-form.tsx';
import { QuotaForm } from './quota-form.tsx';
import { settingsMessages as t } from './messages.en.ts';

/** `/admin/settings`: how a provider's users sign in, and which systems its portal uses. */
export function ProviderSettingsScreen() {
  const chosen = useChosenProvider();
  return chosen === null ? null : <Settings key={chosen.id} chosen={chosen} />;
}

function Settings({
  chosen,
}: {
  readonly chosen: NonNullable<ReturnType<typeof useChosenProvider>>;
}) {
  const { id, own, name } = chosen;
  const request = useCachedQuery('getProviderSettings', { id });
  const [saved, setSaved] = useState<StoredSettings | null>(null);
  const [dirty, setDirty] = useState<readonly string[]>([]);
  const status = useWatch('status', EMPTY);
  const impersonator = useMe()?.impersonator ?? null;
  const offline = status?.kind === 'offline';
  const stored = saved ?? request.value;
  const mark =
    (part: string) =>
    (on: boolean): void =>
      setDirty((old) =>
        on === old.includes(part) ? old : on ? [...old, part] : old.filter((one) => one !== part),
      );
  const shared = stored === null ? null : { id, stored, offline, onSaved: setSaved };
  return (
    <Page title={t.providerSettings} {...(!own && name !== null && { detail: name })}>
      <UnsavedQuestion dirty={dirty.length > 0} />
      <div className="min-h-full bg-sheet px-4 py-4 tablet:px-5">
        <div className="flex flex-wrap items-center gap-2 pb-4 empty:hidden">
          <ProviderChoice chosen={chosen} />
        </div>
        {offline && (
          <div className="pb-4">
            <Callout tone="warning">{BASE.needsNetwork}</Callout>
          </div>
        )}
        {impersonator !== null && (
          <div className="pb-4">
            <Callout tone="warning">{ACCOUNT.notWhileImpersonating}</Callout>
          </div>
        )}
        {request.failure !== null && !offline && (
          <div className="pb-4">
            <RetryCallout failure={request.failure} onRetry={request.again}>
              {request.failure.message}
            </RetryCallout>
          </div>
        )}
        {shared === null ? (
          request.failure === null && (
            <DelayedFallback>
              <PageLoading />
            </DelayedFallback>
          )
        ) : (
          <>
            <PolicyForm {...shared} onDirty={mark('policy')} />
            <QuotaForm {...shared} onDirty={mark('quota')} />
            <AuditForm {...shared} onDirty={mark('audit')} />
            {PART_NAMES.map((part) => (
              <PartForm key={part} {...shared} name={part} onDirty={mark(part)} />
            ))}
          </>
        )}
      </div>
    </Page>
  );
}

const EMPTY = {};
