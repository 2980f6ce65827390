import { expect, test } from 'vitest';
import { getRandom, HOSTILE_TEXTS, hostileIn } from '../http/hostile.ts';
import { eachDatabase } from '../db/databases.ts';
import { anExecution, aPlace, fixture, HOUR, iso, NOON } from './fixtures.ts';
import type { Place } from './fixtures.ts';

const PROOF = Number(process.env['PROOF'] ?? 1);
const SEED = Number(process.env['SEED'] ?? 20_261_122);

const TOOLS = [
  ['restic', 'restic-good.txt'],
  ['restic', 'restic-unreadable.txt'],
  ['borg', 'borg-good.txt'],
  ['borg', 'borg-latin1-log-json.txt'],
  ['rclone', 'rclone-unreadable.txt'],
  ['bacula', 'bacula.json'],
  ['kopia', 'kopia.json'],
  ['duplicati', 'duplicati.json'],
] as const;

const repository = {
  name: 'store',
  uid: 'store',
  hostName: 'nas',
  path: '/srv',
  type: 'disk',
  capacityBytes: 100,
  freeBytes: 5,
  usedBytes: 95,
  at: iso(NOON - HOUR),
};
const computer = { hostName: 'pc-1', os: 'Debian 12', osType: 'linux', ipAddresses: ['192.0.2.1'] };
const full = anExecution({
  jobInstanceUid: 'u',
  externalId: 'e',
  server: 's',
  status: 'Failed',
  message: 'no',
  log: 'a log',
  detail: { a: 'b', n: 1 },
  schedule: { type: 'cron', cron: '0 1 * * *', tz: 'UTC' },
  graceSec: 60,
  tasks: [
    { name: 'VM', status: 'Success', startTime: iso(NOON - HOUR), durationSec: 1, message: 'm' },
  ],
  exitCode: 1,
  durationSec: 5,
});
const errors = ({ ground: bench }: Place): string[] =>
  bench.lines.filter((line) => line.includes('"level":"error"'));
const result = (n: number, more: object): object =>
  anExecution({ job: `Job ${n}`, startTime: iso(NOON - HOUR - n * 1_000), ...more });
const longEvent = (id: string) => ({
  specversion: '1.0',
  type: 'io.example.backup.execution.finished.v1',
  source: `/host/${'s'.repeat(400)}`,
  id,
  subject: 'Job',
  data: { status: 'Success' },
});

