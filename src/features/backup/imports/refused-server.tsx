import { useEffect, useRef } from 'react';
import type { ShownCertificate } from '#contract/shown-certificate.ts';
import { Callout } from '#src/ui/callout.tsx';
import { SeenCertificate } from '../../shared/certificate/seen-certificate.tsx';

/** Why a mailbox on a server can't be imported. */
export interface Refusal {
  readonly message: string;
  /** The server's certificate, if it isn't trusted. */
  readonly seen: ShownCertificate | null;
}

export function RefusedServer({
  refusal: { message, seen },
  zone,
  onPin,
}: {
  readonly refusal: Refusal;
  readonly zone: string;
  readonly onPin: (pem: string) => void;
}) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    place.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <div ref={place} className="scroll-my-4">
      <Callout tone="failed" alert>
        <p className="m-0">{message}</p>
        {seen !== null && <SeenCertificate seen={seen} zone={zone} onPin={onPin} />}
      </Callout>
    </div>
  );
}
