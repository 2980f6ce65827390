import { useEffect, useEffectEvent, useRef } from 'react';
import { signUpMessages as t } from './messages.en.ts';

/** Google's widget in a frame: only that frame loads its script. */
export function Recaptcha({ onAnswer }: { readonly onAnswer: (response: string) => void }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const handle = useEffectEvent(({ source, origin, data }: MessageEvent<unknown>): void => {
    if (source === null || source !== frame.current?.contentWindow || origin !== location.origin)
      return;
    if (typeof data !== 'object' || data === null || !('recaptcha' in data)) return;
    if (typeof data.recaptcha === 'string') onAnswer(data.recaptcha);
  });
  useEffect(() => {
    const hear = (event: MessageEvent<unknown>): void => handle(event);
    addEventListener('message', hear);
    return () => removeEventListener('message', hear);
  }, []);
  return (
    // oxlint-disable-next-line react/iframe-missing-sandbox -- the widget checks the site's own origin
    <iframe
      ref={frame}
      src="/recaptcha"
      title={t.captchaFrame}
      className="h-[500px] w-full border-0"
    />
  );
}