eachDatabase((database, open) => {
  const place = async (): Promise<Place> => aPlace(await open());

  test(`TEXT-1, TEXT-5: U+0000 and lone surrogates in any field lose no result of the batch (${database})`, async () => {
    const at = await place();
    const bad = 'x\0\udce9';
    const fields = ['job', 'computer', 'server', 'jobInstanceUid', 'externalId', 'message', 'log'];
    const batch = [
      result(0, {}),
      ...fields.map((field, n) => result(n + 1, { status: 'Failed', [field]: bad })),
      result(20, { detail: { [bad]: bad } }),
      result(21, { tasks: [{ name: bad, status: 'Failed', message: bad }] }),
      result(22, {}),
    ];
    const answer = await at.post('executions', batch);
    expect([answer.status, answer.data]).toEqual([
      200,
      { accepted: batch.length, duplicates: 0, rejected: [] },
    ]);
    expect((await at.post('executions', batch)).data).toEqual({
      accepted: 0,
      duplicates: batch.length,
      rejected: [],
    });
    const jobs = await at.all('job');
    const runs = await at.all('run');
    const stored = 'x\ufffd\ufffd';
    expect(
      jobs.filter(({ name, computer, server, uid }) =>
        [name, computer, server, uid].includes(stored),
      ),
    ).toHaveLength(4);
    expect(runs.map(({ message }) => message)).toContain(stored);
    expect(runs.map(({ detail }) => detail[stored])).toContain(stored);
    expect(
      await Promise.all(runs.filter(({ hasLog }) => hasLog).map(({ n }) => at.log(n))),
    ).toEqual([stored]);
    expect(errors(at)).toEqual([]);
  });

  test(`TEXT-1: output of borg 1.2 with a file name in Latin-1 is accepted (${database})`, async () => {
    const at = await place();
    // The run was recorded then: before that it would be in the future.
    at.ground.at(Date.parse('2026-11-22T20:00:00Z'));
    const answer = await at.post('borg?job=files&host=pc-1&exit=1', '', {
      raw: fixture('borg-latin1-log-json.txt'),
    });
    expect([answer.status, answer.data.accepted]).toEqual([200, 1]);
    expect(await at.all('run')).toMatchObject([
      {
        status: 'Warning',
        message:
          "Could not be read: /srv/src/caf\ufffd.txt: open: [Errno 13] Permission denied: 'caf\\udce9.txt'",
      },
    ]);
  });

  test(`TEXT-2, TEXT-5: names are single lines; a record without a name is reported and the rest is stored (${database})`, async () => {
    const at = await place();
    const batch = [
      anExecution({ job: 'Night\r\nrun', computer: 'pc\n1' }),
      anExecution({ job: '\n\t' }),
      anExecution({ job: 'Other', log: 'one\r\n\ttwo', status: 'Failed', message: 'no' }),
    ];
    expect((await at.post('executions', batch)).data).toMatchObject({
      accepted: 2,
      rejected: [{ index: 1, error: expect.stringMatching(/^job: /) as string }],
    });
    const jobs = await at.all('job');
    const [run] = (await at.all('run')).filter(({ hasLog }) => hasLog);
    expect(jobs.map(({ name, computer: on }) => `${name}|${on}`).toSorted()).toEqual([
      'Night run|pc 1',
      'Other|pc-1',
    ]);
    expect(await at.log(run?.n ?? 0)).toBe('one\r\n\ttwo');
    expect(
      (
        await at.post('repositories', [
          { ...repository, name: 'a\nb' },
          { ...repository, uid: 'two', name: '\r' },
        ])
      ).data,
    ).toMatchObject({ accepted: 1, rejected: [{ index: 1 }] });
    expect((await at.post('computers', [{ ...computer, hostName: 'pc\r\n2' }])).data).toMatchObject(
      { accepted: 1 },
    );
    expect([
      (await at.all('repository'))[0]?.name,
      (await at.all('computer'))[0]?.hostName,
    ]).toEqual(['a b', 'pc 2']);
  });

  test(`TEXT-3: jobs with long names and computers stay distinct, and are recognized again (${database})`, async () => {
    const at = await place();
    const job = '\u{1f600}'.repeat(100);
    const names = ['a', 'b'].map((end) => ({ job, computer: `${'c'.repeat(199)}${end}` }));
    const post = (moment: number) =>
      at.post(
        'executions',
        names.map((one) => anExecution({ ...one, startTime: iso(moment), endTime: iso(moment) })),
      );
    expect([
      (await post(NOON - HOUR)).data.accepted,
      (await post(NOON - HOUR)).data.duplicates,
      (await post(NOON)).data.accepted,
    ]).toEqual([2, 2, 2]);
    const jobs = await at.all('job');
    expect(jobs.map(({ computer: on }) => on).toSorted()).toEqual(names.map((one) => one.computer));
    expect(
      jobs.every(
        ({ uid }) => uid.length <= 300 && uid.isWellFormed() && uid.startsWith('\u{1f600}'),
      ),
    ).toBe(true);
    // A host name whose small letters are more than its capital ones, and repositories that begin
    // alike.
    expect((await at.post('computers', [{ hostName: '\u0130'.repeat(200) }])).data.accepted).toBe(
      1,
    );
    expect(
      (
        await at.post(
          'repositories',
          ['a', 'b'].map((end) => ({
            ...repository,
            uid: undefined,
            name: 'n'.repeat(200),
            hostName: `${'h'.repeat(199)}${end}`,
          })),
        )
      ).data.accepted,
    ).toBe(2);
    expect(await at.all('repository')).toHaveLength(2);
    expect(
      (
        await at.post('events', [longEvent('1'), longEvent('2'), longEvent('1')], {
          headers: { 'content-type': 'application/cloudevents-batch+json' },
        })
      ).data,
    ).toMatchObject({ accepted: 2, duplicates: 1 });
  });

  test(`TEXT-5: whatever is in one record, the others are stored (${database}, seed ${SEED})`, async () => {
    const at = await place();
    const random = getRandom(SEED);
    const odd: string[] = [];
    const shapes = [
      ['executions', full],
      ['repositories', repository],
      ['computers', computer],
    ] as const;
    for (let time = 0; time < 150 * PROOF; time += 1) {
      const [what, good] = random.of(shapes);
      const own = {
        ...good,
        ...(what === 'executions'
          ? { jobInstanceUid: `good ${time}`, externalId: `good ${time}` }
          : what === 'computers'
            ? { hostName: `good ${time}` }
            : { uid: `good ${time}` }),
      };
      const answer = await at.post(what, [
        hostileIn(good, random, 1 + random.below(3)),
        own,
        hostileIn(good, random, 1 + random.below(3)),
      ]);
      if (
        answer.status !== 200 ||
        answer.data.accepted + answer.data.duplicates + answer.data.rejected.length !== 3 ||
        answer.data.rejected.some(({ index }) => index === 1)
      )
        odd.push(`${what} ${answer.status} ${JSON.stringify(answer.data ?? answer.error)}`);
      at.ground.pass(2_000);
    }
    expect([odd, errors(at)]).toEqual([[], []]);
  });

  test(`TEXT-4: no tool output, event or ping fails, whatever is in it (${database}, seed ${SEED})`, async () => {
    const at = await place();
    const random = getRandom(SEED);
    const odd: string[] = [];
    for (let time = 0; time < 25 * PROOF; time += 1) {
      for (const [tool, file] of TOOLS) {
        const query = new URLSearchParams([
          ['job', random.of(HOSTILE_TEXTS)],
          ['host', random.of(HOSTILE_TEXTS)],
          ...(random() < 0.3
            ? [[random.of(['exit', 'tz', 'every', 'cron', 'grace']), random.of(HOSTILE_TEXTS)]]
            : []),
        ] as [string, string][]);
        const answer = await at.post(
          `${tool}?${random() < 0.5 ? query.toString() : 'job=a%00b&host=%ff'}`,
          '',
          { raw: spoiled(fixture(file), random) },
        );
        if (answer.status >= 500) odd.push(`${tool} ${answer.status}`);
        at.ground.pass(2_000);
      }
      const attributes = Object.fromEntries(
        ['id', 'source', 'type', 'subject', 'time', 'specversion'].map((name) => [
          `ce-${name}`,
          random() < 0.5
            ? enc(random.of(HOSTILE_TEXTS))
            : GOOD_EVENT[name as keyof typeof GOOD_EVENT],
        ]),
      );
      const event = hostileIn({ ...GOOD_EVENT, data: full }, random, 1 + random.below(2));
      const sent = [
        await at.post('events', JSON.stringify(full), { headers: attributes }),
        await at.post('events', [event], {
          headers: { 'content-type': 'application/cloudevents-batch+json' },
        }),
        await at.ping(`/${enc(random.of(HOSTILE_TEXTS))}?rid=${enc(random.of(HOSTILE_TEXTS))}`, {
          body: 'a\0b',
        }),
        await at.ping(`/slug/fail?job=a%00b&host=%ed%a0%80&tz=${enc(random.of(HOSTILE_TEXTS))}`, {
          body: new Uint8Array([0, 255, 237, 160, 128, 10]),
        }),
        await at.ping('/%00'),
        await at.ping('/%'),
        await at.ping('/slug/log', { body: '\0' }),
      ];
      for (const { status } of sent) if (status >= 500) odd.push(`event or ping ${status}`);
    }
    expect([odd, errors(at)]).toEqual([[], []]);
  });
});

