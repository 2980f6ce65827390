import { createHmac, timingSafeEqual } from 'node:crypto';
import type { DeliveryOut, WebhookOut } from '#contract/notifications/calls.ts';
import { systemClock } from '#server/platform/clock.ts';
import { deliverDue } from '#server/features/notifications/deliver.ts';
import { pollFacts } from '#server/features/notifications/poll.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { Fixture } from '../http/fixtures.ts';
import type { Query } from '../outbound/outside.ts';
import { anOffice } from '../sync/fixtures.ts';
import type { Asker, Office } from '../sync/fixtures.ts';
import { person } from '../ingest/people.ts';

/** Webhooks of a provider, what was delivered to them, and how a receiver checks it. */

export const HOOKS = 'monitoring/webhooks';

export const made = async (
  who: Asker,
  url: string,
  more: object = {},
): Promise<{ _id: string; secret: string }> => {
  const answer = await who<{ _id: string; secret: string }>('POST', HOOKS, {
    webhook: { name: 'Desk', url, enabled: true, categories: ['failed', 'missed'], ...more },
  });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.data;
};
export const listed = async (who: Asker): Promise<readonly WebhookOut[]> =>
  (await who<{ webhooks: WebhookOut[] }>('GET', HOOKS)).body.data.webhooks;
export const history = async (who: Asker, id: string): Promise<readonly DeliveryOut[]> =>
  (await who<{ deliveries: DeliveryOut[] }>('GET', `${HOOKS}/${id}/deliveries`)).body.data
    .deliveries;

/** What a test does on its server. `at`: the server of the test file, once there is one. */
export function webhooksOn(at: () => Fixture) {
  const now = (): number => at().context.clock.now();
  return {
    now,
    /** Nobody waits ten seconds for a silent address. */
    hasty: (): AppContext => ({
      ...at().context,
      clock: { now, after: (ms, work) => systemClock.after(Math.min(ms, 100), work) },
    }),
    begin: async (): Promise<{ office: Office; ada: Asker }> => {
      const office = await anOffice(at());
      const ada = await person(office, 'ada', 'admin');
      await pollFacts(at().context, office.tenant, now());
      return { office, ada };
    },
    turn: async (office: Office, context: AppContext = at().context): Promise<void> => {
      await pollFacts(context, office.tenant, now());
      await deliverDue(context, office.tenant, context.chance.uuid());
    },
    /** As the receiver of Standard Webhooks checks it. */
    verified: ({ headers, body }: Query, secret: string): boolean => {
      const id = String(headers['webhook-id']);
      const timestamp = String(headers['webhook-timestamp']);
      if (Math.abs(Number(timestamp) - now() / 1000) > 300) return false;
      const own = createHmac('sha256', Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
        .update(`${id}.${timestamp}.${body}`)
        .digest();
      return String(headers['webhook-signature'])
        .split(' ')
        .some((one) => {
          const [version, signature = ''] = one.split(',');
          const theirs = Buffer.from(signature, 'base64');
          return version === 'v1' && theirs.length === own.length && timingSafeEqual(theirs, own);
        });
    },
  };
}
