import { expect, test } from 'vitest';
import { makeLog } from '#server/platform/log.ts';

test('G39, STORE-4: an entry is one line of JSON, and keys and tokens in it are masked everywhere', () => {
  const lines: [string, string][] = [];
  const log = makeLog(
    { now: () => 0, after: () => ({ cancel: () => undefined }) },
    (level, line) => void lines.push([level, line]),
  );
  log.info('asked', {
    url: '/ping/0f8e3c1a-key/nightly/start?x=1',
    header: 'Bearer abc.DEF-123~/+=',
    list: [
      { key: 'dbk_AbC-12_3' },
      'dbu_0123456789abcdef',
      'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD/a==',
    ],
    n: 1n,
  });
  log.error('broke', { error: new Error('GET http://h/ping/secret\\nfailed with dbk_zzz') });
  const [[level, first], [, second]] = lines as [[string, string], [string, string]];
  expect(level).toBe('info');
  expect(JSON.parse(first)).toEqual({
    at: '1970-01-01T00:00:00.000Z',
    level: 'info',
    what: 'asked',
    url: '/ping/***/nightly/start?x=1',
    header: 'Bearer ***',
    list: [{ key: 'dbk_***' }, 'dbu_***', 'whsec_***'],
    n: '1',
  });
  expect(second).not.toMatch(/secret|zzz/);
  expect(second).not.toContain('\n');
  expect(JSON.parse(second)).toMatchObject({ error: { name: 'Error' } });
});
