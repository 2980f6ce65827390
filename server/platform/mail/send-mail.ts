import { isIP } from 'node:net';
import type { InferOutput } from 'valibot';
import type { MailSettings } from '#contract/branding/settings.ts';
import type { Ms } from '#contract/ids.ts';
import type { StoredBlob } from '../db/blob-store.ts';
import type { AppContext } from '../app-context.ts';
import { checkedAddress, OutboundError } from '../outbound/address.ts';
import { describeOutboundError } from '../outbound/error.ts';
import type { MailDelivery } from './delivery.ts';
import type { Mail } from './queue-mail.ts';
import { deliveryMessages as t } from './messages.en.ts';
import { outboundMessages } from '../outbound/messages.en.ts';

export interface MailGateway {
  readonly settings: InferOutput<typeof MailSettings>;
  readonly password: string | null;
  /** The provider's name, if the settings have no sender name. */ readonly name: string;
}

const CONNECT_MS: Ms = 10_000;
const SILENCE_MS: Ms = 20_000;
const ALL_MS: Ms = 60_000;
/**
 * Exactly one address, without characters that a mail server could read as a second one or as
 * another header.
 */
const ONE = /^[^\s@<>,;:"()[\]\\]{1,64}@[^\s@<>,;:"()[\]\\]{1,189}$/;

/**
 * Sends a mail. Checks TLS against the host's name; sends without TLS only if the server's operator
 * allows it. The library is loaded when it is needed.
 */
export async function sendMail(
  context: AppContext,
  { settings, password, name }: MailGateway,
  id: string,
  {
    to,
    subject,
    text,
    html,
    replyTo,
    files = [],
  }: Omit<Mail, 'files'> & { readonly files?: readonly StoredBlob[] },
): Promise<MailDelivery> {
  const { host, port, security, username, from, fromName } = settings;
  if (!ONE.test(to) || /[\r\n\0]/.test(subject))
    return { kind: 'given-up', error: t.addressNotValid };
  let timer: { cancel(): void } | undefined;
  let transport: { close(): void } | undefined;
  try {
    if (security === 'none' && context.config.outbound?.http !== true)
      throw new OutboundError('refused', t.tlsRequired);
    const { createTransport } = await import('nodemailer');
    const opened = createTransport({
      host: await checkedAddress(context, host),
      port,
      secure: security === 'tls',
      requireTLS: security === 'starttls',
      ignoreTLS: security === 'none',
      ...(username === null ? {} : { auth: { user: username, pass: password ?? '' } }),
      tls: {
        servername: isIP(host) === 0 ? host : '',
        minVersion: 'TLSv1.2',
        rejectUnauthorized: true,
      },
      connectionTimeout: CONNECT_MS,
      greetingTimeout: CONNECT_MS,
      socketTimeout: SILENCE_MS,
      name: from.split('@')[1] ?? 'localhost',
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    transport = opened;
    const late = new Promise<never>((_, reject) => {
      timer = context.clock.after(ALL_MS, () => {
        reject(new OutboundError('unreachable', outboundMessages.timeout({ host })));
      });
    });
    // The same message id at every attempt, so that a server can detect a duplicate.
    await Promise.race([
      late,
      opened.sendMail({
        from: { name: (fromName ?? name).replace(/\p{Cc}+/gu, ' '), address: from },
        to,
        ...(replyTo !== undefined && ONE.test(replyTo) && { replyTo }),
        subject,
        text,
        html: html ?? getHtml(text),
        messageId: `<${id}@${from.split('@')[1] ?? 'localhost'}>`,
        headers: { 'Auto-Submitted': 'auto-generated' },
        attachments: files.map((file) => ({
          filename: file.name,
          contentType: file.type,
          content: file.bytes,
          contentDisposition: 'attachment' as const,
        })),
      }),
    ]);
    return { kind: 'sent' };
  } catch (error) {
    const { responseCode, code } = error as {
      readonly responseCode?: number;
      readonly code?: string;
    };
    const ofIt = responseCode !== undefined && (code === 'EENVELOPE' || code === 'EMESSAGE');
    const failure = ofIt
      ? t.mailRefused({ host, code: responseCode })
      : describeOutboundError(error, host);
    // A rejection of this mail or its address is final. One about us or the server's state may
    // change later.
    return ofIt && responseCode >= 500
      ? { kind: 'given-up', error: failure }
      : { kind: 'later', error: failure, afterMs: null };
  } finally {
    timer?.cancel();
    transport?.close();
  }
}

const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

/** Returns the text as HTML paragraphs with its URLs as links. */
export function getHtml(text: string): string {
  const linked = escaped(text).replace(
    /\bhttps?:\/\/[^\s<>"]+/g,
    (address) => `<a href="${address}">${address}</a>`,
  );
  return `<!doctype html><html><body>${linked
    .split(/\n{2,}/)
    .map((part) => `<p>${part.replaceAll('\n', '<br>')}</p>`)
    .join('\n')}</body></html>`;
}