const enc = (text: string): string => encodeURIComponent(text.toWellFormed());
const GOOD_EVENT = {
  specversion: '1.0',
  type: 'io.example.backup.execution.finished.v1',
  source: '/host/tool',
  id: '1',
  subject: 'Job',
  time: iso(NOON - HOUR),
};

/**
 * The text with something odd in some places: bytes that are no UTF-8, escapes of halves of pairs,
 * large numbers, a cut.
 */
function spoiled(text: string, random: ReturnType<typeof getRandom>): Uint8Array<ArrayBuffer> {
  let bytes = Buffer.from(
    text
      .replaceAll(/"([^"\\]{1,40})"(?=[,}\]\s])/g, (all, inner: string) => {
        const roll = random();
        return roll < 0.9
          ? all
          : roll < 0.97
            ? JSON.stringify(`${inner}${random.of(HOSTILE_TEXTS)}`)
            : '1e999';
      })
      .replaceAll(/: ?\d+/g, (all) =>
        random() < 0.95
          ? all
          : `: ${random.of(['-1', '1e300', '9007199254740993', '1e999', '0.5'])}`,
      ),
  );
  for (let time = random.below(4); time > 0; time -= 1) {
    const place = random.below(bytes.length);
    bytes = Buffer.concat([
      bytes.subarray(0, place),
      Buffer.from(random.of([[0], [255], [237, 160, 128], [10], [0xc3]])),
      bytes.subarray(place),
    ]);
  }
  return new Uint8Array(random() < 0.1 ? bytes.subarray(0, random.below(bytes.length)) : bytes);
}
