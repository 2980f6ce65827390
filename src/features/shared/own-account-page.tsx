import type { ReactNode } from 'react';
import type { Failure } from '#contract/errors.ts';
import { ACCOUNT } from '#contract/messages/account.messages.en.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { PageLoading } from '#src/app/shell/page-loading.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { useMe } from '#src/app/session/session.ts';
import { Callout } from '#src/ui/callout.tsx';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { RetryCallout } from '#src/ui/retry-callout.tsx';
import { ownAccountPageMessages as t } from './own-account-page.messages.en.ts';

export interface OwnPageProps {
  readonly title: string;
  /** Server queries that must be answered before the page is shown. */
  readonly queries?: readonly {
    readonly value: unknown;
    readonly failure: Failure | null;
    readonly isLoading: boolean;
    readonly again: () => void;
  }[];
  readonly children: () => ReactNode;
}

/** A page about the user's own account. It is not available during impersonation or offline. */
export function OwnPage({ title, queries = [], children }: OwnPageProps) {
  const me = useMe();
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const missing = queries.filter(({ value }) => value === null);
  const failure = missing.find((one) => one.failure !== null && !one.isLoading)?.failure ?? null;
  if (me === null) return null;
  if (me.impersonator !== null) {
    return (
      <Page title={title}>
        <Notice icon="lock" level={2} title={t.onlyUser}>
          <p className="m-0">{ACCOUNT.notWhileImpersonating}</p>
        </Notice>
      </Page>
    );
  }
  return (
    <Page title={title}>
      <div className="min-h-full bg-sheet px-4 py-5 tablet:px-5">
        {offline && (
          <div className="mb-5 max-w-[740px]">
            <Callout tone="warning">{t.needsNetwork}</Callout>
          </div>
        )}
        {missing.length === 0 ? (
          children()
        ) : failure === null || (offline && failure.kind === 'needs-network') ? (
          !offline && (
            <DelayedFallback>
              <PageLoading />
            </DelayedFallback>
          )
        ) : (
          <div className="max-w-[740px]">
            <RetryCallout failure={failure} onRetry={() => missing.forEach(({ again }) => again())}>
              {failure.message}
            </RetryCallout>
          </div>
        )}
      </div>
    </Page>
  );
}

const EMPTY = {};
