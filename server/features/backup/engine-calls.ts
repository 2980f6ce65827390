import type {
  Capabilities,
  Engine,
  EngineError,
  EngineResult,
  EngineScope,
} from '#contract/engine/engine.ts';
import { isBackedUpHere, type OrganizationRow } from '#contract/backup/organizations.ts';
import type { Failure } from '#contract/errors.ts';
import { MESSAGES } from '#contract/messages.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import type { ReadScope } from '#server/engine/public/restore.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { getAgent } from '#server/platform/auth/audit.ts';
import type { Principal, SessionContext } from '#server/platform/http/handler.ts';
import { backupMessages as t } from './messages.en.ts';
import type { OrganizationId } from '#contract/ids.ts';

const BUSY_MS = 5_000;

/** What setting up backups needs of an engine. What an engine doesn't offer yet is missing. */
export interface SetupEngine extends Pick<
  Engine,
  'kind' | 'jobs' | 'repositories' | 'organizations'
> {
  readonly capabilities: Pick<Capabilities, 'schedules' | 'auth' | 'services'>;
}

/** The engine of new organizations. */
export const getEngine = ({ embeddedEngine }: AppContext): SetupEngine => embeddedEngine;

/** The engine of an organization. */
export const getEngineFor = (
  { embeddedEngine, vb365Engine }: AppContext,
  { engine }: Pick<OrganizationRow, 'engine'>,
): SetupEngine => (engine === 'vb365' ? vb365Engine : embeddedEngine);

/**
 * The organization's own server has its settings and backups: what the portal can't change there is
 * refused. Null: the portal has them.
 */
export const serverRefusal = (row: Pick<OrganizationRow, 'engine'>): Result<never> | null =>
  isBackedUpHere(row) ? null : failed({ kind: 'conflict', message: t.managedByServer });

export const scopeFor = (
  { tenant, session, ip, request, signal }: SessionContext,
  organization: OrganizationId,
): ReadScope => ({
  tenant,
  organization,
  user: session.userId,
  ...loadOperatorScope(session, organization),
  ...(signal !== null && { signal }),
  origin: {
    ip,
    agent: getAgent(request),
    actor: session.actor,
    impersonation: session.impersonation,
    key: session.key?.id ?? null,
  },
});

/** The person of the organization as whom a restore operator makes calls. Nobody: sees nothing. */
export const loadOperatorScope = (
  { operators }: Pick<Principal, 'operators'>,
  organization: OrganizationId,
): Pick<EngineScope, 'operator'> =>
  operators === undefined
    ? {}
    : { operator: operators.find((one) => one.organization === organization)?.object ?? '' };

/** Returns the engine's answer, with its error as one of the API's failures. */
export const getAnswer = <T>(result: EngineResult<T>): Result<T> =>
  result.ok ? ok(result.value) : failed(toCallFailure(result.error));

/** Maps every kind of an engine's error. The message is the engine's own. */
export function toCallFailure({ kind, message, waitMs, field }: EngineError): Failure {
  switch (kind) {
    case 'missing':
      return { kind: 'not-found', message };
    case 'unreachable':
    case 'busy':
      return { kind: 'busy', message, retryAfterMs: waitMs ?? BUSY_MS };
    case 'forbidden':
      return { kind: 'forbidden', message };
    case 'invalid':
      return { kind: 'bad-input', message, issues: [{ path: field ?? '', message }] };
    case 'refused':
    case 'conflict':
    case 'unsupported':
    case 'ended':
    case 'full':
    case 'damaged':
      return { kind: 'conflict', message };
    case 'internal':
      return { kind: 'server-error', message: MESSAGES.serverError };
    default:
      return kind satisfies never;
  }
}
