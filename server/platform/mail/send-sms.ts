import * as v from 'valibot';
import type { SmsSettings } from '#contract/branding/settings.ts';
import type { AppContext } from '../app-context.ts';
import type { MailDelivery } from './delivery.ts';
import { OutboundError } from '../outbound/address.ts';
import { fetchOutbound } from '../outbound/fetch.ts';
import type { Sms } from './queue-mail.ts';
import { parseRetryAfter } from '../outbound/retry.ts';
import { parseStorable } from '#contract/stored-text.ts';
import { deliveryMessages as t } from './messages.en.ts';

export interface SmsGateway {
  readonly settings: v.InferOutput<typeof SmsSettings>;
  readonly token: string;
}

const Refusal = v.object({ code: v.pipe(v.number(), v.integer()) });

/**
 * Sends a text message through a gateway with Twilio's API. Its error texts are not stored, because
 * they contain the number.
 */
export async function sendSms(
  context: AppContext,
  { settings: { url, account, from }, token }: SmsGateway,
  { to, text }: Sms,
): Promise<MailDelivery> {
  try {
    const answer = await fetchOutbound(
      context,
      `${url.replace(/\/+$/, '')}/2010-04-01/Accounts/${encodeURIComponent(account)}/Messages.json`,
      {
        method: 'POST',
        headers: {
          authorization: `Basic ${Buffer.from(`${account}:${token}`).toString('base64')}`,
          accept: 'application/json',
        },
        body: new URLSearchParams({ To: to, From: from, Body: text }),
      },
    );
    const { status } = answer;
    if (status === 200 || status === 201) return { kind: 'sent' };
    const refusal = v.safeParse(
      Refusal,
      await answer
        .text()
        .then(parseStorable)
        .catch(() => null),
    );
    const error = refusal.success
      ? t.smsRefusedWith({ status, code: refusal.output.code })
      : t.smsRefused({ status });
    if (status === 429 || status === 408 || status >= 500)
      return {
        kind: 'later',
        error,
        afterMs: parseRetryAfter(answer.headers.get('retry-after'), context.clock.now()),
      };
    return { kind: 'given-up', error };
  } catch (error) {
    if (error instanceof OutboundError)
      return { kind: 'later', error: error.message, afterMs: null };
    throw error;
  }
}
