import { environmentManager } from '@tanstack/react-query';
import * as fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Evidence } from '#contract/daily-checks/operator-calls.ts';
import {
  EVIDENCE_DEFAULTS,
  evidencePlace,
  evidenceQuery,
  evidenceTime,
} from '#src/features/evidence/address.ts';
import { evidenceLine, makeEvidenceFile } from '#src/features/evidence/file.ts';
import type { EvidencePage } from '#src/features/evidence/file.ts';
import { useEvidence } from '#src/features/evidence/use-evidence.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { canRetry } from '#src/ui/can-retry.ts';
import type { Failure } from '#contract/errors.ts';
import { MESSAGES } from '#contract/messages.ts';
import { failed, ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import { queryClient } from '#src/app/worker/server-query.ts';
import { setClient } from '#src/app/worker/worker-client.ts';
import type { WorkerClient } from '#workers/api.ts';
import { renderHook } from '../render-hook.ts';
import type { RenderedHook } from '../render-hook.ts';
import { SHORTCUTS, spanOfKey } from '#src/features/shared/date-range/dates.ts';

const AT = Date.UTC(2026, 10, 21, 7, 46);
const DAY = 86_400_000;
const RULE = { zone: 'Europe/Berlin', hour: 4 };
const line = (more: Partial<Evidence>): Evidence => ({
  at: AT,
  who: 'Dana Reyes',
  what: 'reviewed',
  company: 'Aldergate Vets',
  job: 'SQL nightly',
  computer: 'AV-SQL01',
  source: 'restic',
  type: 'Backup',
  state: 'Missed',
  cause: 'No run since ‹time›',
  runs: 3,
  comment: null,
  until: null,
  ...more,
});

test('EVID-5: the address has the state of the evidence, and invalid values fall back', () => {
  expect(evidenceQuery(EVIDENCE_DEFAULTS)).toBe('');
  for (const span of SHORTCUTS) {
    const place = { show: 'hand-overs' as const, span, company: 12 };
    expect(evidencePlace(evidenceQuery(place))).toEqual(place);
  }
  expect(evidencePlace('?show=all&date=never&company=x')).toEqual(EVIDENCE_DEFAULTS);
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(evidencePlace(evidenceQuery(evidencePlace(text)))).toEqual(evidencePlace(text));
    }),
  );
});

test('EVID-5: twelve months are allowed, also with a clock change in them; more are refused before the request', () => {
  const year = spanOfKey('2025-11-21..2026-11-20');
  const leap = spanOfKey('2024-01-01..2024-12-31');
  const more = spanOfKey('2025-11-20..2026-11-21');
  if (!year || !leap || !more) throw new Error('no span');
  expect(evidenceTime(year, AT, RULE)).toMatchObject({
    tooLong: false,
    to: Date.UTC(2026, 10, 21, 3),
  });
  const whole = evidenceTime(leap, AT, RULE);
  expect(whole.tooLong).toBe(false);
  expect(whole.to - whole.from).toBeLessThanOrEqual(366 * DAY);
  expect(evidenceTime(more, AT, RULE).tooLong).toBe(true);
});

const PLAIN =
  '11/21/26 08:46 AM,2026-11-21T07:46:00Z,Dana Reyes,Reviewed,Did not run,Aldergate Vets,SQL nightly,AV-SQL01,restic,Backup,No run since ‹time›,,,,3\r\n';

test('EVID-6, CSV-2: a line of the file says who did what when to what, in words, without formulas', () => {
  expect(evidenceLine(line({}), RULE.zone)).toBe(PLAIN);
  expect(
    evidenceLine(
      line({
        what: 'snoozed',
        until: AT + DAY,
        comment: '=HYPERLINK("http://x")',
        state: '',
        cause: '',
        runs: 0,
      }),
      RULE.zone,
    ),
  ).toBe(
    '11/21/26 08:46 AM,2026-11-21T07:46:00Z,Dana Reyes,Snoozed,,Aldergate Vets,SQL nightly,AV-SQL01,restic,Backup,,"\'=HYPERLINK(""http://x"")",11/22/26 08:46 AM,2026-11-22T07:46:00Z,\r\n',
  );
});

