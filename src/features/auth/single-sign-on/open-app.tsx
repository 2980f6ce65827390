import { useRouterState } from '@tanstack/react-router';
import { useMachine } from '@xstate/react';
import { useState } from 'react';
import { fromPromise } from 'xstate';
import { SSO_PROVIDERS } from '#contract/auth/profile.ts';
import type { SsoProvider } from '#contract/auth/profile.ts';
import { CallButton, useImpersonationRefusal } from '#src/app/call-button.tsx';
import { BASE } from '#contract/messages/base.messages.en.ts';
import { singleSignOnMachine } from '#machines/single-sign-on.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { NotFound } from '#src/app/shell/not-found.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { useMe } from '#src/app/session/session.ts';
import {
  countClick,
  hasZertoSession,
  keepZertoSession,
  SSO_WORDS,
} from '#src/app/session/single-sign-on.ts';
import { Callout } from '#src/ui/callout.tsx';
import { Icon } from '#src/ui/icon.tsx';
import { canRetry } from '#src/ui/can-retry.ts';
import { uiMessages as ui } from '#src/ui/messages.en.ts';
import { accountMessages as t } from '../messages.en.ts';

/** `/monitoring/apps/:provider`: redirects into another system. */
export function Apps() {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const named = path.replace(/\/+$/, '').split('/').at(-1);
  const provider = SSO_PROVIDERS.find((one) => one === named);
  const me = useMe();
  if (provider === undefined) return <NotFound />;
  return me === null ? null : <App key={`${provider} ${me.id}`} provider={provider} user={me.id} />;
}

/**
 * The first click shows this page without asking the server; later clicks ask it at once. Only the
 * server's answer decides what opens.
 */
function App({ provider, user }: { readonly provider: SsoProvider; readonly user: string }) {
  const isRefused = useImpersonationRefusal('validateSso').disabled === true;
  const [earlierClicks] = useState(() => (isRefused ? 0 : countClick(user, provider)));
  const [state, send] = useMachine(machine, {
    input: { provider, earlierClicks, hasSession: hasZertoSession() },
  });
  const { url, failure, hasSession } = state.context;
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const name = SSO_WORDS[provider];

  return (
    <Page title={name}>
      <div className="min-h-full bg-sheet px-4 py-5 tablet:px-5">
        <div className="grid max-w-[740px] gap-4">
          <p className="m-0 text-ink-2">{t.opensInTab}</p>
          {offline && <Callout tone="warning">{BASE.needsNetwork}</Callout>}
          {failure !== null && !offline && (
            <Callout tone="failed" alert>
              {failure.message}
            </Callout>
          )}
          {url === null ? (
            canRetry(failure) && (
              <div>
                <CallButton
                  call="validateSso"
                  variant="primary"
                  busy={state.matches('requesting')}
                  disabled={offline}
                  onClick={() => send({ type: 'REQUEST' })}
                >
                  {failure === null ? t.signInTo({ system: name }) : ui.tryAgain}
                </CallButton>
              </div>
            )
          ) : (
            <div className="flex flex-wrap items-center gap-3">
              <a
                href={url}
                target="_blank"
                rel="noopener noreferrer"
                ref={(link) => link?.focus()}
                onClick={() => send({ type: 'OPEN' })}
                className="inline-flex h-8 items-center rounded-part border border-accent bg-accent px-3 font-semibold text-on-accent pointer-coarse:h-11"
              >
                {t.openSystem({ system: name })}
              </a>
              <output className="inline-flex items-center gap-1.5 text-success">
                <Icon name="success" />
                {provider === 'zerto' ? t.linkReadyOnce : t.linkReady}
              </output>
            </div>
          )}
          {provider === 'zerto' && url === null && hasSession && (
            <p className="m-0 text-agate text-ink-3">{t.zertoSession}</p>
          )}
        </div>
      </div>
    </Page>
  );
}

const machine = singleSignOnMachine.provide({
  actors: {
    request: fromPromise(async ({ input: provider }) => {
      const answer = await client().ask('validateSso', { provider });
      if (provider === 'zerto' && answer.ok && answer.value.sessionId !== null) keepZertoSession();
      return answer;
    }),
  },
});

const EMPTY = {};
