import { can } from '#contract/abilities.ts';
import type { Gate } from '#contract/call.ts';
import type { TenantId } from '#contract/ids.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import { authenticate } from '../account/authenticate.ts';
import type { World } from '../world.ts';
import { FORBIDDEN, SIGNED_OUT } from './envelope.ts';
import type { Signed } from './handler.ts';

/**
 * Who may pass. `public` asks nobody; an ingest key is read by the handler, which alone knows where it stands (a header, the address).
 * Everything else needs a session of this very provider, and an ability where the call names one.
 */
export async function passGate(world: World, gate: Gate, tenant: TenantId | null, request: Request): Promise<Result<Signed | null>> {
  if (gate === 'public' || gate === 'ingest-key') return ok(null);
  if (tenant === null) return failed(SIGNED_OUT);
  const who = await authenticate(world, tenant, request);
  if (!who.ok || gate === 'signed-in') return who;
  return can(who.value.roles, gate) ? who : failed(FORBIDDEN);
}
