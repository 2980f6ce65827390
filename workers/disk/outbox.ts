import type { CommandId } from '#contract/ids.ts';
import type { Failure } from '#contract/errors.ts';
import { DiskError } from './disk-errors.ts';
import type { Command, Refusals } from '../types.ts';
import { openJson, sealJson } from './cipher.ts';
import type { CommandRecord } from './records.ts';
import type { DiskContext } from './disk-context.ts';

/**
 * Strict durability everywhere: what the user was shown as saved is on disk (OUT-1). An existing
 * command keeps its number.
 */
export async function keepCommand(
  context: DiskContext,
  command: Omit<Command, 'order'>,
): Promise<Command> {
  const { id, state } = command;
  const inner: Inner = { call: command.call, input: command.input, madeAt: command.madeAt };
  const sealed = await sealJson(context.outboxCipher, 'outbox', id, inner);
  const failure = await sealFailure(context, id, command.failure, command.refused);
  const order = await context.shelves.write(['meta', 'outbox'], async (store) => {
    const [here, counter] = await Promise.all([
      store.get('outbox', id),
      store.get('meta', 'order'),
    ]);
    if (here) return here.order;
    const last =
      counter?.name === 'order'
        ? counter.last
        : (await store.all('outbox')).reduce((max, one) => Math.max(max, one.order), 0);
    await store.put('meta', { name: 'order', last: last + 1 });
    await store.put('outbox', { id, order: last + 1, state, sealed, failure });
    return last + 1;
  });
  return { ...command, order };
}

/** Returns commands in order. Skips unreadable ones: the server notices the missing number. */
export async function commands(context: DiskContext): Promise<Command[]> {
  const records = await context.shelves.read(['outbox'], (store) => store.all('outbox'));
  const read = await Promise.all(
    records.map((one) => openCommand(context, one).catch(unlessCorrupt)),
  );
  return read.filter((one) => one !== null).sort((a, b) => a.order - b.order);
}

export async function markCommand(
  context: DiskContext,
  id: CommandId,
  state: Command['state'],
  failure: Failure | null,
  refused?: readonly Refusals[],
): Promise<void> {
  const sealed = await sealFailure(context, id, failure, refused);
  await context.shelves.write(['outbox'], async (store) => {
    const record = await store.get('outbox', id);
    if (record) await store.put('outbox', { ...record, state, failure: sealed });
  });
}

export const dropCommand = (context: DiskContext, id: CommandId): Promise<void> =>
  context.shelves.write(['outbox'], (store) => store.remove('outbox', id));

type Inner = Pick<Command, 'call' | 'input' | 'madeAt'>;

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

async function openCommand(
  context: DiskContext,
  { id, order, state, sealed, failure }: CommandRecord,
): Promise<Command> {
  const inner = await openJson<Inner>(context.outboxCipher, 'outbox', id, sealed);
  if (failure === null) return { id, order, state, ...inner, failure: null };
  const { refused, ...why } = await openJson<RejectedNotice>(
    context.outboxCipher,
    'outbox',
    placeOfFailure(id),
    failure,
  );
  return { id, order, state, ...inner, failure: why, ...(refused && { refused }) };
}

/** Treats unreadable records as missing; rethrows other faults. */
export const unlessCorrupt = (thrown: unknown): null => {
  if (thrown instanceof DiskError && thrown.kind === 'corrupt') return null;
  throw thrown;
};
