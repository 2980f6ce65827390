import { expect } from 'vitest';
import { restoreCalls } from '#contract/restore/calls.ts';
import type { Asker } from '../sync/fixtures.ts';

/** The objects that paths of the specification's section 7 name, and whose sessions show them. */
export const OBJECT_PARAMETERS = {
  Vex: 'mailboxId',
  Veod: 'onedriveId',
  Vesp: 'siteId',
  Vet: 'teamId',
} as const;

/** What a session shows: ids by the names under which the calls take them. */
export interface ShownNodes {
  /** Of every restore. */
  readonly options: object;
  readonly object: string;
  /** Objects that the session shows too. */
  readonly others: readonly string[];
  /** Folders and items of `object`. Those whose calls take several are lists. */
  readonly below: Readonly<Record<string, string | readonly string[]>>;
}

/** What a call answers to somebody who asks for something that is not there. */
const MISSING = 404;

/**
 * Asks every call with an object in its path for what is below `object`, and then for the same below
 * something else. Returns the names of the calls.
 */
export async function checkPaths(
  who: Asker,
  session: string,
  parameter: (typeof OBJECT_PARAMETERS)[keyof typeof OBJECT_PARAMETERS],
  { options: all, object, others, below }: ShownNodes,
): Promise<readonly string[]> {
  const calls = Object.entries(restoreCalls).filter(([, { path }]) =>
    path.includes(`{${parameter}}`),
  );
  const [item = ''] = Object.values(below).flat();
  const strangers = ['o999999', 'zzz', item, String(below['parentId'])];
  for (const [name, call] of calls) {
    const fields = Object.keys('entries' in call.input ? call.input.entries : {});
    const input = Object.fromEntries(Object.entries(below).filter(([key]) => fields.includes(key)));
    const options = fields.includes('dryRun') ? all : {};
    const ask = async (top: string, more: object = {}): Promise<number> => {
      const left = new Map<string, unknown>(Object.entries({ ...input, ...options, ...more }));
      const path = call.path.replaceAll(/\{(\w+)\}/g, (_, key: string) => {
        const value = left.get(key);
        left.delete(key);
        if (key === 'restoreSessionId') return session;
        return key === parameter ? top : String(value);
      });
      if (call.method !== 'GET')
        return (await who(call.method, path, Object.fromEntries(left))).status;
      const query = new URLSearchParams([...left].map(([key, value]) => [key, String(value)]));
      return (await who('GET', `${path}?${query}`)).status;
    };
    const siblings = Object.keys(input).length > 0 ? others : [];
    expect([name, object, await ask(object)]).not.toEqual([name, object, MISSING]);
    for (const top of [...siblings, ...strangers])
      expect([name, top, await ask(top)]).toEqual([name, top, MISSING]);
    if (fields.includes('restoreSubsites'))
      for (const top of strangers)
        expect([name, top, await ask(top, { restoreSubsites: true })]).toEqual([
          name,
          top,
          MISSING,
        ]);
  }
  return calls.map(([name]) => name);
}
