import type { CommandId } from '#contract/ids.ts';
import type { Failure } from '#contract/errors.ts';
import { DiskFault } from './disk-errors.ts';
import type { Command, Refusals } from '../types.ts';
import { openJson, sealJson } from './cipher.ts';
import type { CommandRecord } from './records.ts';
import type { DiskContext } from './disk-context.ts';

/**
 * Strict durability everywhere: what the user was shown as saved is on disk (OUT-1). An existing
 * command keeps its number.
 */
export async function keepCommand(
  ground: DiskContext,
  command: Omit<Command, 'order'>,
): Promise<Command> {
  const { id, state } = command;
  const inner: Inner = { call: command.call, input: command.input, madeAt: command.madeAt };
  const sealed = await sealJson(ground.outboxCipher, 'outbox', id, inner);
  const failure = await sealFailure(ground, id, command.failure, command.refused);
  const order = await ground.shelves.write(['meta', 'outbox'], async (shelf) => {
    const [here, counter] = await Promise.all([
      shelf.get('outbox', id),
      shelf.get('meta', 'order'),
    ]);
    if (here) return here.order;
    const last =
      counter?.name === 'order'
        ? counter.last
        : (await shelf.all('outbox')).reduce((most, one) => Math.max(most, one.order), 0);
    await shelf.put('meta', { name: 'order', last: last + 1 });
    await shelf.put('outbox', { id, order: last + 1, state, sealed, failure });
    return last + 1;
  });
  return { ...command, order };
}

/** Returns commands in order. Skips unreadable ones: the server notices the missing number. */
export async function commands(ground: DiskContext): Promise<Command[]> {
  const records = await ground.shelves.read(['outbox'], (shelf) => shelf.all('outbox'));
  const read = await Promise.all(
    records.map((one) => openCommand(ground, one).catch(unlessCorrupt)),
  );
  return read.filter((one) => one !== null).sort((a, b) => a.order - b.order);
}

export async function markCommand(
  ground: DiskContext,
  id: CommandId,
  state: Command['state'],
  failure: Failure | null,
  refused?: readonly Refusals[],
): Promise<void> {
  const sealed = await sealFailure(ground, id, failure, refused);
  await ground.shelves.write(['outbox'], async (shelf) => {
    const record = await shelf.get('outbox', id);
    if (record) await shelf.put('outbox', { ...record, state, failure: sealed });
  });
}

export const dropCommand = (ground: DiskContext, id: CommandId): Promise<void> =>
  ground.shelves.write(['outbox'], (shelf) => shelf.remove('outbox', id));

type Inner = Pick<Command, 'call' | 'input' | 'madeAt'>;

const placeOfFailure = (id: CommandId): string => `${id}/failure`;

/** For a bulk change, the refused runs are stored beside the overall reason. */
type Told = Failure & { readonly refused?: readonly Refusals[] };

const sealFailure = async (
  ground: DiskContext,
  id: CommandId,
  failure: Failure | null,
  refused?: readonly Refusals[],
): Promise<CommandRecord['failure']> =>
  failure === null
    ? null
    : sealJson(ground.outboxCipher, 'outbox', placeOfFailure(id), {
        ...failure,
        ...(refused && { refused }),
      } satisfies Told);

async function openCommand(
  ground: DiskContext,
  { id, order, state, sealed, failure }: CommandRecord,
): Promise<Command> {
  const inner = await openJson<Inner>(ground.outboxCipher, 'outbox', id, sealed);
  if (failure === null) return { id, order, state, ...inner, failure: null };
  const { refused, ...why } = await openJson<Told>(
    ground.outboxCipher,
    'outbox',
    placeOfFailure(id),
    failure,
  );
  return { id, order, state, ...inner, failure: why, ...(refused && { refused }) };
}

/** Treats unreadable records as missing; rethrows other faults. */
export const unlessCorrupt = (thrown: unknown): null => {
  if (thrown instanceof DiskFault && thrown.kind === 'corrupt') return null;
  throw thrown;
};
