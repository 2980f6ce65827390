import type { ShownCertificate } from '#contract/shown-certificate.ts';
import { Button } from '#src/ui/button.tsx';
import { formatDate } from '#src/ui/format.ts';
import { certificateMessages as t } from './messages.en.ts';

/** A certificate that isn't trusted, for comparison with the system's own. */
export function SeenCertificate({
  seen: { subject, until, fingerprint, thumbprint, certificate },
  zone,
  onPin,
}: {
  readonly seen: ShownCertificate;
  readonly zone: string;
  readonly onPin: (pem: string) => void;
}) {
  const day = formatDate(until, zone);
  return (
    <div className="grid gap-2 pt-2">
      <p className="m-0 text-ink-2">
        {subject === '' ? t.unnamed({ day }) : t.seen({ subject, day })}
      </p>
      <p className="m-0 font-mono text-agate break-all">{fingerprint}</p>
      <p className="m-0 text-ink-2">{t.thumbprint}</p>
      <p className="m-0 font-mono text-agate break-all">{thumbprint}</p>
      <div>
        <Button size="sm" onClick={() => onPin(certificate)}>
          {t.pin}
        </Button>
      </div>
    </div>
  );
}
