import { expect, test } from 'vitest';
import { ROLES } from '#contract/abilities.ts';
import { getCall, CALLS } from '#contract/calls.ts';
import type { CallName } from '#contract/calls.ts';
import type { Store } from '#server/platform/db/store.ts';
import { anyDatabase } from '../db/databases.ts';
import { anOffice, failure } from '../sync/fixtures.ts';
import type { Asker, Office } from '../sync/fixtures.ts';
import { makeFixture } from './fixtures.ts';
import type { Fixture } from './fixtures.ts';
import { getRandom, hostileIn, validFor } from './hostile.ts';
import type { Random } from './hostile.ts';

const PROOF = Number(process.env['PROOF'] ?? 1);
const SEED = Number(process.env['SEED'] ?? 20_261_122);
const ASKS = 6 * PROOF;
const NAMES = (Object.keys(CALLS) as CallName[]).filter(
  (name) => getCall(name).gate !== 'ingest-key' && name !== 'stream',
);
/**
 * They ask a directory, Microsoft or another system, which is not there: `busy`, come back later, is
 * their answer (503).
 */
const ASK_OUTSIDE: ReadonlySet<CallName> = new Set<CallName>([
  'loginAd',
  'changePasswordAd',
  'setPasswordAd',
  'validateSso',
  'checkMappings',
  'setMappings',
  'setTicketing',
  'testTicketing',
  'testQuickBooks',
  'finishQuickBooks',
  'reauth',
  'requestAppDeviceCode',
  'requestDeviceCode',
  'requestRestoreDeviceCode',
]);
const T = '2026-03-02T06:00:00Z';

/**
 * A provider with something in it, and whoever may do anything there, as long as what was asked has
 * not changed that.
 */
interface Stage {
  readonly office: Office;
  readonly ask: Asker;
  readonly ids: Set<string>;
}

async function aStage(fixture: Fixture): Promise<Stage> {
  const office = await anOffice(fixture);
  const ids = new Set<string>();
  await office.post(1, [failure('Files', T), failure('Mail', T, { log: 'a log' })]);
  return { office, ids, ask: await signedIn(fixture, office) };
}
const signedIn = (fixture: Fixture, office: Office): Promise<Asker> =>
  office.as(`u${fixture.context.chance.uuid().slice(0, 8)}`, [...ROLES]);

/**
 * Where a call is asked, with what: parameters of the path, and the rest in the query or the body.
 */
function addressed(
  name: CallName,
  input: Readonly<Record<string, unknown>>,
): { readonly path: string; readonly body: unknown } {
  const { method, path } = getCall(name);
  const rest = new Map(Object.entries(input));
  const filled = path.replace(/\{(\w+)\}/g, (_all, param: string) => {
    const value = rest.get(param);
    rest.delete(param);
    return encoded(typeof value === 'string' ? value : (JSON.stringify(value) ?? '')) || 'x';
  });
  if (method !== 'GET' && method !== 'DELETE')
    return { path: filled, body: Object.fromEntries(rest) };
  const query = [...rest]
    .map(
      ([key, value]) =>
        `${encoded(key)}=${encoded(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))}`,
    )
    .join('&');
  return { path: query === '' ? filled : `${filled}?${query}`, body: undefined };
}

const HALVES = /[\ud800-\udfff]/u;
/**
 * Half a pair cannot be written as UTF-8: what a careless client sends of one are its bytes one by
 * one.
 */
const encoded = (text: string): string =>
  text.split(HALVES).map(encodeURIComponent).join('%ED%A0%80');

async function attack(name: CallName, stage: Stage, random: Random): Promise<string | null> {
  const { input: takes, method } = getCall(name);
  const input = hostileIn(validFor(takes, random, [...stage.ids]), random, random.below(4));
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
  const { path, body } = addressed(name, isObject ? (input as Record<string, unknown>) : {});
  const sent = isObject || method === 'GET' || method === 'DELETE' ? body : input;
  const answer = await stage.ask(method, path, sent);
  for (const [id] of answer.text.matchAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g))
    if (stage.ids.size < 40) stage.ids.add(id);
  if (answer.status < 500 || (answer.body.error.kind === 'busy' && ASK_OUTSIDE.has(name)))
    return null;
  return `${name} ${answer.status} ${path.slice(0, 200)} ${JSON.stringify(sent)?.slice(0, 600) ?? ''}`;
}

async function attackAll(
  store: Store,
  seed: number,
): Promise<{ readonly failed: readonly string[]; readonly share: number }> {
  const fixture = await makeFixture({}, store);
  const random = getRandom(seed);
  const failed: string[] = [];
  let stage = await aStage(fixture);
  let request = 0;
  let passed = 0;
  for (const name of NAMES) {
    for (let time = 0; time < ASKS; time += 1) {
      const before = fixture.lines.length;
      const error = await attack(name, stage, random);
      if (error !== null)
        failed.push(
          `${error}\n    ${fixture.lines
            .slice(before)
            .filter((line) => line.includes('"error"') && !line.includes('"request"'))
            .join('\n    ')}`,
        );
      request += 1;
      if (fixture.lines.at(-1)?.includes('"status":200') === true) passed += 1;
    }
    // What was asked may have ended the session, or locked everybody out of the provider.
    const alive = await signedIn(fixture, stage.office).catch(() => null);
    stage = alive === null ? await aStage(fixture) : { ...stage, ask: alive };
  }
  return { failed, share: passed / request };
}

anyDatabase((database, open) => {
  test(
    `TEXT-4: no hostile input makes a call fail (${database}, seed ${SEED})`,
    async () => {
      const { failed, share } = await attackAll(await open(), SEED);
      expect(failed).toEqual([]);
      expect(share, 'of the calls took what they were sent').toBeGreaterThan(0.1);
    },
    900_000 * PROOF,
  );
});
