import * as v from 'valibot';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { BASE } from '#contract/messages/base.messages.en.ts';
import { ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import { readServerErrors } from '#src/ui/form-errors.ts';
import { makeFormSchema } from '#src/ui/form-schema.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import type { DraftForm, DraftFormOptions } from '#src/ui/use-draft-form.ts';
import { renderHook } from '../render-hook.ts';
import type { RenderedHook } from '../render-hook.ts';

interface Fields {
  readonly name: string;
  readonly hours: string;
}
interface Input {
  readonly name: string;
  readonly hours: number;
}
type Options = DraftFormOptions<Fields, Input, string>;
const refused = (path: string): Result<never> => ({
  ok: false,
  failure: { kind: 'bad-input', message: 'Not saved.', issues: [{ path, message: 'Taken.' }] },
});

const schema = makeFormSchema(
  v.strictObject({
    name: v.pipe(v.string(), v.nonEmpty()),
    hours: v.pipe(v.number(), v.integer()),
  }),
  ({ name, hours }: Fields) => ({ value: { name: name.trim(), hours: Number(hours) } }),
  { name: 'Enter a name.', hours: 'Enter whole hours.' },
);

beforeEach(() => vi.stubGlobal('requestAnimationFrame', () => 0));
afterEach(() => vi.unstubAllGlobals());

function open(
  submit: Options['submit'],
  more: Partial<Options> = {},
): Promise<RenderedHook<Partial<Options>, DraftForm<Fields, Input>>> {
  return renderHook(
    (changed: Partial<Options>) =>
      useDraftForm({ initial: { name: '', hours: '1' }, schema, submit, ...more, ...changed }),
    {},
  );
}

test('ADMIN-6: nothing is marked before the first attempt, then each change is checked', async () => {
  const sent: unknown[] = [];
  const { current, run } = await open(async (value) => {
    sent.push(value);
    return ok('');
  });
  await run(() => current().change({ hours: 'x' }));
  expect(current().errors).toEqual({});
  await run(() => current().save());
  expect(current().errors).toEqual({ name: 'Enter a name.', hours: 'Enter whole hours.' });
  await run(() => current().change({ hours: '2' }));
  expect(current().errors).toEqual({ name: 'Enter a name.' });
  await run(() => current().change({ name: ' Nights ' }));
  expect(current().errors).toEqual({});
  expect(sent).toEqual([]);
  await run(() => current().save());
  expect(sent).toEqual([{ name: 'Nights', hours: 2 }]);
});

test('ADMIN-6: a check without saving marks the fields, and a change of one is checked again', async () => {
  const { current, run } = await open(async () => ok(''));
  await run(() => expect(current().check()).toBe(null));
  expect(current().errors).toEqual({ name: 'Enter a name.' });
  await run(() => current().change({ name: 'Nights' }));
  expect(current().errors).toEqual({});
  await run(() => expect(current().check()).toEqual({ name: 'Nights', hours: 1 }));
});

test('ADMIN-6: what the server refuses is shown until the next change, and can be sent again', async () => {
  const answers = [refused('name'), refused('elsewhere'), ok('stored')];
  const saved = vi.fn<NonNullable<Options['onSaved']>>();
  const { current, run } = await open(async () => answers.shift() ?? ok(''), {
    initial: { name: 'Nights', hours: '1' },
    explain: (failure) => readServerErrors(failure, { name: 'Choose another name.' }),
    onSaved: saved,
  });
  const save = (): Promise<void> => run(() => current().save());
  await save();
  expect(current()).toMatchObject({ errors: { name: 'Choose another name.' }, error: null });
  await run(() => current().change({ name: 'Days' }));
  expect(current()).toMatchObject({ errors: {}, error: null, dirty: true });
  await save();
  expect(current()).toMatchObject({ errors: {}, error: 'Not saved. Taken.' });
  expect(saved).not.toHaveBeenCalled();
  await save();
  expect(current()).toMatchObject({ errors: {}, error: null, dirty: false });
  expect(saved).toHaveBeenCalledExactlyOnceWith(
    'stored',
    { name: 'Days', hours: 1 },
    { name: 'Days', hours: '1' },
  );
});

test('ADMIN-6: a refused field that the form empties says why it was refused', async () => {
  const { current, run } = await open(async () => refused('name'), {
    initial: { name: 'Nights', hours: '1' },
    explain: (failure) => {
      current().change({ name: '' });
      return readServerErrors(failure, { name: 'Choose another name.' });
    },
  });
  await run(() => current().save());
  expect(current()).toMatchObject({
    form: { name: '' },
    errors: { name: 'Choose another name.' },
  });
  await run(() => current().change({ hours: '2' }));
  expect(current().errors).toEqual({ name: 'Enter a name.' });
});

test('ADMIN-6: changes are unsaved until they are saved, reset or typed back', async () => {
  const { current, run } = await open(async () => ok(''));
  expect(current().dirty).toBe(false);
  await run(() => current().change({ name: 'Nights' }));
  expect(current().dirty).toBe(true);
  await run(() => current().change({ name: '' }));
  expect(current().dirty).toBe(false);
  await run(() => current().change({ name: 'Days' }));
  await run(() => current().reset());
  expect(current()).toMatchObject({ form: { name: '', hours: '1' }, dirty: false });
  await run(() => current().reset({ name: 'Stored', hours: '3' }));
  expect(current()).toMatchObject({ form: { name: 'Stored', hours: '3' }, dirty: false });
});

test('ADMIN-6: without a network nothing is sent, and the form says why', async () => {
  const submit = vi.fn<Options['submit']>();
  const { current, run } = await open(submit, {
    initial: { name: 'Nights', hours: '1' },
    offline: true,
  });
  await run(() => current().save());
  expect(current().error).toBe(BASE.needsNetwork);
  expect(submit).not.toHaveBeenCalled();
});

const read = (name: string, error: string | null) =>
  makeFormSchema(v.pipe(v.string(), v.minLength(3, 'Too short.')), (form: { name: string }) => ({
    value: form.name,
    errors: { name: error },
  }))['~standard'].validate({ name });

test('ADMIN-6: an issue of the contract without a field is about the whole form', () => {
  expect(read('Nights', null)).toEqual({ value: 'Nights' });
  expect(read('N', null)).toEqual({ issues: [{ message: 'Too short.', path: [] }] });
  expect(read('N', 'Enter a name.')).toEqual({
    issues: [{ message: 'Enter a name.', path: ['name'] }],
  });
});

const named = (error: string | null) =>
  makeFormSchema(
    v.strictObject({ name: v.pipe(v.string(), v.nonEmpty()) }),
    (form: { name: string }) => ({ value: form, errors: { name: error } }),
    { name: 'Enter a name.' },
  )['~standard'].validate({ name: '' });

test('ADMIN-6: a field without an error of its own shows the one of the contract', () => {
  expect([null, 'Taken.'].map((error) => named(error))).toEqual(
    ['Enter a name.', 'Taken.'].map((message) => ({ issues: [{ message, path: ['name'] }] })),
  );
});
