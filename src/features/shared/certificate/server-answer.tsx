import { useEffect, useRef } from 'react';
import type { ShownCertificate } from '#contract/shown-certificate.ts';
import { Callout } from '#src/ui/callout.tsx';
import { SeenCertificate } from './seen-certificate.tsx';

/**
 * What a server answered to a test of its connection. An untrusted certificate is displayed for
 * comparison with the server's own.
 */
export function ServerAnswer({
  ok,
  message,
  seen,
  zone,
  onPin,
}: {
  readonly ok: boolean;
  readonly message: string;
  readonly seen: ShownCertificate | null;
  readonly zone: string;
  readonly onPin: (pem: string) => void;
}) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    place.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <div ref={place} className="scroll-my-4">
      <Callout tone={ok ? 'success' : 'failed'} alert>
        <p className="m-0">{message}</p>
        {seen !== null && <SeenCertificate seen={seen} zone={zone} onPin={onPin} />}
      </Callout>
    </div>
  );
}
