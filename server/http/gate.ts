import { can } from '#contract/abilities.ts';
import type { Call } from '#contract/call.ts';
import type { TenantId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import { authenticate } from '../account/authenticate.ts';
import type { World } from '../world.ts';
import { busyFor, FORBIDDEN, SIGNED_OUT } from './envelope.ts';
import type { Signed } from './handler.ts';

/**
 * Who may pass. `public` asks nobody; an ingest key is read by the handler, which alone knows where it stands (a header, the address).
 * Everything else needs a session of this very provider, and an ability where the call names one. Who has to choose a password first makes
 * the calls that are `early` and no other (AUTH-12); what a device has queued waits for that. `own`: no hands but the user's (G42). `fresh`: a
 * factor was shown a moment ago (G44).
 */
export async function passGate(world: World, call: Pick<Call, 'gate' | 'own' | 'fresh' | 'early' | 'offline'>, tenant: TenantId | null, request: Request): Promise<Result<Signed | null>> {
  const { gate } = call;
  if (gate === 'public' || gate === 'ingest-key') return ok(null);
  if (tenant === null) return failed(SIGNED_OUT);
  const who = await authenticate(world, tenant, request);
  if (!who.ok) return who;
  const { roles, mustReset, impersonation, authenticatedAt } = who.value;
  if (gate !== 'signed-in' && !can(roles, gate)) return failed(FORBIDDEN);
  if (mustReset && call.early !== true) return failed(call.offline === undefined ? PASSWORD_FIRST : { ...busyFor(QUEUED_WAITS_MS), message: MESSAGES.passwordFirst });
  if (call.own === true && impersonation !== null) return failed({ kind: 'forbidden', message: MESSAGES.notWhileActing });
  if (call.fresh === true && world.clock.now() - authenticatedAt > LIMITS.freshMs) return failed({ kind: 'reauth_required', message: MESSAGES.reauth });
  return who;
}

const PASSWORD_FIRST = { kind: 'forbidden', message: MESSAGES.passwordFirst } as const, QUEUED_WAITS_MS = 5_000;
