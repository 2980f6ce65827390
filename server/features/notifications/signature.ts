import { createHmac } from 'node:crypto';
import type { Ms } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';

const PREFIX = 'whsec_';

/** Returns a secret as in Standard Webhooks: 32 bytes, base64. */
export const freshSecret = ({ chance }: AppContext): string =>
  PREFIX + Buffer.from(chance.bytes(32)).toString('base64');

/**
 * NOTIFY-4: returns the headers of a delivery. HMAC-SHA256 over `id.timestamp.body`, one signature
 * for each valid secret. The timestamp is that of the try.
 */
export function signDelivery(
  secrets: readonly string[],
  id: string,
  now: Ms,
  body: string,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(now / 1000));
  const one = (secret: string): string =>
    `v1,${createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64'))
      .update(`${id}.${timestamp}.${body}`)
      .digest('base64')}`;
  return {
    'content-type': 'application/json',
    'user-agent': 'Daybook-Webhooks',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map(one).join(' '),
  };
}
