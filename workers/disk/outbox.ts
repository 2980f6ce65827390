import type { CommandId } from '#contract/ids.ts';
import type { Failure } from '#contract/errors.ts';
import { DiskError } from './disk-errors.ts';
import { outboxMessages as t } from '../outbox/messages.en.ts';
import type { QueuedCommand, DamagedCommand, Refusals } from '../types.ts';
import { openJson, sealJson } from './cipher.ts';
import type { StoreReader } from './object-stores.ts';
import type { CommandRecord, DiskRecords } from './records.ts';
import type { DiskContext } from './disk-context.ts';

/**
 * Strict durability everywhere: what the user was shown as saved is on disk (OUT-1). An existing
 * command keeps its number. The number is sealed, too, so that damage can't change the order.
 */
export async function keepCommand(
  context: DiskContext,
  command: Omit<QueuedCommand, 'order'>,
): Promise<QueuedCommand> {
  const { id, state, call, input, madeAt } = command;
  const failure = await sealFailure(context, id, command.failure, command.refused);
  for (;;) {
    const next = await context.stores.read(['meta', 'outbox'], getNextNumber);
    const inner: Inner = { call, input, madeAt, order: next };
    const sealed = await sealJson(context.outboxCipher, 'outbox', id, inner);
    const order = await context.stores.write(['meta', 'outbox'], async (store) => {
      const here = await store.get('outbox', id);
      if (here) return here.order;
      // Another tab has used this number since.
      if ((await getNextNumber(store)) !== next) return null;
      await store.put('meta', { name: 'order', last: next });
      await store.put('outbox', { id, order: next, state, sealed, failure });
      return next;
    });
    if (order !== null) return { ...command, order };
  }
}

async function getNextNumber(store: StoreReader<DiskRecords>): Promise<number> {
  const counter = await store.get('meta', 'order');
  if (counter?.name === 'order') return counter.last + 1;
  return (await store.all('outbox')).reduce((max, one) => Math.max(max, one.order), 0) + 1;
}

/**
 * Returns all commands in order. One that can't be read is among them as damaged, because it would
 * go unnoticed otherwise: the server accepts gaps among the numbers, which discarded changes leave.
 */
export async function commands(context: DiskContext): Promise<(QueuedCommand | DamagedCommand)[]> {
  const records = await context.stores.read(['outbox'], (store) => store.all('outbox'));
  const read = await Promise.all(records.map((one) => openCommand(context, one)));
  return read.sort((a, b) => a.order - b.order);
}

export async function markCommand(
  context: DiskContext,
  id: CommandId,
  state: QueuedCommand['state'],
  failure: Failure | null,
  refused?: readonly Refusals[],
): Promise<void> {
  const sealed = await sealFailure(context, id, failure, refused);
  await context.stores.write(['outbox'], async (store) => {
    const record = await store.get('outbox', id);
    if (record) await store.put('outbox', { ...record, state, failure: sealed });
  });
}

export const dropCommand = (context: DiskContext, id: CommandId): Promise<void> =>
  context.stores.write(['outbox'], (store) => store.remove('outbox', id));

/** Earlier builds didn't seal the number. */
type Inner = Pick<QueuedCommand, 'call' | 'input' | 'madeAt'> &
  Partial<Pick<QueuedCommand, 'order'>>;

const placeOfFailure = (id: CommandId): string => `${id}/failure`;

/** For a bulk change, the refused runs are stored beside the overall reason. */
type RejectedNotice = Failure & { readonly refused?: readonly Refusals[] };

const sealFailure = async (
  context: DiskContext,
  id: CommandId,
  failure: Failure | null,
  refused?: readonly Refusals[],
): Promise<CommandRecord['failure']> =>
  failure === null
    ? null
    : sealJson(context.outboxCipher, 'outbox', placeOfFailure(id), {
        ...failure,
        ...(refused && { refused }),
      } satisfies RejectedNotice);

/** Whether it was refused is read from its failure: the state itself is not sealed. */
async function openCommand(
  context: DiskContext,
  { id, order, sealed, failure }: CommandRecord,
): Promise<QueuedCommand | DamagedCommand> {
  const cipher = context.outboxCipher;
  const inner = await openJson<Inner>(cipher, 'outbox', id, sealed).catch(unlessCorrupt);
  if (inner === null) return { id, order, state: 'damaged' };
  if (failure === null) return { id, order, state: 'waiting', ...inner, failure };
  const reason = await openJson<RejectedNotice>(
    cipher,
    'outbox',
    placeOfFailure(id),
    failure,
  ).catch(unlessCorrupt);
  const { refused, ...why } = reason ?? { kind: 'storage', message: t.reasonDamaged };
  return { id, order, state: 'refused', ...inner, failure: why, ...(refused && { refused }) };
}

/** Treats unreadable records as missing; rethrows other faults. */
export const unlessCorrupt = (thrown: unknown): null => {
  if (thrown instanceof DiskError && thrown.kind === 'corrupt') return null;
  throw thrown;
};
