import * as v from 'valibot';
import { expect, test } from 'vitest';
import { NOON } from '../../ingest/fixtures.ts';
import { aConsole } from './fixtures.ts';
import {
  aComputer,
  aJob,
  aLicence,
  anAgent,
  anAgentJob,
  anAlarm,
  anOffice365Job,
  aRepository,
  aSession,
  fill,
} from './vspc-estate.ts';
import { PUBLISHED } from './vspc-schema.ts';
import { KEY, USER } from './vspc.ts';

const JOB = { company: 'Company 0', server: 'vbr-0', name: 'SQL nightly' };

const errors = (name: string, answer: unknown): readonly string[] => {
  const { issues } = v.safeParse(PUBLISHED[name] ?? v.never(), answer);
  return (issues ?? []).map((issue) => `${name}: ${v.getDotPath(issue) ?? ''} ${issue.message}`);
};
const refused = (row: Record<string, unknown>): boolean =>
  !v.safeParse(PUBLISHED['infrastructure/backupServers/jobs'] ?? v.any(), {
    meta: { pagingInfo: { total: 1, count: 1, offset: 0 } },
    data: [row],
  }).success;

test('COLLECT-8: every answer of the fake has the schema that the console publishes', async () => {
  const vspc = await aConsole();
  const { console } = vspc;
  fill(console, 2, 40, NOON);
  console.jobs.push(
    aJob(JOB, NOON, { status: 'Running', lastEndTime: null }),
    aJob(JOB, NOON, {
      scheduleType: 'Periodically',
      schedule: { periodicallyScheduleOptions: { kind: 'Hours', fullPeriod: 4 } },
    }),
  );
  console.sessions.push(
    aSession(JOB, NOON),
    aSession(JOB, NOON - 90_000_000, { result: 'Failed', failureMessage: 'x' }),
  );
  console.repositories.push(aRepository('vbr-0', 'Main', 10, 4));
  const { computer, agent } = aComputer('Company 0', 'pc-7');
  console.computers.push(computer);
  console.managementAgents.push(agent);
  console.agents.push(anAgent('Company 0', 'laptop-1'));
  console.agentJobs.push(anAgentJob('Company 0', 'laptop-1', NOON));
  console.office365Jobs.push(anOffice365Job('Company 0', 'Mailboxes', NOON));
  console.alarms.push(anAlarm('Company 0', 'Main', NOON));
  console.licences.push(aLicence('Company 0', 3));
  const request = async (path: string, init: RequestInit = {}) =>
    fetch(`${vspc.outside.url}/api/v3/${path}`, {
      headers: { authorization: `Bearer ${KEY}` },
      ...init,
    });
  for (const path of Object.keys(PUBLISHED).filter((name) => name.includes('/'))) {
    const query = path.endsWith('Heatmap')
      ? `/?from=${new Date(NOON - 172_800_000).toISOString()}&to=${new Date(NOON + 1).toISOString()}`
      : '?limit=100&offset=0';
    const answer = (await (await request(`${path}${query}`)).json()) as { data: unknown };
    expect(errors(path, answer)).toEqual([]);
    expect(JSON.stringify(answer.data).length).toBeGreaterThan(20);
  }
  const session = await request('token', {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'password',
      username: USER.name,
      password: USER.secret,
    }),
  });
  expect(errors('token', await session.json())).toEqual([]);
  const stranger = await request('alarms/active?limit=1&offset=0', { headers: {} });
  expect([stranger.status, errors('errors', await stranger.json())]).toEqual([401, []]);
  console.later = () => true;
  const later = await request('alarms/active?limit=1&offset=0');
  expect(later.status).toBe(202);
  const action = await request(
    `asyncActions/${later.headers.get('location')?.split('/').at(-1) ?? ''}`,
  );
  expect(errors('asyncAction', await action.json())).toEqual([]);
});

test("COLLECT-8: the schema refuses what the console doesn't publish", () => {
  const row = aJob(JOB, NOON);
  expect(refused(row)).toBe(false);
  for (const wrong of [
    { status: 'Good' },
    { bytes: 1 },
    { lastRun: NOON },
    { lastRun: '2026-03-02' },
    { instanceUid: 'x' },
    { type: 'Backup' },
    { scheduleType: 'Hourly' },
  ])
    expect(refused({ ...row, ...wrong })).toBe(true);
});
