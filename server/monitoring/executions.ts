import type { Change, Target } from '#contract/monitoring/change.ts';
import { decideChange } from '#contract/monitoring/change.ts';
import type { CompanyN, RunN } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { failed, ok } from '#contract/result.ts';
import type { GivesOf } from '#contract/calls.ts';
import type { Handlers, Signed } from '#server/http/handler.ts';
import { once, refusal } from '#server/http/once.ts';
import type { Decision } from '#server/http/once.ts';
import type { TenantTx } from '#server/store/store.ts';
import { scopeOf, seesCompany } from '#server/sync/scope.ts';
import type { World } from '#server/world.ts';
import { executionOf } from './execution.ts';

const NOT_FOUND = failed({ kind: 'not-found', message: MESSAGES.notFound });
type Changed = GivesOf<'changeExecutions'>;

export function executionHandlers(world: World): Pick<Handlers, 'getExecution' | 'changeExecution' | 'changeExecutions'> {
  return {
    async getExecution({ id }, { tenant, signed, now }) {
      const found = await world.store.tenant(tenant, async (tx) => {
        const run = (await tx.rows('run', [id])).get(id);
        return run && signed && inScope(signed, run.company) ? await executionOf(tx, run, scopeOf(signed), now) : null;
      }, { readOnly: true });
      return found ? ok(found) : NOT_FOUND;
    },

    changeExecution: ({ id, change }, ask) => once<Changed>(world, ask, async (tx, signed) => {
      const { drafts, refused } = await decide(tx, signed, change, [id], ask.now);
      const [first] = refused;
      return first ? refusal(first.failure) : { drafts, answer: (seq) => ok({ seq, accepted: 1, refused: [] }) };
    }),

    changeExecutions: ({ ids, change }, ask) => once<Changed>(world, ask, async (tx, signed): Promise<Decision<Changed>> => {
      const asked = [...new Set(ids)];
      const { drafts, refused } = await decide(tx, signed, change, asked, ask.now);
      return {
        drafts,
        answer: (seq) => ok({
          seq, accepted: asked.length - refused.length,
          refused: refused.map(({ run, failure }) => ({ run, kind: failure.kind, message: failure.message })),
        }),
      };
    }),
  };
}

const inScope = (signed: Signed | null, company: CompanyN): boolean =>
  signed !== null && seesCompany(scopeOf(signed), company);

async function decide(tx: TenantTx, signed: Signed, change: Change, asked: readonly RunN[], now: number) {
  const runs = await tx.rows('run', asked);
  const problems = await tx.rows('problem', [...new Set([...runs.values()].flatMap(({ problem }) => (problem === null ? [] : [problem])))]);
  const targets = new Map<RunN, Target>();
  for (const run of runs.values()) {
    if (inScope(signed, run.company)) targets.set(run.n, { run, problem: run.problem === null ? null : problems.get(run.problem) ?? null });
  }
  const names = new Map((await tx.sql.selectFrom('person').select(['id', 'name']).where('tenant_id', '=', tx.tenant).execute()).map(({ id, name }) => [id, name]));
  return decideChange(change, asked, targets, signed.userId, now, (id) => names.get(id) ?? 'somebody else');
}