test('EVID-6, CSV-4: the file has every page of the period, reports its progress, and ends immediately when canceled', async () => {
  const pages: Record<string, EvidencePage> = {
    'first': { rows: [line({ at: AT - DAY })], before: '9' },
    9: { rows: [line({ at: AT - 3 * DAY }), line({ at: AT - 3 * DAY })], before: '4.1' },
    '4.1': { rows: [], before: null },
  };
  const request: (string | null)[] = [];
  const shares: number[] = [];
  const loadPage = (before: string | null): Promise<EvidencePage> => {
    request.push(before);
    return Promise.resolve(pages[before ?? 'first'] ?? { rows: [], before: null });
  };
  const made = await makeEvidenceFile(
    loadPage,
    { from: AT - 4 * DAY, to: AT },
    AT,
    RULE.zone,
    (share) => {
      shares.push(share);
    },
  ).done();
  expect(made).toMatchObject({ name: 'Evidence_2026-11-21_084600.csv', rows: 3 });
  expect(request).toEqual([null, '9', '4.1']);
  expect(shares).toEqual([0.25, 0.75, 1]);
  const bytes = new Uint8Array((await made?.file.arrayBuffer()) ?? []);
  expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
  expect(new TextDecoder().decode(bytes).split('\r\n')).toHaveLength(5);

  const stopped = makeEvidenceFile(
    (before) => {
      stopped.cancel();
      return loadPage(before);
    },
    { from: 0, to: AT },
    AT,
    RULE.zone,
    () => {},
  );
  expect(await stopped.done()).toBe(null);
  expect(request).toHaveLength(4);
});

test('EVID-7: what the server refused is not offered again, what it could not answer is', async () => {
  const issues = [{ path: 'from', message: MESSAGES.evidenceArchived }];
  const refused = { kind: 'bad-input', message: 'The request is invalid.', issues } as const;
  expect(await isOffered(refused)).toBe(false);
  expect(getFailureText(refused)).toBe(
    'Events from the start of this period are archived. Choose a later start.',
  );
  for (const kind of ['forbidden', 'not-found', 'update-needed'] as const)
    expect(await isOffered({ kind, message: 'no' })).toBe(false);
  for (const kind of ['no-answer', 'needs-network', 'server-error', 'signed-out'] as const)
    expect(await isOffered({ kind, message: 'no' })).toBe(true);
  const busy = { kind: 'busy', message: 'no', retryAfterMs: 1_000 } as const;
  expect(await isOffered(busy)).toBe(true);
});

test('EVID-5: a page that failed leaves the earlier ones, and is loaded when it is requested again', async () => {
  const requested: (string | undefined)[] = [];
  let isDown = false;
  answerWith((input) => {
    const { before } = input as { readonly before?: string };
    requested.push(before);
    if (isDown) return failed({ kind: 'no-answer', message: 'no' });
    return ok(
      before === undefined
        ? { rows: [line({ job: 'newest' })], before: 'older' }
        : { rows: [line({ job: 'oldest' })], before: null },
    );
  });
  const hook = await renderHook((on: boolean) => useEvidence(YEAR, on), true);
  await settle(hook);
  isDown = true;
  await hook.run(() => hook.current().more());
  await settle(hook);
  expect(hook.current()).toMatchObject({
    before: 'older',
    busy: false,
    failure: { message: 'no' },
  });
  expect(hook.current().rows?.map(({ job }) => job)).toEqual(['newest']);
  isDown = false;
  await hook.run(() => {
    hook.current().more();
    hook.current().more();
  });
  await settle(hook);
  expect(hook.current()).toMatchObject({ before: null, busy: false, failure: null });
  expect(hook.current().rows?.map(({ job }) => job)).toEqual(['newest', 'oldest']);
  expect(requested).toEqual([undefined, 'older', 'older']);
  await hook.unmount();
});

async function isOffered(failure: Failure): Promise<boolean> {
  answerWith(() => failed(failure));
  const hook = await renderHook((on: boolean) => useEvidence(YEAR, on), true);
  await settle(hook);
  expect(hook.current()).toMatchObject({ busy: false, rows: null, failure });
  const shown = hook.current().failure;
  await hook.unmount();
  queryClient.clear();
  return shown !== null && canRetry(shown);
}

const YEAR = { from: AT - 365 * DAY, to: AT, company: null };

function answerWith(answer: (input: unknown) => Result<unknown>): void {
  setClient({
    ask: async (_name: string, input: unknown) => answer(input),
    watch: (_name: string, _input: unknown, next: (value: object) => void) => {
      next({});
      return Promise.resolve({ close: () => {}, change: () => {} });
    },
  } as unknown as WorkerClient);
}

async function settle({ run }: Pick<RenderedHook<boolean, unknown>, 'run'>): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1)
    await run(async () => {
      await vi.advanceTimersByTimeAsync(1);
    });
}

const isServer = environmentManager.isServer();
beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('navigator', { onLine: true });
  // Without a window, the query library takes this for a server, which has no timers.
  environmentManager.setIsServer(() => false);
});
afterEach(() => {
  queryClient.clear();
  environmentManager.setIsServer(() => isServer);
  vi.useRealTimers();
  vi.unstubAllGlobals();
});
