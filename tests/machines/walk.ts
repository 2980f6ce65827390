import { getShortestPaths } from '@xstate/graph';
import { transition } from 'xstate';
import type { AnyMachineSnapshot, AnyStateMachine, EventObject, InputFrom } from 'xstate';

/**
 * For each state, the events that leave it and where they lead. Events that are not named leave the
 * state as it is. Two targets (`a | b`) depend on more than the state.
 */
export type Table = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * Walks a machine to every state that it can reach, and from there along every event. `events`:
 * everything that can happen, by its name in the table. `memory`: the part of the context that
 * decides what follows.
 */
export function walk<M extends AnyStateMachine>(
  machine: M,
  input: InputFrom<M>,
  events: Readonly<Record<string, EventObject>>,
  memory: (context: never) => unknown = () => null,
): { readonly table: Table; readonly states: readonly AnyMachineSnapshot[] } {
  const paths = getShortestPaths(
    machine as never,
    {
      input,
      // A machine is never sent the result of an actor that it did not invoke.
      events: (state: AnyMachineSnapshot) =>
        Object.values(events).filter((event) => reacts(state, event)),
      serializeState: ({ value, context }: AnyMachineSnapshot) =>
        JSON.stringify([value, memory(context as never)]),
    } as never,
  ) as unknown as readonly { readonly state: AnyMachineSnapshot }[];
  const states = paths.map(({ state }) => state);
  const table: Record<string, Record<string, string>> = {};
  for (const name of new Set(states.map(getName)))
    table[name] = Object.fromEntries(
      Object.entries(events).flatMap(([event, happening]) => {
        const next = states
          .filter((state) => getName(state) === name)
          .map((state) =>
            reacts(state, happening)
              ? getName(transition(machine, state as never, happening as never)[0])
              : name,
          );
        const targets = [...new Set(next)].sort();
        return targets.join('') === name ? [] : [[event, targets.join(' | ')]];
      }),
    );
  return { table, states };
}

/** The result of an actor that the machine invoked. */
export const done = (actor: string, output: unknown): EventObject =>
  ({ type: `xstate.done.actor.${actor}`, output, actorId: actor }) as EventObject;

/** An actor that threw, which is a bug. */
export const bug = (actor: string): EventObject =>
  ({ type: `xstate.error.actor.${actor}`, error: new Error('bug'), actorId: actor }) as EventObject;

/** A machine that has ended hears nothing. */
const reacts = (state: AnyMachineSnapshot, event: EventObject): boolean =>
  state.status === 'active' && state.can(event);

const getName = ({ value }: AnyMachineSnapshot): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

/** A clock on which every wait is over when it is next read. */
export function hastyClock(): () => number {
  let now = 0;
  return () => (now += 3_600_000);
}
