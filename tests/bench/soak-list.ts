/** Tests of promises (`docs/promises.md`) and rules that `npm run soak` runs longer than `npm test` does. */
export interface SoakTest {
  /** Only the tests of the file that name one of these run. */
  readonly promises: readonly string[];
  readonly file: string;
  /** The project of Vitest, or Playwright's. */
  readonly project: 'unit' | 'server' | 'hashes' | 'browser';
  /** How many of what `npm test` runs, where `PROOF` is 1. */
  readonly runs: number;
  readonly what: string;
  /** The `PROOF` of the promised size. In the browser, how often the test is repeated. */
  readonly proof: number;
  /** About how long that takes on two cores, to divide the time fairly. */
  readonly minutes: number;
}

type Row = readonly [
  promises: string,
  file: string,
  project: SoakTest['project'],
  runs: number,
  what: string,
  proof: number,
  minutes: number,
];

const ROWS: readonly Row[] = [
  ['G1 G2 G3 G7 G13', 'tests/sim/sim.test.ts', 'server', 50, 'stories of 100 steps', 40, 15],
  ['G1 G2 G12', 'tests/sim/chaos.test.ts', 'server', 1, 'stories over real sockets', 20, 12],
  ['G1 G2', 'tests/sim/real.test.ts', 'server', 1, 'stories with the real server', 20, 8],
  [
    'G3',
    'tests/server/db/writers.test.ts',
    'server',
    1,
    'rounds of 2.5 s with eight writers',
    24,
    1.2,
  ],
  ['G4', 'tests/workers/sync/apply.test.ts', 'unit', 100, 'divisions of a log', 20, 1],
  ['G5', 'tests/workers/sync/damage.test.ts', 'unit', 25, 'damaged records', 12, 1],
  ['G6', 'tests/server/events/rebuild.test.ts', 'server', 8, 'logs', 13, 3],
  ['G8', 'tests/workers/sync/leader.test.ts', 'unit', 10, 'kills of the leading tab', 10, 0.5],
  ['G12', 'tests/workers/sync/any-answer.test.ts', 'unit', 20, 'series of answers', 50, 3],
  ['G14', 'tests/e2e/kills.spec.ts', 'browser', 5, 'kills of the browser', 20, 16],
  ['G19', 'tests/server/db/kills.test.ts', 'server', 10, 'kills', 20, 12],
  ['G20', 'tests/server/db/power-cut.test.ts', 'server', 12, 'power cuts', 20, 6],
  ['G21', 'tests/server/db/lock.test.ts', 'server', 1, 'races of six processes', 100, 7],
  ['G22', 'tests/server/events/verify.test.ts', 'server', 80, 'flips and cuts', 13, 3],
  ['G24', 'tests/server/db/failover.test.ts', 'server', 1, 'lost primaries', 10, 1],
  ['G25', 'tests/sim/restart.test.ts', 'server', 50, 'devices', 10, 1],
  ['G32', 'tests/server/db/interleaved.test.ts', 'server', 500, 'requests', 40, 2],
  ['G38', 'tests/server/auth/sms.test.ts', 'server', 12, 'series of attempts', 10, 1],
  ['G45', 'tests/e2e/typed-attacks.spec.ts', 'browser', 8, 'attacks in each field', 25, 12],
  ['G47', 'tests/contract/runs/csv.test.ts', 'unit', 1_000, 'files', 20, 0.3],
  ['G63', 'tests/server/restore/reads.test.ts', 'server', 120, 'requests', 9, 2],
  ['G63', 'tests/server/restore/operator-scope.test.ts', 'server', 1_000, 'requests', 10, 3],
  ['G67', 'tests/server/engine/pst/items.test.ts', 'server', 500, 'mutated items', 20, 1],
  ['G67', 'tests/server/engine/full-text/texts.test.ts', 'server', 500, 'mutated documents', 20, 2],
  ['G67', 'tests/server/imports/pst.test.ts', 'server', 100, 'mutated PST files', 100, 20],
  ['G67', 'tests/server/imports/readers.test.ts', 'server', 300, 'mutated archives', 33, 2],
  ['G67', 'tests/server/restore/hostile.test.ts', 'server', 3_000, 'mutated files', 4, 2],
  [
    'RES-1 RES-2 RES-3 RES-4',
    'tests/server/engine/restore/random/random-restores.test.ts',
    'server',
    10,
    'random restores',
    100,
    25,
  ],
  ['DL-4', 'tests/server/engine/pst/large-mailbox.test.ts', 'server', 1_000, 'mails', 100, 20],
  ['ENG-3', 'tests/server/engine/crash-walk.test.ts', 'server', 53, 'kills at named writes', 8, 7],
];

export const SOAK_TESTS: readonly SoakTest[] = ROWS.map(
  ([promises, file, project, runs, what, proof, minutes]) => ({
    promises: promises.split(' '),
    file,
    project,
    runs,
    what,
    proof,
    minutes,
  }),
);
