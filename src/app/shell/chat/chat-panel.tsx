import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { Me } from '#contract/auth/current-user.ts';
import { BASE } from '#contract/messages/base.messages.en.ts';
import { client, useWatch } from '../../worker/worker-client.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Callout } from '../../../ui/callout.tsx';
import { setChat } from './chat-state.ts';
import { uiMessages } from '#src/ui/messages.en.ts';
import { chatMessages as t } from './messages.en.ts';

/** How long the widget may take to load before the page shows an error. */
const PATIENCE_MS = 20_000;

/**
 * The provider's chat widget in a sandboxed frame without an origin, so that the widget cannot read
 * the portal's data. After it is hidden, it keeps running in the background.
 */
export function ChatPanel({ me, open }: { readonly me: Me; readonly open: boolean }) {
  const [turn, setTurn] = useState(0);
  const [state, setState] = useState<'coming' | 'here' | { readonly error: string }>('coming');
  const panel = useRef<HTMLDialogElement>(null);
  const head = useRef<HTMLHeadingElement>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  const opener = useRef<Element | null>(null);
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const away = offline && state !== 'here';

  useEffect(() => {
    if (!open) return;
    opener.current = document.activeElement;
    head.current?.focus();
  }, [open]);
  const close = useEffectEvent((): void => {
    setChat('away');
    if (opener.current instanceof HTMLElement && opener.current.isConnected) opener.current.focus();
    else document.getElementById('content')?.focus();
  });

  const handleMessage = useEffectEvent(async (what: unknown): Promise<void> => {
    if (what === 'close') close();
    if (what === 'loaded') setState('here');
    if (what === 'blocked') setState({ error: t.blocked });
    if (what !== 'ready') return;
    const answer = await client().ask('chatToken', {
      name: me.name,
      email: me.email,
      serviceProviderId: me.serviceProviderId,
    });
    // The sandboxed frame has no origin, so a message cannot name a target origin.
    if (answer.ok)
      frame.current?.contentWindow?.postMessage(
        { name: me.name, email: me.email, token: answer.value.token },
        '*',
      );
    else setState({ error: answer.failure.message });
  });
  useEffect(() => {
    const hear = ({ source, origin, data }: MessageEvent<unknown>): void => {
      if (
        source === null ||
        source !== frame.current?.contentWindow ||
        origin !== 'null' ||
        typeof data !== 'object' ||
        data === null ||
        !('chat' in data)
      )
        return;
      void handleMessage(data.chat);
    };
    addEventListener('message', hear);
    return () => removeEventListener('message', hear);
  }, []);
  useEffect(() => {
    if (away || state !== 'coming') return;
    const timer = setTimeout(() => setState({ error: t.blocked }), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [away, state]);
  useEffect(() => {
    const node = panel.current;
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || event.defaultPrevented) return;
      event.preventDefault();
      close();
    };
    node?.addEventListener('keydown', onKey);
    return () => node?.removeEventListener('keydown', onKey);
  }, []);

  const error = away ? BASE.needsNetwork : typeof state === 'object' ? state.error : null;
  return (
    <dialog
      ref={panel}
      open={open}
      aria-label={t.chat}
      aria-busy={state === 'coming' && error === null}
      className={`${open ? 'flex' : 'hidden'} fixed inset-0 z-40 m-0 h-dvh max-h-none w-full max-w-none flex-col border-0 border-rule bg-sheet p-0 text-ink tablet:inset-auto tablet:right-4 tablet:bottom-4 tablet:h-[min(600px,calc(100dvh-2rem))] tablet:w-[380px] tablet:rounded-part tablet:border print:hidden`}
    >
      <div className="flex items-center gap-2 border-b border-rule px-4 py-2">
        <h2 ref={head} tabIndex={-1} className="m-0 grow text-body font-semibold outline-none">
          {t.chat}
        </h2>
        <IconButton
          icon="close"
          label={t.close}
          keycap="Esc"
          className="-mr-1 px-1"
          onClick={() => close()}
        />
      </div>
      {error !== null && (
        <div className="p-4">
          <Callout
            tone="warning"
            alert
            action={
              <Button
                size="sm"
                disabled={away}
                onClick={() => {
                  setTurn(turn + 1);
                  setState('coming');
                }}
              >
                {uiMessages.tryAgain}
              </Button>
            }
          >
            {error}
          </Callout>
        </div>
      )}
      {error === null && state === 'coming' && (
        <p className="m-0 px-4 py-3 text-ink-2">{t.opening}</p>
      )}
      {error === null && (
        <iframe
          key={turn}
          ref={frame}
          src="/chat"
          title={t.withSupport}
          sandbox="allow-scripts allow-forms allow-popups"
          referrerPolicy="no-referrer"
          className="min-h-0 w-full grow border-0"
        />
      )}
    </dialog>
  );
}

const EMPTY = {};
