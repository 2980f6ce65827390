import type { Tried } from '#contract/branding/settings-calls.ts';
import { OutboundError } from '../../platform/outbound/address.ts';
import { describeError } from '../../platform/outbound/error.ts';
import { gatewaysOf } from '../../platform/mail/gateways.ts';
import { issuerFault, issuerOf } from '../../platform/outbound/issuer.ts';
import { sendMail } from '../../platform/mail/send-mail.ts';
import { readSecret } from '../../platform/outbound/secret.ts';
import { sendSms } from '../../platform/mail/send-sms.ts';
import type { Delivery } from '../../platform/mail/delivery.ts';
import { tryDirectory } from '../auth/directory/active-directory.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import type { AppContext } from '../../platform/app-context.ts';

export interface Outcome {
  readonly ok: boolean;
  readonly says: string;
}
interface Addressee {
  readonly email: string | null;
  readonly phone: string | null;
}

const no = (says: string): Outcome => ({ ok: false, says });
const notSet = (what: string) => (): Promise<Outcome> => Promise.resolve(no(what));

/** Reads the settings, and returns a test to run after the transaction. */
export async function tryGateway(
  tx: TenantTx,
  world: AppContext,
  what: Tried,
  to: Addressee,
): Promise<() => Promise<Outcome>> {
  const { settings } = await tx.sql
    .selectFrom('provider')
    .select('settings')
    .where('tenant_id', '=', tx.tenant)
    .executeTakeFirstOrThrow();
  if (what === 'mail' || what === 'sms') {
    const gateways = await gatewaysOf(tx, world);
    return what === 'mail'
      ? mailTry(world, gateways.mail, to.email)
      : smsTry(world, gateways.sms, to.phone);
  }
  const secret = await readSecret(tx, world, what);
  if (what === 'directory') {
    const { directory } = settings;
    if (!directory) return notSet('No directory is set.');
    if (secret === null) return notSet('The password of the service account is not set.');
    return async () => {
      try {
        const seen = await tryDirectory(world, directory, secret);
        return seen > 0
          ? { ok: true, says: 'The directory answers, and the service account sees its users.' }
          : no('The directory answers, but the service account sees no users below the base.');
      } catch (error) {
        return no(directoryFault(error, new URL(directory.url).hostname));
      }
    };
  }
  const { oidc } = settings;
  if (!oidc) return notSet('No issuer is set.');
  return async () => {
    try {
      await issuerOf(world, { settings: oidc, secret });
      return {
        ok: true,
        says:
          secret === null
            ? 'The issuer answers. No client secret is set: it must know this portal as a public client.'
            : 'The issuer answers. Whether it knows this portal shows when somebody signs in.',
      };
    } catch (error) {
      return no(issuerFault(error));
    }
  };
}

type Gateways = Awaited<ReturnType<typeof gatewaysOf>>;

function mailTry(
  world: AppContext,
  gateway: Gateways['mail'],
  to: string | null,
): () => Promise<Outcome> {
  if (!gateway) return notSet('No mail server is set, or its password is missing.');
  if (to === null || to === '')
    return notSet('Your profile has no e-mail address to send a mail to.');
  const mail = {
    to,
    subject: `A mail from ${gateway.name}`,
    text: `${gateway.name} can send mail: this one was sent to try it.`,
  };
  return async () =>
    said(await sendMail(world, gateway, world.chance.uuid(), mail), `A mail was sent to ${to}.`);
}

function smsTry(
  world: AppContext,
  gateway: Gateways['sms'],
  to: string | null,
): () => Promise<Outcome> {
  if (!gateway) return notSet('No gateway is set, or its token is missing.');
  if (to === null) return notSet('Your profile has no mobile number to send a message to.');
  return async () =>
    said(
      await sendSms(world, gateway, { to, text: 'This message was sent to try the gateway.' }),
      `A message was sent to the number that ends in ${to.slice(-2)}.`,
    );
}

const said = (delivery: Delivery, done: string): Outcome =>
  delivery.is === 'sent' ? { ok: true, says: done } : no(delivery.fault);

const INVALID_CREDENTIALS = 49;
const NO_SUCH_OBJECT = 32;

function directoryFault(error: unknown, host: string): string {
  const { code } = error as { readonly code?: unknown };
  if (error instanceof OutboundError || typeof code !== 'number') return describeError(error, host);
  if (code === INVALID_CREDENTIALS) return 'The directory did not accept the service account.';
  return code === NO_SUCH_OBJECT
    ? 'The directory does not know the base.'
    : `The directory refused (${code}).`;
}
