import { sql } from 'kysely';
import type { ContentInput, EngineResult } from '#contract/engine/engine.ts';
import type { StoredPart } from '#contract/engine/stored-item.ts';
import type { Bytes } from '#contract/ids.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { failed, ok } from '../../result.ts';
import { loadState } from './children.ts';
import type { OpenExplorer } from './explorers.ts';
import { explorerMessages as t } from '../../shared/explorer.messages.en.ts';
import { isWithinObject, parseNodeId } from './node-id.ts';

/** A part of an item, and which bytes of it were asked for. */
interface FoundPart {
  readonly part: StoredPart;
  readonly from: Bytes;
  readonly to: Bytes;
}

/** Finds a part of an item that the explorer's object had by the point. */
export async function findPart(
  tx: TenantTx,
  explorer: OpenExplorer,
  { node, within, as, name, from = 0, to }: Omit<ContentInput, 'explorer'>,
): Promise<EngineResult<FoundPart>> {
  const ref = parseNodeId(node);
  if (ref?.kind !== 'item' || !isWithinObject(ref, within)) return failed('missing', t.noNode);
  const state = await loadState(tx, explorer, ref.object);
  if (state === null) return failed('missing', t.noNode);
  if (!state.reads) return failed('forbidden', t.noReading);
  const { rows } = await sql<{ parts: readonly StoredPart[] }>`
    select parts from item
    where tenant_id = ${tx.tenant} and object_n = ${ref.object} and n = ${ref.n} and from_point <= ${state.point}`.execute(
    tx.sql,
  );
  const [item] = rows;
  if (item === undefined) return failed('missing', t.noNode);
  const part = item.parts.find((one) => one.as === as && (name === undefined || one.name === name));
  if (part === undefined) return failed('missing', t.noContent);
  const end = Math.min(to ?? part.bytes, part.bytes);
  return isByte(from) && isByte(end) && from <= end
    ? ok({ part, from, to: end })
    : failed('invalid', t.noRange, { field: 'from' });
}

const isByte = (at: Bytes): boolean => Number.isSafeInteger(at) && at >= 0;
