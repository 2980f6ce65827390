import { sql } from 'kysely';
import type { EngineResult, ContentSize } from '#contract/engine/engine.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { OpenExplorer } from '../explorer/explorers.ts';
import { ok } from '../../result.ts';
import { type Plan, planRestore, type PlannedFolder } from './plan.ts';
import type { NodeId } from '#contract/ids.ts';

/** Counts the items that chosen nodes hold, and their bytes as the cloud counts them. */
export async function measure(
  tx: TenantTx,
  explorer: OpenExplorer,
  nodes: readonly NodeId[],
): Promise<EngineResult<ContentSize>> {
  const plan = await planRestore(tx, explorer, { nodes, target: { kind: 'original' } });
  if (!plan.ok) return plan;
  return ok({ ...(await measurePlan(tx, plan.value)), isExact: false });
}

/** The same of what a plan takes. */
export async function measurePlan(tx: TenantTx, { folders, items }: Plan): Promise<Sum> {
  let size = { items: 0, bytes: 0 };
  for (const [object, { point, keys }] of byObject(folders)) {
    const inFolders = await sum(
      tx,
      sql`object_n = ${object} and folder_key = any(${keys}::text[]) and from_point <= ${point} and (to_point is null or to_point >= ${point})`,
    );
    size = add(size, inFolders);
  }
  for (const object of new Set(items.map((one) => one.object))) {
    const numbers = items.filter((one) => one.object === object).map(({ item }) => item);
    size = add(size, await sum(tx, sql`object_n = ${object} and n = any(${numbers}::bigint[])`));
  }
  return size;
}

interface Sum {
  readonly items: number;
  readonly bytes: number;
}
const add = (a: Sum, b: Sum): Sum => ({ items: a.items + b.items, bytes: a.bytes + b.bytes });

async function sum({ sql: db, tenant }: TenantTx, where: ReturnType<typeof sql>): Promise<Sum> {
  const { rows } = await sql<Sum>`
    select count(*) as items, coalesce(sum(bytes), 0)::bigint as bytes from item
    where tenant_id = ${tenant} and ${where}`.execute(db);
  return rows[0] ?? { items: 0, bytes: 0 };
}

function byObject(
  folders: readonly PlannedFolder[],
): Map<number, { readonly point: number; readonly keys: string[] }> {
  const objects = new Map<number, { readonly point: number; readonly keys: string[] }>();
  for (const { object, point, key } of folders) {
    const known = objects.get(object);
    if (known) known.keys.push(key);
    else objects.set(object, { point, keys: [key] });
  }
  return objects;
}
