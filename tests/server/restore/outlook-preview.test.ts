import { expect, test } from 'vitest';
import type { Engine } from '#contract/engine/engine.ts';
import { makeMailPreviews } from '#server/features/restore/preview/previews.ts';
import { readPreviewedMail } from '#server/features/restore/preview/read-content.ts';
import type { EngineAt } from '#server/features/restore/scope.ts';
import { systemClock } from '#server/platform/clock.ts';

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Reads a preview of an item whose backup has this JSON, and no MIME. */
async function read(json: unknown) {
  const bytes = Buffer.from(JSON.stringify(json));
  const engine = {
    readContent: async (_scope, { as }) =>
      as === 'json'
        ? { ok: true, value: { bytes: bytes.byteLength, stream: inOnePiece(bytes) } }
        : { ok: false, error: { kind: 'missing', message: 'none' } },
  } satisfies Pick<Engine, 'readContent'>;
  const at = { engine, scope: {} } as unknown as EngineAt;
  const previews = makeMailPreviews({ clock: systemClock });
  const result = await readPreviewedMail(previews, at, { explorer: 'x', node: 'i1.1' });
  if (!result.ok) throw new Error(result.failure.message);
  return result.value;
}
async function* inOnePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

test('RES-61, G64: an event is shown with its times, series, people and answers, and runs nothing', async () => {
  const { subject, from, to, attachments, body } = await read({
    id: 'e',
    iCalUId: 'u',
    subject: 'Budget <review>',
    start: { dateTime: '2026-03-23T08:00:00.0000000', timeZone: 'UTC' },
    end: { dateTime: '2026-03-23T08:30:00.0000000', timeZone: 'UTC' },
    originalStartTimeZone: 'W. Europe Standard Time',
    body: {
      contentType: 'html',
      content:
        '<p onclick="steal()">Bring <b>both</b><script>steal()</script></p><img src="https://track.example.com/a.gif">',
    },
    organizer: { emailAddress: { name: 'Ann', address: 'ann@example.com' } },
    attendees: [
      {
        type: 'optional',
        status: { response: 'declined' },
        emailAddress: { name: '<i>Bo</i>', address: 'bo@example.org' },
      },
    ],
    recurrence: {
      pattern: { type: 'weekly', interval: 2, daysOfWeek: ['monday'] },
      range: {
        type: 'numbered',
        startDate: '2026-03-23',
        numberOfOccurrences: 5,
        recurrenceTimeZone: 'W. Europe Standard Time',
      },
    },
    cancelledOccurrences: ['OID.e.2026-04-06'],
    attachments: [{ name: 'Agenda.txt', contentType: 'text/plain', size: 7 }],
    isReminderOn: true,
    reminderMinutesBeforeStart: 15,
  });
  expect(subject).toBe('Budget <review>');
  expect(from).toEqual({ name: 'Ann', address: 'ann@example.com' });
  expect(to).toEqual([{ name: '<i>Bo</i>', address: 'bo@example.org' }]);
  expect(attachments).toEqual([{ name: 'Agenda.txt', bytes: 7, type: 'text/plain' }]);
  expect(body.kind).toBe('html');
  expect(body.content).toContain('Mon 2026-03-23 09:00 – 09:30 (Europe/Berlin)');
  expect(body.content).toContain('every 2 weeks on Monday, 5 times');
  expect(body.content).toContain('2026-04-06: canceled');
  expect(body.content).toContain(
    '&lt;i&gt;Bo&lt;/i&gt; &lt;bo@example.org&gt; (optional, declined)',
  );
  expect(body.content).toContain('15 minutes before');
  // A label is never broken within a word.
  expect(body.content).toMatch(/<th [^>]*white-space:nowrap[^>]*>Organizer<\/th>/);
  expect(body.content).toContain('<p>Bring <b>both</b></p>');
  expect(body.content).not.toMatch(/steal|track\.example|<script|<i>/);
});

test('RES-61: a contact is shown with its photo, numbers and addresses', async () => {
  const { subject, body } = await read({
    id: 'c',
    displayName: 'Ragnhild Åsen',
    companyName: 'Nordsteel',
    emailAddresses: [{ address: 'ragnhild.asen@nordsteel.example.net' }],
    mobilePhone: '+47 555 9999',
    businessAddress: { street: 'Quay 1', postalCode: '5003', city: 'Bergen' },
    personalNotes: 'Call <first>',
    photo: { contentType: 'image/png', contentBytes: PIXEL },
  });
  expect(subject).toBe('Ragnhild Åsen');
  expect(body.content).toContain(`src="data:image/png;base64,${PIXEL}"`);
  for (const text of ['Nordsteel', '+47 555 9999', 'Quay 1<br />5003 Bergen', 'Call &lt;first&gt;'])
    expect(body.content).toContain(text);
});

test('RES-61: a task is shown with its state, dates and checklist', async () => {
  const { subject, body } = await read({
    id: 't',
    title: 'Order plates',
    status: 'completed',
    dueDateTime: { dateTime: '2026-04-01T00:00:00.0000000', timeZone: 'UTC' },
    checklistItems: [
      { displayName: 'Ask', isChecked: true },
      { displayName: 'Order', isChecked: false },
    ],
    body: { contentType: 'text', content: 'Two offers' },
  });
  expect(subject).toBe('Order plates');
  for (const text of ['Completed', '2026-04-01', '☑ Ask', '☐ Order', 'Two offers'])
    expect(body.content).toContain(text);
});
