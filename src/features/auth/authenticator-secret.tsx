import { QrCode } from './qr-code.tsx';

export interface AuthenticatorSecretProps {
  /** Base32. */
  readonly secret: string;
  /** `otpauth:` */
  readonly uri: string;
}

/** What an authenticator app takes: to be scanned, opened on a phone, or typed. */
export function AuthenticatorSecret({ secret, uri }: AuthenticatorSecretProps) {
  const groups = secret.match(/.{1,4}/g) ?? [];
  return (
    <div className="grid gap-3">
      <QrCode text={uri} label="QR code for your authenticator app" />
      <div>
        <p className="m-0 text-ink-2">It cannot be scanned? Type this key in the app:</p>
        <code
          aria-label="Key for your authenticator app"
          className="mt-1 block rounded-part bg-wash px-3 py-2 font-mono text-agate break-words select-all"
        >
          {groups.join(' ')}
        </code>
      </div>
      <a
        href={uri}
        className="inline-flex items-center justify-self-start text-accent underline underline-offset-2 pointer-coarse:min-h-11"
      >
        Open the app on this device
      </a>
    </div>
  );
}
