import { expect, test } from 'vitest';
import { door, setDoor } from '#src/door.ts';
import type { Door } from '#workers/api.ts';

const broken = (): Promise<never> => Promise.reject(new DOMException('It could not be cloned.', 'DataCloneError'));

test('WORDS-2: a request that cannot be handed to the worker fails with the catalogue\'s sentence, and nothing throws', async () => {
  setDoor({ ask: broken, read: broken, file: broken, send: broken } as unknown as Door);
  const answers = [await door().ask('listTickets', {}), await door().read('lastSync', {}), await door().file('exportCompanies', {}), await door().send('removeView', { id: 'x' })];
  expect(answers.map((answer) => (answer.ok ? 'no failure' : answer.failure.message))).toEqual(Array<string>(4).fill('Error setting up the request. Try again later.'));
});
