import { QrCode } from './qr-code.tsx';
import { accountMessages as t } from './messages.en.ts';

export interface AuthenticatorSecretProps {
  /** Base32. */
  readonly secret: string;
  /** The `otpauth:` address. */
  readonly uri: string;
}

/** Shows the authenticator secret as a QR code, a link for this device, and text to type. */
export function AuthenticatorSecret({ secret, uri }: AuthenticatorSecretProps) {
  const groups = secret.match(/.{1,4}/g) ?? [];
  return (
    <div className="grid gap-3">
      <QrCode text={uri} label={t.qrCode} />
      <div>
        <p className="m-0 text-ink-2">{t.cannotScan}</p>
        <code
          aria-label={t.setupKey}
          className="mt-1 block rounded-part bg-wash px-3 py-2 font-mono text-agate break-words select-all"
        >
          {groups.join(' ')}
        </code>
      </div>
      <a
        href={uri}
        className="inline-flex items-center justify-self-start text-accent underline underline-offset-2 pointer-coarse:min-h-11"
      >
        {t.openApp}
      </a>
    </div>
  );
}
