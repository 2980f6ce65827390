import type { TenantTx } from '../db/store.ts';
import type { AppContext } from '../app-context.ts';
import type { MailGateway } from './send-mail.ts';
import { readSecret } from '../outbound/secret.ts';
import type { SmsGateway } from './send-sms.ts';

/** Null: the provider hasn't configured it, or not completely. */
export interface Gateways {
  readonly mail: MailGateway | null;
  readonly sms: SmsGateway | null;
}

export async function loadGateways(tx: TenantTx, context: AppContext): Promise<Gateways> {
  const {
    settings: { mail, sms },
    branding: { name },
  } = await tx.sql
    .selectFrom('provider')
    .select(['settings', 'branding'])
    .where('tenant_id', '=', tx.tenant)
    .executeTakeFirstOrThrow();
  const password = mail && mail.username !== null ? await readSecret(tx, context, 'mail') : null;
  const token = sms ? await readSecret(tx, context, 'sms') : null;
  return {
    mail:
      mail && (mail.username === null || password !== null)
        ? { settings: mail, password, name }
        : null,
    sms: sms && token !== null ? { settings: sms, token } : null,
  };
}
